//! Collects corrections, rewards and extracted lines, and settles them one by one.

use jiff::civil::DateTime;

use super::bullet::{Bullet, bullets};
use super::fact_line::{EXTRACTED, dropped_fact};
use super::file::{ARCHIVE, CORRECTIONS, REWARDS, append_to_section, bullet_lines, bullets_of, is_daily};
use super::line_credit::Trust;
use super::remember::{Fact, remember, sanitize_note};
use super::superseded::supersede;
use super::{MemoryError, Stored};
use tars_vault::{Lines, MemoryFolder, Splice, Writer};

/// A person's judgement of an agent's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feedback {
    /// It was wrong.
    Wrong,
    /// It was good.
    Good,
}

/// Origin of a waiting line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A correction.
    Correction,
    /// A reward.
    Reward,
    /// A line of a daily log that was extracted from a session.
    Extracted,
}

/// A line that waits for a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingLine {
    /// Its origin.
    pub source: Source,
    /// Its bullet.
    pub bullet: Bullet,
    /// Its text and its nested lines, without time and tag.
    pub text: String,
    /// The same with time and tag.
    pub whole: String,
}

/// Decision about a waiting line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// Remember it.
    Promote(Fact),
    /// Remember it instead of this line, which is no longer true.
    Replace(Fact, Bullet),
    /// This file already holds it in other words.
    PromotedTo(String),
    /// Do not remember it.
    Drop,
}

impl Feedback {
    /// Returns the file for this feedback.
    pub fn file(self) -> &'static str {
        match self {
            Self::Wrong => CORRECTIONS,
            Self::Good => REWARDS,
        }
    }
}

impl Source {
    /// Returns the word used on the command line and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Correction => "correction",
            Self::Reward => "reward",
            Self::Extracted => "extracted",
        }
    }
}

/// Writes a correction or a reward and returns its bullet.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn feed_back(
    writer: &mut Writer<'_>,
    feedback: Feedback,
    note: &str,
    now: DateTime,
) -> Result<Bullet, MemoryError> {
    let (title, section) = match feedback {
        Feedback::Wrong => ("Corrections", "To review"),
        Feedback::Good => ("Rewards", "To review"),
    };
    let text = format!("{} {}", now.strftime("%Y-%m-%d %H:%M"), sanitize_note(note).0);
    let mut stored = Bullet::default();
    writer.edit(feedback.file(), |lines| {
        let splice = append_to_section(lines, title, section, bullet_lines(&text));
        stored = super::remember::inserted_bullet(feedback.file(), lines, &splice);
        vec![splice]
    })?;
    Ok(stored)
}

/// Returns the lines that wait for a review: corrections, rewards, then extracted lines of days, oldest day first.
///
/// # Errors
/// A file cannot be read.
pub fn waiting_lines(folder: &MemoryFolder) -> Result<Vec<WaitingLine>, MemoryError> {
    let mut found = Vec::new();
    for (file, source) in [(CORRECTIONS, Source::Correction), (REWARDS, Source::Reward)] {
        let waiting = whole_bullets(folder, file)?.into_iter().filter(|(bullet, _)| bullet.indent == 0);
        found.extend(waiting.map(|(bullet, whole)| WaitingLine {
            source,
            text: bare(&whole).to_owned(),
            bullet,
            whole,
        }));
    }
    for file in folder.files()?.into_iter().filter(|file| is_daily(file)) {
        for (bullet, whole) in whole_bullets(folder, &file)? {
            if let Some(text) = extracted(&whole) {
                found.push(WaitingLine { source: Source::Extracted, text, bullet, whole });
            }
        }
    }
    Ok(found)
}

/// Returns the waiting lines from which something may be proposed: no words of strangers.
///
/// # Errors
/// A file or the origins cannot be read.
pub fn promotable_lines(folder: &MemoryFolder) -> Result<Vec<WaitingLine>, MemoryError> {
    let trust = Trust::of(folder)?;
    let mut found = waiting_lines(folder)?;
    found.retain(|line| {
        let first = line.whole.lines().next().unwrap_or_default();
        match line.source {
            Source::Extracted => trust.is_for_facts(&line.bullet.file, first),
            Source::Correction | Source::Reward => trust.is_persons(&line.bullet.file, first),
        }
    });
    Ok(found)
}

impl WaitingLine {
    /// Whether a rule may rest on it.
    pub fn is_for_rules(&self, trust: &Trust) -> bool {
        let first = self.whole.lines().next().unwrap_or_default();
        self.source != Source::Extracted || trust.is_for_rules(&self.bullet.file, first)
    }
}

/// Returns the extracted lines of days that a person has dropped, without time and tag.
///
/// # Errors
/// A file cannot be read.
pub fn dropped_lines(folder: &MemoryFolder) -> Result<Vec<Bullet>, MemoryError> {
    let mut found = Vec::new();
    for file in folder.files()?.into_iter().filter(|file| is_daily(file)) {
        let lines = bullets_of(folder, &file)?.into_iter();
        found.extend(lines.filter_map(|line| Some(Bullet { text: dropped_fact(&line.text)?.to_owned(), ..line })));
    }
    Ok(found)
}

/// Returns the bullets of a file, each with its text and its nested lines.
fn whole_bullets(folder: &MemoryFolder, file: &str) -> Result<Vec<(Bullet, String)>, MemoryError> {
    let bytes = folder.read(file)?.unwrap_or_default();
    let lines = Lines::of(&bytes);
    let whole = |bullet: Bullet| {
        let first = bullet.text.lines().next().unwrap_or_default().to_owned();
        let nested = bullet.lines.clone().skip(1).map(|index| {
            let line = lines.line(index);
            let blank = line.bytes().take_while(|byte| b" \t".contains(byte)).count();
            line[blank.min(bullet.indent + 2)..].trim_end().to_owned()
        });
        let text: Vec<String> = std::iter::once(first).chain(nested).collect();
        (bullet, text.join("\n"))
    };
    Ok(bullets(file, &lines).into_iter().map(whole).collect())
}

/// Returns the text of a daily line that is tagged as extracted. The tag counts only at the start or right after the channel. Elsewhere
/// it is an ordinary word, possibly from a page or an answer.
fn extracted(text: &str) -> Option<String> {
    let said = bare(text);
    if let Some(rest) = said.strip_prefix(EXTRACTED) {
        return Some(rest.trim().to_owned());
    }
    let (channel, rest) = said.strip_prefix('[')?.split_once("] ")?;
    let rest = rest.strip_prefix(EXTRACTED).filter(|_| !channel.contains(['[', ']']))?;
    Some(format!("[{channel}] {}", rest.trim()))
}

/// Returns an unused archive name for a review that starts at `now`.
///
/// # Errors
/// The folder cannot be read.
pub fn archive(folder: &MemoryFolder, now: DateTime) -> Result<String, MemoryError> {
    let stamp = now.strftime("%Y-%m-%dT%H-%M-%S").to_string();
    let known = folder.files()?;
    let names = std::iter::once(format!("{ARCHIVE}/review-{stamp}.md"))
        .chain((2..).map(|number| format!("{ARCHIVE}/review-{stamp}-{number}.md")));
    Ok(names.into_iter().find(|name| !known.contains(name)).unwrap_or_default())
}

/// Settles a waiting line. A promoted line is remembered. The line then moves from its file to `archive`; a line of a day stays in place
/// and gets another tag. Returns where the line was remembered, if it was.
///
/// # Errors
/// See [`tars_vault::WriteError`]; or the line is gone.
pub fn settle(
    writer: &mut Writer<'_>,
    line: &WaitingLine,
    settlement: &Settlement,
    archive: &str,
    now: DateTime,
) -> Result<Option<Stored>, MemoryError> {
    let id = &line.bullet.id;
    if !bullets_of(writer.folder(), &line.bullet.file)?.iter().any(|bullet| bullet.id == *id) {
        return Err(MemoryError::Gone { id: id.clone() });
    }
    let (stored, tag, fate) = match settlement {
        Settlement::Promote(fact) => {
            let stored = remember(writer, fact, &now, None, false)?;
            let fate = format!("promoted to {}", stored.bullet.file);
            (Some(stored), "[promoted]", fate)
        }
        Settlement::Replace(fact, old) => {
            let stored = supersede(writer, old, fact, now)?;
            let fate = format!("promoted to {}", stored.bullet.file);
            (Some(stored), "[promoted]", fate)
        }
        Settlement::PromotedTo(file) => (None, "[promoted]", format!("promoted to {file}")),
        Settlement::Drop => (None, "[dropped]", "dropped".to_owned()),
    };
    if line.source == Source::Extracted {
        retag(writer, &line.bullet, tag)?;
        return Ok(stored);
    }
    let settled = format!("[{}, {fate}] {}", line.source.as_str(), line.whole);
    writer.edit(archive, |lines| {
        vec![append_to_section(lines, "Review", &now.date().to_string(), bullet_lines(&settled))]
    })?;
    super::remove_bullets(writer, std::slice::from_ref(&line.bullet))?;
    Ok(stored)
}

fn retag(writer: &mut Writer<'_>, bullet: &Bullet, tag: &str) -> Result<(), MemoryError> {
    writer.edit(&bullet.file, |lines| {
        let known = bullets(&bullet.file, lines);
        let Some(found) = known.iter().find(|known| known.id == bullet.id) else { return Vec::new() };
        let tagged = found.lines.clone().find(|line| lines.line(*line).contains(EXTRACTED));
        let change = tagged.map(|line| Splice {
            at: line,
            remove: 1,
            insert: vec![lines.line(line).replacen(EXTRACTED, tag, 1)],
        });
        change.into_iter().collect()
    })?;
    Ok(())
}

/// Removes the date and the time at the start of a text.
fn bare(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(word) = rest.split_whitespace().next() {
        let digits = word.chars().all(|character| character.is_ascii_digit() || "-:".contains(character));
        if !digits || !word.contains(['-', ':']) {
            break;
        }
        rest = rest[word.len()..].trim_start();
    }
    rest.trim_end()
}
