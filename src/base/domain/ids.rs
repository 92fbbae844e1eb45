//! Identifiers and hashes, each its own type.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hex;

/// blake3 of some content, 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Returns the hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Returns the hash of several parts. Each part is prefixed by its length, so that moving a boundary changes the
    /// hash.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// Returns the hash held in `bytes`, or `None` unless there are exactly 32.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns the bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", blake3::Hash::from_bytes(self.0).to_hex())
    }
}

/// The first 8 bytes of a text's blake3, the key of its vector. Among a million texts two collide with a probability of
/// three in a hundred million; then one passage gets the vector of the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextHash([u8; 8]);

impl TextHash {
    /// Returns the hash of a text.
    pub fn of(text: &str) -> Self {
        ContentHash::of(text.as_bytes()).into()
    }

    /// Returns the hash of a number from [`TextHash::number`].
    pub fn from_number(number: i64) -> Self {
        Self(number.to_le_bytes())
    }

    /// Returns the hash as a little-endian number.
    pub fn number(self) -> i64 {
        i64::from_le_bytes(self.0)
    }

    /// Returns its first twelve hexadecimal digits, enough to distinguish a few texts.
    pub fn short(&self) -> String {
        hex(&self.0[..6])
    }
}

impl From<ContentHash> for TextHash {
    fn from(hash: ContentHash) -> Self {
        let (first, _) = hash.0.split_first_chunk().expect("32 bytes hold 8");
        Self(*first)
    }
}

impl fmt::Debug for TextHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// The public id of a chunk: 32 hexadecimal digits. It survives moves of the text within its file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ChunkId(String);

impl ChunkId {
    /// Length of a full id.
    pub const LENGTH: usize = 32;
    /// The shortest prefix that commands accept.
    pub const MIN_PREFIX: usize = 4;

    /// Returns the id of a chunk: blake3 over collection, path, heading path, content hash, and an ordinal that
    /// distinguishes identical chunks of one file (0 for the first).
    pub fn new(collection: &str, path: &str, heading: &str, content: &ContentHash, ordinal: u32) -> Self {
        let hash = ContentHash::of_parts([
            collection.as_bytes(),
            path.as_bytes(),
            heading.as_bytes(),
            content.as_bytes().as_slice(),
            ordinal.to_le_bytes().as_slice(),
        ]);
        let mut hex = blake3::Hash::from_bytes(*hash.as_bytes()).to_hex().to_string();
        hex.truncate(Self::LENGTH);
        Self(hex)
    }

    /// Wraps an id that was stored earlier.
    pub fn from_stored(hex: String) -> Self {
        Self(hex)
    }

    /// Returns the full id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the form shown to people: the first twelve digits.
    pub fn short(&self) -> &str {
        &self.0[..self.0.len().min(12)]
    }
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Identifies an embedding model together with everything that changes its vectors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelId(String);

impl ModelId {
    /// Wraps a model's fingerprint.
    pub fn new(fingerprint: impl Into<String>) -> Self {
        Self(fingerprint.into())
    }

    /// Returns the fingerprint.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_an_id_counts() {
        let hash = ContentHash::of(b"text");
        let ids = [
            ChunkId::new("vault", "a.md", "h", &hash, 0),
            ChunkId::new("work", "a.md", "h", &hash, 0),
            ChunkId::new("vault", "b.md", "h", &hash, 0),
            ChunkId::new("vault", "a.md", "i", &hash, 0),
            ChunkId::new("vault", "a.md", "h", &ContentHash::of(b"other"), 0),
            ChunkId::new("vault", "a.md", "h", &hash, 1),
            ChunkId::new("vaulta", ".md", "h", &hash, 0),
        ];
        let different: std::collections::HashSet<&ChunkId> = ids.iter().collect();
        assert_eq!(different.len(), ids.len());
        assert_eq!(ids[0], ChunkId::new("vault", "a.md", "h", &hash, 0));
        assert_eq!(ids[0].as_str().len(), ChunkId::LENGTH);
        assert!(ids[0].as_str().bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')));
        assert!(ids[0].as_str().starts_with(ids[0].short()) && ids[0].short().len() == 12);
    }

    #[test]
    fn hashes_of_parts_depend_on_part_boundaries() {
        let of = |parts: &[&str]| ContentHash::of_parts(parts.iter().map(|part| part.as_bytes()));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["a"]), of(&["a", ""]));
        assert_eq!(of(&["a", "b"]), of(&["a", "b"]));
        let hash = of(&["a"]);
        assert_eq!(ContentHash::from_bytes(hash.as_bytes()), Some(hash));
        assert_eq!(ContentHash::from_bytes(&[0; 31]), None);
        let text = TextHash::from(hash);
        assert!(hash.as_bytes().starts_with(&text.number().to_le_bytes()));
        assert_eq!(TextHash::from_number(text.number()), text);
        assert_eq!(TextHash::of("a").short(), "17762fddd969");
    }
}
