//! Tells which sessions are unfinished. docs/handoff.md says the same in words.
//!
//! A session is unfinished while it has an open end that nobody has ticked, or while its last turn did not end with an answer. An open end
//! that a later session of the project names again belongs to that one. A later session settles a last turn if it ended with an answer and
//! either names most of the words of its request, or changed one of its files and names a word of it. A person's word (`tars done`) settles
//! both. Age is up to the caller.

use super::recent_session::{RecentLine, RecentSession};
use super::session_end::LastEnd;
use tars_agent::digest::{Subject, have_common_subject, supports};
use tars_base::domain::OutcomeKind;

/// Why a session is unfinished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// It left open ends.
    OpenEnds,
    /// Its last turn ended like this.
    LastTurn(LastEnd),
}

impl RecentSession {
    /// Returns the open ends that this session leaves, oldest first. `all` holds the sessions of the days since.
    pub fn open_ends<'s>(&'s self, all: &[Self]) -> Vec<&'s RecentLine> {
        if self.is_done {
            return Vec::new();
        }
        let is_open = |line: &&RecentLine| line.kind == OutcomeKind::Open;
        let later: Vec<Subject> = self
            .later(all)
            .flat_map(|session| &session.lines)
            .filter(is_open)
            .map(|line| Subject::of(&line.text))
            .collect();
        let is_own = |line: &&RecentLine| {
            let subject = Subject::of(&line.text);
            !later.iter().any(|other| other.is_same(&subject))
        };
        self.lines.iter().filter(is_open).filter(|line| !line.is_ticked).filter(is_own).collect()
    }

    /// Returns why the session is unfinished; nothing if it is finished. `all` holds the sessions of the days since.
    pub fn unfinished(&self, all: &[Self]) -> Vec<Unfinished> {
        let mut found = Vec::new();
        if !self.open_ends(all).is_empty() {
            found.push(Unfinished::OpenEnds);
        }
        let is_over = self.is_done || self.last.end == LastEnd::Answered;
        if !is_over && !self.later(all).any(|later| later.settles(self)) {
            found.push(Unfinished::LastTurn(self.last.end));
        }
        found
    }

    /// Returns the later sessions of the same project.
    fn later<'a>(&'a self, all: &'a [Self]) -> impl Iterator<Item = &'a Self> {
        all.iter()
            .filter(|other| other.ended > self.ended && !other.is_of(&self.id) && other.project.is_same(&self.project))
    }

    /// Whether this later session took up what an earlier one broke off.
    fn settles(&self, earlier: &Self) -> bool {
        if self.last.end != LastEnd::Answered {
            return false;
        }
        let noted = self.lines.iter().map(|line| line.text.as_str());
        let said: Vec<&str> = [self.topic.as_str(), &self.last.request]
            .into_iter()
            .chain(noted)
            .chain(self.done.iter().map(String::as_str))
            .collect();
        let said = said.join("\n");
        let asked = match earlier.last.request.is_empty() {
            true => &earlier.topic,
            false => &earlier.last.request,
        };
        let shares_file = self.files.iter().any(|file| earlier.files.contains(file));
        supports(&said, asked) || shares_file && have_common_subject(&said, asked)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::{LastTurn, LogProject};

    fn session(id: &str, hour: i8, request: &str, end: LastEnd) -> RecentSession {
        let at = date(2026, 3, 15).at(hour, 0, 0, 0);
        RecentSession {
            id: id.into(),
            project: LogProject { name: Some("pump".into()), key: Some("11111111".into()) },
            began: at,
            ended: at,
            topic: request.into(),
            last: LastTurn { id: "t".into(), request: request.into(), end, ..LastTurn::default() },
            files: vec!["src/timer.rs".into()],
            ..RecentSession::default()
        }
    }

    fn open(text: &str) -> RecentLine {
        RecentLine {
            id: None,
            file: "2026-03-15.md".into(),
            number: 1,
            at: date(2026, 3, 15).at(9, 0, 0, 0),
            kind: OutcomeKind::Open,
            is_ticked: false,
            branch: None,
            text: text.into(),
        }
    }

    #[test]
    fn a_broken_off_turn_is_settled_by_a_later_session_about_it() {
        let broken = session("a", 9, "Replace the timer of the shed pump", LastEnd::CutOff);
        let is_unfinished = |later: RecentSession| !broken.unfinished(&[later, broken.clone()]).is_empty();
        assert_eq!(broken.unfinished(&[]), [Unfinished::LastTurn(LastEnd::CutOff)]);
        let about = "The timer of the shed pump is replaced, go and look";
        assert!(!is_unfinished(session("b", 10, about, LastEnd::Answered)));
        assert!(!is_unfinished(session("b", 10, "go on with the timer", LastEnd::Answered)), "the same file");
        assert!(is_unfinished(session("b", 10, about, LastEnd::Interrupted)), "broken off as well");
        assert!(is_unfinished(session("b", 8, about, LastEnd::Answered)), "an earlier session");
        assert!(is_unfinished(session("b", 10, "Translate the manual", LastEnd::Answered)), "another subject");
        let elsewhere = LogProject { name: Some("web".into()), key: Some("22222222".into()) };
        let foreign = RecentSession { project: elsewhere, ..session("b", 10, about, LastEnd::Answered) };
        assert!(is_unfinished(foreign), "another project");
        let done = RecentSession { is_done: true, ..broken.clone() };
        assert_eq!(done.unfinished(&[]), []);
    }

    #[test]
    fn an_open_end_belongs_to_the_last_session_that_names_it() {
        let mut first = session("a", 9, "deploy", LastEnd::Answered);
        first.lines = vec![open("The staging server needs a restart."), open("The manual lacks a page.")];
        let mut second = session("b", 10, "deploy", LastEnd::Answered);
        second.lines = vec![open("Staging server restart is due")];
        let all = [second.clone(), first.clone()];
        let texts = |session: &RecentSession| -> Vec<String> {
            session.open_ends(&all).iter().map(|line| line.text.clone()).collect()
        };
        assert_eq!(texts(&first), ["The manual lacks a page."]);
        assert_eq!(texts(&second), ["Staging server restart is due"]);
        first.lines.iter_mut().for_each(|line| line.is_ticked = true);
        assert_eq!(first.unfinished(&all), []);
    }
}
