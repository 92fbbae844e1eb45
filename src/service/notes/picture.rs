//! The pictures that notes show.
//!
//! A picture is found only through a note that embeds it, and only where a note would be found: the note is in the index, so it is not
//! private, and the walk that finds notes would find the picture too, so no ignore file, setting or link hides it. Every other name, and
//! every file that is not a picture, does not exist here.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::models::locked;
use crate::{App, Error, GetRequest, ProblemKind, Result, Service, UseCase};
use tars_text::languages::normalize_word;
use tars_vault::{ReadError, WalkOptions, read_bytes, walk};

/// Largest picture, in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// Extensions of pictures.
const EXTENSIONS: [&str; 8] = ["png", "jpg", "jpeg", "gif", "webp", "avif", "bmp", SVG];
const SVG: &str = "svg";
/// Longest beginning of a drawing in which its first tag stands, in bytes.
const MAX_PROLOGUE: usize = 4096;
/// How long the list of a vault's pictures is used: a note with many pictures walks the vault once.
const LIST_AGE: Duration = Duration::from_secs(5);

/// Asks for a picture of a note.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PictureRequest {
    /// The collection of the note.
    pub collection: String,
    /// The path of the note.
    pub note: String,
    /// The picture as the note names it, in `![[name]]` or `![text](name)`.
    pub name: String,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its form.
    pub form: PictureForm,
    /// The bytes of the file.
    pub content: Vec<u8>,
}

/// The form of a picture, as its first bytes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureForm {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    Webp,
    /// AVIF.
    Avif,
    /// BMP.
    Bmp,
    /// A drawing, which is a document that could contain scripts.
    Svg,
}

/// Why a picture is not shown.
#[derive(Debug, thiserror::Error)]
enum PictureError {
    /// There is none, or it is hidden.
    #[error("no picture matches '{name}'")]
    Unknown { name: String },
    /// The file is too large.
    #[error("{path} is no picture that is shown: more than {} MiB", MAX_BYTES >> 20)]
    TooLarge { path: String },
}

impl From<PictureError> for Error {
    fn from(error: PictureError) -> Self {
        Self::new(ProblemKind::NotFound, None, error)
    }
}

impl Service<'_> {
    /// Returns a picture that a note embeds.
    ///
    /// # Errors
    /// The note does not exist, does not embed it, or the picture is hidden, too large or none.
    pub fn picture(&self, request: &PictureRequest) -> Result<Picture> {
        let PictureRequest { collection, note, name } = request;
        let unknown = || PictureError::Unknown { name: name.clone() };
        if note.is_empty() || collection.is_empty() {
            return Err(unknown().into());
        }
        let collections = vec![collection.clone()];
        let asked = GetRequest { names: vec![note.clone()], collections, ..GetRequest::default() };
        let found = asked.run(self)?.notes.into_iter().next().ok_or_else(unknown)?.text;
        if found.path != *note || !embeds(&found.content, name) {
            return Err(unknown().into());
        }
        let root = self.app.roots()?.into_iter().find(|root| root.name == *collection).ok_or_else(unknown)?.path;
        let path = find(self.app, &root, note, name).ok_or_else(unknown)?;
        let content = match read_bytes(&root, &self.app.walk_options().follow_links, &path, MAX_BYTES) {
            Ok((content, _)) => content,
            Err(ReadError::TooLarge { .. }) => return Err(PictureError::TooLarge { path }.into()),
            Err(_) => return Err(unknown().into()),
        };
        let form = PictureForm::of(&content).filter(|form| (*form == PictureForm::Svg) == is(&path, &[SVG]));
        Ok(Picture { form: form.ok_or_else(unknown)?, content })
    }
}

impl PictureForm {
    /// Returns the media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Avif => "image/avif",
            Self::Bmp => "image/bmp",
            Self::Svg => "image/svg+xml",
        }
    }

    /// Returns the form of a file's bytes (WHATWG MIME Sniffing, section 6.1); `None` if they are no picture.
    fn of(content: &[u8]) -> Option<Self> {
        let at = |from: usize, wanted: &[u8]| content.get(from..).is_some_and(|rest| rest.starts_with(wanted));
        match () {
            () if at(0, b"\x89PNG\r\n\x1a\n") => Some(Self::Png),
            () if at(0, b"\xff\xd8\xff") => Some(Self::Jpeg),
            () if at(0, b"GIF87a") || at(0, b"GIF89a") => Some(Self::Gif),
            () if at(0, b"RIFF") && at(8, b"WEBP") => Some(Self::Webp),
            () if at(4, b"ftypavif") || at(4, b"ftypavis") => Some(Self::Avif),
            () if at(0, b"BM") => Some(Self::Bmp),
            () if is_drawing(&content[..content.len().min(MAX_PROLOGUE)]) => Some(Self::Svg),
            () => None,
        }
    }
}

/// Whether the first tag of a document is `<svg>`, behind declarations and comments.
fn is_drawing(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?") => "?>",
            _ if rest.starts_with("<!") => ">",
            _ => break,
        };
        let Some((_, behind)) = rest.split_once(end) else { return false };
        rest = behind.trim_start();
    }
    rest.strip_prefix("<svg").is_some_and(|behind| behind.starts_with([' ', '\t', '\r', '\n', '>', '/']))
}

/// Longest label of a picture, in bytes.
const MAX_LABEL: usize = 2_000;

/// Whether a note embeds the picture `name`.
fn embeds(note: &str, name: &str) -> bool {
    let is_embedded = |(at, _): (usize, &str)| {
        let (before, behind) =
            (&note[note.floor_char_boundary(at.saturating_sub(MAX_LABEL))..at], &note[at + name.len()..]);
        let is_wiki = before.trim_end_matches(' ').ends_with("![[")
            && behind.trim_start_matches(' ').starts_with([']', '|', '#']);
        let label = before.strip_suffix('<').unwrap_or(before).strip_suffix("](");
        let is_picture =
            label.and_then(|label| label.rsplit_once('[')).is_some_and(|(before, _)| before.ends_with('!'));
        is_wiki || (is_picture && behind.starts_with([')', '>', ' ']))
    };
    !name.is_empty() && note.match_indices(name).any(is_embedded)
}

/// Returns the path of a picture below the root: beside the note, below the root, or by the end of its path as in Obsidian.
fn find(app: &App, root: &Path, note: &str, name: &str) -> Option<String> {
    let decoded = percent_decoded(name);
    let names = [Some(name.to_owned()), decoded.filter(|decoded| decoded != name)];
    let names: Vec<String> = names.into_iter().flatten().filter(|name| is(name, &EXTENSIONS)).collect();
    let folder = note.rsplit_once('/').map_or("", |(folder, _)| folder);
    for name in &names {
        let places = match name.strip_prefix('/') {
            Some(from_root) => vec![inside("", from_root)],
            None => vec![inside(folder, name), inside("", name)],
        };
        let shown = |place: &String| pictures(app, root, Some(place)).contains(place);
        if let Some(found) = places.into_iter().flatten().find(shown) {
            return Some(found);
        }
    }
    let ends: Vec<String> = names.iter().filter_map(|name| inside("", name.trim_start_matches('/'))).collect();
    if ends.is_empty() {
        return None;
    }
    let all = app.pictures.of(app, root);
    // Then in any case and any form of the marks: file systems differ in both.
    let folded = |text: &str| normalize_word(text);
    let same = |end: &String| all.iter().filter(move |path| ends_with(path, end)).collect::<Vec<_>>();
    let similar = |end: &String| {
        let end = folded(end);
        all.iter().filter(move |path| ends_with(&folded(path), &end)).collect::<Vec<_>>()
    };
    let shortest =
        |found: Vec<&String>| found.into_iter().min_by_key(|path| (path.matches('/').count(), path.len())).cloned();
    ends.iter().find_map(|end| shortest(same(end))).or_else(|| ends.iter().find_map(|end| shortest(similar(end))))
}

/// Whether the last parts of a path are those of `end`.
fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The last list of a vault's pictures.
#[derive(Debug, Default)]
pub(crate) struct PictureList(Mutex<Option<Listed>>);

#[derive(Debug)]
struct Listed {
    root: PathBuf,
    at: Instant,
    paths: Arc<Vec<String>>,
}

impl PictureList {
    /// Returns the pictures below a root, as they were at most [`LIST_AGE`] ago.
    fn of(&self, app: &App, root: &Path) -> Arc<Vec<String>> {
        // Requests of other threads wait for this walk instead of walking themselves.
        let mut last = locked(&self.0);
        if let Some(listed) = last.as_ref().filter(|last| last.root == root && last.at.elapsed() < LIST_AGE) {
            return Arc::clone(&listed.paths);
        }
        let paths = Arc::new(pictures(app, root, None));
        *last = Some(Listed { root: root.to_owned(), at: Instant::now(), paths: Arc::clone(&paths) });
        paths
    }
}

/// Returns the pictures that the walk of notes would find: all, or the one at `place`.
fn pictures(app: &App, root: &Path, place: Option<&String>) -> Vec<String> {
    let options = WalkOptions {
        extensions: EXTENSIONS.map(str::to_owned).to_vec(),
        only: place.map(|place| root.join(place)).into_iter().collect(),
        conflict_copies: true,
        ..app.walk_options()
    };
    walk(root, &options).map(|found| found.notes.into_iter().map(|found| found.path).collect()).unwrap_or_default()
}

/// Returns the path of `name`, seen from a folder, below the root; `None` if it leaves the root.
fn inside(folder: &str, name: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    (!parts.is_empty() && !name.contains('\0')).then(|| parts.join("/"))
}

fn is(path: &str, extensions: &[&str]) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| extensions.contains(&extension.as_str()))
}

/// Decodes the escapes of an address (RFC 3986); `None` if the result is no text.
fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        match (*byte == b'%').then(|| Some(digit(at + 1)? * 16 + digit(at + 2)?)).flatten() {
            Some(decoded) => {
                out.push(u8::try_from(decoded).ok()?);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_first_bytes() {
        let of = PictureForm::of;
        assert_eq!(of(b"\x89PNG\r\n\x1a\n..."), Some(PictureForm::Png));
        assert_eq!(of(b"\xff\xd8\xff\xe0"), Some(PictureForm::Jpeg));
        assert_eq!(of(b"RIFF\0\0\0\0WEBPVP8 "), Some(PictureForm::Webp));
        assert_eq!(of(b"\0\0\0\x1cftypavif"), Some(PictureForm::Avif));
        assert_eq!(of(b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- x -->\n<!DOCTYPE svg>\n<svg>"), Some(PictureForm::Svg));
        for other in [&b"<html><svg>"[..], b"<svgx>", b"<!-- <svg> ", b"text", b"", b"RIFF\0\0\0\0WAVE", b"%PDF-1.7"] {
            assert_eq!(of(other), None, "{other:?}");
        }
    }

    #[test]
    fn only_an_embedded_name_counts() {
        for note in ["![[a.png]]", "![[a.png|300]]", "x ![y](a.png) z", "![](<a.png>)", "![y](a.png \"t\")"] {
            assert!(embeds(note, "a.png"), "{note}");
        }
        for note in [
            "a.png",
            "[[a.png]]",
            "`a.png`",
            "![[ba.png]]",
            "![[a.png.md]]",
            "![](a.pngx)",
            "![](b/a.png)",
            "[y](a.png)",
        ] {
            assert!(!embeds(note, "a.png"), "{note}");
        }
        assert!(!embeds("![[]]", ""));
    }

    #[test]
    fn no_name_leads_out_of_the_root() {
        assert_eq!(inside("a/b", "../c.png").as_deref(), Some("a/c.png"));
        assert_eq!(inside("a", "./b/./c.png").as_deref(), Some("a/b/c.png"));
        assert_eq!(inside("", "/x//y.png").as_deref(), Some("x/y.png"));
        for (folder, name) in [("a", "../../c.png"), ("", "../c.png"), ("", ""), ("a", ".."), ("", "a\0.png")] {
            assert_eq!(inside(folder, name), None, "{name}");
        }
        assert_eq!(percent_decoded("a%20b%2e%2E%zz%").as_deref(), Some("a b..%zz%"));
        assert_eq!(percent_decoded("%ff"), None);
    }
}
