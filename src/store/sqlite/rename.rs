//! Gives a collection another name. The name is part of the ids of its chunks, so that they get new ones.

use std::collections::HashMap;

use rusqlite::Connection;

use super::columns::content;
use super::documents::forget_oldest_retired;
use crate::{CollectionId, StoreError};
use tars_base::domain::{ChunkId, ContentHash};

/// The new id of a chunk.
struct Renamed {
    row: i64,
    former: String,
    path: String,
    key: ChunkId,
}

pub(super) fn rename(connection: &Connection, id: CollectionId, name: &str) -> Result<(), StoreError> {
    let renamed = renamed(connection, id, name)?;
    let former = "UPDATE retired SET collection = ?2 WHERE collection = (SELECT name FROM collections WHERE id = ?1)";
    connection.execute(former, (id.0, name))?;
    connection.execute("UPDATE collections SET name = ?2 WHERE id = ?1", (id.0, name))?;
    let mut update = connection.prepare_cached("UPDATE chunks SET chunk_key = unhex(?2) WHERE id = ?1")?;
    let mut revive = connection.prepare_cached("DELETE FROM retired WHERE chunk_key = unhex(?1)")?;
    let sql = "INSERT INTO retired(chunk_key, collection, path, successor) VALUES(unhex(?1), ?2, ?3, unhex(?4))
               ON CONFLICT(chunk_key) DO UPDATE SET collection = excluded.collection, path = excluded.path, successor = excluded.successor";
    let mut retire = connection.prepare_cached(sql)?;
    for Renamed { row, former, path, key } in renamed {
        update.execute((row, key.as_str()))?;
        // An earlier name may come back.
        revive.execute([key.as_str()])?;
        retire.execute((former, name, path, key.as_str()))?;
    }
    forget_oldest_retired(connection)
}

fn renamed(connection: &Connection, id: CollectionId, name: &str) -> Result<Vec<Renamed>, StoreError> {
    let sql = "SELECT c.id, lower(hex(c.chunk_key)), f.path, c.heading, c.content, c.file_id FROM chunks c
               JOIN files f ON f.id = c.file_id WHERE f.collection_id = ?1 ORDER BY c.file_id, c.chunk_sequence";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([id.0])?;
    let (mut all, mut file) = (Vec::new(), None);
    let mut twins: HashMap<(String, ContentHash), u32> = HashMap::new();
    while let Some(row) = rows.next()? {
        let of: i64 = row.get(5)?;
        if file.replace(of) != Some(of) {
            twins.clear();
        }
        let (path, heading): (String, String) = (row.get(2)?, row.get(3)?);
        let content = ContentHash::of(content(row, 4)?.as_bytes());
        let ordinal = twins.entry((heading.clone(), content)).or_default();
        let key = ChunkId::new(name, &path, &heading, &content, *ordinal);
        *ordinal += 1;
        all.push(Renamed { row: row.get(0)?, former: row.get(1)?, path, key });
    }
    Ok(all)
}
