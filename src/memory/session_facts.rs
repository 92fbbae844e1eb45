//! Facts extracted from a session, written below the notes of its turns in the log of the day.
//!
//! ```text
//! ## Session 09:20 · pump
//! <!-- tars:session 5e55b0a2 ff6e7c 1a2b3c4d 9f3a21 -->
//! - 09:20 Decided: We count minutes, since seconds overflow.
//! - 09:20 [extracted] We count minutes, since seconds overflow.
//! ```
//!
//! The hash of the section excludes these lines, so a review that changes their tag, or a person who removes one, does not mark the
//! section as edited. The lines stay when tars rewrites the section. A session of which nothing else is noted gets a section for its facts.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime};

use super::anchor::{Anchor, EXTRACTIVE, section_hash, short_session};
use super::bullet::{Bullet, bullets};
use super::fact_line::{EXTRACTED, fact_of, without_time};
use super::file::{MEMORY, PROCEDURAL, after_text, beginning, bullets_of, daily_file, remembered_bullets};
use super::likeness::{Relation, SimilarBullet, normalized};
use super::log_project::LogProject;
use super::said_again::Saying;
use super::session_note::{one_line, section_lines};
use super::{MemoryError, likeness};
use tars_agent::digest::sentences;
use tars_base::domain::OutcomeKind;
use tars_text::cleaning::cleaned_line;
use tars_text::redact::redact;
use tars_vault::{Author, LineCredit, Lines, MemoryFolder, Splice, Writer};

/// Days whose logs are searched for known facts.
const KNOWN_DAYS: i32 = 7;

/// A fact extracted from a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedFact {
    /// When it was said, local time.
    pub time: DateTime,
    /// Its text, as returned by [`fact_text`].
    pub text: String,
    /// The person or agent that stated it, if not the author of the writer.
    pub by: Option<Author>,
}

/// Sanitizes a text for the line of a fact: one line without links, images, tags, comments and control characters. Returns `None` if the
/// text says nothing, or if it holds a secret, because the rest of such a text is no fact.
pub fn fact_text(text: &str) -> Option<String> {
    let redacted = redact(text);
    if !redacted.findings.is_empty() {
        return None;
    }
    let clean = one_line(&cleaned_line(&redacted.text));
    // A leading marker would start a nested list.
    let clean = clean.trim_start_matches(['-', '*', '+', ' ']).trim_end();
    let says = clean.chars().any(char::is_alphabetic) && !clean.contains("[redacted");
    (says && !clean.contains(['\n', '\r'])).then(|| clean.to_owned())
}

/// Returns the lines that a new fact is compared with: all remembered facts, the sentences that a person wrote into `Memory.md` and
/// `Procedural.md` without a bullet, and from the logs of the last seven days the extracted facts and the person's own lines, without time
/// and tag. Outcomes of turns are left out, because a fact may repeat a decision.
///
/// # Errors
/// A file cannot be read.
pub fn known_facts(folder: &MemoryFolder, today: Date) -> Result<Vec<Bullet>, MemoryError> {
    let mut known = remembered_bullets(folder)?;
    for file in [MEMORY, PROCEDURAL] {
        let text = folder.read(file)?.unwrap_or_default();
        known.extend(sentences(&String::from_utf8_lossy(&text)).iter().map(|sentence| Bullet::of_text(sentence)));
    }
    for back in 0..KNOWN_DAYS {
        let Ok(day) = today.checked_sub(back.days()) else { break };
        for bullet in bullets_of(folder, &daily_file(day))? {
            let said = without_time(&bullet.text);
            if OutcomeKind::of_line(said).is_none() {
                let text = fact_of(said).unwrap_or(said).to_owned();
                known.push(Bullet { text, ..bullet });
            }
        }
    }
    Ok(known)
}

/// Returns the texts that are new, each once. A text is known if it is equal or close to one of `known` or to an earlier text, or says in
/// the person's own words what one of them says.
pub fn new_facts(texts: Vec<String>, known: &[Bullet]) -> Vec<String> {
    let mut seen = known.to_vec();
    let mut sayings: Vec<Saying> = known.iter().map(|bullet| Saying::of(&bullet.text)).collect();
    let is_new = |text: &String| {
        let near = likeness::similar_bullets(text, &seen, None).unwrap_or_default();
        let (conflicts, alike): (Vec<SimilarBullet>, Vec<SimilarBullet>) =
            near.into_iter().partition(|like| like.relation == Relation::Conflict);
        let saying = Saying::of(text);
        let differs = |bullet: &Bullet| conflicts.iter().any(|like| like.bullet.text == bullet.text);
        let is_said_again = seen.iter().zip(&sayings).any(|(bullet, known)| saying.is_in(known) && !differs(bullet));
        let is_known = !alike.is_empty() || is_said_again;
        if !is_known {
            seen.push(Bullet::of_text(text));
            sayings.push(saying);
        }
        !is_known
    };
    texts.into_iter().filter(is_new).collect()
}

/// Writes facts of a session into the logs of their days, below the notes of its turns. Facts that the log already holds are skipped. On a
/// day without a section of the session they get one in `project`; without a project they are skipped too. Returns the written lines.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn note_facts(
    writer: &mut Writer<'_>,
    session: &str,
    project: Option<&LogProject>,
    facts: &[ExtractedFact],
) -> Result<Vec<Bullet>, MemoryError> {
    let mut days: Vec<Date> = facts.iter().map(|fact| fact.time.date()).collect();
    days.sort_unstable();
    days.dedup();
    let line = |fact: &ExtractedFact| format!("- {EXTRACTED} {}", fact.text);
    let credit = |fact: &ExtractedFact| Some(LineCredit { line: line(fact), by: fact.by?, model: None });
    writer.credit(facts.iter().filter_map(credit));
    let mut written = Vec::new();
    for day in days {
        let facts: Vec<&ExtractedFact> = facts.iter().filter(|fact| fact.time.date() == day).collect();
        let file = daily_file(day);
        let mut inserted = Vec::new();
        writer.edit(&file, |lines| {
            inserted.clear();
            let Some(splice) = splice(lines, (session, project), &facts) else { return Vec::new() };
            let after = lines.spliced(std::slice::from_ref(&splice));
            let range = splice.at..splice.at + splice.insert.len();
            inserted = bullets(&file, &Lines::of(&after));
            inserted.retain(|bullet| range.contains(&bullet.lines.start));
            vec![splice]
        })?;
        written.append(&mut inserted);
    }
    Ok(written)
}

fn splice(
    lines: &Lines<'_>,
    (session, project): (&str, Option<&LogProject>),
    facts: &[&ExtractedFact],
) -> Option<Splice> {
    let texts = lines.all();
    let section = section_lines(lines, &texts, session);
    let said = |line: &String| line.strip_prefix("- ").and_then(|said| fact_of(without_time(said))).map(normalized);
    let mut known: Vec<String> = texts.iter().filter_map(said).collect();
    let mut insert = Vec::new();
    for ExtractedFact { time, text, .. } in facts {
        if !known.contains(&normalized(text)) {
            known.push(normalized(text));
            insert.push(format!("- {} {EXTRACTED} {text}", time.strftime("%H:%M")));
        }
    }
    let first = facts.first().filter(|_| !insert.is_empty())?;
    if let Some(section) = section {
        return Some(Splice { at: after_text(&texts, section.start, section.end), remove: 0, insert });
    }
    let project = project?;
    let mut lines = beginning(&texts, &first.time.date().to_string());
    let name = one_line(project.name.as_deref().unwrap_or_default());
    lines.push(format!("## Session {} · {name}", first.time.strftime("%H:%M")));
    let anchor = Anchor {
        session: short_session(session),
        by: EXTRACTIVE.into(),
        project: project.key.clone(),
        hash: Some(section_hash(&[])),
        ..Anchor::default()
    };
    lines.push(anchor.line());
    lines.extend(insert);
    Some(Splice { at: after_text(&texts, 0, texts.len()), remove: 0, insert: lines })
}

#[cfg(test)]
mod tests;
