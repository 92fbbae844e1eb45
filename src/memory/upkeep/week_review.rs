//! Reviews seven days: decisions, open ends, contradicted lines, and lines that wait for a review.

use jiff::ToSpan;
use jiff::civil::Date;

use crate::{
    Bullet, LogLine, LogProject, MemoryError, Relation, WaitingLine, bullets_of, day_file, log_lines, names_as_former,
    normalized, remembered_bullets, similar_bullets, without_request,
};
use tars_agent::digest::same_subject;
use tars_base::domain::OutcomeKind;
use tars_text::markdown::days_in_text;
use tars_vault::MemoryFolder;

/// Days of the review before its last day.
const BEFORE: i64 = 6;
/// Days before the review whose decisions are compared with the decisions of the review.
const EARLIER: i64 = 28;

/// A line with its day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeekLine {
    /// Its day; `None` for a fact or a rule without a date.
    pub day: Option<Date>,
    /// The project that it was noted in.
    pub project: LogProject,
    /// Its text, without marker, time, label and branch.
    pub text: String,
    /// The side branch on which it was decided.
    pub branch: Option<String>,
    /// The bullet in its file.
    pub bullet: Bullet,
}

/// The review of seven days. All lists are ordered by day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Week {
    /// The first day.
    pub first: Date,
    /// The last day.
    pub last: Date,
    /// Decisions that no later decision contradicts.
    pub decided: Vec<WeekLine>,
    /// Open ends.
    pub open: Vec<WeekLine>,
    /// Earlier lines that a decision of these days contradicts, each with that decision.
    pub contradicted: Vec<(WeekLine, WeekLine)>,
    /// Corrections, rewards and extracted lines of these days that wait for a review, with their origin.
    pub review: Vec<(crate::Source, WeekLine)>,
}

/// Returns the review of the seven days up to `last`.
///
/// # Errors
/// A file cannot be read.
pub fn week(folder: &MemoryFolder, last: Date) -> Result<Week, MemoryError> {
    let first = last.saturating_sub(BEFORE.days());
    let noted = noted(folder, first.saturating_sub(EARLIER.days()), last)?;
    let in_week = |line: &WeekLine| line.day.is_some_and(|day| day >= first);
    let of = |kind: OutcomeKind| {
        let is_meant = move |line: &&(LogLine, WeekLine)| line.0.kind == Some(kind) && !line.0.is_ticked;
        noted.iter().filter(is_meant).map(|(_, line)| line.clone())
    };
    let decisions: Vec<WeekLine> = of(OutcomeKind::Decided).collect();
    let facts = facts(folder)?;
    let mut contradicted: Vec<(WeekLine, WeekLine)> = Vec::new();
    for (place, later) in decisions.iter().enumerate().filter(|(_, line)| in_week(line)) {
        let before = &decisions[..place];
        let mut earlier = contradicted_by(later, before.iter().chain(&facts))?;
        // The model's notes name the decision that a new one replaces.
        let is_named = |line: &&WeekLine| {
            line.project.is_same(&later.project) && names_as_former(&later.text, line.day, &line.text)
        };
        earlier.extend(before.iter().filter(is_named).cloned());
        for earlier in earlier {
            contradicted.retain(|(known, _)| known.bullet != earlier.bullet);
            contradicted.push((earlier, later.clone()));
        }
    }
    let is_in_force = |line: &WeekLine| !contradicted.iter().any(|(earlier, _)| earlier.bullet == line.bullet);
    let mut decided: Vec<WeekLine> = Vec::new();
    let said = |line: &WeekLine| normalized(without_request(&line.text));
    for line in decisions.iter().filter(|line| in_week(line) && is_in_force(line)) {
        decided.retain(|known| known.project != line.project || said(known) != said(line));
        decided.push(line.clone());
    }
    let review = crate::waiting_lines(folder)?.into_iter().filter_map(waiting);
    let mut review: Vec<(crate::Source, WeekLine)> =
        review.filter(|(_, line)| in_week(line) && line.day.is_some_and(|day| day <= last)).collect();
    review.sort_by_key(|(_, line)| line.day);
    let mut open: Vec<WeekLine> = Vec::new();
    for line in of(OutcomeKind::Open).filter(in_week) {
        let text = without_request(&line.text).to_owned();
        // The newest of several open ends that say the same stands for all.
        open.retain(|known| !(known.project.is_same(&line.project) && same_subject(&known.text, &text)));
        open.push(WeekLine { text, ..line });
    }
    Ok(Week { first, last, decided, open, contradicted, review })
}

/// Returns the noted lines of these days that have a bullet of their own.
pub(super) fn noted(folder: &MemoryFolder, first: Date, last: Date) -> Result<Vec<(LogLine, WeekLine)>, MemoryError> {
    let mut found = Vec::new();
    for day in first.series(1.day()).take_while(|day| *day <= last) {
        let file = day_file(folder, day)?;
        let Some(bytes) = folder.read(&file)? else { continue };
        let bullets = bullets_of(folder, &file)?;
        for line in log_lines(&bytes) {
            let Some(bullet) = bullets.iter().find(|bullet| bullet.line() == line.number).cloned() else { continue };
            let (project, text, branch) = (line.section.project.clone(), line.text.clone(), line.branch.clone());
            found.push((line, WeekLine { day: Some(day), project, text, branch, bullet }));
        }
    }
    Ok(found)
}

/// Returns the remembered facts and rules.
fn facts(folder: &MemoryFolder) -> Result<Vec<WeekLine>, MemoryError> {
    let line = |bullet: Bullet| WeekLine {
        day: days_in_text(&bullet.text).max(),
        project: LogProject::default(),
        text: bullet.text.clone(),
        branch: None,
        bullet,
    };
    Ok(remembered_bullets(folder)?.into_iter().map(line).collect())
}

/// Returns the lines of `earlier` that `later` contradicts. They belong to the same project or to none.
fn contradicted_by<'l>(
    later: &WeekLine,
    earlier: impl Iterator<Item = &'l WeekLine>,
) -> Result<Vec<WeekLine>, MemoryError> {
    let may_be = |line: &&WeekLine| {
        let is_of_none = line.project == LogProject::default();
        (is_of_none || line.project == later.project) && line.day.is_none_or(|day| Some(day) <= later.day)
    };
    let earlier: Vec<&WeekLine> = earlier.filter(may_be).collect();
    let numbered = |(place, line): (usize, &&WeekLine)| Bullet {
        id: place.to_string(),
        text: without_request(&line.text).to_owned(),
        ..Bullet::default()
    };
    let candidates: Vec<Bullet> = earlier.iter().enumerate().map(numbered).collect();
    let found = similar_bullets(without_request(&later.text), &candidates, None)?.into_iter();
    let found = found.filter(|like| like.relation == Relation::Conflict);
    Ok(found.filter_map(|like| Some((*earlier.get(like.bullet.id.parse::<usize>().ok()?)?).clone())).collect())
}

/// Returns a waiting line with its day, taken from the name of its file or from the start of the line.
fn waiting(line: WaitingLine) -> Option<(crate::Source, WeekLine)> {
    let WaitingLine { source, bullet, text, whole } = line;
    let day =
        bullet.file.strip_suffix(".md").and_then(|day| day.parse().ok()).or_else(|| whole.get(..10)?.parse().ok());
    let text = text.lines().next().unwrap_or_default().to_owned();
    Some((source, WeekLine { day: Some(day?), project: LogProject::default(), text, branch: None, bullet }))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::super::tests::World;
    use super::*;

    fn world(files: &[(&str, &str)]) -> World {
        let world = World::new();
        files.iter().for_each(|(file, text)| world.put(file, text));
        world
    }

    fn section(time: &str, project: &str, lines: &str) -> String {
        format!("## Session {time} · {project}\n<!-- tars:session {time}{project} turns=a by=extractive -->\n{lines}\n")
    }

    #[test]
    fn a_week_lists_decisions_open_ends_and_contradictions() {
        let world = world(&[
            ("archive/days/2026-03-02.md", &section("08:00", "shop", "- 08:00 Decided: The port is 7070")),
            (
                "2026-03-09.md",
                &(section(
                    "09:00",
                    "shop",
                    "- 09:00 Decided: The port is 8080 — which port?\n- [ ] 09:05 Open: Staging waits",
                ) + &section("10:00", "pump", "- 10:00 Decided: The port is 9999\n- [x] 10:00 Open: closed")),
            ),
            (
                "2026-03-11.md",
                &(section("09:00", "shop", "- 09:00 Decided: the port is 9090\n- 09:01 Found: a cause")
                    + "- 12:00 [extracted] Deploys happen on Tuesdays\n"),
            ),
            ("2026-03-16.md", &section("09:00", "shop", "- 09:00 Decided: the port is 1010")),
            ("Memory.md", "# Memory\n- Port is 6060\n- The gate is green\n- 2026-03-15: port is 5050\n"),
            ("corrections.md", "# Corrections\n\n- 2026-03-10 10:00 Use metric units\n- 2026-02-10 10:00 Older\n"),
        ]);
        let week = week(&world.memory, date(2026, 3, 15)).unwrap();
        let told = |lines: &[WeekLine]| -> Vec<String> {
            lines.iter().map(|line| format!("{} {}", line.day.unwrap(), line.text)).collect()
        };
        assert_eq!(week.first, date(2026, 3, 9));
        assert_eq!(told(&week.decided), ["2026-03-09 The port is 9999", "2026-03-11 the port is 9090"]);
        assert_eq!(told(&week.open), ["2026-03-09 Staging waits"]);
        let contradicted: Vec<(&str, &str)> =
            week.contradicted.iter().map(|(one, other)| (one.text.as_str(), other.text.as_str())).collect();
        assert_eq!(contradicted.len(), 3, "{contradicted:?}");
        for earlier in ["The port is 7070", "The port is 8080 — which port?", "Port is 6060"] {
            assert!(contradicted.contains(&(earlier, "the port is 9090")), "{contradicted:?}");
        }
        let review: Vec<(&str, &str)> =
            week.review.iter().map(|(source, line)| (source.as_str(), line.text.as_str())).collect();
        assert_eq!(review, [("correction", "Use metric units"), ("extracted", "Deploys happen on Tuesdays")]);
    }

    #[test]
    fn a_week_without_notes_is_empty() {
        let world = world(&[("Memory.md", "# Memory\n")]);
        let week = week(&world.memory, date(2026, 3, 15)).unwrap();
        assert!(
            week.decided.is_empty() && week.open.is_empty() && week.contradicted.is_empty() && week.review.is_empty()
        );
    }
}
