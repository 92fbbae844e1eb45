//! Conflict copies of sync programs: which there are, how they differ from their notes, and their merge in the memory folder.
//!
//! Only a person at the command line asks for them, so they are no operation of the servers.

use std::borrow::Cow;
use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{App, Refusal, Result, Service, UseCase, failure};
use tars_engine::index::Root;
use tars_memory::{ConflictMerge, merge_conflict, missing_lines, text_hash};
use tars_text::formats::{self, is_pdf};
use tars_text::line_diff::{Hunk, hunks, shared_lines};
use tars_text::markdown;
use tars_text::redact::redact;
use tars_vault::{
    Lines, MemoryFolder, ReadError, SyncProgram, WalkOptions, conflict_original, possible_originals, read_bytes, walk,
};

/// Most copies of one answer, most pairs of files whose texts are compared only to see whether they are near, and the largest text that
/// is compared, in bytes.
const MOST_COPIES: usize = 200;
const MOST_POSSIBLE: usize = 400;
const LARGEST: u64 = 1 << 20;
/// Share of equal lines from which two texts are versions of one note.
const NEAR: f64 = 0.5;
/// Unchanged lines around a difference, and most lines of one diff.
const CONTEXT: usize = 2;
const MOST_LINES: usize = 400;

/// Asks for the conflict copies in all collections.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConflictsRequest {
    /// Only the copies whose path, or that of their note, contains this text, ignoring case; empty for all.
    pub name: String,
}

/// The conflict copies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConflictsResponse {
    /// By collection and path.
    pub copies: Vec<NoteCopy>,
    /// The number of further copies.
    pub more: usize,
    /// Remarks for the person, a line each.
    pub remarks: Vec<String>,
}

/// A conflict copy and its note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteCopy {
    /// Name of the collection.
    pub collection: String,
    /// Path of the copy, relative to the collection's root.
    pub path: String,
    /// Path of its note.
    pub note: String,
    /// The program that made it, by its name: `Syncthing`, `Dropbox`, `Obsidian Sync`, `iCloud` or `OneDrive`.
    pub program: String,
    /// Whether it lies in the memory folder, so that `tars conflicts --resolve` can merge it.
    pub can_merge: bool,
    /// How the copy differs from the note; empty if the texts are equal.
    pub diff: Vec<DiffLine>,
    /// The number of further lines of the diff.
    pub more_lines: usize,
    /// Why there is no diff, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// Identifies the texts that the diff compares, for a merge.
    #[serde(skip)]
    #[schemars(skip)]
    versions: (String, String),
}

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiffLine {
    /// Where it stands.
    pub side: DiffSide,
    /// Its number in the note; in the copy if only that has it.
    pub line: usize,
    /// Its text; secrets are replaced.
    pub text: String,
}

/// The texts that have a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DiffSide {
    /// Both.
    Both,
    /// Only the note.
    Note,
    /// Only the copy.
    Copy,
}

/// Adds the lines that only a copy has to its note, and removes the copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergeCopyRequest {
    /// The copy as [`ConflictsRequest`] found it.
    pub copy: NoteCopy,
}

/// Asks how a note would be after a merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreviewMergeRequest {
    /// The copy as [`ConflictsRequest`] found it.
    pub copy: NoteCopy,
}

/// The note after a merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MergedNote {
    /// The lines that the note gains, with those around them.
    pub diff: Vec<DiffLine>,
    /// The number of further lines of the diff.
    pub more_lines: usize,
    /// The number of lines that the note gains.
    pub added: usize,
    /// Why its front matter would be invalid, if it would be.
    pub front_matter_error: Option<String>,
}

impl UseCase for ConflictsRequest {
    type Response = ConflictsResponse;

    fn run(&self, service: &Service<'_>) -> Result<ConflictsResponse> {
        let app = service.app;
        let memory = app.memory_folder().ok();
        let (mut copies, mut more, mut remarks) = (Vec::new(), 0, Vec::new());
        let wanted = self.name.to_lowercase();
        for root in app.roots()? {
            let pairs = pairs(app, &root, &mut remarks)?;
            let is_meant = |text: &str| text.to_lowercase().contains(&wanted);
            for pair in pairs.into_iter().filter(|pair| is_meant(&pair.copy) || is_meant(&pair.note)) {
                if copies.len() == MOST_COPIES {
                    more += 1;
                } else {
                    copies.extend(pair.described(app, &root, memory.as_ref()));
                }
            }
        }
        Ok(ConflictsResponse { copies, more, remarks })
    }
}

impl UseCase for PreviewMergeRequest {
    type Response = MergedNote;

    fn run(&self, service: &Service<'_>) -> Result<MergedNote> {
        let (_, texts) = self.copy.in_memory(service.app)?;
        let (note, copy) = (Lines::of(&texts.note).all(), Lines::of(&texts.copy).all());
        let splices = missing_lines(&note, &copy);
        let added = splices.iter().map(|splice| splice.insert.len()).sum();
        let merged = Lines::of(&texts.note).spliced(&splices);
        let merged = String::from_utf8_lossy(&merged);
        let (diff, more_lines) = diff(&text(&texts.note), &merged);
        let error = |text: &str| markdown::parse(&self.copy.note, text).front_matter_error;
        // An error that the note has already is none of the merge.
        let front_matter_error = error(&merged).filter(|_| error(&text(&texts.note)).is_none());
        Ok(MergedNote { diff, more_lines, added, front_matter_error })
    }
}

impl UseCase for MergeCopyRequest {
    type Response = bool;

    fn run(&self, service: &Service<'_>) -> Result<bool> {
        let (folder, texts) = self.copy.in_memory(service.app)?;
        let (note, copy) = self.copy.files(&folder)?;
        let merge = ConflictMerge { note, note_bytes: &texts.note, copy, copy_bytes: &texts.copy };
        Ok(merge_conflict(&mut service.writer(&folder, "conflicts")?, &merge)?)
    }
}

/// The bytes of a note and its copy.
struct Texts {
    note: Vec<u8>,
    copy: Vec<u8>,
}

impl NoteCopy {
    /// Returns the memory folder, and the texts if they are still those of the diff.
    fn in_memory(&self, app: &App) -> Result<(MemoryFolder, Texts)> {
        let folder = app.memory_folder()?;
        let (note, copy) = self.files(&folder)?;
        let read = |file: &str| Ok::<_, crate::Error>(folder.read(file)?.unwrap_or_default());
        let texts = Texts { note: read(note)?, copy: read(copy)? };
        if (text_hash(&texts.note), text_hash(&texts.copy)) != self.versions {
            let message = format!("{} or its copy has changed meanwhile: nothing was merged", self.note);
            return Err(Refusal { message, hint: "look at it again: tars conflicts --resolve".into() }.into());
        }
        if [&texts.note, &texts.copy].into_iter().any(|bytes| std::str::from_utf8(bytes).is_err()) {
            let message = format!("{} or its copy is not UTF-8: tars does not write it", self.note);
            return Err(Refusal { message, hint: "merge the two in an editor".into() }.into());
        }
        Ok((folder, texts))
    }

    /// Returns the names of the note and the copy within the memory folder.
    fn files(&self, folder: &MemoryFolder) -> Result<(&str, &str)> {
        let names = folder.relative_name(&self.note).zip(folder.relative_name(&self.path));
        let elsewhere = || Refusal {
            message: format!("{} lies outside of the memory folder, where tars writes nothing", self.path),
            hint: format!("merge the two in an editor: tars open '{}'", self.note),
        };
        Ok(names.filter(|_| self.can_merge).ok_or_else(elsewhere)?)
    }
}

/// A copy and its note, by their paths.
struct Pair {
    copy: String,
    note: String,
    program: SyncProgram,
    /// Whether their texts must show that they belong together.
    must_be_near: bool,
}

/// Finds the pairs of a root, by path.
fn pairs(app: &App, root: &Root, remarks: &mut Vec<String>) -> Result<Vec<Pair>> {
    let options = WalkOptions { conflict_copies: false, ..app.walk_options() };
    let failed = |error| failure!("cannot look for conflict copies in {}: {error}", root.path.display());
    let found = walk(&root.path, &options).map_err(failed)?;
    let beside = |path: &str, name: &str| match path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name.to_owned(),
    };
    let name_of = |path: &'_ str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut pairs: Vec<Pair> = Vec::new();
    for copy in found.conflict_copies {
        if let Some((name, program)) = conflict_original(&name_of(&copy)) {
            pairs.push(Pair { note: beside(&copy, &name), copy, program, must_be_near: false });
        }
    }
    let known: HashSet<&str> = found.notes.iter().map(|note| note.path.as_str()).collect();
    let possible = found.notes.iter().filter_map(|copy| {
        let originals = possible_originals(&name_of(&copy.path)).into_iter();
        let mut existing = originals.map(|(name, program)| (beside(&copy.path, &name), program));
        let (note, program) = existing.find(|(note, _)| known.contains(note.as_str()))?;
        Some(Pair { copy: copy.path.clone(), note, program, must_be_near: true })
    });
    let possible: Vec<Pair> = possible.take(MOST_POSSIBLE + 1).collect();
    if possible.len() > MOST_POSSIBLE {
        remarks
            .push(format!("only {MOST_POSSIBLE} notes of {} with names like those of copies were compared", root.name));
    }
    pairs.extend(possible.into_iter().take(MOST_POSSIBLE));
    pairs.sort_by(|one, other| one.copy.cmp(&other.copy));
    Ok(pairs)
}

impl Pair {
    /// Returns the pair with its diff; `None` if one of the two is private, or their texts are not near although they must be.
    fn described(self, app: &App, root: &Root, memory: Option<&MemoryFolder>) -> Option<NoteCopy> {
        let links = app.walk_options().follow_links;
        let read = |path: &str| match is_pdf(path) {
            true => Err(ReadError::Binary { path: root.path.join(path) }),
            false => read_bytes(&root.path, &links, path, LARGEST).map(|(bytes, _)| bytes),
        };
        let is_in_memory = root.name == crate::VAULT
            && memory.is_some_and(|folder| {
                let is_inside = |path: &str| folder.relative_name(path).is_some();
                is_inside(&self.note) && is_inside(&self.copy)
            });
        let described = NoteCopy {
            collection: root.name.clone(),
            program: program_name(self.program).to_owned(),
            path: self.copy,
            note: self.note,
            can_merge: is_in_memory,
            diff: Vec::new(),
            more_lines: 0,
            unreadable: None,
            versions: Default::default(),
        };
        let (note, copy) = match (read(&described.note), read(&described.path)) {
            (Ok(note), Ok(copy)) => (note, copy),
            // Without the texts nobody knows whether they are near, or private.
            _ if self.must_be_near => return None,
            (Err(error), _) | (_, Err(error)) => {
                return Some(NoteCopy { unreadable: Some(error.to_string()), can_merge: false, ..described });
            }
        };
        let (note_text, copy_text) = (text(&note), text(&copy));
        // A canvas and a note of Org mode say in their own ways that they are private.
        let as_markdown = [(&described.note, &note_text), (&described.path, &copy_text)]
            .map(|(path, text)| formats::as_markdown(path, text));
        let is_private = as_markdown.iter().any(|text| markdown::is_private(text));
        // Lines of two drawings together are no drawing.
        let can_merge = described.can_merge && as_markdown.iter().all(|text| matches!(text, Cow::Borrowed(_)));
        let is_far = || note.is_empty() || copy.is_empty() || shared_lines(&note_text, &copy_text) < NEAR;
        if is_private || (self.must_be_near && is_far()) {
            return None;
        }
        let (diff, more_lines) = diff(&note_text, &copy_text);
        let versions = (text_hash(&note), text_hash(&copy));
        Some(NoteCopy { diff, more_lines, versions, can_merge, ..described })
    }
}

fn text(bytes: &[u8]) -> String {
    tars_vault::text_of(bytes).into_owned()
}

fn program_name(program: SyncProgram) -> &'static str {
    match program {
        SyncProgram::Syncthing => "Syncthing",
        SyncProgram::Dropbox => "Dropbox",
        SyncProgram::ObsidianSync => "Obsidian Sync",
        SyncProgram::ICloud => "iCloud",
        SyncProgram::OneDrive => "OneDrive",
    }
}

/// Returns the lines in which two texts differ, with those around them, and the number of further ones. Secrets are replaced.
pub(crate) fn diff(note: &str, copy: &str) -> (Vec<DiffLine>, usize) {
    let (note, copy) = (redact(note).text, redact(copy).text);
    let (old, new): (Vec<&str>, Vec<&str>) = (note.lines().collect(), copy.lines().collect());
    let mut lines = Vec::new();
    let mut push = |side, texts: &[&str], range: std::ops::Range<usize>| {
        lines.extend(range.map(|at| DiffLine { side, line: at + 1, text: texts[at].to_owned() }));
    };
    let mut shown = 0;
    let hunks = hunks(&old, &new);
    for (at, Hunk { old: removed, new: inserted }) in hunks.iter().enumerate() {
        push(DiffSide::Both, &old, shown.max(removed.start.saturating_sub(CONTEXT))..removed.start);
        push(DiffSide::Note, &old, removed.clone());
        push(DiffSide::Copy, &new, inserted.clone());
        let next = hunks.get(at + 1).map_or(old.len(), |next| next.old.start);
        shown = next.min(removed.end + CONTEXT);
        push(DiffSide::Both, &old, removed.end..shown);
    }
    let more = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    (lines, more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_shows_differing_lines_between_their_neighbours() {
        let note = "1\n2\n3\nold\n5\n6\n7\n8\n9\n";
        let shown = |note: &str, copy: &str| {
            let sign = |line: &DiffLine| match line.side {
                DiffSide::Both => ' ',
                DiffSide::Note => '-',
                DiffSide::Copy => '+',
            };
            diff(note, copy)
                .0
                .iter()
                .map(|line| format!("{}{}{}", line.line, sign(line), line.text))
                .collect::<Vec<_>>()
        };
        let copy = "1\n2\n3\nnew\n5\n6\n7\n8\n9\n10\n";
        assert_eq!(shown(note, copy), ["2 2", "3 3", "4-old", "4+new", "5 5", "6 6", "8 8", "9 9", "10+10"]);
        assert_eq!(shown(note, note), [""; 0]);
        assert_eq!(diff(&"a\n".repeat(9), &"b\n".repeat(900)).1, 909 - MOST_LINES);
    }
}
