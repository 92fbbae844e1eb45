//! The nine-bit vector rows of former versions. Only migrations read and write them.
//!
//! A row holds one signed byte per value, then one bit per value: the lowest bits of its last bytes belong to the first eighth of
//! the values (rounded up), the next bits to the second eighth, and so on. Twice the byte plus the bit is the value, as a multiple
//! of a 255th of the largest.

use rusqlite::Row;

use super::columns::damaged_blob;

/// The quantized form of the largest value.
const LARGEST: f32 = 255.0;

/// Reads the first 8 bytes of a hash stored as a blob, as a number.
pub(super) fn hash(row: &Row<'_>, column: usize) -> rusqlite::Result<i64> {
    let bytes = row.get_ref(column)?.as_blob()?.first_chunk();
    bytes.map(|bytes| i64::from_le_bytes(*bytes)).ok_or_else(|| damaged_blob(column, "less than 8 bytes"))
}

/// Quantizes a vector to a row's bytes.
pub(super) fn to_row(vector: &[f32]) -> Vec<u8> {
    let largest = vector.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
    let scale = if largest > 0.0 { LARGEST / largest } else { 0.0 };
    let values: Vec<i16> = vector.iter().map(|value| (value * scale).round() as i16).collect();
    let mut row: Vec<u8> = values.iter().map(|value| ((value >> 1) as i8).cast_unsigned()).collect();
    row.resize(vector.len() + vector.len().div_ceil(8), 0);
    let bits = &mut row[vector.len()..];
    for (place, eighth) in values.chunks(bits.len().max(1)).enumerate() {
        for (bits, value) in bits.iter_mut().zip(eighth) {
            *bits |= ((value & 1) as u8) << place;
        }
    }
    row
}

/// Reads the values of a row, which are not normalized.
pub(super) fn read(row: &[u8]) -> Vec<f32> {
    let (bytes, bits) = row.split_at(row.len() * 8 / 9);
    let eighths = bytes.chunks(bits.len().max(1)).enumerate();
    let value = |place: usize, byte: &u8, bits: &u8| 2 * i16::from(byte.cast_signed()) + i16::from(bits >> place & 1);
    eighths
        .flat_map(|(place, eighth)| {
            eighth.iter().zip(bits).map(move |(byte, bits)| f32::from(value(place, byte, bits)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_documented_layout() {
        assert_eq!(to_row(&[1.0, -1.0, 0.0, 3.0 / 255.0]), [127, 0x80, 0, 1, 0b1011]);
        let ten: Vec<f32> = (0..10u8).map(|at| if at % 3 == 0 { 255.0 } else { 0.0 }).collect();
        assert_eq!(to_row(&ten), [127, 0, 0, 127, 0, 0, 127, 0, 0, 127, 0b0_1001, 0b1_0010]);
        assert_eq!(read(&to_row(&ten)), ten);
        assert_eq!(read(&[0, 0, 4, 0b001]), [1.0, 0.0, 8.0]);
        assert_eq!(read(&to_row(&[0.0, -0.0])), [0.0, 0.0]);
        assert!(read(&[]).is_empty());
    }
}
