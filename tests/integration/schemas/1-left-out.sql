-- Schema 1 with a table of what is left out.
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

INSERT INTO collections VALUES(1, 'vault', '@ROOT@');
INSERT INTO meta VALUES('model', 'a model'), ('analysis', '2'), ('indexed_at', '2026-01-09T10:00:00Z');
INSERT INTO files VALUES
    (1, 1, 'a.md', 'A', '', 'note', zeroblob(32), 1, 7, 1, 'cut', 1),
    (2, 1, 'gone.md', 'Gone', '', 'note', zeroblob(32), 1, 7, 2, 'cut', 1);
INSERT INTO tags VALUES(1, 'sea');
INSERT INTO chunks_fts(rowid, title, body, meta) VALUES(1, 'A', 'walrus', 'sea'), (2, 'Gone', 'otter', '');
INSERT INTO properties VALUES(1, 'status', 'done');
INSERT INTO links VALUES(1, 'Gone', 'wiki', 1), (1, 'Gone', 'wiki', 1);
INSERT INTO dates VALUES(1, '2026-01-09', 0);
INSERT INTO retired VALUES(1, 'abababababababababababababababab', 'vault', 'gone.md', NULL);
INSERT INTO chunks VALUES
    (1, 1, '000102030405060708090a0b0c0d0e0f', 0, '', 1, 1, 'walrus'),
    (2, 2, '101112131415161718191a1b1c1d1e1f', 0, '', 1, 1, 'otter');
INSERT INTO vectors VALUES(1, 'a model', zeroblob(32), x'0000803F00000000');
INSERT INTO passages VALUES(1, 1, 0, zeroblob(32), zeroblob(32), 1), (2, 2, 0, zeroblob(32), zeroblob(32), NULL);
INSERT INTO left_out VALUES(1, 'private.md', 1, 1, 3, 'private', 9);
PRAGMA application_id = 1413567059;
PRAGMA user_version = 1;
