//! The metadata by which changes of a file are detected.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::UNIX_EPOCH;

use rustix::fs::FileType;

/// Metadata of a folder's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Device and inode: equal for two names of one file.
    pub identity: (u64, u64),
    /// Whether it is a link.
    pub is_link: bool,
    /// Whether it is a regular file.
    pub is_file: bool,
    /// Its length in bytes.
    pub length: i128,
    /// Time of the last write: seconds and nanoseconds.
    pub modified: (i128, i128),
    /// Time of the last change of any kind (ctime), likewise. No program can set it.
    pub changed: (i128, i128),
    /// Whether the content is stored elsewhere and opening the file would fetch it (`SF_DATALESS` of macOS).
    pub is_dataless: bool,
}

impl From<rustix::fs::Stat> for Stat {
    #[expect(clippy::unnecessary_cast, reason = "the fields have other types on other systems")]
    fn from(stat: rustix::fs::Stat) -> Self {
        let kind = FileType::from_raw_mode(stat.st_mode);
        Self {
            identity: (stat.st_dev as u64, stat.st_ino as u64),
            is_link: kind == FileType::Symlink,
            is_file: kind == FileType::RegularFile,
            length: stat.st_size.into(),
            modified: (stat.st_mtime.into(), stat.st_mtime_nsec.into()),
            changed: (stat.st_ctime.into(), stat.st_ctime_nsec.into()),
            is_dataless: is_dataless(&stat),
        }
    }
}

#[cfg(target_os = "macos")]
fn is_dataless(stat: &rustix::fs::Stat) -> bool {
    const SF_DATALESS: u32 = 0x4000_0000;
    stat.st_flags & SF_DATALESS != 0
}

#[cfg(not(target_os = "macos"))]
fn is_dataless(_stat: &rustix::fs::Stat) -> bool {
    false
}

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
