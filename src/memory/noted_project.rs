//! Which project a part of what tars itself has noted is of.
//!
//! Sections of sessions in the logs of days carry their project's key in their comment ([`Anchor`]), the logs of sessions in
//! their front matter. Those of older versions have the plain name of the project's folder alone, in the heading or the front
//! matter. Everything else is a person's and belongs to no project.

use std::ops::RangeInclusive;

use super::anchor::Anchor;
use super::bullet::headings;
use super::session_log::front_matter_field;
use crate::project::without_owner;
use crate::vault::Lines;

/// The project that something was noted in, as far as the note says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NotedProject {
    /// The project's name.
    pub name: Option<String>,
    /// The project's key; `None` where an older version made the note.
    pub key: Option<String>,
}

impl NotedProject {
    /// Whether it is the project of this name and key. Names decide only where a key is missing.
    pub fn is(&self, name: &str, key: Option<&str>) -> bool {
        match (&self.key, key) {
            (Some(own), Some(key)) => own == key,
            _ => self.name.as_deref().is_some_and(|own| own == name || own == without_owner(name)),
        }
    }
}

/// A section in the log of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedSection {
    /// Its lines, from 1, that of its heading first.
    pub lines: RangeInclusive<usize>,
    /// The project that its heading and its comment name.
    pub project: NotedProject,
    /// Whether tars wrote it: a section without a comment is a person's, whatever its heading says.
    pub is_of_session: bool,
}

/// Returns the sections of the second level in the log of a day, in their order.
pub fn noted_sections(day: &str) -> Vec<NotedSection> {
    let lines = Lines::of(day.as_bytes());
    let texts = lines.all();
    let is_border = |line: &usize| ["# ", "## "].iter().any(|mark| texts[*line].starts_with(mark));
    let starts: Vec<usize> = headings(&lines).into_iter().map(|(line, _)| line).filter(is_border).collect();
    let ends = starts.iter().skip(1).copied().chain([texts.len()]);
    let section = |(start, end): (usize, usize)| {
        let heading = texts[start].strip_prefix("## ")?;
        let anchor = texts[start..end].iter().find_map(|line| Anchor::parse(line));
        let name = heading.rsplit_once("· ").map(|(_, name)| name.trim().to_owned());
        let is_of_session = anchor.is_some();
        let project = NotedProject { name, key: anchor.and_then(|anchor| anchor.project) };
        Some(NotedSection { lines: start + 1..=end, project, is_of_session })
    };
    starts.iter().copied().zip(ends).filter_map(section).collect()
}

/// Returns the project in which tars noted what stands at `line`, from 1, of a file in the memory folder; `None` for what a
/// person wrote. `text` is the whole file.
pub fn noted_project_at(text: &str, line: usize) -> Option<NotedProject> {
    project_of_log(text).or_else(|| {
        let holds = |section: &NotedSection| section.lines.contains(&line);
        let section = noted_sections(text).into_iter().find(holds)?;
        section.is_of_session.then_some(section.project)
    })
}

/// Returns the lines, from 1, of a file in the memory folder that tars noted in other projects than the one of this name and
/// key. `text` is the whole file; a session's log is of one project.
pub fn foreign_lines(text: &str, name: &str, key: Option<&str>) -> Vec<RangeInclusive<usize>> {
    if let Some(project) = project_of_log(text) {
        return if project.is(name, key) { Vec::new() } else { vec![1..=usize::MAX] };
    }
    let is_foreign = |section: &NotedSection| section.is_of_session && !section.project.is(name, key);
    noted_sections(text).into_iter().filter(is_foreign).map(|section| section.lines).collect()
}

/// Returns the project that the log of a session names; `None` if the text is no such log.
fn project_of_log(text: &str) -> Option<NotedProject> {
    let field = |name: &str| front_matter_field(text, name);
    (field("tars")? == "session").then(|| NotedProject { name: field("project"), key: field("project_key") })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: &str = "# 2026-03-15\n- 08:00 a person's line\n\n## Session 09:20 · acme/api\n\
                       <!-- tars:session a turns=1 by=extractive project=11111111 -->\n- 09:20 Found: x\n\n### Mine\ntext\n\n\
                       ## Session 10:00 · api\n<!-- tars:session b -->\n- 10:00 Asked: y\n\n## Plans · api\n- a plan\n\n\
                       ## The pump\n<!-- tars:session c turns=2 by=extractive project=22222222 -->\n- 11:00 Found: z\n\n\
                       # Else\n- mine\n";

    fn at(text: &str, part: &str) -> Option<NotedProject> {
        let line = text.lines().position(|line| line.contains(part)).unwrap() + 1;
        noted_project_at(text, line)
    }

    fn project(name: &str, key: Option<&str>) -> Option<NotedProject> {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Some(NotedProject { name: given(name), key: key.map(str::to_owned) })
    }

    #[test]
    fn a_line_of_a_day_has_the_project_of_its_section() {
        for part in ["09:20 · acme/api", "Found: x", "text"] {
            assert_eq!(at(DAY, part), project("acme/api", Some("11111111")), "{part}");
        }
        assert_eq!(at(DAY, "Asked: y"), project("api", None));
        assert_eq!(at(DAY, "Found: z"), project("", Some("22222222")), "a heading that a person renamed");
        for part in ["2026", "a person's", "a plan", "mine"] {
            assert_eq!(at(DAY, part), None, "{part} is a person's");
        }
        assert_eq!((noted_project_at(DAY, 0), noted_project_at(DAY, 999)), (None, None));
        assert_eq!(at(&DAY.replace('\n', "\r\n"), "Found: x"), project("acme/api", Some("11111111")));
    }

    #[test]
    fn a_session_log_has_one_project() {
        let log =
            "---\nsession: \"5e55\"\nproject: \"acme/api\"\nproject_key: \"11111111\"\ntars: \"session\"\n---\n# x\n";
        assert_eq!(at(log, "# x"), project("acme/api", Some("11111111")));
        assert_eq!(at(&log.replace("project_key: \"11111111\"\n", ""), "# x"), project("acme/api", None));
        assert_eq!(at(&log.replace("tars: \"session\"\n", ""), "# x"), None, "a person's note");
    }

    #[test]
    fn lines_of_other_projects_are_told_and_a_persons_never_are() {
        assert_eq!(foreign_lines(DAY, "acme/api", Some("11111111")), [18..=21]);
        assert_eq!(foreign_lines(DAY, "anna/api", Some("33333333")), [4..=10, 18..=21]);
        assert_eq!(foreign_lines(DAY, "acme/web", Some("22222222")), [4..=10, 11..=14]);
        let log = "---\nproject: \"acme/api\"\nproject_key: \"11111111\"\ntars: \"session\"\n---\n# x\n";
        assert_eq!(foreign_lines(log, "acme/api", Some("11111111")), []);
        assert_eq!(foreign_lines(log, "anna/api", Some("33333333")), [1..=usize::MAX]);
        assert_eq!(foreign_lines("# 2026-03-15\n- mine\n", "anna/api", None), []);
    }

    #[test]
    fn keys_decide_and_names_where_there_is_no_key() {
        let noted = project("api", None).unwrap();
        assert!(noted.is("api", Some("11111111")) && noted.is("acme/api", Some("11111111")));
        assert!(!noted.is("acme/web", None));
        let noted = project("acme/api", Some("11111111")).unwrap();
        assert!(noted.is("acme/api", None) && noted.is("renamed", Some("11111111")));
        assert!(!noted.is("acme/api", Some("22222222")) && !noted.is("api", None));
        assert!(!NotedProject::default().is("api", Some("11111111")));
    }
}
