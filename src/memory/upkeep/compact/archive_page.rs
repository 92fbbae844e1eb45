//! The page of a month's summary: `archive/2026-03.md`.
//!
//! ```text
//! # March 2026
//!
//! <!-- tars:month 2026-03 days=1-3,14 by=extractive digest=9f3a21c4 -->
//! Summed up by rules from the logs of 4 days and 9 sessions. Each line links to where it was noted.
//!
//! ## Decided
//!
//! ### acme/shop
//!
//! - The port is 8080. ([[tars/2026-03-14#Session 09 00 · acme/shop|2026-03-14]])
//! ```
//!
//! The comment names the summarized days, the author (`extractive`, or a model with `prompt=`; `instead-of=` names a model that failed),
//! and the hash of all lines below it as tars left them (`digest`). As long as the hash matches, a later run rewrites these lines. After a
//! person has edited them, tars only appends new lines to the sections and updates links to moved logs. Text above the comment never
//! changes.

use std::collections::{BTreeMap, BTreeSet};

use super::{Month, MonthSources, Section, Summary, SummaryLine};
use crate::anchor::lines_hash;
use crate::file::after_text;
use crate::{clean_id, relinked};
use tars_base::domain::pluralize;
use tars_vault::{Lines, MemoryFolder, Splice};

const OPENING: &str = "<!-- tars:month ";
const CLOSING: &str = "-->";
/// Author of the lines if no model wrote them.
const BY_RULES: &str = "extractive";
/// Maximum number of days that a line links to: the last days of its sources.
const MAX_LINKS: usize = 3;

/// The comment of a summary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MonthAnchor {
    /// The month, as [`Month`] displays it.
    pub month: String,
    /// The days that the summary covers.
    pub days: BTreeSet<i8>,
    /// Author of the lines.
    pub by: String,
    /// Version of the model's prompt.
    pub prompt: Option<String>,
    /// The model that was configured but failed.
    pub instead_of: Option<String>,
    /// Hash of the lines as tars left them.
    pub hash: String,
}

impl MonthAnchor {
    /// Returns the anchor of a summary that was made by rules.
    pub fn by_rules() -> Self {
        Self { by: BY_RULES.to_owned(), ..Self::default() }
    }

    /// Whether rules made the lines.
    pub fn is_by_rules(&self) -> bool {
        self.by == BY_RULES
    }

    /// Parses a line. Returns `None` if it is not such a comment.
    pub fn parse(line: &str) -> Option<Self> {
        let inside = line.trim().strip_prefix(OPENING)?.strip_suffix(CLOSING)?;
        let mut words = inside.split_whitespace();
        let mut anchor = Self { month: words.next()?.to_owned(), ..Self::default() };
        for (name, value) in words.filter_map(|word| word.split_once('=')) {
            match name {
                "days" => anchor.days = days_of(value),
                "by" => anchor.by = value.to_owned(),
                "prompt" => anchor.prompt = Some(value.to_owned()),
                "instead-of" => anchor.instead_of = Some(value.to_owned()),
                "digest" => anchor.hash = value.to_owned(),
                _ => {}
            }
        }
        Some(anchor)
    }

    fn line(&self) -> String {
        let mut line = format!("{OPENING}{} days={} by={}", self.month, ranges(&self.days), clean_id(&self.by));
        for (name, value) in [("prompt", &self.prompt), ("instead-of", &self.instead_of)] {
            line.extend(value.as_deref().map(|value| format!(" {name}={}", clean_id(value))));
        }
        format!("{line} digest={} {CLOSING}", self.hash)
    }
}

/// The page of a month as it stands.
#[derive(Debug)]
pub struct ArchivePage<'t> {
    texts: &'t [String],
    /// Line number of the comment.
    comment: Option<usize>,
    /// The parsed comment.
    pub anchor: Option<MonthAnchor>,
}

/// Context for links in a summary.
pub struct LinkContext<'a> {
    /// The memory folder.
    pub folder: &'a MemoryFolder,
    /// Returns the new place of a moved note, by its old link path.
    pub moved: &'a dyn Fn(&str) -> Option<String>,
}

/// Planned changes to a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageEdit {
    /// The splices to apply.
    pub splices: Vec<Splice>,
    /// Number of new or rewritten lines of the summary.
    pub lines: usize,
    /// Whether the lines were added to existing ones instead of replacing them.
    pub is_added: bool,
}

impl<'t> ArchivePage<'t> {
    /// Finds the summary in a month's page.
    pub fn of(month: Month, texts: &'t [String]) -> Self {
        let month = month.to_string();
        let mut anchors = texts.iter().enumerate().filter_map(|(at, line)| Some((at, MonthAnchor::parse(line)?)));
        let found = anchors.find(|(_, anchor)| anchor.month == month);
        let (comment, anchor) = found.unzip();
        Self { texts, comment, anchor }
    }

    /// Whether the summary is unedited or missing.
    pub fn is_unedited(&self) -> bool {
        let below = self.comment.map_or(&[][..], |comment| &self.texts[comment + 1..]);
        self.anchor.as_ref().is_none_or(|anchor| anchor.hash == lines_hash(below))
    }

    /// Whether a summary by `by` replaces the existing lines. Otherwise new lines are added to them. Rules do not replace a model's lines.
    pub fn is_replaced_by(&self, by: &MonthAnchor) -> bool {
        self.is_unedited() && self.anchor.as_ref().is_none_or(|old| old.is_by_rules() || !by.is_by_rules())
    }

    /// Whether the summary covers these days.
    pub fn holds(&self, days: &BTreeSet<i8>) -> bool {
        self.anchor.as_ref().is_some_and(|anchor| days.is_subset(&anchor.days))
    }

    /// Returns the changes that update links to moved logs. They cover only the source links at the ends of lines, where tars writes them.
    pub fn relinked(&self, linked: &LinkContext<'_>) -> PageEdit {
        let Some((comment, anchor)) = self.comment.zip(self.anchor.as_ref()) else { return PageEdit::default() };
        let body = &self.texts[comment + 1..];
        let is_unedited = self.is_unedited();
        let changed: Vec<String> = body.iter().map(|line| with_moved_sources(line, linked.moved)).collect();
        let mut splices: Vec<Splice> = changed
            .iter()
            .zip(body)
            .enumerate()
            .filter(|(_, (new, old))| new != old)
            .map(|(at, (new, _))| Splice { at: comment + 1 + at, remove: 1, insert: vec![new.clone()] })
            .collect();
        if is_unedited && !splices.is_empty() {
            let anchor = MonthAnchor { hash: lines_hash(&changed), ..anchor.clone() };
            splices.insert(0, Splice { at: comment, remove: 1, insert: vec![anchor.line()] });
        }
        PageEdit { splices, ..PageEdit::default() }
    }

    /// Returns the changes that write a summary by `by` into the page. The summary covers the whole month if
    /// [`ArchivePage::is_replaced_by`] holds, else only lines that were not summarized before.
    pub fn with_summary(
        &self,
        sources: &MonthSources,
        summary: &Summary,
        by: &MonthAnchor,
        linked: &LinkContext<'_>,
    ) -> PageEdit {
        let mut days: BTreeSet<i8> = sources.days().iter().map(|day| day.day()).collect();
        let month = sources.month.to_string();
        let line = |line: &SummaryLine| line_of(line, sources, linked);
        let Some((comment, old)) = self.comment.zip(self.anchor.as_ref()) else {
            let body = body(sources, summary, by, &line);
            let anchor = MonthAnchor { month, days, hash: lines_hash(&body), ..by.clone() };
            let is_empty = self.texts.iter().all(|line| line.trim().is_empty());
            let above = if is_empty { vec![format!("# {}", sources.month.name())] } else { Vec::new() };
            let insert = above.into_iter().chain([String::new(), anchor.line()]).chain(body).collect();
            let splices = vec![Splice { at: after_text(self.texts, 0, self.texts.len()), remove: 0, insert }];
            return PageEdit { splices, lines: summary.lines.len(), is_added: false };
        };
        days.extend(&old.days);
        if self.is_replaced_by(by) {
            let body = body(sources, summary, by, &line);
            let anchor = MonthAnchor { month, days, hash: lines_hash(&body), ..by.clone() };
            let insert: Vec<String> = std::iter::once(anchor.line()).chain(body).collect();
            if self.texts[comment..] == insert[..] {
                return PageEdit::default();
            }
            let splices = vec![Splice { at: comment, remove: self.texts.len() - comment, insert }];
            return PageEdit { splices, lines: summary.lines.len(), is_added: false };
        }
        let new: Vec<&SummaryLine> = summary.lines.iter().collect();
        let mut splices = self.relinked(linked).splices;
        splices.retain(|splice| splice.at != comment);
        splices.extend(self.added(comment, &new, &line));
        if self.is_unedited() && !splices.is_empty() {
            // A model's lines stay unedited with the lines of the rules below them, so the hash covers both.
            let after = Lines::of(self.texts.join("\n").as_bytes()).spliced(&splices);
            let hash = lines_hash(&Lines::of(&after).all()[comment + 1..]);
            let anchor = MonthAnchor { days, hash, ..old.clone() };
            splices.push(Splice { at: comment, remove: 1, insert: vec![anchor.line()] });
        } else if days != old.days {
            let anchor = MonthAnchor { days, ..old.clone() };
            splices.push(Splice { at: comment, remove: 1, insert: vec![anchor.line()] });
        }
        PageEdit { splices, lines: new.len(), is_added: true }
    }

    /// Returns the changes that append lines to their sections.
    fn added(&self, comment: usize, new: &[&SummaryLine], line: &dyn Fn(&SummaryLine) -> String) -> Vec<Splice> {
        let texts = self.texts;
        let is_border = |line: &String| line.starts_with("# ") || line.starts_with("## ");
        let mut splices = Vec::new();
        let mut at_the_end: Vec<String> = Vec::new();
        for section in Section::ALL {
            let mut projects: BTreeMap<Option<&str>, Vec<String>> = BTreeMap::new();
            for one in new.iter().filter(|one| one.section == section) {
                projects.entry(one.project.as_deref()).or_default().push(line(one));
            }
            if projects.is_empty() {
                continue;
            }
            let heading = format!("## {}", section.heading());
            let Some(start) = (comment + 1..texts.len()).find(|at| texts[*at].trim_end() == heading) else {
                at_the_end.extend([String::new(), heading, String::new()]);
                for (project, lines) in projects {
                    at_the_end.extend(project.map(|project| format!("### {project}")));
                    at_the_end.extend(lines);
                }
                continue;
            };
            let end = (start + 1..texts.len()).find(|at| is_border(&texts[*at])).unwrap_or(texts.len());
            let part = |from: usize| (from + 1..end).find(|at| texts[*at].starts_with("### ")).unwrap_or(end);
            for (project, lines) in projects {
                let own = project.map(|project| format!("### {project}"));
                let own_start =
                    own.as_ref().map_or(Some(start), |own| (start + 1..end).find(|at| texts[*at].trim_end() == *own));
                let (at, insert) = match (own_start, own) {
                    (Some(from), _) => (after_text(texts, from + 1, part(from)), lines),
                    (None, own) => {
                        let above = [Some(String::new()), own, Some(String::new())].into_iter().flatten();
                        (after_text(texts, start + 1, end), above.chain(lines).collect())
                    }
                };
                splices.push(Splice { at, remove: 0, insert });
            }
        }
        if !at_the_end.is_empty() {
            splices.push(Splice { at: after_text(texts, 0, texts.len()), remove: 0, insert: at_the_end });
        }
        splices
    }
}

/// Returns the lines below the comment.
fn body(
    sources: &MonthSources,
    summary: &Summary,
    by: &MonthAnchor,
    line: &dyn Fn(&SummaryLine) -> String,
) -> Vec<String> {
    let sessions = sources.files.iter().filter(|file| file.is_session).count();
    let of_days = |is_session: bool| sources.files.iter().filter(move |file| file.is_session == is_session).count();
    let from = match (of_days(false), sessions) {
        (days, 0) => pluralize(days, "day"),
        (0, sessions) => pluralize(sessions, "session"),
        (days, sessions) => format!("{} and {}", pluralize(days, "day"), pluralize(sessions, "session")),
    };
    let who = if by.is_by_rules() { "rules" } else { "a language model" };
    let mut lines = vec![format!("Summed up by {who} from the logs of {from}. Each line links to where it was noted.")];
    for section in Section::ALL {
        let mut of_section = summary.lines.iter().filter(|line| line.section == section).peekable();
        let left_out = summary.left_out.get(&section);
        if of_section.peek().is_none() && left_out.is_none() {
            continue;
        }
        lines.extend([String::new(), format!("## {}", section.heading()), String::new()]);
        let mut project: Option<&str> = None;
        for one in of_section {
            if let Some(named) = one.project.as_deref().filter(|named| project != Some(*named)) {
                if !lines.last().is_none_or(String::is_empty) {
                    lines.push(String::new());
                }
                lines.extend([format!("### {named}"), String::new()]);
                project = Some(named);
            }
            lines.push(line(one));
        }
        lines.extend(left_out.map(|count| format!("- … {count} more in the logs")));
    }
    lines
}

/// Returns a line with links to its sources.
fn line_of(line: &SummaryLine, sources: &MonthSources, linked: &LinkContext<'_>) -> String {
    let mut links: Vec<String> = Vec::new();
    for place in line.from.iter().rev() {
        let link = relinked(&sources.lines[*place].link(linked.folder), linked.moved);
        if !links.contains(&link) && links.len() < MAX_LINKS {
            links.insert(0, link);
        }
    }
    format!("- {} ({})", line.text, links.join(", "))
}

/// Updates the source links at the end of a line.
fn with_moved_sources(line: &str, moved: &dyn Fn(&str) -> Option<String>) -> String {
    match line.rfind(" ([[").filter(|_| line.starts_with("- ") && line.trim_end().ends_with("]])")) {
        Some(at) => format!("{}{}", &line[..at], relinked(&line[at..], moved)),
        None => line.to_owned(),
    }
}

/// Formats days as ranges: `1-3,14`.
fn ranges(days: &BTreeSet<i8>) -> String {
    let mut ranges: Vec<(i8, i8)> = Vec::new();
    for day in days {
        match ranges.last_mut().filter(|(_, last)| *last + 1 == *day) {
            Some((_, last)) => *last = *day,
            None => ranges.push((*day, *day)),
        }
    }
    let range = |(first, last): &(i8, i8)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.iter().map(range).collect::<Vec<_>>().join(",")
}

fn days_of(text: &str) -> BTreeSet<i8> {
    let range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse::<i8>().ok()?.max(1)..=last.parse::<i8>().ok()?.min(31))
    };
    text.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests;
