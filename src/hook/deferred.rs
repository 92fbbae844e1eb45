//! The memory of a session whose client takes context only with a prompt.
//!
//! At the start of the session the memory is kept in a file of the data directory, and the next prompt takes it. Such a client does not
//! report either that it has compressed the conversation, and with it the lines that the agent got; its transcript shows it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::shown_lines::ShownLines;
use super::{in_project, inject};
use tars_agent::client::{HookAnswer, HookEvent, HookInput, gemini};
use tars_base::data_files;
use tars_base::private::{self, short_hash};
use tars_service::{App, ContextRequest, Length, Result, Service};

/// Largest file that is read, in bytes; a context has some 10 kB.
const MAX_BYTES: u64 = 1 << 20;
/// How much of a transcript a prompt searches for a compression, in bytes.
const MAX_SEARCHED: u64 = 8 << 20;

/// The memory that a session still has to get, and how far its transcript is known.
#[derive(Debug, Clone)]
pub(super) struct Deferred {
    file: PathBuf,
    kept: Kept,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// The context for the next prompt.
    context: Option<String>,
    /// The length of the transcript that was searched for compressions.
    searched: u64,
    /// A hash of the last summary in it.
    summary: String,
}

impl Deferred {
    /// Reads what is kept for the session `id`. Its folder is that of the shown lines, whose sweep removes old files.
    pub(super) fn of(data: &Path, id: &str) -> Self {
        let file = data.join("hook-sessions").join(format!("{}.next", short_hash(id.as_bytes())));
        let kept = private::read(&file, MAX_BYTES).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self { file, kept: kept.unwrap_or_default() }
    }

    /// Keeps a context for the next prompt, or none. A failure costs this session the memory.
    pub(super) fn keep(&mut self, context: Option<String>) {
        self.kept.context = context;
        let written = serde_json::to_vec(&self.kept).map(|kept| data_files::replace(&self.file, &kept));
        if !matches!(written, Ok(Ok(()))) {
            tracing::warn!("{} cannot be written", self.file.display());
        }
    }

    /// Returns whether the client has compressed the conversation since the last call. A resumed session repeats a compressed
    /// conversation, which is no other compression.
    fn is_compressed(&mut self, input: &HookInput) -> bool {
        let Ok((length, part)) = unsearched(Path::new(&input.transcript), self.kept.searched) else { return false };
        self.kept.searched = length;
        let Some(summary) = gemini::last_summary(&part).map(short_hash) else { return false };
        let is_other = summary != self.kept.summary;
        self.kept.summary = summary;
        is_other
    }
}

/// Returns an answer to a prompt with the memory before it, if the session still has to get that.
///
/// # Errors
/// The answer or the memory cannot be made.
pub(super) fn with_memory(
    service: &Service<'_>,
    input: &HookInput,
    mut shown: ShownLines,
    answer: impl FnOnce(&mut ShownLines) -> Result<HookAnswer>,
) -> Result<HookAnswer> {
    let data = &service.app().settings.config.data.dir;
    let mut deferred = Deferred::of(data, &input.session);
    let memory = if deferred.is_compressed(input) {
        // The agent has lost the lines that it got.
        shown = ShownLines::fresh(data, &input.session);
        let start = HookInput { event: HookEvent::SessionStart, ..input.clone() };
        inject(service, &start, &memory_request(service.app(), input, None, None), None, &mut shown)?.context
    } else {
        deferred.kept.context.clone()
    };
    let mut answer = answer(&mut shown)?;
    answer.context = memory.into_iter().chain(answer.context).reduce(|memory, lines| format!("{memory}\n{lines}"));
    // At the end, so that an answer that comes too late leaves the memory for the next prompt.
    deferred.keep(None);
    Ok(answer)
}

/// Returns a request for the memory at the start of a session, without the lines that it has `seen`, with room for an offer.
pub(super) fn memory_request(
    app: &App,
    input: &HookInput,
    seen: Option<&ShownLines>,
    offer: Option<&str>,
) -> ContextRequest {
    let room = app.settings.config.hooks.session_characters;
    ContextRequest {
        length: Some(Length::Characters(room - offer.map_or(0, |line| line.len() + 1).min(room))),
        seen: seen.map(|shown| shown.lines().cloned().collect()),
        asks: true,
        // A resumed session contains its own turns, and most clients the lines that came before them.
        without_daily: input.source == "resume" && input.client.keeps_context(),
        ..in_project(app, input)
    }
}

/// Returns the length of a transcript, and the part of it after its first `from` bytes.
fn unsearched(path: &Path, from: u64) -> std::io::Result<(u64, Vec<u8>)> {
    let mut file: File = private::open_untrusted_path(path)?;
    let length = file.metadata()?.len();
    // A shorter file is another one.
    let from = if from <= length { from } else { 0 };
    file.seek(SeekFrom::Start(from.max(length.saturating_sub(MAX_SEARCHED))))?;
    let mut part = Vec::new();
    file.take(MAX_SEARCHED).read_to_end(&mut part)?;
    Ok((length, part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(path: &Path) -> HookInput {
        HookInput { transcript: path.display().to_string(), session: "s".into(), ..HookInput::default() }
    }

    #[test]
    fn a_context_is_kept_for_its_session() {
        let data = tempfile::tempdir().unwrap();
        let mut deferred = Deferred::of(data.path(), "../s");
        deferred.keep(Some("the memory".into()));
        let kept = |id: &str| Deferred::of(data.path(), id).kept.context;
        assert_eq!(kept("../s").as_deref(), Some("the memory"));
        assert_eq!(kept("other"), None);
        Deferred::of(data.path(), "../s").keep(None);
        assert_eq!(kept("../s"), None);
    }

    #[test]
    fn a_compression_is_reported_once_even_if_the_session_repeats_it() {
        let data = tempfile::tempdir().unwrap();
        let transcript = data.path().join("session.jsonl");
        let replaced = |summary: &str| {
            format!(
                "{{\"$set\":{{\"messages\":[{{\"id\":\"a\",\"content\":\"<state_snapshot>{summary}</state_snapshot>\"}}]}}}}\n"
            )
        };
        let mut text = String::from("{\"sessionId\":\"s\"}\n");
        let is_compressed = |text: &str| {
            std::fs::write(&transcript, text).unwrap();
            let mut deferred = Deferred::of(data.path(), "s");
            let found = deferred.is_compressed(&input(&transcript));
            deferred.keep(None);
            found
        };
        assert!(!is_compressed(&text));
        text += &replaced("Pears.");
        assert!(is_compressed(&text) && !is_compressed(&text));
        text += &replaced("Pears.");
        assert!(!is_compressed(&text), "a resumed session repeats it");
        text += &replaced("Plums.");
        assert!(is_compressed(&text));
        assert!(!Deferred::of(data.path(), "s").is_compressed(&input(Path::new("/gone"))));
    }
}
