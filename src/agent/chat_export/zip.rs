//! Reads members of a zip archive: stored or deflated ones, also in archives of more than 4 GiB.
//!
//! Names of members only choose what to read; no file is made of them. The format is PKWARE's APPNOTE 6.3.10, sections 4.3 and 4.5.3.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use flate2::Crc;
use flate2::read::DeflateDecoder;

const END: [u8; 4] = *b"PK\x05\x06";
const END_LENGTH: usize = 22;
const LOCATOR_64: [u8; 4] = *b"PK\x06\x07";
const LOCATOR_64_LENGTH: usize = 20;
const END_64: [u8; 4] = *b"PK\x06\x06";
const END_64_LENGTH: usize = 56;
const ENTRY: [u8; 4] = *b"PK\x01\x02";
const ENTRY_LENGTH: usize = 46;
const LOCAL: [u8; 4] = *b"PK\x03\x04";
const LOCAL_LENGTH: usize = 30;
/// The longest comment, after which an archive ends.
const MAX_COMMENT: usize = u16::MAX as usize;
/// Largest directory that is read: that of half a million members.
const MAX_DIRECTORY: u64 = 64 << 20;
/// The value of a field whose true value stands in the extra field with the id 1.
const IN_EXTRA: u64 = u32::MAX as u64;
const ENCRYPTED: u16 = 1;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// A member of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    local: u64,
}

/// Returns the members whose name `is_wanted` accepts.
///
/// # Errors
/// The file cannot be read, or is no whole archive.
pub(super) fn members(file: &mut File, is_wanted: &dyn Fn(&str) -> bool) -> io::Result<Vec<Member>> {
    let directory = directory(file)?;
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(entry) = directory.get(at..at + ENTRY_LENGTH).filter(|entry| entry.starts_with(&ENTRY)) {
        let [name, extra, comment] = [28, 30, 32].map(|place| usize::from(u16_at(entry, place)));
        let begin = at + ENTRY_LENGTH;
        at = begin + name + extra + comment;
        let Some(rest) = directory.get(begin..at) else { return Err(damaged("its directory is cut off")) };
        // Names only have to be recognised, so their encoding does not matter.
        let name_text = String::from_utf8_lossy(&rest[..name]);
        if is_wanted(&name_text) {
            let mut member = Member {
                name: name_text.into_owned(),
                flags: u16_at(entry, 8),
                method: u16_at(entry, 10),
                crc: u32_at(entry, 16),
                packed: u32_at(entry, 20).into(),
                size: u32_at(entry, 24).into(),
                local: u32_at(entry, 42).into(),
            };
            member.add_long_fields(&rest[name..name + extra])?;
            found.push(member);
        }
    }
    Ok(found)
}

impl Member {
    /// Takes fields of eight bytes from the extra field with the id 1: those that do not fit into four, in this order.
    fn add_long_fields(&mut self, extra: &[u8]) -> io::Result<()> {
        let mut at = 0;
        while let Some(head) = extra.get(at..at + 4) {
            let length = usize::from(u16_at(head, 2));
            let Some(data) = extra.get(at + 4..at + 4 + length) else { break };
            at += 4 + length;
            if u16_at(head, 0) != 1 {
                continue;
            }
            let mut values = data.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
            for field in [&mut self.size, &mut self.packed, &mut self.local] {
                if *field == IN_EXTRA {
                    *field = values.next().ok_or_else(|| damaged("a size is missing"))?;
                }
            }
        }
        Ok(())
    }
}

/// Opens a member. Reading it to the end checks its length and its checksum.
///
/// # Errors
/// The file cannot be read; the member is damaged, encrypted, or packed in another way.
pub(super) fn reader(mut file: File, member: &Member) -> io::Result<Box<dyn Read>> {
    if member.flags & ENCRYPTED != 0 {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "the archive is encrypted: unpack it first"));
    }
    let mut local = [0; LOCAL_LENGTH];
    file.seek(SeekFrom::Start(member.local))?;
    file.read_exact(&mut local).map_err(|_| damaged("a member is cut off"))?;
    if !local.starts_with(&LOCAL) {
        return Err(damaged("its directory points to no member"));
    }
    file.seek_relative(i64::from(u16_at(&local, 26)) + i64::from(u16_at(&local, 28)))?;
    let packed = file.take(member.packed);
    let inner: Box<dyn Read> = match member.method {
        STORED => Box::new(packed),
        DEFLATED => Box::new(DeflateDecoder::new(packed)),
        _ => {
            let message = "the archive is packed in a way that tars cannot read: unpack it first";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
    };
    Ok(Box::new(Checked { inner, crc: Crc::new(), length: 0, expected: (member.size, member.crc) }))
}

/// Checks at the end of a member that it is whole.
struct Checked {
    inner: Box<dyn Read>,
    crc: Crc,
    length: u64,
    expected: (u64, u32),
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.crc.update(&buffer[..read]);
        self.length += read as u64;
        if read == 0 && !buffer.is_empty() && (self.length, self.crc.sum()) != self.expected {
            return Err(damaged("the conversations are not as they were packed"));
        }
        Ok(read)
    }
}

/// Returns the directory at the end of the archive.
fn directory(file: &mut File) -> io::Result<Vec<u8>> {
    let length = file.seek(SeekFrom::End(0))?;
    let start = length.saturating_sub((END_LENGTH + MAX_COMMENT) as u64);
    let tail = bytes_at(file, start, length - start)?;
    let is_end = |at: &usize| tail[*at..].starts_with(&END);
    let end_at = (0..=tail.len().saturating_sub(END_LENGTH)).rev().find(is_end);
    let end_at = end_at.filter(|at| at + END_LENGTH <= tail.len()).ok_or_else(|| damaged("its end is missing"))?;
    let end = &tail[end_at..];
    let (mut size, mut offset) = (u64::from(u32_at(end, 12)), u64::from(u32_at(end, 16)));
    let locator = end_at.checked_sub(LOCATOR_64_LENGTH).map(|at| &tail[at..end_at]);
    if let Some(locator) = locator.filter(|locator| locator.starts_with(&LOCATOR_64)) {
        let end = bytes_at(file, u64_at(locator, 8), END_64_LENGTH as u64)?;
        if end.len() < END_64_LENGTH || !end.starts_with(&END_64) {
            return Err(damaged("its end is missing"));
        }
        (size, offset) = (u64_at(&end, 40), u64_at(&end, 48));
    }
    if size > MAX_DIRECTORY {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the archive has too many members"));
    }
    let directory = bytes_at(file, offset, size)?;
    if (directory.len() as u64) < size {
        return Err(damaged("its directory is cut off"));
    }
    Ok(directory)
}

/// Returns at most `length` bytes from a place on.
fn bytes_at(file: &mut File, start: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn damaged(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the archive is damaged ({reason}): download it again"))
}

/// Reads a number of two bytes; the callers have checked the length.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

#[cfg(test)]
mod tests;
