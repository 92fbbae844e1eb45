//! The database schema, table by table.
//!
//! Times (`mtime_ns`, `ctime_ns`, `indexed_at_ns`) are nanoseconds since 1970, UTC. Hashes are 32 bytes of blake3.
//!
//! - `collections`: named roots.
//! - `files`: one row per indexed file. `chunker` names the options that cut it; a different name means "cut again". `aliases` are
//!   separated by newlines. `day` is the day of the note by its own dates, NULL if it has none; never its modification day.
//!   `opaque_bytes` counts the bytes that are not indexed because they are opaque data. `damage` says why its text is not wholly that of
//!   its bytes, empty if it is.
//! - `left_out`: files that were read and excluded by a rule (private, too large, no text), so that they are not read again until
//!   they change.
//! - `chunks`: lines of a file. `start_column` and `end_column` are the characters of the first line before the chunk, and of the last line
//!   up to its end (NULL if it holds the line's end): a long line is in several chunks. `chunk_key` is the public id, 16 bytes. `content` is
//!   the plain text, or a blob if the compressed text is smaller (`store/sqlite/text.rs`). `heading` is the heading path of the first line, and `sections` holds
//!   those that begin further down (`store/sqlite/sections.rs`).
//! - `passages`: the embedded parts of a chunk. `input_hash` is the hash of the embedded text (its first 8 bytes, as a number),
//!   NULL if the vector has the same. `lineage` is the hash without a title that comes only from the file's name, NULL if it equals
//!   the hash of the text. `vector_id` is NULL until the passage is embedded. `again` is 1 while the vector is to be renewed (`tars
//!   index --full`); until then the current vector is used. `line` counts from the chunk's first line, 0.
//! - `vectors`: one row per distinct text, all by the model in `meta`: five bits per value (`rest`, see `quantized`). `content_hash`
//!   holds the first 8 bytes of the text's hash, as a number.
//! - `vector_blocks`: two bits per value of the 480 vectors whose row ids begin at 480 times the block's id.
//! - `vacant_places`: row ids of deleted vectors, to be reused.
//! - `former_vectors`: all seven bits of the vectors of former models, by model fingerprint, until every passage has a vector of
//!   the current model. They are never compared; reverting a change of model restores them.
//! - `chunks_fts`: full text of the chunks. It is contentless, so that text is stored only once and a row can be deleted without
//!   knowing how an earlier version split it into words.
//! - `word_ends`: the long words of each chunk, reversed, for searches by word endings.
//! - `tags`, `properties`, `links`, `dates`: metadata from the notes. `properties` holds front matter and inline fields, bounded. `dates.line` is 0 for dates of the whole note.
//! - `retired`: ids of replaced chunks, each with the chunk that contains most of its lines.
//! - `meta`: `model` (fingerprint of the vectors), `analysis` (version of the full text), `indexed_at`.

use rusqlite::Connection;

use super::{convert, seven_bits};

/// A migration step of the schema.
pub(super) struct Migration {
    /// Its name in the log.
    pub(super) name: &'static str,
    /// Its work.
    pub(super) step: Step,
    /// Whether the files must be indexed again after it.
    pub(super) reindex: bool,
}

/// The work of a step. All missing steps run in one transaction.
pub(super) enum Step {
    /// SQL statements.
    Sql(&'static str),
    /// Code, for changes beyond SQL.
    Code(fn(&Connection) -> rusqlite::Result<()>),
}

/// All steps, oldest first. The schema version is the number of steps applied. Append only.
pub(super) const MIGRATIONS: &[Migration] = &[
    Migration { name: "first schema", step: Step::Sql(FIRST), reindex: false },
    Migration { name: "index of passages without a vector", step: Step::Sql(PENDING), reindex: false },
    Migration { name: "version of the vectors", step: Step::Sql(VERSION), reindex: false },
    Migration { name: "changes of the vectors", step: Step::Sql(CHANGES), reindex: false },
    Migration { name: "vectors of bytes", step: Step::Code(convert::vectors_to_bytes), reindex: false },
    Migration { name: "smaller rows", step: Step::Sql(SMALLER), reindex: true },
    Migration { name: "times of inodes", step: Step::Sql(INODE_TIMES), reindex: false },
    Migration { name: "vectors of one form", step: Step::Code(convert::vectors_of_one_form), reindex: false },
    Migration { name: "headings of lines", step: Step::Sql(LINES), reindex: true },
    Migration { name: "ends of words", step: Step::Sql(WORD_ENDS), reindex: true },
    Migration { name: "vectors that stay until others are made", step: Step::Sql(FORMER), reindex: false },
    Migration { name: "full text with bodies first", step: Step::Code(convert::bodies_first), reindex: true },
    Migration { name: "vectors of seven bits", step: Step::Code(seven_bits::convert), reindex: false },
    Migration { name: "chunks within a line", step: Step::Sql(COLUMNS), reindex: false },
    Migration { name: "words as people type them, without opaque data", step: Step::Sql(OPAQUE), reindex: true },
    Migration { name: "damage of files", step: Step::Sql(DAMAGE), reindex: true },
    Migration { name: "properties by name, with inline fields", step: Step::Sql(PROPERTIES), reindex: true },
    Migration { name: "saved chats", step: Step::Sql(CHATS), reindex: true },
];

/// Says which files are saved chats, so that a search looks only there for the person's words before an answer. Files are read again for
/// it; vectors stay.
const CHATS: &str = "ALTER TABLE files ADD COLUMN is_chat INTEGER NOT NULL DEFAULT 0;";

/// Filters look properties up by name. Files are read again, because their properties include the inline fields of the text since; vectors
/// stay.
const PROPERTIES: &str = "CREATE INDEX properties_by_name ON properties(name, value);";

/// Cuts long lines: the characters of the first line before the chunk, and of the last line up to its end. The chunker's version has files
/// cut again.
const COLUMNS: &str = "
ALTER TABLE chunks ADD COLUMN start_column INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chunks ADD COLUMN end_column INTEGER;
";

/// Adds the number of bytes of a file that are opaque data. Files are read again for it and for the new words; vectors stay.
const OPAQUE: &str = "ALTER TABLE files ADD COLUMN opaque_bytes INTEGER NOT NULL DEFAULT 0;";

/// Says why the text of a file is not wholly that of its bytes; empty if it is. Files are read again for it, and because notes without
/// text have a chunk since.
const DAMAGE: &str = "ALTER TABLE files ADD COLUMN damage TEXT NOT NULL DEFAULT '';";

/// Adds the headings of all lines of a chunk, the lines of its passages, and the note's own day. Files are read again for them, and
/// vectors stay. Until then, every line has the heading of its chunk's first line, and notes have no day.
const LINES: &str = "
ALTER TABLE chunks ADD COLUMN sections TEXT NOT NULL DEFAULT '';
ALTER TABLE passages ADD COLUMN line INTEGER NOT NULL DEFAULT 0;
ALTER TABLE files ADD COLUMN day TEXT;
";

/// The full text is sorted by the beginnings of words, so endings need their own table. Only its word list is read.
const WORD_ENDS: &str = "
CREATE VIRTUAL TABLE word_ends USING fts5(
    words,
    content='', contentless_delete=1, detail='none',
    tokenize='unicode61 remove_diacritics 2'
);
";

/// Renewing all vectors may be interrupted, so each vector stays until its successor exists.
const FORMER: &str = "
ALTER TABLE passages ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
CREATE INDEX passages_again ON passages(chunk_id, vector_id) WHERE again = 1;
CREATE TABLE former_vectors(
    model TEXT NOT NULL,
    content_hash INTEGER NOT NULL,
    embedding BLOB NOT NULL,
    PRIMARY KEY(model, content_hash)
) STRICT, WITHOUT ROWID;
";

/// An edit can keep a file's size and restore its modification time, but it changes the inode's time. 0 means unknown: then a file
/// is unchanged if its inode has not changed since it was indexed (`index::diff`).
///
/// The very first schema had no table `left_out` under the same version number.
const INODE_TIMES: &str = "
CREATE TABLE IF NOT EXISTS left_out(
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    mtime_ns INTEGER NOT NULL,
    size INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    rule TEXT NOT NULL,
    noticed_at_ns INTEGER NOT NULL,
    PRIMARY KEY(collection_id, path)
) STRICT, WITHOUT ROWID;
ALTER TABLE files ADD COLUMN ctime_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE left_out ADD COLUMN ctime_ns INTEGER NOT NULL DEFAULT 0;
";

/// Half of the first schema's data was redundant or larger than needed. Vectors and their references stay; files are read again, so
/// that their texts are compressed. The index of pending passages contains `vector_id`: without it, SQLite reads each passage's row
/// to check it.
const SMALLER: &str = "
CREATE TABLE new_chunks(
    id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    chunk_key BLOB NOT NULL UNIQUE,
    chunk_sequence INTEGER NOT NULL,
    heading TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    content ANY NOT NULL,
    UNIQUE(file_id, chunk_sequence)
) STRICT;
INSERT INTO new_chunks
    SELECT id, file_id, unhex(chunk_key), chunk_sequence, heading, start_line, end_line, content FROM chunks;
CREATE TABLE new_passages(
    chunk_id INTEGER NOT NULL REFERENCES new_chunks(id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    input_hash BLOB NOT NULL,
    lineage BLOB,
    vector_id INTEGER REFERENCES vectors(id) ON DELETE SET NULL,
    PRIMARY KEY(chunk_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO new_passages
    SELECT chunk_id, seq, substr(input_hash, 1, 16), substr(lineage, 1, 16), vector_id FROM passages;
DROP TABLE passages;
DROP TABLE chunks;
ALTER TABLE new_chunks RENAME TO chunks;
ALTER TABLE new_passages RENAME TO passages;
CREATE INDEX passages_by_vector ON passages(vector_id) WHERE vector_id IS NOT NULL;
CREATE INDEX passages_pending ON passages(chunk_id, vector_id) WHERE vector_id IS NULL;
CREATE TABLE new_properties(
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY(file_id, name, value)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO new_properties SELECT file_id, name, value FROM properties;
DROP TABLE properties;
ALTER TABLE new_properties RENAME TO properties;
CREATE TABLE new_links(
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    target TEXT NOT NULL,
    kind TEXT NOT NULL,
    line INTEGER NOT NULL,
    PRIMARY KEY(file_id, target, kind, line)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO new_links SELECT file_id, target, kind, line FROM links;
DROP TABLE links;
ALTER TABLE new_links RENAME TO links;
CREATE TABLE new_dates(
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    date TEXT NOT NULL,
    line INTEGER NOT NULL,
    PRIMARY KEY(file_id, date, line)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO new_dates SELECT file_id, date, line FROM dates;
DROP TABLE dates;
ALTER TABLE new_dates RENAME TO dates;
CREATE TABLE new_retired(
    id INTEGER PRIMARY KEY,
    chunk_key BLOB NOT NULL UNIQUE,
    collection TEXT NOT NULL,
    path TEXT NOT NULL,
    successor BLOB
) STRICT;
INSERT INTO new_retired SELECT id, unhex(chunk_key), collection, path, unhex(successor) FROM retired;
DROP TABLE retired;
ALTER TABLE new_retired RENAME TO retired;
";

/// Every answer reports the number of pending passages, and counting them must not read all passages.
const PENDING: &str = "CREATE INDEX passages_pending ON passages(chunk_id) WHERE vector_id IS NULL;";

/// A process that caches vectors must learn of every change, whichever statement made it.
const VERSION: &str = "
INSERT INTO meta VALUES('vectors', '0');
CREATE TRIGGER vectors_inserted AFTER INSERT ON vectors BEGIN
    UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE key = 'vectors';
END;
CREATE TRIGGER vectors_updated AFTER UPDATE ON vectors BEGIN
    UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE key = 'vectors';
END;
CREATE TRIGGER vectors_deleted AFTER DELETE ON vectors BEGIN
    UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE key = 'vectors';
END;
";

/// Replaces the counter of `VERSION`: a process that derives data from the vectors learns which ones changed. Only the last 32,768
/// changes are kept (half a megabyte); a process that lags further behind starts over.
const CHANGES: &str = "
DROP TRIGGER vectors_inserted;
DROP TRIGGER vectors_updated;
DROP TRIGGER vectors_deleted;
DELETE FROM meta WHERE key = 'vectors';
CREATE TABLE vector_changes(
    number INTEGER PRIMARY KEY,
    vector_id INTEGER NOT NULL,
    nonce INTEGER NOT NULL DEFAULT (random())
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
END;
CREATE TRIGGER vector_changes_forgotten AFTER INSERT ON vector_changes BEGIN
    DELETE FROM vector_changes WHERE number <= new.number - 32768;
END;
";

const FIRST: &str = "
CREATE TABLE collections(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL
) STRICT;
CREATE TABLE files(
    id INTEGER PRIMARY KEY,
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    aliases TEXT NOT NULL,
    memory_type TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    mtime_ns INTEGER NOT NULL,
    size INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    chunker TEXT NOT NULL,
    indexed_at_ns INTEGER NOT NULL,
    UNIQUE(collection_id, path)
) STRICT;
CREATE TABLE left_out(
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    mtime_ns INTEGER NOT NULL,
    size INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    rule TEXT NOT NULL,
    noticed_at_ns INTEGER NOT NULL,
    PRIMARY KEY(collection_id, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE chunks(
    id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    chunk_key TEXT NOT NULL UNIQUE,
    chunk_sequence INTEGER NOT NULL,
    heading TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    content TEXT NOT NULL,
    UNIQUE(file_id, chunk_sequence)
) STRICT;
CREATE TABLE vectors(
    id INTEGER PRIMARY KEY,
    model TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    embedding BLOB NOT NULL,
    UNIQUE(content_hash, model)
) STRICT;
CREATE TABLE passages(
    id INTEGER PRIMARY KEY,
    chunk_id INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    input_hash BLOB NOT NULL,
    lineage BLOB NOT NULL,
    vector_id INTEGER REFERENCES vectors(id) ON DELETE SET NULL,
    UNIQUE(chunk_id, seq)
) STRICT;
CREATE INDEX passages_by_vector ON passages(vector_id);
CREATE VIRTUAL TABLE chunks_fts USING fts5(
    title, body, meta,
    content='', contentless_delete=1,
    tokenize='porter unicode61 remove_diacritics 2'
);
CREATE TABLE tags(
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY(file_id, tag)
) STRICT, WITHOUT ROWID;
CREATE TABLE properties(
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL
) STRICT;
CREATE INDEX properties_by_file ON properties(file_id);
CREATE TABLE links(
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    target TEXT NOT NULL,
    kind TEXT NOT NULL,
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX links_by_file ON links(file_id);
CREATE TABLE dates(
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    date TEXT NOT NULL,
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX dates_by_file ON dates(file_id);
CREATE TABLE retired(
    id INTEGER PRIMARY KEY,
    chunk_key TEXT NOT NULL UNIQUE,
    collection TEXT NOT NULL,
    path TEXT NOT NULL,
    successor TEXT
) STRICT;
CREATE TABLE meta(
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";
