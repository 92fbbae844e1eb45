//! Statements of a person in sessions and chats that hold on, and that nobody has confirmed yet.

use jiff::ToSpan;

use super::super::memory::Logs;
use super::super::{Chosen, ProjectRef};
use crate::{Service, VAULT};
use tars_agent::context_block::{Keep, Piece, Source};
use tars_agent::digest::{concerns_person, looks_injected, standing_statements};
use tars_base::domain::MemoryType;
use tars_memory::upkeep::{self, Job, ListedProposal, Verdict};
use tars_memory::{EXTRACTED, EXTRACTIVE, LogLine, PROPOSALS, day_file};
use tars_text::markdown::is_private;
use tars_text::redact::redact;

/// Days for which an unconfirmed line is shown.
const UNCONFIRMED_DAYS: i64 = 14;
/// Marks an unconfirmed line.
pub(super) const UNCONFIRMED: &str = "Unconfirmed:";
/// Most unconfirmed lines of sessions, newest days first, and of imported chats, of which the surest come first on the list.
const MAX_UNCONFIRMED: usize = 20;
const MAX_UNCONFIRMED_CHATS: usize = 10;

/// Returns the standing statements of the last days that nobody has confirmed, marked as unconfirmed: those that sessions of the project
/// left, and of other projects those about the person.
pub(super) fn said_in_sessions(
    service: &Service<'_>,
    logs: &Logs<'_>,
    (name, key): ProjectRef<'_>,
    stands: &dyn Fn(&str) -> bool,
) -> Vec<Chosen> {
    let today = service.app().environment.clock.today();
    let Ok(folder) = service.app().memory_folder() else { return Vec::new() };
    let of_day = |back: i64| {
        let day = today.checked_sub(back.days()).ok()?;
        let file = day_file(&folder, day).ok()?;
        let log = logs.read(&file)?;
        let is_meant = |line: &&LogLine| {
            let Some(said) = line.text.strip_prefix(EXTRACTED).map(str::trim) else { return false };
            let by_rules = line.section.anchor.as_ref().is_some_and(|anchor| anchor.by == EXTRACTIVE);
            // Facts by a model and lines that command an agent wait for their review.
            let may_come = !standing_statements(said).is_empty() || (by_rules && !looks_injected(said));
            may_come && (line.section.project.is(name, key) || concerns_person(said))
        };
        let numbers: Vec<usize> = log.lines.iter().filter(is_meant).map(|line| line.number).collect();
        let piece = log.piece(&folder.vault_path(&file), day, Keep::Start)?;
        let piece = piece.retain_lines(|number, _| numbers.contains(&number))?;
        let piece = piece.with_shortened_lines(|line| line.replacen(EXTRACTED, UNCONFIRMED, 1));
        let piece = piece.without(|_, line| stands(line))?;
        Some(Chosen { collection: VAULT.to_owned(), piece, score: None })
    };
    let mut left = MAX_UNCONFIRMED;
    let days = (0..UNCONFIRMED_DAYS).filter_map(of_day).take_while(|day| {
        let has_room = left > 0;
        left = left.saturating_sub(day.piece.numbered().count());
        has_room
    });
    days.collect()
}

/// Returns the first proposals of what the person said in chats that were imported in the last days, marked as unconfirmed. A chat has no
/// project, so they hold in each.
pub(super) fn said_in_chats(service: &Service<'_>, stands: &dyn Fn(&str) -> bool) -> Option<Chosen> {
    let today = service.app().environment.clock.today();
    let folder = service.app().memory_folder().ok()?;
    let listed = upkeep::list(&folder).ok()?;
    let is_recent = |listed: &&ListedProposal| {
        let Job::ImportedChats(day) = listed.proposal.job else { return false };
        today.checked_sub(UNCONFIRMED_DAYS.days()).is_ok_and(|first| day > first)
    };
    // A person may have changed the words.
    let is_shown = |listed: &&ListedProposal| {
        is_recent(listed) && listed.verdict == Verdict::Open && !looks_injected(listed.proposal.change.text())
    };
    let shown = listed.iter().filter(is_shown).take(MAX_UNCONFIRMED_CHATS);
    let numbers: Vec<usize> = shown.map(ListedProposal::line_number).collect();
    if numbers.is_empty() {
        return None;
    }
    let text = redact(&tars_vault::text_of(&folder.read(PROPOSALS).ok()??)).text.into_owned();
    if is_private(&text) {
        return None;
    }
    let path = folder.vault_path(PROPOSALS);
    let source = Source { collection: None, path, answer: None, date: None, kind: MemoryType::Note };
    let piece = Piece::new(source, 1, &text, Keep::Start)?.without(|number, _| !numbers.contains(&number))?;
    let piece = piece.with_shortened_lines(|line| {
        let said = line.split_once("]]: ").map_or(line, |(_, said)| said);
        format!("- {UNCONFIRMED} {said}")
    });
    let piece = piece.without(|_, line| stands(line))?;
    Some(Chosen { collection: VAULT.to_owned(), piece, score: None })
}
