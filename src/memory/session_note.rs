//! Writes the outcomes of a session's turns into the log of the day.
//!
//! The file of a day, `YYYY-MM-DD.md`, holds one section per session and project, because a session may go on in another repository:
//!
//! ```text
//! ## Session 09:20 · pump
//! <!-- tars:session 5e55b0a2 ~Gis8TZ86/258 -->
//! - 09:20 Found: The timer overflowed at midnight. — why does the pump stop at night?
//! - 09:20 Decided: We count minutes, since seconds overflow.
//! - [ ] 09:20 Open: The pump in the shed still runs the old build.
//! - 09:41 Also: The timer counts minutes now; 14 tests pass
//! ```
//!
//! The heading carries the time of the session's first turn of that day. Tars finds the section again by its comment ([`Anchor`]).
//! Sections of parallel sessions follow each other.
//!
//! While the lines are unedited (the comment's hash matches), tars rewrites the whole section after each turn, because a later turn may
//! rule out an earlier finding. After a person has edited them, tars only appends new lines. A turn that any section of the day already
//! holds is not written again, because a fork of a session repeats the turns of the original.

mod outcome_lines;
mod provenance;

use std::ops::Range;

use jiff::civil::{Date, DateTime};

use outcome_lines::lines_of;
pub use outcome_lines::short_form;
pub(super) use provenance::emptied_sections;

use super::MemoryError;
use super::anchor::{Anchor, EXTRACTIVE, section_hash, short_session, short_turn};
use super::bullet::headings;
use super::fact_line::{EXTRACTED, is_fact_line, without_request};
use super::file::{after_text, beginning, daily_file};
use super::log_project::LogProject;
use super::remember::sanitize_note;
use tars_agent::digest::Wording;
use tars_base::domain::{Outcome, OutcomeKind};
use tars_text::cleaning::cleaned_sentence;
use tars_vault::{Edit, Lines, Splice, Writer};

/// Prefixes of a task: open, closed, and set aside.
const UNTICKED: &str = "- [ ]";
pub(super) const TICKED: &str = "- [x]";
pub(super) const SET_ASIDE: &str = "- [-]";

/// The notes of a session on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionNote {
    /// The session's id, as the client gives it.
    pub session: String,
    /// The project's name.
    pub project: String,
    /// The project's key.
    pub project_key: Option<String>,
    /// The turns of one day in order; at least one turn is here or in `abandoned`.
    pub turns: Vec<NotedTurn>,
    /// Turns of the day that the person went back behind. Their lines are removed where nobody has edited them.
    pub abandoned: Vec<NotedTurn>,
    /// Author of the outcomes.
    pub by: String,
    /// Version of the model's prompt.
    pub prompt: Option<String>,
    /// The model that was configured but failed.
    pub instead_of: Option<String>,
}

/// A turn and its outcomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedTurn {
    /// The turn's id, as the client gives it.
    pub id: String,
    /// When the person sent the request, local time.
    pub time: DateTime,
    /// The branch that was checked out, unless it is the main one.
    pub branch: Option<String>,
    /// Outcomes of the turn.
    pub outcomes: Vec<Outcome>,
    /// The author of the outcomes' words.
    pub wording: Wording,
    /// Whether the turn was never noted. Tars does not write a turn again if its note was undone or removed.
    pub is_new: bool,
}

/// Writes the notes into the log of their day. Returns `false` if the log already holds them or there is nothing to write.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn note_session(writer: &mut Writer<'_>, note: &SessionNote) -> Result<bool, MemoryError> {
    let Some(first) = note.turns.first().or(note.abandoned.first()) else { return Ok(false) };
    let file = daily_file(first.time.date());
    let mut credits = Vec::new();
    let is_written = writer.edit_credited(&file, |lines| {
        let splices: Vec<Splice> = note.splice(lines).into_iter().collect();
        credits = note.credits(lines.all().iter().chain(splices.iter().flat_map(|splice| &splice.insert)));
        Edit { credits: credits.clone(), splices }
    })?;
    writer.recredit(&file, &credits)?;
    Ok(is_written)
}

/// A session's section in a file.
struct Section {
    /// The line of the heading, and the line after the section.
    start: usize,
    end: usize,
    /// The line of the comment.
    comment: usize,
    anchor: Anchor,
}

impl Section {
    /// Returns the lines below the comment, up to the last one with text.
    fn body(&self, texts: &[String]) -> Range<usize> {
        self.comment + 1..after_text(texts, self.comment + 1, self.end)
    }

    /// Whether nobody has edited the lines since tars wrote them.
    fn is_unedited(&self, texts: &[String]) -> bool {
        self.anchor.is_unedited(&texts[self.body(texts)])
    }
}

impl SessionNote {
    pub(super) fn splice(&self, lines: &Lines<'_>) -> Option<Splice> {
        let texts = lines.all();
        let sections = sections(lines, &texts);
        let (own, others): (Vec<Section>, Vec<Section>) = sections
            .into_iter()
            .partition(|section| section.anchor.is_of(&self.session) && self.is_of(&section.anchor));
        let elsewhere = |turn: &&NotedTurn| {
            let id = short_turn(&turn.id);
            others.iter().any(|section| {
                section.anchor.turns.contains(&id) || names_turn(&texts[section.start..section.end], &turn.id)
            })
        };
        let turns: Vec<&NotedTurn> = self.turns.iter().filter(|turn| !elsewhere(turn)).collect();
        match own.into_iter().next() {
            Some(section) => self.updated_section(&texts, section, &turns),
            None => self.new_section(&texts, &turns),
        }
    }

    /// Whether a section of the session belongs to the project of this note. Older versions wrote no key.
    fn is_of(&self, anchor: &Anchor) -> bool {
        match (&anchor.project, &self.project_key) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        }
    }

    /// Returns the new section for these turns.
    fn new_section(&self, texts: &[String], turns: &[&NotedTurn]) -> Option<Splice> {
        let turns: Vec<&NotedTurn> = turns.iter().copied().filter(|turn| turn.is_new).collect();
        let body = lines_of(&turns);
        if body.is_empty() {
            return None;
        }
        let first = turns.first()?.time;
        let mut insert = beginning(texts, &first.date().to_string());
        insert.push(format!("## Session {} · {}", first.strftime("%H:%M"), one_line(&self.project)));
        insert.push(self.anchor(noted_turn_ids(&turns), &body).line());
        insert.extend(body);
        Some(Splice { at: after_text(texts, 0, texts.len()), remove: 0, insert })
    }

    /// Returns the change to an existing section.
    fn updated_section(&self, texts: &[String], section: Section, turns: &[&NotedTurn]) -> Option<Splice> {
        let Section { start, end, comment, anchor } = section;
        let after = after_text(texts, comment + 1, end);
        let old = &texts[comment + 1..after];
        let is_known =
            |turn: &NotedTurn| anchor.turns.contains(&short_turn(&turn.id)) || names_turn(&texts[start..end], &turn.id);
        let is_gone = |id: &String| self.abandoned.iter().any(|turn| short_turn(&turn.id) == *id);
        let goes = anchor.turns.iter().any(is_gone);
        let holds = |id: &String| turns.iter().any(|turn| short_turn(&turn.id) == *id);
        let holds_all = anchor.turns.iter().all(|id| is_gone(id) || holds(id));
        let is_unedited = anchor.is_unedited(old);
        // Rules do not overwrite a model's lines.
        let may_replace = anchor.by == EXTRACTIVE || self.by != EXTRACTIVE;
        if is_unedited && holds_all && may_replace {
            let turns: Vec<&NotedTurn> = turns.iter().copied().filter(|turn| is_known(turn) || turn.is_new).collect();
            let mut body = ticked_as(lines_of(&turns), old);
            if body.is_empty() && !goes {
                return None;
            }
            body.extend(old.iter().filter(|line| is_fact_line(line)).cloned());
            if body.is_empty() {
                return Some(Splice { at: start, remove: end - start, insert: Vec::new() });
            }
            let insert: Vec<String> =
                std::iter::once(self.anchor(noted_turn_ids(&turns), &body).line()).chain(body).collect();
            let is_same = texts[comment..after] == insert[..];
            return (!is_same).then_some(Splice { at: comment, remove: after - comment, insert });
        }
        let new: Vec<&NotedTurn> = turns.iter().copied().filter(|turn| turn.is_new && !is_known(turn)).collect();
        let added = lines_of(&new);
        if added.is_empty() && !goes {
            return None;
        }
        let gone: Vec<&NotedTurn> =
            self.abandoned.iter().filter(|turn| anchor.turns.contains(&short_turn(&turn.id))).collect();
        let left = lines_of(&gone);
        let kept = old.iter().filter(|line| !left.contains(line)).cloned();
        let body: Vec<String> = kept.chain(added).collect();
        let mut turns: Vec<String> = anchor.turns.iter().filter(|id| !is_gone(id)).cloned().collect();
        turns.extend(noted_turn_ids(&new));
        // A model may later rewrite a model's unedited lines, so the hash follows them.
        let hash = anchor.hash.as_ref().map(|hash| if is_unedited { section_hash(&body) } else { hash.clone() });
        let anchor = Anchor { turns, hash, ..anchor };
        let insert = std::iter::once(anchor.line()).chain(body).collect();
        Some(Splice { at: comment, remove: after - comment, insert })
    }

    fn ticks(&self, lines: &Lines<'_>, is_closed: &dyn Fn(&str) -> bool) -> Vec<Splice> {
        let texts = lines.all();
        let is_open_to_ticks = |section: &Section| {
            let name = texts[section.start].rsplit_once("· ").map(|(_, name)| name.trim().to_owned());
            let project = LogProject { name, key: section.anchor.project.clone() };
            !section.anchor.is_of(&self.session)
                && section.is_unedited(&texts)
                && project.is(&self.project, self.project_key.as_deref())
        };
        let sections = sections(lines, &texts).into_iter().filter(is_open_to_ticks);
        let closed: Vec<usize> = sections
            .flat_map(|section| section.body(&texts))
            .filter(|line| open_end(&texts[*line]).is_some_and(is_closed))
            .collect();
        marked_lines(lines, TICKED, &|line| closed.contains(&line))
    }

    fn anchor(&self, turns: Vec<String>, body: &[String]) -> Anchor {
        Anchor {
            session: short_session(&self.session),
            turns,
            by: self.by.clone(),
            prompt: self.prompt.clone(),
            instead_of: self.instead_of.clone(),
            project: self.project_key.clone(),
            hash: Some(section_hash(body)),
            transcript: None,
        }
    }
}

/// Ticks open ends in the log of a day if `is_closed` accepts their text and another session of the same project left them. Sections that
/// a person has edited stay as they are. Returns whether any was ticked.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn tick_open_ends(
    writer: &mut Writer<'_>,
    file: &str,
    note: &SessionNote,
    is_closed: &dyn Fn(&str) -> bool,
) -> Result<bool, MemoryError> {
    Ok(writer.edit(file, |lines| note.ticks(lines, is_closed))?)
}

/// Whether nobody has edited the session's section with this line, from 0.
pub(super) fn is_section_unedited_at(lines: &Lines<'_>, line: usize) -> bool {
    let texts = lines.all();
    let own = sections(lines, &texts).into_iter().find(|section| (section.start..section.end).contains(&line));
    own.is_some_and(|section| section.is_unedited(&texts))
}

/// Returns the changes that give these open ends another mark. Lines are numbered from 0. A section that nobody has edited stays so.
pub(super) fn marked_lines(lines: &Lines<'_>, mark: &str, is_meant: &dyn Fn(usize) -> bool) -> Vec<Splice> {
    let texts = lines.all();
    let splice = |section: Section| {
        let body = section.body(&texts);
        let marked = |line: usize| match is_meant(line) && open_end(&texts[line]).is_some() {
            true => texts[line].replacen(UNTICKED, mark, 1),
            false => texts[line].clone(),
        };
        let marked: Vec<String> = body.clone().map(marked).collect();
        if marked == texts[body] {
            return None;
        }
        let hash = section.is_unedited(&texts).then(|| Some(section_hash(&marked)));
        let comment = hash
            .map_or_else(|| texts[section.comment].clone(), |hash| Anchor { hash, ..section.anchor.clone() }.line());
        let insert: Vec<String> = std::iter::once(comment).chain(marked).collect();
        Some(Splice { at: section.comment, remove: insert.len(), insert })
    };
    sections(lines, &texts).into_iter().filter_map(splice).collect()
}

/// Returns the text of an unticked open end; `None` for other lines.
fn open_end(line: &str) -> Option<&str> {
    let (_, said) = line.strip_prefix(UNTICKED)?.trim_start().split_once(' ')?;
    let (kind, said) = OutcomeKind::of_line(said)?;
    // The request of that turn follows the dash.
    (kind == OutcomeKind::Open).then(|| without_request(said))
}

/// Returns these lines, ticked or set aside where they were before.
fn ticked_as(mut lines: Vec<String>, before: &[String]) -> Vec<String> {
    for line in lines.iter_mut().filter(|line| line.starts_with(UNTICKED)) {
        let marked = [TICKED, SET_ASIDE].map(|mark| line.replacen(UNTICKED, mark, 1));
        if let Some(marked) = marked.into_iter().find(|marked| before.contains(marked)) {
            *line = marked;
        }
    }
    lines
}

/// Returns the sections of sessions. [`Anchor::parse`] finds the comments of older versions too.
fn sections(lines: &Lines<'_>, texts: &[String]) -> Vec<Section> {
    // A person may have put headings of their own into a section.
    let starts: Vec<usize> =
        headings(lines).into_iter().map(|(line, _)| line).filter(|line| is_section(&texts[*line])).collect();
    let ends = starts.iter().skip(1).copied().chain([texts.len()]);
    let section = |(start, end): (usize, usize)| {
        let comment = (start..end).find(|line| Anchor::parse(&texts[*line]).is_some())?;
        let anchor = Anchor::parse(&texts[comment])?;
        texts[start].starts_with("## ").then_some(Section { start, end, comment, anchor })
    };
    starts.iter().copied().zip(ends).filter_map(section).collect()
}

/// Returns the heading of a session's section in the log of a day; `None` where the day has none.
pub(super) fn section_of(day: &[u8], session: &str) -> Option<String> {
    let lines = Lines::of(day);
    let texts = lines.all();
    let own = sections(&lines, &texts).into_iter().find(|section| section.anchor.is_of(session))?;
    Some(texts[own.start].trim_start_matches('#').trim().to_owned())
}

/// Returns the lines of a session's section below its comment; `None` where the log has none.
pub(super) fn section_lines(lines: &Lines<'_>, texts: &[String], session: &str) -> Option<Range<usize>> {
    let own = sections(lines, texts).into_iter().find(|section| section.anchor.is_of(session))?;
    Some(own.comment + 1..own.end)
}

/// Whether a heading ends the section above it.
fn is_section(line: &str) -> bool {
    line.starts_with("# ") || line.starts_with("## ")
}

/// Whether lines of an older version, which wrote a comment per turn, name this turn.
fn names_turn(lines: &[String], id: &str) -> bool {
    let mark = format!(" turn={} ", super::anchor::clean_id(id));
    lines.iter().any(|line| line.contains("<!-- tars:turn session=") && line.contains(&mark))
}

/// Returns the short ids of the turns that have outcomes.
fn noted_turn_ids(turns: &[&NotedTurn]) -> Vec<String> {
    turns.iter().filter(|turn| !turn.outcomes.is_empty()).map(|turn| short_turn(&turn.id)).collect()
}

/// Whether a decision says that it replaces another one: `… (before, 2026-03-02: Redis)`.
pub fn names_as_former(decision: &str, day: Option<Date>, former: &str) -> bool {
    day.is_some_and(|day| decision.contains(&format!("(before, {day}: {}", short_form(without_request(former)))))
}

/// Sanitizes a text for a bullet or a heading: one line without secrets and comment marks. Links, images and tags are removed, because
/// the agent may have copied them from hostile text.
pub(super) fn one_line(text: &str) -> String {
    cleaned_sentence(&sanitize_note(text).0).replace(EXTRACTED, "(extracted)")
}

#[cfg(test)]
mod tests;
