//! Lines that the client gives its agent by itself, from `CLAUDE.md`, `AGENTS.md` and the like. The block leaves them out.

use std::collections::HashSet;
use std::path::Path;

use super::pieces::Chosen;
use crate::App;
use crate::setup::client_places;
use tars_agent::client::AgentClient;
use tars_base::private;
use tars_memory::normalized;

/// Largest part of a file that is read, in bytes.
const MAX_BYTES: u64 = 256 << 10;
/// Minimum number of words of a line: shorter ones such as headings say little, and stand in many files.
const MIN_WORDS: usize = 3;

/// The lines that a client gives its agent by itself, normalized.
#[derive(Debug, Default)]
pub(super) struct Instructions(HashSet<String>);

impl Instructions {
    /// Reads the lines for an agent of `client` in `directory`; empty if either is unknown.
    pub(super) fn of(app: &App, client: Option<&str>, directory: Option<&str>) -> Self {
        let known = client.and_then(AgentClient::named).zip(directory).zip(client_places(app).ok());
        let Some(((client, directory), places)) = known else { return Self::default() };
        let mut lines = HashSet::new();
        for file in client.instruction_files(&places, Path::new(directory)) {
            let Ok(text) = read(&file) else { continue };
            lines.extend(text.lines().filter_map(key));
        }
        Self(lines)
    }

    /// Leaves the lines out of these excerpts.
    pub(super) fn leave_out(&self, chosen: Vec<Chosen>) -> Vec<Chosen> {
        if self.0.is_empty() {
            return chosen;
        }
        let is_new = |line: &str| !key(line).is_some_and(|key| self.0.contains(&key));
        let kept = chosen.into_iter().filter_map(|one| {
            let is_whole = one.piece.numbered().all(|(_, line)| is_new(line));
            let piece = if is_whole { one.piece } else { one.piece.retain_lines(|_, line| is_new(line))? };
            piece.says_something().then_some(Chosen { piece, ..one })
        });
        kept.collect()
    }
}

/// Returns the line without its list mark, normalized; `None` if it says too little.
fn key(line: &str) -> Option<String> {
    let text = line.trim();
    let text = ["- [ ] ", "- ", "* ", "+ "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text);
    let key = normalized(text);
    let is_unspaced = key.chars().any(tars_text::analysis::is_unspaced);
    (is_unspaced || key.split(' ').count() >= MIN_WORDS).then_some(key)
}

fn read(file: &Path) -> std::io::Result<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    private::open_untrusted_path(file)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
