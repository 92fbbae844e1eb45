//! Proposes repairs of broken links: a link to the note that was clearly meant, else plain text.

use super::proposal::{Change, Job, Proposal};
use crate::{Bullet, Finding, MemoryError, bullets_of, is_durable};
use tars_text::analysis::distance_within;
use tars_text::names::folded;
use tars_text::redact::redact;
use tars_vault::MemoryFolder;

/// Maximum number of proposals per run. Nobody reads a longer list.
const MAX_PROPOSALS: usize = 40;

/// Proposes a repair for each broken link in a durable line. Logs are history and stay as they are. `notes` are the paths of all notes of
/// the vault.
///
/// # Errors
/// A file cannot be read.
pub(super) fn link_repairs(
    folder: &MemoryFolder,
    findings: &[Finding],
    notes: &[String],
) -> Result<Vec<Proposal>, MemoryError> {
    let mut found: Vec<Proposal> = Vec::new();
    for finding in findings {
        let Finding::BrokenLink { file, line, target } = finding else { continue };
        // A target that does not fit into inline code, or that holds a secret, is left to the person.
        if !is_durable(file) || target.contains(['`', '\n']) || !redact(target).findings.is_empty() {
            continue;
        }
        let of_line = |bullet: &Bullet| (bullet.lines.start + 1..=bullet.lines.end).contains(line);
        // The last match is the innermost bullet.
        let Some(bullet) = bullets_of(folder, file)?.into_iter().rfind(of_line) else { continue };
        let change = Change::Link { line: (&bullet).into(), target: target.clone(), to: nearest(target, notes) };
        if found.len() < MAX_PROPOSALS && !found.iter().any(|other| other.change == change) {
            found.push(Proposal { job: Job::Tidy, change, sources: Vec::new() });
        }
    }
    Ok(found)
}

/// Returns the link target of the note that `target` clearly means: the only note whose name differs just in case, spaces and
/// punctuation, else the only one within an edit distance of one or two. Digits must be equal, because the next day is another note.
fn nearest(target: &str, notes: &[String]) -> Option<String> {
    let wanted = letters(name_of(target));
    let candidates: Vec<(&String, Vec<char>)> =
        notes.iter().map(|path| (path, letters(name_of(path)))).filter(|(_, name)| !name.is_empty()).collect();
    let same: Vec<&String> = candidates.iter().filter(|(_, name)| *name == wanted).map(|(path, _)| *path).collect();
    if !same.is_empty() {
        return unambiguous(&same, notes);
    }
    let most = match wanted.len() {
        0..5 => return None,
        5..8 => 1,
        _ => 2,
    };
    let digits = |name: &[char]| name.iter().filter(|c| c.is_numeric()).copied().collect::<Vec<char>>();
    let near: Vec<(usize, &String)> = candidates
        .iter()
        .filter(|(_, name)| digits(name) == digits(&wanted))
        .filter_map(|(path, name)| Some((distance_within(&wanted, name, most)?, *path)))
        .collect();
    let best = near.iter().map(|(distance, _)| *distance).min()?;
    unambiguous(
        &near.iter().filter(|(distance, _)| *distance == best).map(|(_, path)| *path).collect::<Vec<_>>(),
        notes,
    )
}

/// Returns the link target of the only note in `paths`: its name if unique, else its path. Returns `None` if there are several.
fn unambiguous(paths: &[&String], notes: &[String]) -> Option<String> {
    let [path] = paths else { return None };
    let name = name_of(path);
    let is_unique = notes.iter().filter(|other| folded(name_of(other)) == folded(name)).count() == 1;
    let named = if is_unique { name } else { without_ending(path) };
    let is_linkable = !named.contains(['[', ']', '|', '#', '^', '`', '\n']) && redact(named).findings.is_empty();
    is_linkable.then(|| named.to_owned())
}

fn name_of(path: &str) -> &str {
    let path = without_ending(path);
    path.rsplit('/').next().unwrap_or(path)
}

fn without_ending(path: &str) -> &str {
    path.strip_suffix(".md").or_else(|| path.strip_suffix(".markdown")).unwrap_or(path)
}

fn letters(name: &str) -> Vec<char> {
    folded(name).chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::World;
    use super::super::{Decision, SeenTexts, Settled, TidyContext, list, propose, tidy};
    use super::*;

    fn notes() -> Vec<String> {
        ["Garden/Rain logger.md", "Home/Runbook.md", "Work/Runbook.md", "Kitchen.md", "2026-03-14.md", "Old/Harbour.md"]
            .map(str::to_owned)
            .to_vec()
    }

    #[test]
    fn the_clearly_meant_note_is_the_nearest() {
        for (target, meant) in [
            ("rain-logger", Some("Rain logger")),
            ("Somewhere/Rain_Logger.md", Some("Rain logger")),
            ("Rain loger", Some("Rain logger")),
            ("Ktichen", Some("Kitchen")),
            ("Runbook.old/Runbook", None),
            ("2026-03-15", None),
            ("Kit", None),
            ("Nowhere at all", None),
            ("", None),
        ] {
            assert_eq!(nearest(target, &notes()).as_deref(), meant, "{target}");
        }
        let twice = ["A/Tea.md".to_owned(), "B/tea.md".to_owned(), "B/Teapots.md".to_owned()];
        assert_eq!(nearest("tea pot s", &twice).as_deref(), Some("Teapots"));
        assert_eq!(nearest("Tea", &twice), None);
    }

    #[test]
    fn each_broken_link_is_one_proposal_that_changes_only_the_link() {
        let world = World::new();
        let text = "# Memory\r\n\r\n## Garden\r\n- See [[rain-logger#Radio|the logger]], [[Gone]] and `[[Gone]]`\r\n  - nested [[Lost|there]]\r\n- ok [[Kitchen]]\r\n";
        world.put("Memory.md", text);
        world.put("2026-03-14.md", "# 2026-03-14\n\n- 09:00 [[Gone]]\n");
        let notes = notes();
        let found = || {
            let around = TidyContext { notes: &notes, ..TidyContext::default() };
            tidy(&world.memory, around, None, &mut SeenTexts::default()).unwrap().proposals
        };
        let proposed = found();
        assert_eq!(proposed.len(), 3, "{proposed:?}");
        assert_eq!(propose(&mut world.writer(), &proposed).unwrap().len(), 3);
        assert_eq!(found(), [], "already proposed");
        let listed = list(&world.memory).unwrap();
        for (listed, proposed) in listed.iter().zip(&proposed) {
            assert_eq!((&listed.id, listed.proposal.change.id()), (&proposed.change.id(), proposed.change.id()));
        }
        for listed in &listed {
            assert!(matches!(world.settle(listed, &Decision::Accept(None)), Settled::Done(Some(_))), "{listed:?}");
        }
        assert_eq!(
            world.text("Memory.md"),
            text.replace("rain-logger", "Rain logger")
                .replacen("[[Gone]]", "Gone", 1)
                .replace("[[Lost|there]]", "there")
        );
        assert_eq!(found(), []);
    }
}
