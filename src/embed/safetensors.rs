//! Reads the safetensors format: a file of named tensors.
//!
//! | content | type |
//! |---|---|
//! | size of the directory in bytes | u64, little-endian |
//! | the directory: `{"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}`, optionally with `"__metadata__"` | JSON |
//! | the numbers, at the offsets in the directory, counted from its end | little-endian |
//!
//! The file is untrusted: inconsistent contents are refused with a reason, and no allocation exceeds the size of the file.

#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

/// Maximum size of a directory, in bytes: that of a large encoder has 64 KiB.
const MAX_DIRECTORY: usize = 8 << 20;
/// Directory entry that is not a tensor.
const METADATA: &str = "__metadata__";

/// A file of tensors.
#[derive(Debug)]
pub(crate) struct Tensors<'a> {
    tensors: HashMap<String, Tensor<'a>>,
}

/// A tensor whose shape matches its size in bytes.
#[derive(Debug)]
pub(crate) struct Tensor<'a> {
    /// Its dimensions, outermost first.
    pub(crate) shape: Vec<usize>,
    format: Format,
    bytes: &'a [u8],
}

/// Number format of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    F32,
    F16,
    Bf16,
    /// Another format with this many bytes per number, which is not used for weights.
    Other(usize),
}

impl<'a> Tensors<'a> {
    /// Parses the file.
    ///
    /// # Errors
    /// A short description of the inconsistency.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let (size, rest) = bytes.split_first_chunk().ok_or(CUT_OFF)?;
        let size = usize::try_from(u64::from_le_bytes(*size)).map_err(|_| CUT_OFF)?;
        if size > MAX_DIRECTORY {
            return Err(format!("its directory of tensors is larger than {MAX_DIRECTORY} bytes"));
        }
        let (directory, data) = rest.split_at_checked(size).ok_or(CUT_OFF)?;
        let Directory(entries) = serde_json::from_slice(directory)
            .map_err(|error| format!("its directory of tensors cannot be read: {error}"))?;
        let mut places: Vec<[usize; 2]> = Vec::new();
        let mut tensors = HashMap::new();
        for (name, entry) in entries {
            let tensor =
                Tensor::of(&entry, data).ok_or_else(|| format!("its tensor {} is inconsistent", shown(&name)))?;
            places.push(entry.data_offsets);
            if tensors.insert(name.clone(), tensor).is_some() {
                return Err(format!("its tensor {} is listed twice", shown(&name)));
            }
        }
        // The format requires this: bytes between or under tensors could be anything.
        places.sort_unstable();
        let end = places.iter().try_fold(0, |end, place| (place[0] == end).then_some(place[1]));
        match end == Some(data.len()) {
            true => Ok(Self { tensors }),
            false => Err("its tensors overlap or have gaps between them".into()),
        }
    }

    /// Whether a tensor of this name exists.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// Returns the tensor of this name.
    ///
    /// # Errors
    /// The tensor does not exist.
    pub(crate) fn get(&self, name: &str) -> Result<&Tensor<'a>, String> {
        self.tensors.get(name).ok_or_else(|| format!("it has no tensor {name}"))
    }

    /// Returns the numbers of a tensor.
    ///
    /// # Errors
    /// The tensor does not exist, or has another shape or an unsupported number format.
    pub(crate) fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        let tensor = self.get(name)?;
        if tensor.shape != shape {
            return Err(format!("its tensor {name} has the shape {:?}, not {shape:?}", tensor.shape));
        }
        let mut values = Vec::with_capacity(tensor.bytes.len() / 2);
        match tensor.extend(0..tensor.rows(), &mut values) {
            true => Ok(values),
            false => Err(unlike(name)),
        }
    }

    /// Returns the numbers of a range of rows of a tensor.
    ///
    /// # Errors
    /// As [`Tensors::floats`].
    pub(crate) fn rows(&self, name: &str, rows: std::ops::Range<usize>) -> Result<Vec<f32>, String> {
        let mut values = Vec::new();
        match self.get(name)?.extend(rows, &mut values) {
            true => Ok(values),
            false => Err(unlike(name)),
        }
    }
}

impl<'a> Tensor<'a> {
    fn of(entry: &Entry, data: &'a [u8]) -> Option<Self> {
        let format = match entry.dtype.as_str() {
            "F32" => Format::F32,
            "F16" => Format::F16,
            "BF16" => Format::Bf16,
            "F64" | "I64" | "U64" => Format::Other(8),
            "I32" | "U32" => Format::Other(4),
            "I16" | "U16" => Format::Other(2),
            "I8" | "U8" | "BOOL" | "F8_E4M3" | "F8_E5M2" => Format::Other(1),
            _ => return None,
        };
        let [start, end] = entry.data_offsets;
        let bytes = data.get(start..end)?;
        let count = entry.shape.iter().try_fold(1usize, |count, side| count.checked_mul(*side))?;
        let fits = count.checked_mul(format.width())? == bytes.len();
        fits.then(|| Self { shape: entry.shape.clone(), format, bytes })
    }

    fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Appends the numbers of these rows. Returns false if the rows do not exist or are not floating-point numbers.
    fn extend(&self, rows: std::ops::Range<usize>, values: &mut Vec<f32>) -> bool {
        let width = self.bytes.len() / self.rows().max(1);
        let place = rows.start.checked_mul(width).zip(rows.end.checked_mul(width));
        let Some(bytes) = place.and_then(|(start, end)| self.bytes.get(start..end)) else { return false };
        match self.format {
            Format::F32 => values.extend(bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number))),
            Format::F16 => {
                values.extend(bytes.as_chunks().0.iter().map(|number| f16_to_f32(u16::from_le_bytes(*number))))
            }
            Format::Bf16 => {
                let widened = |number: &[u8; 2]| f32::from_bits(u32::from(u16::from_le_bytes(*number)) << 16);
                values.extend(bytes.as_chunks().0.iter().map(widened));
            }
            Format::Other(_) => return false,
        }
        true
    }
}

impl Format {
    fn width(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::Other(width) => width,
        }
    }
}

/// Directory entry of a tensor.
#[derive(Debug, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// The directory in its order, duplicates included.
struct Directory(Vec<(String, Entry)>);

impl<'de> Deserialize<'de> for Directory {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Directory;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tensors")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Directory, M::Error> {
                let mut entries = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    if name == METADATA {
                        map.next_value::<IgnoredAny>()?;
                        continue;
                    }
                    let entry =
                        map.next_value().map_err(|error| M::Error::custom(format!("{}: {error}", shown(&name))))?;
                    entries.push((name, entry));
                }
                Ok(Directory(entries))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

const CUT_OFF: &str = "it is cut off";

fn unlike(name: &str) -> String {
    format!("its tensor {name} holds numbers other than F32, F16 or BF16")
}

/// Returns a name from the file, escaped for printing.
fn shown(name: &str) -> String {
    name.chars().take(100).flat_map(char::escape_debug).collect()
}

/// Widens a 16-bit float (IEEE 754 binary16).
pub(crate) fn f16_to_f32(bits: u16) -> f32 {
    /// 2^-24, the step between subnormal numbers.
    const STEP: f32 = f32::from_bits((127 - 24) << 23);
    let (sign, exponent, fraction) = (u32::from(bits >> 15) << 31, u32::from(bits >> 10 & 31), u32::from(bits & 1023));
    f32::from_bits(
        sign | match exponent {
            0 => (fraction as f32 * STEP).to_bits(),
            31 => 0xff << 23 | fraction << 13,
            _ => (exponent + 127 - 15) << 23 | fraction << 13,
        },
    )
}
