//! Tools on the files of the memory folder, named by their paths in it.

use std::cell::RefCell;
use std::collections::HashMap;

use super::{Arguments, BuiltIn, RESULT, ToolContext, ToolEffect};
use tars_agent::context_block::Keep;
use tars_base::domain::{ApproximateTokens, CountTokens};
use tars_memory::{is_guarded, text_hash};
use tars_service::memory::{
    AppendFileRequest, ArchiveFileRequest, FileText, ProposeLinesRequest, ReadFileRequest, WriteFileRequest,
};
use tars_service::{Result, agent_text};

/// Maximum tokens of a file per call; marks and escapes need the rest.
const FILE: usize = RESULT - 400;

const PATH: (&str, &str, &str) = ("path", "string", "Its path below the memory folder: context/work.md, Memory.md");

pub(super) const TOOLS: &[BuiltIn] = &[
    BuiltIn {
        name: "memory_file_read",
        description: "Reads a file of the memory that the map of the memory names.",
        arguments: &[PATH, ("from_line", "integer", "The line to begin with")],
        run: read,
        ..BuiltIn::READ_ONLY
    },
    BuiltIn {
        name: "memory_file_write",
        description: "Lets a file of the memory hold this text and nothing else: Memory.md, Procedural.md, context/… or \
            timelines/…. Read it before, and keep what is still true.",
        arguments: &[PATH, ("text", "string", "The whole text, in markdown: a title, headings, bullets")],
        required: 2,
        precondition: Some(is_read),
        effect,
        run: write,
        propose: Some(|context, given| propose(context, given, false)),
    },
    BuiltIn {
        name: "memory_file_append",
        description: "Puts a text at the end of a file of the memory.",
        arguments: &[PATH, ("text", "string", "The text, in markdown")],
        required: 2,
        effect,
        run: append,
        propose: Some(|context, given| propose(context, given, true)),
        ..BuiltIn::READ_ONLY
    },
    BuiltIn {
        name: "memory_file_archive",
        description: "Moves a file of context/ or timelines/ that is no longer needed to the archive.",
        arguments: &[PATH],
        effect,
        run: archive,
        ..BuiltIn::READ_ONLY
    },
];

fn effect(given: &Arguments) -> ToolEffect {
    match given.text("path") {
        Ok(Some(path)) if !is_guarded(&path) => ToolEffect::Layers,
        _ => ToolEffect::Core,
    }
}

fn read(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    context.check_memory()?;
    let from_line = given.number("from_line", usize::MAX)?;
    let found = context.service.call(&ReadFileRequest { path: given.required("path")?, from_line })?;
    let first = from_line.unwrap_or(1);
    // Only whole lines, so that the model can continue at the next line.
    let fits = |count: &usize| {
        let text: Vec<&str> = found.text.lines().take(*count).collect();
        ApproximateTokens.count(&text.join("\n")) <= FILE
    };
    let count = found.text.lines().count();
    let shown = (1..=count).rev().find(fits).unwrap_or(1.min(count));
    let text = found.text.lines().take(shown).collect::<Vec<_>>().join("\n");
    let next = if shown < count { Some(first + shown) } else { found.next_line };
    let more = next.map(|line| format!("\nIt goes on: from_line {line}.")).unwrap_or_default();
    context.read_files.add(&found, first, first + shown);
    let block = agent_text::excerpt((&found.path, first), &text, Keep::Start, RESULT);
    Ok(block.unwrap_or_else(|| format!("{} is empty.", found.path)) + &more)
}

fn write(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    let (path, text) = (given.required("path")?, given.required("text")?);
    let version = Some(replaceable(context, &path)?);
    context.service.call(&WriteFileRequest { path, text, version })?;
    Ok("Written.".into())
}

fn is_read(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<()> {
    replaceable(context, &given.required("path")?).map(drop)
}

/// Returns the version of a file that may be replaced, which the model must have read to the end. Otherwise a new text would
/// drop lines that the model does not know, such as one the person saved in the meantime.
fn replaceable(context: &ToolContext<'_, '_>, path: &str) -> Result<String> {
    // An unreadable file does not exist, or the write itself reports why it is not allowed.
    let Ok(there) = context.service.call(&ReadFileRequest { path: path.to_owned(), from_line: None }) else {
        return Ok(text_hash(b""));
    };
    tars_service::ensure!(
        there.text.trim().is_empty() || context.read_files.has(&there),
        "{} is there, and you have not read all of it as it is now: nothing was written. Read it with memory_file_read, and keep \
         what is still true",
        there.path
    );
    Ok(there.version)
}

/// The parts of memory files that the model has read, by path.
#[derive(Debug, Default)]
pub(crate) struct ReadFiles(RefCell<HashMap<String, Part>>);

/// The lines of a version of a file before `until`, from 1.
#[derive(Debug)]
struct Part {
    version: String,
    until: usize,
}

impl ReadFiles {
    /// Records the lines from `first` to before `until`. They only count if they follow lines that were already shown.
    fn add(&self, file: &FileText, first: usize, until: usize) {
        let mut known = self.0.borrow_mut();
        let before = known.get(&file.path).filter(|part| part.version == file.version).map_or(1, |part| part.until);
        if first <= before {
            let part = Part { version: file.version.clone(), until: until.max(before) };
            known.insert(file.path.clone(), part);
        }
    }

    /// Whether the whole file was shown in its current version.
    fn has(&self, file: &FileText) -> bool {
        let known = self.0.borrow();
        known.get(&file.path).is_some_and(|part| part.version == file.version && part.until > file.lines)
    }
}

fn append(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    let (path, text) = (given.required("path")?, given.required("text")?);
    context.service.call(&AppendFileRequest { path, text })?;
    Ok("Written.".into())
}

fn archive(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    context.service.call(&ArchiveFileRequest { path: given.required("path")? })?;
    Ok("It lies in the archive now.".into())
}

fn propose(context: &ToolContext<'_, '_>, given: &Arguments, append: bool) -> Result<String> {
    let request = ProposeLinesRequest { path: given.required("path")?, text: given.required("text")?, append };
    let kept = context.service.call(&request)?;
    let dropped = match kept.dropped.len() {
        0 => String::new(),
        count => format!(" {count} lines that the text leaves out stay: name one with memory_remember and replace."),
    };
    Ok(format!("Nobody could be asked: {} new lines are proposals now.{dropped}", kept.proposals.len()))
}
