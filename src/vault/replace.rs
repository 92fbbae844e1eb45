//! New content for a file, whole or not at all.
//!
//! What is written beside a file `NAME` bears one of two hidden names. `.tars-NAME.part` holds what tars is writing and
//! nothing else. It becomes `.tars-NAME.tmp` right before the two files are exchanged, and holds then what stood in the
//! file: perhaps what an editor saved a moment ago. So a `.tmp` that a killed process left is looked at before it goes
//! ([`super::leftovers`]), and a `.part` never needs to be.

use std::io::{ErrorKind, Write};

use super::place::Place;
use super::{WriteError, in_use};
use crate::disk::{Access, File};

/// A write within one page reaches the file whole even if the process is killed meanwhile; a longer one may not.
const PAGE: usize = 4096;

/// The mode of a new file, less what the process' mask takes: nobody but the owner may write, whatever the mask.
const MODE: u32 = 0o644;

/// How a replacement went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replaced {
    /// The file holds the new content, on the disk.
    Done,
    /// Somebody else changed the file since it was read: nothing was written.
    Changed,
}

/// Why a replacement failed, and what is known of the file.
#[derive(Debug)]
pub(super) enum Failure {
    /// The file is as it was.
    Untouched(WriteError),
    /// It may hold the new content all the same: the caller looks.
    InDoubt(WriteError),
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::Untouched(error)
    }
}

/// Makes the file at `place`, which held `before` (nothing: there was none), hold `after`.
///
/// A few lines at the end are appended in place, in one write. Everything else is written beside and takes the file's
/// place at once, with its mode. A crash leaves the old content or the new one.
///
/// # Errors
/// The system refuses.
pub(super) fn replace(place: &Place, before: Option<&[u8]>, after: &[u8]) -> Result<Replaced, Failure> {
    match before {
        Some(before) => match after.strip_prefix(before) {
            Some([]) => Ok(Replaced::Done),
            Some(tail) if before.len() % PAGE + tail.len() <= PAGE => append(place, before, tail),
            _ => exchange(place, before, after),
        },
        None => create(place, after),
    }
}

/// Removes the file at `place`, which held `before`. It is moved aside and looked at first: what an editor saves at the
/// same moment stays.
///
/// # Errors
/// As [`replace`].
pub(super) fn remove(place: &Place, before: &[u8]) -> Result<Replaced, Failure> {
    if place.read()?.as_deref() != Some(before) {
        return Ok(Replaced::Changed);
    }
    let aside = tmp(&place.name);
    match place.folder.rename_new(&place.name, &aside) {
        // What lies there already may be a person's: it is looked at before the file is read again.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(Replaced::Changed),
        renamed => renamed.map_err(place.failed("remove"))?,
    }
    match place.read_beside_firmly(&aside) {
        Ok(Some(now)) if now == before => {
            // One that cannot be removed is known to the journal, and goes with the next write.
            remove_unless_in_use(place, &aside);
            place.folder.sync();
            Ok(Replaced::Done)
        }
        read => {
            // Where a new file has taken the name meanwhile, the next sweep keeps the old one under another.
            place.folder.rename_new(&aside, &place.name).map_err(in_doubt(place, "put back"))?;
            Ok(read.map(|_| Replaced::Changed)?)
        }
    }
}

fn append(place: &Place, before: &[u8], tail: &[u8]) -> Result<Replaced, Failure> {
    let Some(mut file) = place.open(Access::Append)? else { return Ok(Replaced::Changed) };
    if file.content().map_err(place.failed("read"))? != before {
        return Ok(Replaced::Changed);
    }
    if let Err(source) = file.write_all(tail).and_then(|()| file.sync()) {
        let error = place.failed("write")(source);
        return Err(match cut_back(&file, before.len() as u64, tail.len() as u64) {
            true => Failure::Untouched(error),
            false => Failure::InDoubt(error),
        });
    }
    // An editor may have put another file here meanwhile, made before or after the line came.
    let now = if is_elsewhere(&file, place, &place.name) {
        Some(place.read_firmly().map_err(Failure::InDoubt)?)
    } else {
        None
    };
    let taken_over = now.is_some_and(|now| !now.is_some_and(|now| holds(&now, tail)));
    Ok(if taken_over { Replaced::Changed } else { Replaced::Done })
}

/// Takes back what a full disk has taken of a line, and only what is ours of it. Returns whether that is certain.
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

/// Whether `name` does not stand for the open file.
fn is_elsewhere(file: &File, place: &Place, name: &str) -> bool {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()));
    let named = place.folder.stat(name).ok().flatten().map(|stat| stat.identity);
    open != named
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn create(place: &Place, after: &[u8]) -> Result<Replaced, Failure> {
    let (part, _) = write_part(place, after, None)?;
    let renamed = place.folder.rename_new(&part, &place.name);
    if renamed.is_err() {
        remove_firmly(place, &part);
    }
    match renamed {
        Ok(()) => {
            place.folder.sync();
            Ok(Replaced::Done)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Replaced::Changed),
        Err(error) => Err(in_doubt(place, "create")(error)),
    }
}

fn exchange(place: &Place, before: &[u8], after: &[u8]) -> Result<Replaced, Failure> {
    let Some(mut old) = place.open(Access::Read)? else { return Ok(Replaced::Changed) };
    let (part, mut new) = write_part(place, after, Some(&old))?;
    let tmp = tmp(&place.name);
    let ready = match place.read().map(|now| now.as_deref() == Some(before)) {
        // What lies there already may be a person's: it is looked at before the file is read again.
        Ok(true) => match place.folder.rename_new(&part, &tmp) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            renamed => renamed.map_err(place.failed("replace")).map(|()| true),
        },
        other => other,
    };
    if !matches!(ready, Ok(true)) {
        remove_firmly(place, &part);
        return Ok(ready.map(|_| Replaced::Changed)?);
    }
    let exchanged = place.folder.exchange(&tmp, &place.name);
    if let Ok(true) = exchanged {
        let out = read_aside(place, &tmp, &mut old);
        if out.as_ref().is_ok_and(|out| out == before) {
            remove_unless_in_use(place, &tmp);
            place.folder.sync();
            return Ok(Replaced::Done);
        }
        return put_back(place, out, after, &mut new);
    }
    let replaced = match exchanged {
        // Without an exchange there is a moment in which another save is lost.
        Ok(_) => place.folder.rename(&tmp, &place.name),
        Err(error) => Err(error),
    };
    if let Err(error) = replaced {
        if read_aside(place, &tmp, &mut new).is_ok_and(|now| now == after) {
            remove_firmly(place, &tmp);
        }
        return Err(in_doubt(place, "replace")(error));
    }
    place.folder.sync();
    Ok(Replaced::Done)
}

/// Exchanges the files once more, since `out`, what stood in the file, is not what was read before: an editor has saved in
/// between, or it cannot be read. `new` is the file that holds `after`.
fn put_back(
    place: &Place,
    out: Result<Vec<u8>, WriteError>,
    after: &[u8],
    new: &mut File,
) -> Result<Replaced, Failure> {
    let tmp = tmp(&place.name);
    let exchange = || {
        let exchanged = place.folder.exchange(&tmp, &place.name);
        // Tried again, for until then the editor's text is not where the editor looks for it.
        exchanged.or_else(|_| place.folder.exchange(&tmp, &place.name)).map_err(in_doubt(place, "put back"))
    };
    exchange()?;
    match (out, read_aside(place, &tmp, new)) {
        (out, Ok(ours)) if ours == after => {
            remove_firmly(place, &tmp);
            Ok(out.map(|_| Replaced::Changed)?)
        }
        // The editor has saved once more since: its newer text stays, in the place of its older one.
        (Ok(_), Ok(_)) => {
            exchange()?;
            remove_firmly(place, &tmp);
            Ok(Replaced::Changed)
        }
        // What cannot be read is left for the next sweep.
        (Err(error), _) | (_, Err(error)) => Err(Failure::InDoubt(error)),
    }
}

/// Reads the file `name` beside; from `open` if it is that file, which needs nothing that the process may have run out of.
fn read_aside(place: &Place, name: &str, open: &mut File) -> Result<Vec<u8>, WriteError> {
    if !is_elsewhere(open, place, name) {
        let read = open.content().or_else(|_| open.content());
        return read.map_err(place.failed("read"));
    }
    place.read_beside_firmly(name)?.ok_or_else(|| place.failed("read")(ErrorKind::NotFound.into()))
}

fn in_doubt(place: &Place, action: &'static str) -> impl FnOnce(std::io::Error) -> Failure {
    let failed = place.failed(action);
    move |error| Failure::InDoubt(failed(error))
}

/// Removes what stood in the file, unless an editor has it open: what it still writes would be lost with it. Then the next
/// sweep looks at it.
fn remove_unless_in_use(place: &Place, name: &str) {
    if !in_use::by_another(&place.folder.path().join(name)) {
        remove_firmly(place, name);
    }
}

/// Removes a file beside, and tries again where the system fails. One that stays goes with the next sweep.
fn remove_firmly(place: &Place, name: &str) {
    for _ in 0..3 {
        match place.folder.remove(name) {
            Err(error) if error.kind() != ErrorKind::NotFound => {}
            _ => return,
        }
    }
}

/// Writes `content` beside the file, with the mode of `like`, and returns the name there and the open file.
fn write_part(place: &Place, content: &[u8], like: Option<&File>) -> Result<(String, File), WriteError> {
    let part = part(&place.name);
    let mode = match like {
        Some(like) => {
            use std::os::unix::fs::PermissionsExt;
            like.metadata().map_err(place.failed("read"))?.permissions().mode() & 0o7777
        }
        None => MODE,
    };
    // Readable by the owner alone until its mode is set.
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
            remove_firmly(place, &part);
            Err(place.failed("write")(error))
        }
    }
}

/// How the hidden names begin and end.
pub(super) const BESIDE: &str = ".tars-";
pub(super) const PART: &str = ".part";
pub(super) const TMP: &str = ".tmp";

fn part(name: &str) -> String {
    beside(name, PART)
}

fn tmp(name: &str) -> String {
    beside(name, TMP)
}

fn beside(name: &str, ending: &str) -> String {
    // The longest name that file systems take has 255 bytes.
    let fits = name.floor_char_boundary(255 - BESIDE.len() - PART.len());
    format!("{BESIDE}{}{ending}", &name[..fits])
}
