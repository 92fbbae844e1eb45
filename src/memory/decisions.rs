//! The history of decisions in the daily logs: which decision followed which about one matter.

use jiff::civil::Date;

use super::bullet::Bullet;
use super::file::{bullets_of, day_file, logged_days};
use super::log_lines::log_lines;
use super::log_project::LogProject;
use super::session_note::names_as_former;
use super::superseded::{History, Superseded};
use super::upkeep::is_same_matter;
use super::{MemoryError, normalized};
use tars_base::domain::OutcomeKind;
use tars_vault::MemoryFolder;

/// A decision in the log of a day.
struct Decision {
    day: Date,
    project: LogProject,
    /// Its text, without the words of the request.
    text: String,
    bullet: Bullet,
}

/// Returns the history of each noted decision that `is_meant` selects by its text: earlier decisions of its project about the same matter,
/// oldest first, and the last one.
///
/// # Errors
/// A file cannot be read.
pub fn decision_histories(folder: &MemoryFolder, is_meant: impl Fn(&str) -> bool) -> Result<Vec<History>, MemoryError> {
    let all = decisions(folder)?;
    let mut found: Vec<Vec<&Decision>> = Vec::new();
    for meant in all.iter().filter(|decision| is_meant(&decision.text)) {
        if found.iter().flatten().any(|known| known.bullet == meant.bullet) {
            continue;
        }
        let is_about = |one: &&Decision| {
            one.bullet == meant.bullet
                || (one.project.is_same(&meant.project) && (follows(one, meant) || follows(meant, one)))
        };
        found.push(all.iter().filter(is_about).collect());
    }
    Ok(found.into_iter().map(history).collect())
}

/// Returns the noted decisions, oldest first.
fn decisions(folder: &MemoryFolder) -> Result<Vec<Decision>, MemoryError> {
    let mut days = logged_days(folder)?;
    days.sort_unstable();
    let mut found = Vec::new();
    for day in days {
        let file = day_file(folder, day)?;
        let bytes = folder.read(&file)?.unwrap_or_default();
        let lines = log_lines(&bytes);
        let is_decision = |line: &&super::LogLine| line.kind == Some(OutcomeKind::Decided) && !line.is_unconfirmed;
        let bullets = bullets_of(folder, &file)?;
        for line in lines.iter().filter(is_decision) {
            let Some(bullet) = bullets.iter().find(|bullet| bullet.line() == line.number).cloned() else { continue };
            let (project, text) = (line.section.project.clone(), line.text_without_request().to_owned());
            found.push(Decision { day, project, text, bullet });
        }
    }
    Ok(found)
}

/// Whether a decision is about the same matter as another one, or says that it replaces it.
fn follows(later: &Decision, earlier: &Decision) -> bool {
    names_as_former(&later.text, Some(earlier.day), &earlier.text) || is_same_matter(&later.text, &earlier.text)
}

/// Returns decisions about one matter, oldest first, as a history. A decision that was said again counts once, with its first day.
fn history(decisions: Vec<&Decision>) -> History {
    let mut once: Vec<&Decision> = Vec::new();
    for decision in decisions {
        if once.last().is_none_or(|last| normalized(&last.text) != normalized(&decision.text)) {
            once.push(decision);
        }
    }
    let former = |pair: &[&Decision]| Superseded {
        bullet: Bullet { text: pair[0].text.clone(), ..pair[0].bullet.clone() },
        since: Some(pair[0].day),
        until: pair[1].day,
        successor: pair[1].text.clone(),
        place: pair[0].bullet.file.clone(),
    };
    let now = once.last().map(|last| Bullet { text: format!("{} {}", last.day, last.text), ..last.bullet.clone() });
    History { before: once.windows(2).map(former).collect(), now }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upkeep::tests::World;

    #[test]
    fn decisions_about_one_matter_are_one_history() {
        let world = World::new();
        let day = |day: &str, said: &str| {
            let text = format!(
                "# {day}\n\n## Session 09:20 · pump\n<!-- tars:session {day} turns=1 project=1a2b3c4d -->\n- 09:20 Decided: {said}\n"
            );
            world.put(&format!("{day}.md"), &text);
        };
        day("2026-03-01", "The relay listens on port 8080.");
        day("2026-03-05", "Postgres for the queue (before, 2026-02-01: Redis)");
        day("2026-03-09", "The relay listens on port 9090.");
        let found = decision_histories(&world.memory, |text| text.contains("relay")).unwrap();
        assert_eq!(found.len(), 1);
        let before: Vec<(&str, String)> =
            found[0].before.iter().map(|old| (old.bullet.text.as_str(), old.until.to_string())).collect();
        assert_eq!(before, [("The relay listens on port 8080.", "2026-03-09".to_owned())]);
        assert_eq!(found[0].now.as_ref().unwrap().text, "2026-03-09 The relay listens on port 9090.");
    }
}
