//! Fuzzes hostile blocks, because an index may come from another machine.

use rusqlite::Connection;

use super::quantizer::{PreparedQuery, QuantizedVector};
use super::{Levels, block, clear_slots, examine, nearest, write};
use tars_testing::fuzz::{fuzz, seed_is};

/// A block number far beyond those of actual rows.
const FAR: i64 = i64::MAX - 3;

fn database(block: &[u8]) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "CREATE TABLE vectors(id INTEGER PRIMARY KEY, rest BLOB);
             CREATE TABLE vector_blocks(id INTEGER PRIMARY KEY, codes BLOB NOT NULL);
             CREATE TABLE vacant_places(id INTEGER PRIMARY KEY);",
        )
        .unwrap();
    for number in [0, FAR] {
        connection.execute("INSERT INTO vector_blocks VALUES(?1, ?2)", (number, block)).unwrap();
    }
    connection
}

/// Any block is read and written within its bounds, and a block of an impossible length holds nothing.
#[test]
fn fuzz_index_codes() {
    fuzz("index_codes", |bytes| {
        let connection = database(bytes);
        for width in [16, 32, 384] {
            let query = PreparedQuery::new(&(0..width).map(|at| at as f32 - 3.0).collect::<Vec<f32>>());
            for count in [0, 1, 1000] {
                let all = nearest(&connection, &query, None, count).unwrap();
                assert!(all.len() <= 2 * block::BLOCK_VECTORS);
                let some = nearest(&connection, &query, Some(&[1, 40, 479]), count).unwrap();
                assert!(some.iter().all(|one| [1, 40, 479].contains(&one.id)));
            }
        }
        let mut levels = Levels::new(&connection);
        for id in [0, 33, 479, 480] {
            assert!(levels.of(id).unwrap().is_none_or(|levels| levels.len() < bytes.len()));
        }
        drop(levels);
        examine(&connection).unwrap();
        for id in [3, 479, 480] {
            let vector = QuantizedVector { levels: vec![0x1B; 8], rest: vec![7; 20] };
            write(&connection, id, &vector).unwrap();
        }
        clear_slots(&connection, &[0, 3, 700]).unwrap();
    });
}

#[test]
fn a_sound_block_is_a_seed() {
    let layout = block::Layout::new(16);
    let mut bytes = layout.empty(&[0.25; 16]);
    seed_is("index_codes", "vacant", &bytes);
    // Any bytes are valid levels; the numbers are between 0.5 and 1.
    let codes = bytes[layout.centre_len()..].iter_mut().enumerate();
    codes.for_each(|(at, byte)| *byte = if at % 2 == 1 { 0x3f } else { (at * 37 % 251) as u8 });
    seed_is("index_codes", "sound", &bytes);
}
