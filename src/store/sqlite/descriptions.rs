//! Files and links as lists of notes show them.

use rusqlite::Connection;

use crate::{FileDescription, FileId, StoreError};
use tars_base::domain::{Link, LinkKind, MemoryType};

/// Returns the given files, as rows in JSON (`None` for all), sorted by collection and path.
pub(super) fn files(connection: &Connection, files: Option<&str>) -> Result<Vec<FileDescription>, StoreError> {
    let sql = "SELECT f.id, l.name, f.path, f.title, f.memory_type, f.size, f.mtime_ns, f.day,
                      (SELECT json_group_array(t.tag) FROM tags t WHERE t.file_id = f.id)
               FROM files f JOIN collections l ON l.id = f.collection_id
               WHERE ?1 IS NULL OR f.id IN (SELECT value FROM json_each(?1))";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([files], |row| {
        let (kind, day): (String, Option<String>) = (row.get(4)?, row.get(7)?);
        let mut tags: Vec<String> = serde_json::from_str(&row.get::<_, String>(8)?).unwrap_or_default();
        tags.sort_unstable();
        Ok(FileDescription {
            id: FileId(row.get(0)?),
            collection: row.get(1)?,
            path: row.get(2)?,
            title: row.get(3)?,
            memory_type: kind.parse().unwrap_or(MemoryType::Note),
            size: row.get::<_, i64>(5)?.cast_unsigned(),
            mtime_ns: row.get(6)?,
            day: day.and_then(|day| day.parse().ok()),
            tags,
        })
    })?;
    let mut files = rows.collect::<Result<Vec<_>, _>>()?;
    files.sort_unstable_by(|left, right| (&left.collection, &left.path).cmp(&(&right.collection, &right.path)));
    Ok(files)
}

/// Returns a file's links, sorted by line and target.
pub(super) fn links(connection: &Connection, file: FileId) -> Result<Vec<Link>, StoreError> {
    let sql = "SELECT target, kind, line FROM links WHERE file_id = ?1 ORDER BY line, target, kind";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([file.0], |row| {
        let kind = match row.get_ref(1)?.as_str()? {
            "wiki" => LinkKind::Wiki,
            "embed" => LinkKind::Embed,
            _ => LinkKind::Markdown,
        };
        Ok(Link { target: row.get(0)?, kind, line: row.get::<_, i64>(2)?.cast_unsigned() as usize })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
