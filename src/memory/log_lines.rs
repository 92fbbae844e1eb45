//! Reads back the notes of tars from the log of a day or a session: each line with its section, its project and its kind of outcome.
//!
//! In the log of a day, a session's section carries the key of its project in its comment ([`Anchor`]). The log of a session carries it
//! in the front matter. Older versions wrote only the plain name of the project's folder, into the heading or the front matter.
//! Everything else was written by a person and belongs to no project.

use std::ops::RangeInclusive;
use std::rc::Rc;

use super::anchor::Anchor;
use super::bullet::headings;
use super::fact_line::{is_time, is_unconfirmed, without_request};
use super::log_front_matter::front_matter_field;
use super::log_project::LogProject;
use tars_base::domain::{OutcomeKind, without_branch};
use tars_vault::Lines;

/// A part of a log: in the log of a day the text under a heading of level one or two, in the log of a session the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSection {
    /// Its line numbers in the file, from 1, heading included.
    pub lines: RangeInclusive<usize>,
    /// Its heading, without marks; empty above the first heading.
    pub heading: String,
    /// Its comment; `None` for a section that a person wrote, whatever its heading. For the log of a session, only the session is set.
    pub anchor: Option<Anchor>,
    /// The project that it names; empty for a person's section.
    pub project: LogProject,
}

impl LogSection {
    /// Whether tars noted it in another project than the one with this name and key. A person's section is in no project.
    pub fn is_foreign(&self, name: &str, key: Option<&str>) -> bool {
        self.anchor.is_some() && !self.project.is(name, key)
    }
}

/// A line of a log with text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its section.
    pub section: Rc<LogSection>,
    /// Its kind of outcome, in a session's section; `None` for other lines.
    pub kind: Option<OutcomeKind>,
    /// Whether it is ticked or set aside: no open end any more.
    pub is_ticked: bool,
    /// Whether it is an unconfirmed fact: it waits for its review, or a review dropped it.
    pub is_unconfirmed: bool,
    /// The side branch on which a decision or a change was made.
    pub branch: Option<String>,
    /// Its text, without marker, time, label and branch.
    pub text: String,
}

impl LogLine {
    /// Returns its text without the request's words. They stand behind a dash, so that a search finds the line by them.
    pub fn text_without_request(&self) -> &str {
        without_request(&self.text)
    }
}

/// Returns the side branch that a line of a log names behind its decision or change.
pub fn branch_of_line(line: &str) -> Option<&str> {
    let (_, _, said) = without_marker(line.trim());
    OutcomeKind::of_line(said).filter(|(kind, _)| kind.names_branch()).and_then(|(_, text)| without_branch(text).1)
}

/// Returns the sections of a log in order.
pub fn log_sections(file: &[u8]) -> Vec<LogSection> {
    let lines = Lines::of(file);
    sections(&lines, &lines.all())
}

/// Returns the lines of a log with text, without headings and comments.
pub fn log_lines(file: &[u8]) -> Vec<LogLine> {
    let lines = Lines::of(file);
    let texts = lines.all();
    let body = body(&texts);
    let is_day = of_session_log(&texts.join("\n")).is_none();
    let mut found = Vec::new();
    for section in sections(&lines, &texts) {
        let persons = LogSection { anchor: None, project: LogProject::default(), ..section.clone() };
        let (section, persons) = (Rc::new(section), Rc::new(persons));
        let numbers = (*section.lines.start()).max(body)..=*section.lines.end();
        for (number, line) in numbers.filter_map(|number| Some((number, texts.get(number - 1)?.trim()))) {
            if line.starts_with("<!--") || line.starts_with('#') || !line.chars().any(char::is_alphanumeric) {
                continue;
            }
            let (is_ticked, is_timed, said) = without_marker(line);
            let outcome = OutcomeKind::of_line(said).filter(|_| section.anchor.is_some());
            // A person may add lines to a session's section in the log of a day.
            let is_persons = is_day && !is_timed && outcome.is_none();
            let (text, branch) = match outcome {
                Some((kind, text)) if kind.names_branch() => without_branch(text),
                Some((_, text)) => (text.into(), None),
                None => (said.into(), None),
            };
            found.push(LogLine {
                number,
                section: Rc::clone(if is_persons { &persons } else { &section }),
                kind: outcome.map(|(kind, _)| kind),
                is_ticked,
                is_unconfirmed: is_unconfirmed(said),
                branch: branch.map(str::to_owned),
                text: text.into_owned(),
            });
        }
    }
    found
}

fn sections(lines: &Lines<'_>, texts: &[String]) -> Vec<LogSection> {
    let whole = of_session_log(&texts.join("\n"));
    let is_border = |line: &usize| ["# ", "## "].iter().any(|mark| texts[*line].starts_with(mark));
    let borders = headings(lines).into_iter().map(|(line, _)| line).filter(is_border);
    let starts: Vec<usize> = [0].into_iter().chain(borders.filter(|line| *line > 0)).collect();
    let ends = starts.iter().skip(1).copied().chain([texts.len()]);
    let section = |(start, end): (usize, usize)| {
        let first = texts.get(start).map_or("", String::as_str);
        let heading = if is_border(&start) { first.trim_start_matches('#').trim() } else { "" }.to_owned();
        let lines = start + 1..=end;
        if let Some((anchor, project)) = whole.clone() {
            return LogSection { lines, heading, anchor: Some(anchor), project };
        }
        let anchor = texts[start..end].iter().find_map(|line| Anchor::parse(line));
        let name = heading.rsplit_once("· ").map(|(_, name)| name.trim().to_owned());
        let project = anchor.as_ref().map(|anchor| LogProject { name, key: anchor.project.clone() });
        LogSection { lines, heading, anchor, project: project.unwrap_or_default() }
    };
    starts.iter().copied().zip(ends).filter(|(start, end)| start < end).map(section).collect()
}

/// Returns the session and the project from the front matter of a session's log; `None` for other texts.
fn of_session_log(text: &str) -> Option<(Anchor, LogProject)> {
    let field = |name: &str| front_matter_field(text, name);
    let session = field("session").filter(|_| field("tars").is_some_and(|kind| kind == "session"))?;
    let project = LogProject { name: field("project"), key: field("project_key") };
    Some((Anchor { session, ..Anchor::default() }, project))
}

/// Returns the number of the first line after the front matter.
fn body(texts: &[String]) -> usize {
    let is_mark = |line: &String| line.trim_end() == "---";
    let closed = texts.first().filter(|line| is_mark(line)).and_then(|_| texts.iter().skip(1).position(is_mark));
    closed.map_or(1, |at| at + 3)
}

/// Returns whether a line is ticked, whether it begins with a time, and its text without marker and time.
fn without_marker(line: &str) -> (bool, bool, &str) {
    let said = line.strip_prefix("- ").unwrap_or(line);
    let (is_ticked, said) =
        match ["[ ] ", "[x] ", "[X] ", "[-] "].iter().find_map(|mark| Some((mark, said.strip_prefix(mark)?))) {
            Some((mark, said)) => (!mark.starts_with("[ ]"), said),
            None => (false, said),
        };
    match said.split_once(' ') {
        Some((time, rest)) if is_time(time) => (is_ticked, true, rest),
        _ => (is_ticked, false, said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: &str = "# 2026-03-15\n- 08:00 a person's line\n\n## Session 09:20 · acme/api\n\
                       <!-- tars:session a turns=1 by=extractive project=11111111 -->\n- 09:20 Found: x\n\n### Mine\ntext\n\n\
                       ## Session 10:00 · api\n<!-- tars:session b -->\n- [x] 10:00 Open: y\n\n## Plans · api\n- a plan: z\n\n\
                       ## The pump\n<!-- tars:session c turns=2 by=extractive project=22222222 -->\n- 11:00 Ruled out: z — why?\n\n\
                       # Else\n- Found: keys\n";
    const LOG: &str = "---\nsession: \"5e55\"\nproject: \"acme/api\"\nproject_key: \"11111111\"\ntars: \"session\"\n---\n\n\
                       # Topic\n\n## Outcomes\n\n- 09:20 Decided: minutes\n\n## Files\n\n- `a.rs`\n";

    fn project(name: &str, key: Option<&str>) -> LogProject {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        LogProject { name: given(name), key: key.map(str::to_owned) }
    }

    #[test]
    fn daily_lines_have_the_project_of_their_section() {
        let (api, old, pump) =
            (project("acme/api", Some("11111111")), project("api", None), project("", Some("22222222")));
        let nobody = LogProject::default();
        let expected = [
            (2, None, false, "a person's line", &nobody),
            (6, Some(OutcomeKind::Found), false, "x", &api),
            (9, None, false, "text", &nobody),
            (13, Some(OutcomeKind::Open), true, "y", &old),
            (16, None, false, "a plan: z", &nobody),
            (20, Some(OutcomeKind::RuledOut), false, "z — why?", &pump),
            (23, None, false, "Found: keys", &nobody),
        ];
        for day in [DAY.to_owned(), DAY.replace('\n', "\r\n")] {
            let lines = log_lines(day.as_bytes());
            let told: Vec<_> = lines
                .iter()
                .map(|line| (line.number, line.kind, line.is_ticked, line.text.as_str(), &line.section.project))
                .collect();
            assert_eq!(told, expected);
        }
        assert_eq!((log_lines(b""), log_sections(b"")), (vec![], vec![]));
    }

    #[test]
    fn a_session_log_belongs_to_one_session_and_project() {
        let lines = log_lines(LOG.as_bytes());
        assert_eq!(lines.len(), 2);
        for line in &lines {
            assert!(line.section.anchor.as_ref().unwrap().is_of("5e55"));
            assert_eq!(line.section.project, project("acme/api", Some("11111111")));
        }
        assert_eq!((lines[0].number, lines[0].kind, lines[1].kind), (12, Some(OutcomeKind::Decided), None));
        let persons = LOG.replace("tars: \"session\"\n", "");
        assert!(log_lines(persons.as_bytes()).iter().all(|line| line.section.anchor.is_none()));
    }

    #[test]
    fn only_noted_sections_of_other_projects_are_foreign() {
        let foreign = |text: &str, name: &str, key: &str| -> Vec<RangeInclusive<usize>> {
            let sections = log_sections(text.as_bytes()).into_iter();
            sections.filter(|section| section.is_foreign(name, Some(key))).map(|section| section.lines).collect()
        };
        assert_eq!(foreign(DAY, "acme/api", "11111111"), [18..=21]);
        assert_eq!(foreign(DAY, "anna/api", "33333333"), [4..=10, 18..=21]);
        assert_eq!(foreign(DAY, "acme/web", "22222222"), [4..=10, 11..=14]);
        assert_eq!(foreign(LOG, "acme/api", "11111111"), []);
        assert_eq!(foreign(LOG, "anna/api", "33333333").len(), log_sections(LOG.as_bytes()).len());
        assert_eq!(foreign("# 2026-03-15\n- mine\n", "anna/api", "33333333"), []);
    }
}
