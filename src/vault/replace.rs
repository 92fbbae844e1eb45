//! Replaces the content of a file, atomically.
//!
//! Two hidden names stand beside a file `NAME`. `.tars-NAME.part` holds the unfinished text of tars and nothing else. It is renamed
//! to `.tars-NAME.tmp` right before the two files are exchanged, and then holds the file's former content, perhaps with an editor's
//! last save. So a `.tmp` that a killed process left is examined before removal ([`super::leftovers`]), and a `.part` never needs
//! to be.

use std::io::{ErrorKind, Write};

use super::place::Place;
use super::{WriteError, open_files};
use tars_base::disk::{Access, File};

/// A write within one page reaches the file whole even if the process is killed meanwhile. A longer write may not.
const PAGE_BYTES: usize = 4096;

/// Mode of a new file, reduced by the umask: only the owner may write, whatever the umask.
const MODE: u32 = 0o644;

/// The outcome of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplaceOutcome {
    /// The file holds the new content, synced to disk.
    Done,
    /// The file changed since it was read: nothing was written.
    Changed,
}

/// A failed replacement, with the certainty about the file's state.
#[derive(Debug)]
pub(super) enum Failure {
    /// The file is unchanged.
    Untouched(WriteError),
    /// The file may hold the new content nevertheless: the caller must check.
    InDoubt(WriteError),
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::Untouched(error)
    }
}

/// Replaces the content `before` of the file at `place` with `after`; `before` is `None` for a new file.
///
/// A short addition at the end is appended in place, in one write. Any other content is written beside the file and then swapped in
/// with the file's mode. A crash leaves either the old content or the new one.
///
/// # Errors
/// The system refuses.
pub(super) fn replace(place: &Place, before: Option<&[u8]>, after: &[u8]) -> Result<ReplaceOutcome, Failure> {
    match before {
        Some(before) => match after.strip_prefix(before) {
            Some([]) => Ok(ReplaceOutcome::Done),
            Some(tail) if before.len() % PAGE_BYTES + tail.len() <= PAGE_BYTES => append(place, before, tail),
            _ => exchange(place, before, after),
        },
        None => create(place, after),
    }
}

/// Removes the file at `place`, whose content is `before`. The file is first moved aside and checked, so that a simultaneous save
/// of an editor survives.
///
/// # Errors
/// As [`replace`].
pub(super) fn remove(place: &Place, before: &[u8]) -> Result<ReplaceOutcome, Failure> {
    if place.read()?.as_deref() != Some(before) {
        return Ok(ReplaceOutcome::Changed);
    }
    let aside = tmp(&place.name);
    match place.folder.rename_new(&place.name, &aside) {
        // The file in the way may hold a person's text: the sweep examines it before the next attempt.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(ReplaceOutcome::Changed),
        renamed => renamed.map_err(place.failed("remove"))?,
    }
    match place.read_sibling_with_retries(&aside) {
        Ok(Some(now)) if now == before => {
            // If the removal fails, the next sweep recognises the file by the journal.
            remove_unless_in_use(place, &aside);
            place.folder.sync();
            Ok(ReplaceOutcome::Done)
        }
        read => {
            // If a new file has taken the name meanwhile, the next sweep keeps the old one under another name.
            place.folder.rename_new(&aside, &place.name).map_err(in_doubt(place, "put back"))?;
            Ok(read.map(|_| ReplaceOutcome::Changed)?)
        }
    }
}

fn append(place: &Place, before: &[u8], tail: &[u8]) -> Result<ReplaceOutcome, Failure> {
    let Some(mut file) = place.open(Access::Append)? else { return Ok(ReplaceOutcome::Changed) };
    if file.content().map_err(place.failed("read"))? != before {
        return Ok(ReplaceOutcome::Changed);
    }
    if let Err(source) = file.write_all(tail).and_then(|()| file.sync()) {
        let error = place.failed("write")(source);
        return Err(match cut_back(&file, before.len() as u64, tail.len() as u64) {
            true => Failure::Untouched(error),
            false => Failure::InDoubt(error),
        });
    }
    // An editor may have replaced the file meanwhile, before or after the append.
    let now = if is_elsewhere(&file, place, &place.name) {
        Some(place.read_with_retries().map_err(Failure::InDoubt)?)
    } else {
        None
    };
    let taken_over = now.is_some_and(|now| !now.is_some_and(|now| holds(&now, tail)));
    Ok(if taken_over { ReplaceOutcome::Changed } else { ReplaceOutcome::Done })
}

/// Removes a partly written line, and only if the file has not grown further. Returns whether the state is certain.
fn cut_back(file: &File, before: u64, tail: u64) -> bool {
    for _ in 0..3 {
        let cut = file.metadata().and_then(|metadata| {
            let ours = metadata.len() > before && metadata.len() <= before + tail;
            if ours { file.set_len(before) } else { Ok(()) }
        });
        if cut.is_ok() {
            return true;
        }
    }
    false
}

/// Whether `name` no longer refers to the open file.
fn is_elsewhere(file: &File, place: &Place, name: &str) -> bool {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()));
    let named = place.folder.stat(name).ok().flatten().map(|stat| stat.identity);
    open != named
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn create(place: &Place, after: &[u8]) -> Result<ReplaceOutcome, Failure> {
    let (part, _) = write_part(place, after, None)?;
    let renamed = place.folder.rename_new(&part, &place.name);
    if renamed.is_err() {
        remove_with_retries(place, &part);
    }
    match renamed {
        Ok(()) => {
            place.folder.sync();
            Ok(ReplaceOutcome::Done)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(ReplaceOutcome::Changed),
        Err(error) => Err(in_doubt(place, "create")(error)),
    }
}

fn exchange(place: &Place, before: &[u8], after: &[u8]) -> Result<ReplaceOutcome, Failure> {
    let Some(mut old) = place.open(Access::Read)? else { return Ok(ReplaceOutcome::Changed) };
    let (part, mut new) = write_part(place, after, Some(&old))?;
    let tmp = tmp(&place.name);
    let ready = match place.read().map(|now| now.as_deref() == Some(before)) {
        // As in `remove`: the sweep examines a file in the way before the next attempt.
        Ok(true) => match place.folder.rename_new(&part, &tmp) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            renamed => renamed.map_err(place.failed("replace")).map(|()| true),
        },
        other => other,
    };
    if !matches!(ready, Ok(true)) {
        remove_with_retries(place, &part);
        return Ok(ready.map(|_| ReplaceOutcome::Changed)?);
    }
    let exchanged = place.folder.exchange(&tmp, &place.name);
    if let Ok(true) = exchanged {
        let out = read_aside(place, &tmp, &mut old);
        if out.as_ref().is_ok_and(|out| out == before) {
            remove_unless_in_use(place, &tmp);
            place.folder.sync();
            return Ok(ReplaceOutcome::Done);
        }
        return put_back(place, out, after, &mut new);
    }
    let replaced = match exchanged {
        // Without an atomic exchange, a save in this moment would be lost.
        Ok(_) => place.folder.rename(&tmp, &place.name),
        Err(error) => Err(error),
    };
    if let Err(error) = replaced {
        if read_aside(place, &tmp, &mut new).is_ok_and(|now| now == after) {
            remove_with_retries(place, &tmp);
        }
        return Err(in_doubt(place, "replace")(error));
    }
    place.folder.sync();
    Ok(ReplaceOutcome::Done)
}

/// Swaps the files back: the former content `out` differs from the one read before, because an editor saved in between, or it
/// cannot be read. `new` is the open file with the content `after`.
fn put_back(
    place: &Place,
    out: Result<Vec<u8>, WriteError>,
    after: &[u8],
    new: &mut File,
) -> Result<ReplaceOutcome, Failure> {
    let tmp = tmp(&place.name);
    let exchange = || {
        let exchanged = place.folder.exchange(&tmp, &place.name);
        // Retried: until then the editor's text is not at its path.
        exchanged.or_else(|_| place.folder.exchange(&tmp, &place.name)).map_err(in_doubt(place, "put back"))
    };
    exchange()?;
    match (out, read_aside(place, &tmp, new)) {
        (out, Ok(ours)) if ours == after => {
            remove_with_retries(place, &tmp);
            Ok(out.map(|_| ReplaceOutcome::Changed)?)
        }
        // The editor has saved again since: keep its newer text.
        (Ok(_), Ok(_)) => {
            exchange()?;
            remove_with_retries(place, &tmp);
            Ok(ReplaceOutcome::Changed)
        }
        // The next sweep handles an unreadable file.
        (Err(error), _) | (_, Err(error)) => Err(Failure::InDoubt(error)),
    }
}

/// Reads the hidden file `name`. If `open` is that file, reads from it, which needs no further resources.
fn read_aside(place: &Place, name: &str, open: &mut File) -> Result<Vec<u8>, WriteError> {
    if !is_elsewhere(open, place, name) {
        let read = open.content().or_else(|_| open.content());
        return read.map_err(place.failed("read"));
    }
    place.read_sibling_with_retries(name)?.ok_or_else(|| place.failed("read")(ErrorKind::NotFound.into()))
}

fn in_doubt(place: &Place, action: &'static str) -> impl FnOnce(std::io::Error) -> Failure {
    let failed = place.failed(action);
    move |error| Failure::InDoubt(failed(error))
}

/// Removes the former content unless an editor has it open: later saves would be lost with it. The next sweep then examines it.
fn remove_unless_in_use(place: &Place, name: &str) {
    if !open_files::is_open_for_writing(&place.folder.path().join(name)) {
        remove_with_retries(place, name);
    }
}

/// Removes a hidden file, with retries. If it stays, the next sweep removes it.
fn remove_with_retries(place: &Place, name: &str) {
    for _ in 0..3 {
        match place.folder.remove(name) {
            Err(error) if error.kind() != ErrorKind::NotFound => {}
            _ => return,
        }
    }
}

/// Writes `content` to the hidden part file, with the mode of `like`. Returns its name and the open file.
fn write_part(place: &Place, content: &[u8], like: Option<&File>) -> Result<(String, File), WriteError> {
    let part = part(&place.name);
    let mode = match like {
        Some(like) => {
            use std::os::unix::fs::PermissionsExt;
            like.metadata().map_err(place.failed("read"))?.permissions().mode() & 0o7777
        }
        None => MODE,
    };
    // Only the owner can read it until its mode is set.
    let written = place.folder.create(&part, if like.is_some() { 0o600 } else { mode }).and_then(|mut file| {
        if like.is_some() {
            file.set_mode(mode)?;
        }
        file.write_all(content)?;
        file.sync().map(|()| file)
    });
    match written {
        Ok(file) => Ok((part, file)),
        Err(error) => {
            remove_with_retries(place, &part);
            Err(place.failed("write")(error))
        }
    }
}

/// Prefix and suffixes of the hidden names.
pub(super) const HIDDEN_PREFIX: &str = ".tars-";
pub(super) const PART_SUFFIX: &str = ".part";
pub(super) const TMP_SUFFIX: &str = ".tmp";

fn part(name: &str) -> String {
    beside(name, PART_SUFFIX)
}

fn tmp(name: &str) -> String {
    beside(name, TMP_SUFFIX)
}

fn beside(name: &str, ending: &str) -> String {
    // File systems allow names of at most 255 bytes.
    let fits = name.floor_char_boundary(255 - HIDDEN_PREFIX.len() - PART_SUFFIX.len());
    format!("{HIDDEN_PREFIX}{}{ending}", &name[..fits])
}
