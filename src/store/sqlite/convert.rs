//! Migration steps that need code beyond SQL.

use rusqlite::Connection;

use super::{columns, nine_bits};
use tars_text::analysis::index_text;

/// Converts vectors from little-endian f32 to bytes, and stores the model's name only in `meta`. Vectors of other models are
/// dropped, as the next index run would do. Passages keep all vectors of the current model.
pub(super) fn vectors_to_bytes(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "CREATE TABLE vectors_of_bytes(
             id INTEGER PRIMARY KEY,
             content_hash INTEGER NOT NULL UNIQUE,
             embedding BLOB NOT NULL
         ) STRICT;",
    )?;
    let sql = "SELECT id, substr(content_hash, 1, 16), embedding FROM vectors
               WHERE model = (SELECT value FROM meta WHERE key = 'model') ORDER BY id";
    let mut read = connection.prepare(sql)?;
    let mut write = connection.prepare("INSERT INTO vectors_of_bytes VALUES(?1, ?2, ?3)")?;
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        let blob = row.get_ref(2)?.as_blob()?;
        let vector: Vec<f32> = blob.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        let hash = nine_bits::hash(row, 1)?;
        write.execute((row.get::<_, i64>(0)?, hash, nine_bits::to_row(&vector)))?;
    }
    connection.execute_batch(
        "UPDATE passages SET vector_id = NULL
         WHERE vector_id IS NOT NULL AND vector_id NOT IN (SELECT id FROM vectors_of_bytes);
         DROP TABLE vectors;
         ALTER TABLE vectors_of_bytes RENAME TO vectors;
         INSERT INTO vector_changes(vector_id) VALUES(0);
         CREATE TRIGGER vectors_inserted AFTER INSERT ON vectors BEGIN
             INSERT INTO vector_changes(vector_id) VALUES(new.id);
         END;
         CREATE TRIGGER vectors_updated AFTER UPDATE ON vectors BEGIN
             INSERT INTO vector_changes(vector_id) VALUES(new.id);
         END;
         CREATE TRIGGER vectors_deleted AFTER DELETE ON vectors BEGIN
             INSERT INTO vector_changes(vector_id) VALUES(old.id);
         END;",
    )
}

/// Drops vectors of early databases of schema 6, which have full hashes and lack the ninth bits, so that today's queries cannot
/// find them. They are embedded again.
pub(super) fn vectors_of_one_form(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "SELECT type FROM pragma_table_info('vectors') WHERE name = 'content_hash'";
    if connection.query_row(sql, [], |row| row.get::<_, String>(0))? == "INTEGER" {
        return Ok(());
    }
    connection.execute_batch(
        "UPDATE passages SET vector_id = NULL;
         DROP TABLE vectors;
         CREATE TABLE vectors(
             id INTEGER PRIMARY KEY,
             content_hash INTEGER NOT NULL UNIQUE,
             embedding BLOB NOT NULL
         ) STRICT;
         INSERT INTO vector_changes(vector_id) VALUES(0);
         CREATE TRIGGER vectors_inserted AFTER INSERT ON vectors BEGIN
             INSERT INTO vector_changes(vector_id) VALUES(new.id);
         END;
         CREATE TRIGGER vectors_updated AFTER UPDATE ON vectors BEGIN
             INSERT INTO vector_changes(vector_id) VALUES(new.id);
         END;
         CREATE TRIGGER vectors_deleted AFTER DELETE ON vectors BEGIN
             INSERT INTO vector_changes(vector_id) VALUES(old.id);
         END;",
    )
}

/// Rebuilds the full text with bodies in the first column: FTS5 spends two bytes per word and chunk on the column number of all
/// columns but the first, and most words are in bodies. Titles, headings and texts are indexed at once. Aliases, tags, properties
/// and dates are added when the files are read again.
pub(super) fn bodies_first(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "DROP TABLE chunks_fts;
         CREATE VIRTUAL TABLE chunks_fts USING fts5(
             body, title, meta,
             content='', contentless_delete=1,
             tokenize='porter unicode61 remove_diacritics 2'
         );",
    )?;
    let mut insert = connection.prepare("INSERT INTO chunks_fts(rowid, title, body, meta) VALUES(?1, ?2, ?3, '')")?;
    let sql = "SELECT c.id, f.title, c.heading, c.content FROM chunks c JOIN files f ON f.id = c.file_id ORDER BY c.id";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (title, heading): (String, String) = (row.get(1)?, row.get(2)?);
        let (title, body) = (format!("{title}\n{heading}"), columns::content(row, 3)?);
        insert.execute((row.get::<_, i64>(0)?, index_text(&title), index_text(&body)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::migrate::migrate;
    use super::super::schema::MIGRATIONS;
    use super::*;

    /// The schema version before vectors were stored as bytes.
    const BEFORE: usize = 4;

    #[test]
    fn passages_keep_the_vectors_of_the_model_in_use() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, Path::new("index.db"), &MIGRATIONS[..BEFORE]).unwrap();
        connection
            .execute_batch(
                "INSERT INTO meta VALUES('model', 'new');
                 INSERT INTO collections VALUES(1, 'c', '/c');
                 INSERT INTO files VALUES(1, 1, 'a.md', '', '', 'note', zeroblob(32), 0, 0, 0, '', 0);
                 INSERT INTO chunks VALUES(1, 1, 'k', 0, '', 1, 1, 'text');",
            )
            .unwrap();
        for (id, model, values) in [(3, "new", [0.6f32, -0.8]), (5, "old", [1.0, 0.0]), (9, "new", [0.0, 1.0])] {
            let blob: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            let hash: Vec<u8> = (0..32).map(|at| at + id as u8).collect();
            connection.execute("INSERT INTO vectors VALUES(?1, ?2, ?3, ?4)", (id, model, hash, blob)).unwrap();
            let sql = "INSERT INTO passages VALUES(?1, 1, ?1, zeroblob(32), zeroblob(32), ?1)";
            connection.execute(sql, [id]).unwrap();
        }
        migrate(&mut connection, Path::new("index.db"), &MIGRATIONS[..=BEFORE]).unwrap();
        let rows = |sql: &str| -> Vec<(i64, i64, Vec<u8>)> {
            let mut statement = connection.prepare(sql).unwrap();
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
            rows.collect::<Result<_, _>>().unwrap()
        };
        let [half, all] = [0x0A09_0807_0605_0403, 0x100F_0E0D_0C0B_0A09];
        assert_eq!(
            rows("SELECT id, content_hash, embedding FROM vectors ORDER BY id"),
            [(3, half, vec![95, 128, 0b11]), (9, all, vec![0, 127, 0b10])]
        );
        let kept: Vec<Option<i64>> = connection
            .prepare("SELECT vector_id FROM passages ORDER BY id")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(kept, [Some(3), None, Some(9)]);
        // Triggers and references must apply to the new table.
        connection.execute("DELETE FROM vectors WHERE id = 9", []).unwrap();
        let now = "SELECT (SELECT count(*) FROM passages WHERE vector_id IS NOT NULL),
                   (SELECT vector_id FROM vector_changes ORDER BY number DESC LIMIT 1)";
        let now: (i64, i64) = connection.query_row(now, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        assert_eq!(now, (1, 9));
    }
}
