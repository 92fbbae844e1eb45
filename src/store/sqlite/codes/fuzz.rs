//! Hostile files of codes.

use std::fs;

use super::file::CodeFile;
use super::format::{HEADER, Header, State, block_len, model_hash, width};
use super::scan::{self, Admitted};
use crate::fuzz::{fuzz, seed_is};

/// A damaged file is refused with its name. One whose checksums are right, as only an attacker would make them, is read within
/// its bounds, whatever its numbers say.
#[test]
fn fuzz_index_codes() {
    fuzz("index_codes", |bytes| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.codes");
        for bytes in [bytes.to_vec(), resealed(bytes)] {
            fs::write(&path, &bytes).unwrap();
            match CodeFile::open(&path) {
                Ok(file) => is_read_within_bounds(&file),
                // An empty file cannot be mapped: the system's own error.
                Err(error) => assert!(bytes.is_empty() || error.to_string().contains("index.codes"), "{error}"),
            }
        }
    });
}

fn is_read_within_bounds(file: &CodeFile) {
    for slot in 0..file.len() {
        let code = file.code(slot);
        assert_eq!(code.levels.len(), width(file.dimensions()) / 4);
        let id = file.id(slot);
        // Rows that are in no order are not found, or another's slot is.
        assert!(file.slot(id).is_none_or(|slot| file.id(slot) == id));
    }
    let question: Vec<f32> = (0..file.dimensions()).map(|at| at as f32 - 3.0).collect();
    for count in [0, 1, 1000] {
        let all = scan::nearest(file, &question, &Admitted::all_but(file, std::iter::empty()), count);
        assert!(all.len() <= file.len());
        let some = Admitted::only(file, (0..file.len()).step_by(3));
        assert!(scan::nearest(file, &question, &some, count).len() <= file.len().div_ceil(3));
    }
    // As the writer of the next file asks.
    assert!(file.is_of("model") || !file.is_of("model"));
    let _ = (file.state(), file.centred(), file.bytes());
}

/// The same with both checksums right.
fn resealed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= HEADER {
        let body = crc32fast::hash(&bytes[HEADER..]);
        bytes[80..84].copy_from_slice(&body.to_le_bytes());
        let header = crc32fast::hash(&bytes[..84]);
        bytes[84..88].copy_from_slice(&header.to_le_bytes());
    }
    bytes
}

#[test]
fn a_sound_file_is_a_seed() {
    for (name, dimensions, count) in [("sound", 20, 40), ("empty", 16, 0)] {
        let state = State { number: 9, nonce: -3 };
        let header = Header { dimensions, count, state, model: model_hash("model"), centred: count, body_crc: 0 };
        let mut bytes = header.to_bytes().to_vec();
        // Any bytes are levels; numbers beside them are from 0.5 to 1.
        let levels = (0..count.div_ceil(32) * block_len(dimensions)).map(|at| (at * 37 % 251) as u8);
        bytes.extend((0..width(dimensions)).flat_map(|at| (0.01 * at as f32).to_le_bytes()));
        bytes.extend(levels.enumerate().map(|(at, level)| if at % 2 == 1 { 0x3f } else { level }));
        bytes.extend((0..count as u32).flat_map(|row| (2 * row + 1).to_le_bytes()));
        let bytes = resealed(&bytes);
        assert_eq!(header.file_len(), Some(bytes.len()));
        seed_is("index_codes", name, &bytes);
    }
}
