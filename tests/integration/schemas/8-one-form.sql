-- Schema 8: vectors of one form.
-- Statements that make such a database, with two notes in it; @ROOT@ is the vault.

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
CREATE INDEX passages_pending ON passages(chunk_id) WHERE vector_id IS NULL;
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

CREATE TABLE vectors_of_bytes(
    id INTEGER PRIMARY KEY,
    content_hash INTEGER NOT NULL UNIQUE,
    embedding BLOB NOT NULL
) STRICT;
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
END;

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

INSERT INTO collections VALUES(1, 'vault', '@ROOT@');
INSERT INTO meta VALUES('model', 'a model'), ('analysis', '2'), ('indexed_at', '2026-01-09T10:00:00Z');
INSERT INTO files VALUES
    (1, 1, 'a.md', 'A', '', 'note', zeroblob(32), 1, 7, 1, 'cut', 1),
    (2, 1, 'gone.md', 'Gone', '', 'note', zeroblob(32), 1, 7, 2, 'cut', 1);
INSERT INTO tags VALUES(1, 'sea');
INSERT INTO chunks_fts(rowid, title, body, meta) VALUES(1, 'A', 'walrus', 'sea'), (2, 'Gone', 'otter', '');
INSERT INTO properties VALUES(1, 'status', 'done');
INSERT INTO links VALUES(1, 'Gone', 'wiki', 1);
INSERT INTO dates VALUES(1, '2026-01-09', 0);
INSERT INTO retired VALUES(1, x'abababababababababababababababab', 'vault', 'gone.md', NULL);
INSERT INTO chunks VALUES
    (1, 1, x'000102030405060708090a0b0c0d0e0f', 0, '', 1, 1, 'walrus'),
    (2, 2, x'101112131415161718191a1b1c1d1e1f', 0, '', 1, 1, 'otter');
INSERT INTO vectors VALUES(1, 0, x'7F0001');
INSERT INTO passages VALUES(1, 0, zeroblob(16), NULL, 1), (2, 0, zeroblob(16), NULL, NULL);
INSERT INTO left_out VALUES(1, 'private.md', 1, 1, 3, 'private', 9);
ALTER TABLE files ADD COLUMN ctime_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE left_out ADD COLUMN ctime_ns INTEGER NOT NULL DEFAULT 0;
PRAGMA application_id = 1413567059;
PRAGMA user_version = 8;
