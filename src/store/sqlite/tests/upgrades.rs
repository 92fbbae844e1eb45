use super::*;
use crate::sqlite::schema::MIGRATIONS;

/// The number of steps applied to a database with large rows.
const LARGE: usize = 4;

/// Writes `draft` as those steps stored it: full hashes, ids and texts as text, and each passage with its own vector.
fn put_large(connection: &Connection, id: i64, draft: &Draft) {
    let file = "INSERT INTO files VALUES(?1, 1, ?2, ?3, '', 'note', ?4, ?5, 1, 7, 'chunker', ?5)";
    let hash = ContentHash::of(draft.chunks.join("\n").as_bytes());
    connection.execute(file, (id, &draft.path, &draft.title, hash.as_bytes().as_slice(), MTIME)).unwrap();
    connection.execute("INSERT INTO links VALUES(?1, 'Other', 'wiki', 3), (?1, 'Other', 'wiki', 3)", [id]).unwrap();
    connection.execute("INSERT INTO dates VALUES(?1, '2020-01-09', 0), (?1, '2020-01-09', 0)", [id]).unwrap();
    connection.execute("INSERT INTO properties VALUES(?1, 'status', 'done')", [id]).unwrap();
    for (sequence, text) in draft.chunks.iter().enumerate() {
        let key = ChunkId::new("vault", &draft.path, "", &ContentHash::of(text.as_bytes()), 0);
        let chunk = "INSERT INTO chunks(file_id, chunk_key, chunk_sequence, heading, start_line, end_line, content)
                     VALUES(?1, ?2, ?3, '', 1, 1, ?4)";
        connection.execute(chunk, (id, key.as_str(), sequence as i64, text)).unwrap();
        let row = connection.last_insert_rowid();
        let full_text = "INSERT INTO chunks_fts(rowid, title, body, meta) VALUES(?1, ?2, ?3, '')";
        connection.execute(full_text, (row, &draft.title, index_text(text))).unwrap();
        for (seq, (input, lineage)) in draft.whole_hashes(text).into_iter().enumerate() {
            let values: Vec<u8> = vector(text).iter().flat_map(|value| value.to_le_bytes()).collect();
            let vector = "INSERT INTO vectors(model, content_hash, embedding) VALUES(?1, ?2, ?3)";
            connection.execute(vector, (model().as_str(), input.as_bytes().as_slice(), values)).unwrap();
            let vector = connection.last_insert_rowid();
            let passage =
                "INSERT INTO passages(chunk_id, seq, input_hash, lineage, vector_id) VALUES(?1, ?2, ?3, ?4, ?5)";
            let (input, lineage) = (input.as_bytes().as_slice(), lineage.as_bytes().as_slice());
            connection.execute(passage, (row, seq as i64, input, lineage, vector)).unwrap();
        }
    }
}

impl Draft {
    fn whole_hashes(&self, chunk: &str) -> Vec<(ContentHash, ContentHash)> {
        let whole = |text: &str| ContentHash::of(text.as_bytes());
        let lines = chunk.lines().filter(|line| !line.is_empty());
        lines.map(|line| (whole(&format!("{}\n{line}", self.title)), whole(line))).collect()
    }
}

fn upgraded(drafts: &[Draft]) -> Fixture {
    let mut fixture = Fixture::new();
    let path = fixture.path();
    let folder = path.parent().unwrap().join("large");
    std::fs::create_dir(&folder).unwrap();
    let path = folder.join("index.db");
    let mut connection = Connection::open(&path).unwrap();
    migrate::migrate(&mut connection, &path, &MIGRATIONS[..LARGE]).unwrap();
    connection.execute("INSERT INTO collections VALUES(1, 'vault', '/vault')", []).unwrap();
    connection.execute("INSERT INTO meta VALUES('model', ?1)", [model().as_str()]).unwrap();
    connection.execute("INSERT INTO retired VALUES(1, ?1, 'vault', 'gone.md', NULL)", ["ab".repeat(16)]).unwrap();
    for (id, draft) in (1..).zip(drafts) {
        put_large(&connection, id, draft);
    }
    drop(connection);
    fixture.store = Box::new(SqliteStore::open_existing(&path).unwrap());
    fixture
}

#[test]
fn answers_stay_the_same_after_the_migration_to_small_rows() {
    let fixture = upgraded(&[draft("a.md", &["apple\nbanana", "cherry"]), draft("b.md", &["dates"])]);
    fixture.check();
    assert_eq!(fixture.find("cherry"), [place("a.md", 1)]);
    assert_eq!(fixture.file("a.md").chunker, "", "the file is marked to be read again");
    let near = fixture.reader().nearest(&vector("dates"), &model(), None, 1).unwrap();
    assert_eq!(fixture.places(&near), [place("b.md", 0)]);
    let id = ChunkId::new("vault", "a.md", "", &ContentHash::of(b"cherry"), 0);
    let found = fixture.reader().chunk_by_id(&id).unwrap().expect("ids stay");
    assert_eq!((found.id, found.content.as_str()), (id, "cherry"));
    let old = ChunkId::from_stored("ab".repeat(16));
    assert!(matches!(fixture.reader().locate("abab").unwrap(), IdLookup::Retired { id, .. } if id == old));
    assert_eq!(fixture.count("SELECT count(*) FROM links WHERE target = 'Other'"), 2, "each once");
    assert_eq!(fixture.count("SELECT count(*) FROM dates"), 2, "each once");
    assert_eq!(fixture.count("SELECT count(*) FROM properties"), 2);
}

#[test]
fn the_migration_to_small_rows_keeps_all_vectors() {
    let notes = [draft("a.md", &["apple\nbanana", "cherry"]), draft("b.md", &["dates"])];
    let mut fixture = upgraded(&notes);
    for note in &notes {
        assert_eq!(fixture.put(note), 0, "{} keeps its vectors", note.path);
    }
    // A rename uses the stored lineage instead.
    let mut fixture = upgraded(&notes);
    let moved_from = Some(fixture.file("b.md").id);
    assert_eq!(fixture.put(&Draft { title: "Other".into(), moved_from, ..draft("new.md", &["dates"]) }), 0);
    fixture.check();
}
