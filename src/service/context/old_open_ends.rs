//! Old open ends, which the start of a session asks about once.

use jiff::ToSpan;

use super::{Chosen, ContextPiece, ProjectRef};
use crate::sessions::AskedOpenEnds;
use crate::{Service, VAULT};
use tars_agent::context_block::{Keep, Piece, Source};
use tars_base::domain::MemoryType;
use tars_memory::{OpenEnd, open_ends_of};
use tars_text::redact::{redact, redact_path};

/// Days after which an open end is old. Younger ones are shown as they are.
pub(crate) const OLD_DAYS: i64 = 21;
/// Days to look back.
const MAX_DAYS: i64 = 120;
/// Most open ends that one session is asked about.
const MAX_ASKED: usize = 3;

/// An old open end, with the question about it.
pub(super) struct OldOpenEnd {
    id: String,
    pub(super) chosen: Chosen,
}

impl OldOpenEnd {
    /// Whether an excerpt of a block is this one.
    fn is_in(&self, piece: &ContextPiece) -> bool {
        let (own, _) = self.chosen.piece.lines();
        piece.path == self.chosen.piece.source().path
            && piece.start_line == own
            && piece.text == self.chosen.piece.text()
    }
}

/// Returns the project's old open ends that no session was asked about, newest first.
pub(super) fn old_open_ends(service: &Service<'_>, (name, key): ProjectRef<'_>) -> Vec<OldOpenEnd> {
    let today = service.app().environment.clock.today();
    let Ok(folder) = service.app().memory_folder().map(|folder| folder.hiding_private()) else { return Vec::new() };
    let found = open_ends_of(&folder, today.saturating_sub(MAX_DAYS.days()), |section| section.project.is(name, key));
    let found = found.unwrap_or_else(|error| {
        tracing::warn!("old open ends are left out: {error}");
        Vec::new()
    });
    let asked = AskedOpenEnds::read(service.app());
    let is_due = |end: &&OpenEnd| end.day < today.saturating_sub(OLD_DAYS.days()) && !asked.holds(&end.bullet.id);
    let with_question = |end: &OpenEnd| {
        let (text, id) = (redact(&end.text).text, &end.bullet.id);
        let text = format!(
            "- [ ] Open: {text} (old: ask once whether it is still open; `tars done {id}` ticks it, otherwise tars sets it aside)"
        );
        let path = redact_path(&folder.vault_path(&end.bullet.file)).into_owned();
        let source = Source { collection: None, path, answer: None, date: Some(end.day), kind: MemoryType::Daily };
        let piece = Piece::new(source, end.bullet.line(), &text, Keep::Start)?;
        Some(OldOpenEnd { id: id.clone(), chosen: Chosen { collection: VAULT.to_owned(), piece, score: None } })
    };
    found.iter().filter(is_due).take(MAX_ASKED).filter_map(with_question).collect()
}

/// Returns the ids of the open ends that the excerpts of a block ask about.
pub(super) fn asked_in(old: &[OldOpenEnd], pieces: &[ContextPiece]) -> Vec<String> {
    old.iter().filter(|end| pieces.iter().any(|piece| end.is_in(piece))).map(|end| end.id.clone()).collect()
}
