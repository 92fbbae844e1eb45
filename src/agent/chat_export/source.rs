//! Finds the lists of conversations of an export.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use super::ChatExportError;
use super::zip::{self, Member};
use tars_base::private;

/// Largest list of conversations, in bytes once unpacked.
const MAX_BYTES: u64 = 4 << 30;
/// Most lists of an export.
const MAX_LISTS: usize = 10_000;

/// A list of conversations: a file, or a member of an archive.
#[derive(Debug)]
pub(super) struct Source {
    path: PathBuf,
    member: Option<Member>,
}

impl Source {
    /// Returns the path of the file or archive.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the list. Reading fails beyond the limit.
    pub(super) fn reader(&self) -> io::Result<Box<dyn Read>> {
        let file = private::open_untrusted_path(&self.path)?;
        let inner: Box<dyn Read> = match &self.member {
            Some(member) => zip::reader(file, member)?,
            None => Box::new(file),
        };
        Ok(Box::new(Limited { inner, left: MAX_BYTES }))
    }
}

/// Returns the lists of the export at `place`, in the order of their names.
pub(super) fn sources(place: &Path) -> Result<Vec<Source>, ChatExportError> {
    let failed = |reason| ChatExportError::Io { path: place.to_owned(), reason };
    let mut found = Vec::new();
    if place.is_dir() {
        for entry in fs::read_dir(place).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.file_name().is_some_and(|name| is_list(&name.to_string_lossy())) && path.is_file() {
                found.push(Source { path, member: None });
            }
        }
        found.sort_by(|one, other| one.path.cmp(&other.path));
    } else {
        let mut file = private::open_untrusted_path(place).map_err(failed)?;
        let path = place.to_owned();
        if !is_archive(&mut file).map_err(failed)? {
            return Ok(vec![Source { path, member: None }]);
        }
        let members = zip::members(&mut file, &|name| is_list(name.rsplit('/').next().unwrap_or(name)));
        let mut members = members.map_err(failed)?;
        members.sort_by(|one, other| one.name.cmp(&other.name));
        found.extend(members.into_iter().map(|member| Source { path: path.clone(), member: Some(member) }));
    }
    if found.is_empty() {
        return Err(ChatExportError::NoConversations { path: place.to_owned() });
    }
    if found.len() > MAX_LISTS {
        let reason = io::Error::other(format!("it holds more than {MAX_LISTS} lists of conversations"));
        return Err(failed(reason));
    }
    Ok(found)
}

/// Whether a file has the name of a list: `conversations.json`, or `conversations-001.json` and so on.
fn is_list(name: &str) -> bool {
    let number = name.strip_prefix("conversations").and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|number| {
        number.is_empty()
            || number.strip_prefix(['-', '_']).is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

fn is_archive(file: &mut File) -> io::Result<bool> {
    let mut start = Vec::new();
    file.take(4).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start == *b"PK\x03\x04" || start == *b"PK\x05\x06")
}

/// Fails beyond a limit: a small archive may unpack to any size.
struct Limited {
    inner: Box<dyn Read>,
    left: u64,
}

impl Read for Limited {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            io::Error::new(io::ErrorKind::FileTooLarge, format!("its conversations take more than {MAX_BYTES} bytes"))
        })?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_recognised_by_their_names() {
        for name in ["conversations.json", "conversations-000.json", "conversations_12.json"] {
            assert!(is_list(name), "{name}");
        }
        for name in
            ["._conversations.json", "shared_conversations.json", "conversations-a.json", "conversations.json.bak"]
        {
            assert!(!is_list(name), "{name}");
        }
    }

    #[test]
    fn reading_stops_at_the_limit() {
        let mut limited = Limited { inner: Box::new(io::repeat(b'x')), left: 100 };
        let error = io::copy(&mut limited, &mut io::sink()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
