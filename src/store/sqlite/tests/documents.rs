use super::*;
use tars_base::domain::{Link, LinkKind, Property};

#[test]
fn metadata_outlives_the_connection() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.reader().meta("key").unwrap(), None);
    fixture.store.set_meta("key", "one").unwrap();
    fixture.store.set_meta("key", "two").unwrap();
    fixture.put(&draft("a.md", &["apple"]));
    let path = fixture.path();
    *fixture.store = SqliteStore::open_existing(&path).unwrap();
    assert_eq!(fixture.reader().meta("key").unwrap().as_deref(), Some("two"));
    assert_eq!(fixture.find("apple"), [place("a.md", 0)]);
}

#[test]
fn a_changed_analysis_marks_every_file_to_be_cut_again() {
    let mut fixture = Fixture::new();
    fixture.put(&draft("a.md", &["apple"]));
    fixture.store.set_meta("analysis", "0").unwrap();
    let path = fixture.path();
    *fixture.store = SqliteStore::open(&path).unwrap();
    assert_eq!(fixture.file("a.md").chunker, "");
    assert_eq!(fixture.reader().meta("analysis").unwrap(), Some(analysis::VERSION.to_string()));
}

#[test]
fn a_file_that_is_no_index_is_refused_and_left_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    assert!(matches!(SqliteStore::open_existing(&path), Err(StoreError::Missing { .. })));
    assert!(!path.exists());
    std::fs::write(&path, "just some text, longer than the header of a database would be ".repeat(40)).unwrap();
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(SqliteStore::open(&path), Err(StoreError::Corrupt { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(matches!(SqliteStore::open(&folder.path().join("none/index.db")), Err(StoreError::Open { .. })));
}

#[test]
fn a_mostly_free_database_is_vacuumed() {
    let mut fixture = Fixture::new();
    fixture.put(&draft("kept.md", &["apple"]));
    fixture.put(&draft("large.md", &["a line of text\n".repeat(100_000).as_str()]));
    fixture.embed();
    assert!(!fixture.store.vacuum(false).unwrap(), "nothing is free");
    assert!(fixture.store.vacuum(true).unwrap(), "the whole index was just made");
    fixture.check();
    let pages = fixture.count("SELECT page_count FROM pragma_page_count");
    fixture.store.remove_files(&[fixture.file("large.md").id]).unwrap();
    assert_eq!(fixture.count("SELECT page_count FROM pragma_page_count"), pages);
    assert!(fixture.store.vacuum(false).unwrap());
    assert!(fixture.count("SELECT page_count FROM pragma_page_count") < pages / 3);
    assert!(!fixture.store.vacuum(false).unwrap(), "nothing is left to reclaim");
    assert_eq!(fixture.find("apple"), [place("kept.md", 0)]);
    assert_eq!(fixture.reader().nearest(&vector("Note\napple"), &model(), None, 1).unwrap().len(), 1);
    fixture.check();
}

#[test]
fn reclaim_merges_the_full_text_of_a_new_index() {
    let mut fixture = Fixture::new();
    // Words of eight letters or more are also in the table of word endings.
    for letter in ["a", "b", "c", "d", "e", "f"] {
        let words: Vec<String> = (0..4000).map(|word| format!("zq{}x{letter}", word * 7919)).collect();
        let text = format!("apple harbourmaster{letter}\n{}", words.join(" "));
        fixture.put(&draft(&format!("{letter}.md"), &[&text]));
    }
    let parts =
        |fixture: &Fixture, table: &str| fixture.count(&format!("SELECT count(DISTINCT segid) FROM {table}_idx"));
    let ends = |fixture: &Fixture| fixture.reader().words_ending("masterd", 10).unwrap();
    let tables = ["chunks_fts", "word_ends"];
    for table in tables {
        assert!(parts(&fixture, table) > 1, "{table} has a single segment");
    }
    let before = (fixture.find("apple"), fixture.find("harbourmasterd"), ends(&fixture));
    assert_eq!((before.0.len(), before.1.len(), before.2.len()), (6, 1, 1));
    assert!(fixture.store.vacuum(true).unwrap());
    for table in tables {
        assert_eq!(parts(&fixture, table), 1, "{table}");
    }
    assert_eq!((fixture.find("apple"), fixture.find("harbourmasterd"), ends(&fixture)), before);
    // Later changes are found, and removed rows are gone.
    fixture.put(&draft("d.md", &["apple blossoms"]));
    fixture.store.remove_files(&[fixture.file("a.md").id]).unwrap();
    assert_eq!((fixture.find("apple").len(), fixture.find("blossoms").len()), (5, 1));
    assert!(fixture.find("harbourmasterd").is_empty() && fixture.find("harbourmastera").is_empty());
    fixture.check();
}

#[test]
fn links_tags_and_properties_follow_the_note() {
    let mut fixture = Fixture::new();
    let tags = ["area/topic".to_owned(), "area/topic".to_owned()];
    let links = [Link { target: "Other".into(), kind: LinkKind::Embed, line: 3 }];
    let properties = [Property { name: "status".into(), value: "done".into() }];
    let mut put = |tags: &[String], links: &[Link], properties: &[Property]| {
        let aliases = ["One".to_owned(), "Two".to_owned()];
        let file = NewFile { tags, links, properties, aliases: &aliases, ..new_file(fixture.collection, "a.md") };
        fixture.store.replace_file(&file, &[], None).unwrap();
    };
    put(&tags, &links, &properties);
    put(&tags, &links, &properties);
    assert_eq!(fixture.count("SELECT count(*) FROM tags"), 1);
    assert_eq!(fixture.count("SELECT count(*) FROM links WHERE target = 'Other' AND kind = 'embed' AND line = 3"), 1);
    assert_eq!(fixture.count("SELECT count(*) FROM properties WHERE name = 'status' AND value = 'done'"), 1);
    assert_eq!(fixture.count("SELECT count(*) FROM files WHERE aliases = 'One' || char(10) || 'Two'"), 1);
}
