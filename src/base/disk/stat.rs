//! The metadata by which changes of a file are detected.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::UNIX_EPOCH;

use super::Stat;

/// The metadata that detects a change of a file without reading it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileStat {
    /// Modification time, nanoseconds since 1970; negative before.
    pub mtime_ns: i64,
    /// Size in bytes.
    pub size: u64,
    /// Inode; 0 where the system has none.
    pub inode: u64,
    /// When the inode last changed, in nanoseconds since 1970; 0 where the system does not say. Programs can reset a file's
    /// modification time, but not this one.
    pub ctime_ns: i64,
}

impl FileStat {
    /// Converts `metadata`.
    pub fn of(metadata: &Metadata) -> Self {
        let mtime_ns = metadata.modified().map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
        });
        let ctime_ns = metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec());
        Self { mtime_ns, size: metadata.len(), inode: metadata.ino(), ctime_ns }
    }
}

impl From<Stat> for FileStat {
    fn from(stat: Stat) -> Self {
        let nanoseconds = |(seconds, nanoseconds): (i128, i128)| {
            let since = seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds);
            i64::try_from(since).unwrap_or(if since < 0 { i64::MIN } else { i64::MAX })
        };
        Self {
            mtime_ns: nanoseconds(stat.modified),
            size: u64::try_from(stat.length).unwrap_or_default(),
            inode: stat.identity.1,
            ctime_ns: nanoseconds(stat.changed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_before_1970_is_negative() {
        let file = tempfile::tempfile().unwrap();
        file.set_modified(UNIX_EPOCH - std::time::Duration::from_secs(5)).unwrap();
        assert_eq!(FileStat::of(&file.metadata().unwrap()).mtime_ns, -5_000_000_000);
    }
}
