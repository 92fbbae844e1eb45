//! Cache of the servers' tool lists between processes: one file per server in the data directory, valid for a week as
//! long as the server is reached in the same way.

use std::io;
use std::path::{Path, PathBuf};

use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use super::{RemoteTool, ServerSpec, ServerTransport};
use tars_base::{data_files, private};

/// Folder of the cache in the data directory.
const FOLDER: &str = "mcp";
const MAX_FILE_BYTES: u64 = 4 << 20;
/// Validity of a list in days. Every listing from the server replaces it.
const DAYS: i64 = 7;

#[derive(Serialize, Deserialize)]
struct CachedTools {
    /// Hash of how the server was reached.
    place: String,
    at: Timestamp,
    tools: Vec<RemoteTool>,
}

/// Returns the cached tools of a server, if they are still valid. An unreadable file counts as a cache miss.
pub(super) fn read(data_dir: &Path, spec: &ServerSpec, now: Timestamp) -> Option<Vec<RemoteTool>> {
    let bytes = private::read(&path(data_dir, spec), MAX_FILE_BYTES).ok()?;
    let cached: CachedTools = serde_json::from_slice(&bytes).ok()?;
    let is_fresh = cached.at <= now && cached.at.checked_add((24 * DAYS).hours()).is_ok_and(|end| now < end);
    (is_fresh && cached.place == fingerprint(&spec.transport)).then_some(cached.tools)
}

/// Writes the tools of a server to the cache.
pub(super) fn write(data_dir: &Path, spec: &ServerSpec, now: Timestamp, tools: &[RemoteTool]) -> io::Result<()> {
    let cached = CachedTools { place: fingerprint(&spec.transport), at: now, tools: tools.to_vec() };
    data_files::write(&data_dir.join(FOLDER), &file_name(spec), &serde_json::to_vec(&cached)?)
}

fn path(data_dir: &Path, spec: &ServerSpec) -> PathBuf {
    data_dir.join(FOLDER).join(file_name(spec))
}

fn file_name(spec: &ServerSpec) -> String {
    format!("{}.json", spec.name)
}

/// The hash excludes token and environment: they change often, and the tools rarely change with them.
fn fingerprint(place: &ServerTransport) -> String {
    blake3::hash(format!("{place:?}").as_bytes()).to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_list_is_valid_for_a_week_and_for_the_same_place() {
        let folder = tempfile::tempdir().unwrap();
        let spec = |url: &str| ServerSpec {
            name: "a".into(),
            transport: ServerTransport::Address { url: url.into(), token: None },
            timeout: Duration::from_secs(1),
        };
        let tool = RemoteTool {
            server: "a".into(),
            name: "t".into(),
            description: String::new(),
            schema: serde_json::Map::new(),
        };
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let one = spec("http://one");
        assert_eq!(read(folder.path(), &one, now), None);
        write(folder.path(), &one, now, std::slice::from_ref(&tool)).unwrap();
        assert_eq!(read(folder.path(), &one, now + 6.hours()), Some(vec![tool]));
        assert_eq!(read(folder.path(), &spec("http://other"), now), None);
        assert_eq!(read(folder.path(), &one, now + (24 * 8).hours()), None);
        assert_eq!(read(folder.path(), &one, now - 1.hours()), None);
        std::fs::write(folder.path().join("mcp/a.json"), "{").unwrap();
        assert_eq!(read(folder.path(), &one, now), None);
    }
}
