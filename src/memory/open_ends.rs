//! Lists the open ends of the daily logs, ticks them, and sets them aside.

use jiff::civil::Date;

use super::MemoryError;
use super::bullet::{Bullet, bullets};
use super::file::{day_file, logged_days};
use super::log_lines::{LogLine, LogSection, log_lines};
use super::log_project::LogProject;
use super::session_note::{SET_ASIDE, TICKED, is_section_unedited_at, marked_lines};
use tars_agent::digest::Subject;
use tars_base::domain::OutcomeKind;
use tars_vault::{Lines, MemoryFolder, Writer};

/// An open end that sessions of a project left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenEnd {
    /// The day of its newest line.
    pub day: Date,
    /// The project.
    pub project: LogProject,
    /// Its text, without the words of the request.
    pub text: String,
    /// Its newest line.
    pub bullet: Bullet,
    /// Earlier lines that say the same.
    pub earlier: Vec<Bullet>,
}

/// Returns the open ends that were noted since a day and are not ticked, newest first. Lines of one project that say the same are one.
///
/// # Errors
/// A file cannot be read.
pub fn open_ends(folder: &MemoryFolder, since: Date) -> Result<Vec<OpenEnd>, MemoryError> {
    open_ends_of(folder, since, |_| true)
}

/// Returns the open ends like [`open_ends`], in the sections that `is_meant` selects.
///
/// # Errors
/// A file cannot be read.
pub fn open_ends_of(
    folder: &MemoryFolder,
    since: Date,
    is_meant: impl Fn(&LogSection) -> bool,
) -> Result<Vec<OpenEnd>, MemoryError> {
    let mut found: Vec<(OpenEnd, Subject)> = Vec::new();
    for day in logged_days(folder)?.into_iter().filter(|day| *day >= since) {
        let file = day_file(folder, day)?;
        let Some(bytes) = folder.read(&file)? else { continue };
        let is_open =
            |line: &LogLine| line.kind == Some(OutcomeKind::Open) && !line.is_ticked && is_meant(&line.section);
        let lines: Vec<LogLine> = log_lines(&bytes).into_iter().filter(is_open).collect();
        if lines.is_empty() {
            continue;
        }
        let all = bullets(&file, &Lines::of(&bytes));
        for line in lines {
            let Some(bullet) = all.iter().find(|bullet| bullet.line() == line.number).cloned() else { continue };
            let (project, text) = (line.section.project.clone(), line.text_without_request().to_owned());
            let subject = Subject::of(&text);
            let is_same = |(known, of): &(OpenEnd, Subject)| known.project.is_same(&project) && of.is_same(&subject);
            let mut earlier = Vec::new();
            if let Some(at) = found.iter().position(is_same) {
                let (known, _) = found.remove(at);
                earlier = known.earlier;
                earlier.push(known.bullet);
            }
            found.push((OpenEnd { day, project, text, bullet, earlier }, subject));
        }
    }
    Ok(found.into_iter().rev().map(|(end, _)| end).collect())
}

/// Ticks these lines, and returns those that it ticked. A line that was changed or removed in the meantime is skipped.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn tick(writer: &mut Writer<'_>, lines: &[Bullet]) -> Result<Vec<Bullet>, MemoryError> {
    mark(writer, lines, TICKED, |_, _| true)
}

/// Marks open ends as set aside, `- [-]`, unless a person has edited their section, and returns those that it marked.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn set_aside(writer: &mut Writer<'_>, lines: &[Bullet]) -> Result<Vec<Bullet>, MemoryError> {
    mark(writer, lines, SET_ASIDE, is_section_unedited_at)
}

fn mark(
    writer: &mut Writer<'_>,
    lines: &[Bullet],
    mark: &str,
    may_change: impl Fn(&Lines<'_>, usize) -> bool,
) -> Result<Vec<Bullet>, MemoryError> {
    let mut files: Vec<&str> = lines.iter().map(|bullet| bullet.file.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    let mut marked = Vec::new();
    for file in files {
        let mut found = Vec::new();
        writer.edit(file, |text| {
            let is_meant = |bullet: &Bullet| lines.iter().any(|line| line.file == file && line.id == bullet.id);
            found = bullets(file, text).into_iter().filter(is_meant).collect();
            found.retain(|bullet| may_change(text, bullet.lines.start));
            marked_lines(text, mark, &|number| found.iter().any(|bullet| bullet.lines.start == number))
        })?;
        marked.extend(found);
    }
    Ok(marked)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::upkeep::tests::World;

    const DAY: &str = "# 2026-03-15\n\n## Session 09:20 · pump\n<!-- tars:session a turns=1 project=1a2b3c4d digest=DIGEST -->\n\
                       - [ ] 09:20 Open: The shed pump still runs the old build.\n- [x] 09:30 Open: The manual lacks a page.\n";

    #[test]
    fn equal_open_ends_are_one_and_are_ticked_together() {
        let world = World::new();
        world.put("2026-03-15.md", DAY);
        world.put("2026-03-16.md", &DAY.replace("2026-03-15", "2026-03-16").replace("session a", "session b"));
        let found = open_ends(&world.memory, date(2026, 3, 1)).unwrap();
        let shown: Vec<(Date, &str, usize)> =
            found.iter().map(|end| (end.day, end.text.as_str(), end.earlier.len())).collect();
        assert_eq!(shown, [(date(2026, 3, 16), "The shed pump still runs the old build.", 1)]);
        let lines: Vec<Bullet> = found[0].earlier.iter().cloned().chain([found[0].bullet.clone()]).collect();
        assert_eq!(tick(&mut world.writer(), &lines).unwrap().len(), 2);
        assert_eq!(open_ends(&world.memory, date(2026, 3, 1)).unwrap(), []);
        assert!(world.text("2026-03-15.md").contains("- [x] 09:20 Open: The shed pump"));
    }

    #[test]
    fn open_ends_are_set_aside_only_in_unedited_sections() {
        let world = World::new();
        world.put("2026-03-15.md", DAY);
        let lines = |world: &World| -> Vec<Bullet> {
            open_ends(&world.memory, date(2026, 3, 1)).unwrap().into_iter().map(|end| end.bullet).collect()
        };
        assert_eq!(set_aside(&mut world.writer(), &lines(&world)).unwrap(), [], "its hash says that it was edited");
        let body = [
            "- [ ] 09:20 Open: The shed pump still runs the old build.".to_owned(),
            "- [x] 09:30 Open: The manual lacks a page.".to_owned(),
        ];
        world.put("2026-03-15.md", &DAY.replace("DIGEST", &crate::anchor::lines_hash(&body)));
        assert_eq!(set_aside(&mut world.writer(), &lines(&world)).unwrap().len(), 1);
        assert!(world.text("2026-03-15.md").contains("- [-] 09:20 Open: The shed pump"));
        assert_eq!(lines(&world), []);
    }
}
