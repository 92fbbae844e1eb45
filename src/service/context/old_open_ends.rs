//! Old open ends, which the start of a session asks about once.

use jiff::ToSpan;

use super::{Chosen, ProjectRef};
use crate::sessions::AskedOpenEnds;
use crate::{Service, VAULT};
use tars_agent::context_block::{Keep, Piece, Source};
use tars_base::domain::MemoryType;
use tars_memory::{OpenEnd, open_ends};
use tars_text::redact::{redact, redact_path};

/// Days after which an open end is old. Younger ones are shown as they are.
pub(crate) const OLD_DAYS: i64 = 21;
/// Days to look back.
const MAX_DAYS: i64 = 180;
/// Most open ends that one session is asked about.
const MAX_ASKED: usize = 3;

/// Returns the project's old open ends that no session was asked about, each with the question.
pub(super) fn pieces(service: &Service<'_>, (name, key): ProjectRef<'_>) -> Vec<Chosen> {
    let today = service.app().environment.clock.today();
    let Ok(folder) = service.app().memory_folder() else { return Vec::new() };
    let found = open_ends(&folder, today.saturating_sub(MAX_DAYS.days())).unwrap_or_else(|error| {
        tracing::warn!("old open ends are left out: {error}");
        Vec::new()
    });
    let asked = AskedOpenEnds::read(service.app());
    let is_due = |end: &&OpenEnd| {
        end.day < today.saturating_sub(OLD_DAYS.days()) && end.project.is(name, key) && !asked.holds(&end.bullet.id)
    };
    let piece = |end: &OpenEnd| {
        let text = redact(&end.text).text;
        let text = format!("- [ ] Open: {text} {}", question(&end.bullet.id));
        let path = redact_path(&folder.vault_path(&end.bullet.file)).into_owned();
        let source = Source { collection: None, path, answer: None, date: Some(end.day), kind: MemoryType::Daily };
        let piece = Piece::new(source, end.bullet.line(), &text, Keep::Start)?;
        Some(Chosen { collection: VAULT.to_owned(), piece, score: None })
    };
    found.iter().filter(is_due).take(MAX_ASKED).filter_map(piece).collect()
}

/// Returns the question about an open end.
fn question(id: &str) -> String {
    format!("(old: ask once whether it is still open; `tars done {id}` ticks it, otherwise tars sets it aside)")
}

/// Returns the ids of these open ends that a block asks about.
pub(super) fn asked_in(block: &str) -> Vec<String> {
    let after = block.split("(old: ask once whether it is still open; `tars done ").skip(1);
    after.filter_map(|rest| rest.split_once('`')).map(|(id, _)| id.to_owned()).collect()
}
