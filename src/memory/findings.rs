//! Finds what could be cleaned up: duplicates, superseded facts, broken links and overgrown files.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::MemoryError;
use super::bullet::Bullet;
use super::file::{MEMORY, PROCEDURAL, PROPOSALS, SETTLED_PROPOSALS, remembered_bullets};
use super::likeness::{Relation, normalized, similar_bullets};
use super::remember::{Overgrown, first_date, overgrown};
use tars_base::domain::LinkKind;
use tars_text::markdown;
use tars_text::names::{NoteNames, Reading, link_readings};
use tars_vault::{Entry, MemoryFolder, line_written_at};

/// A possible cleanup.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// Both say the same; the second one can be removed.
    Duplicate {
        /// The one to keep.
        kept: Bullet,
        /// The one to remove.
        removed: Bullet,
    },
    /// Both say nearly the same; the shorter one can be removed.
    Close {
        /// The one to keep.
        kept: Bullet,
        /// The one to remove.
        removed: Bullet,
    },
    /// A later fact says something different about the same subject; the earlier one can be removed.
    Superseded {
        /// The later one.
        kept: Bullet,
        /// The earlier one.
        removed: Bullet,
    },
    /// Both say different things about one subject, and it is unknown which came later.
    Conflict {
        /// The first bullet.
        one: Bullet,
        /// The second bullet.
        other: Bullet,
    },
    /// A link to a missing note.
    BrokenLink {
        /// The file with the link.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The target of the link.
        target: String,
    },
    /// A file that is too long to read at a glance.
    Overgrown(Overgrown),
}

impl Finding {
    /// Returns the bullet that could be removed.
    pub fn removal(&self) -> Option<&Bullet> {
        match self {
            Self::Duplicate { removed, .. } | Self::Close { removed, .. } | Self::Superseded { removed, .. } => {
                Some(removed)
            }
            Self::Conflict { .. } | Self::BrokenLink { .. } | Self::Overgrown(_) => None,
        }
    }

    /// Resolves a conflict by the journal: the later line supersedes the earlier one. A line without a journal entry counts as older than
    /// every line with one. Other findings, and conflicts that the journal cannot resolve, stay as they are.
    #[must_use]
    pub fn resolved_by_journal(self, entries: &[Entry]) -> Self {
        let Self::Conflict { one, other } = self else { return self };
        let written = |bullet: &Bullet| {
            let first = format!("{}- {}", " ".repeat(bullet.indent), bullet.text.lines().next().unwrap_or_default());
            line_written_at(entries, &bullet.file, &first)
        };
        // `None` sorts first.
        match written(&one).cmp(&written(&other)) {
            Ordering::Less => Self::Superseded { kept: other, removed: one },
            Ordering::Greater => Self::Superseded { kept: one, removed: other },
            Ordering::Equal => Self::Conflict { one, other },
        }
    }

    /// Returns the word used in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Duplicate { .. } => "duplicate",
            Self::Close { .. } => "close",
            Self::Superseded { .. } => "superseded",
            Self::Conflict { .. } => "conflict",
            Self::BrokenLink { .. } => "broken_link",
            Self::Overgrown(_) => "overgrown",
        }
    }
}

/// Returns the possible cleanups in the memory folder. `notes` are the paths of all notes of the vault, relative to it; links may lead to
/// them. Each bullet is proposed for removal at most once.
///
/// # Errors
/// A file cannot be read.
pub fn findings(folder: &MemoryFolder, notes: &[String]) -> Result<Vec<Finding>, MemoryError> {
    let mut found = Vec::new();
    let bullets = remembered_bullets(folder)?;
    let mut gone: BTreeSet<String> = BTreeSet::new();
    for (index, bullet) in bullets.iter().enumerate().skip(1) {
        for finding in findings_for(bullet, &bullets[..index])? {
            let free = finding.removal().is_none_or(|removed| !gone.contains(&removed.id));
            if free && !gone.contains(&bullet.id) {
                gone.extend(finding.removal().map(|removed| removed.id.clone()));
                found.push(finding);
            }
        }
    }
    // The lists of proposals quote lines. A broken link is reported where the quoted line stands.
    let is_list = |file: &String| [PROPOSALS, SETTLED_PROPOSALS].contains(&file.as_str());
    let notes = NoteNames::of(notes.iter().map(String::as_str));
    for file in folder.files()?.into_iter().filter(|file| !is_list(file)) {
        found.extend(broken_links(folder, &file, &notes)?);
    }
    for file in [MEMORY, PROCEDURAL] {
        found.extend(overgrown(folder, file)?.map(Finding::Overgrown));
    }
    Ok(found)
}

/// Compares a bullet with the bullets above it, ignoring dates.
fn findings_for(bullet: &Bullet, above: &[Bullet]) -> Result<Vec<Finding>, MemoryError> {
    let nested = |other: &&Bullet| other.file == bullet.file && other.lines.contains(&bullet.lines.start);
    let timeless: Vec<Bullet> = above
        .iter()
        .filter(|other| !nested(other))
        .map(|other| Bullet { text: without_date(&other.text), ..other.clone() })
        .collect();
    let original = |like: &Bullet| above.iter().find(|other| other.id == like.id).cloned().unwrap_or_default();
    let mut found = Vec::new();
    for like in similar_bullets(&without_date(&bullet.text), &timeless, None)? {
        let other = original(&like.bullet);
        let (one, two) = (first_date(&other.text), first_date(&bullet.text));
        found.push(match (like.relation, one.zip(two)) {
            (Relation::Equal, None) => Finding::Duplicate { kept: other, removed: bullet.clone() },
            (_, Some((one, two))) if one != two => {
                let (kept, removed) = if one < two { (bullet.clone(), other) } else { (other, bullet.clone()) };
                match like.relation {
                    Relation::Conflict => Finding::Superseded { kept, removed },
                    // The same statement on two days describes two events.
                    Relation::Equal | Relation::Close => continue,
                }
            }
            (Relation::Equal, Some(_)) => Finding::Duplicate { kept: other, removed: bullet.clone() },
            (Relation::Close, _) => {
                let longer = normalized(&other.text).len() >= normalized(&bullet.text).len();
                let (kept, removed) = if longer { (other, bullet.clone()) } else { (bullet.clone(), other) };
                Finding::Close { kept, removed }
            }
            (Relation::Conflict, _) => Finding::Conflict { one: other, other: bullet.clone() },
        });
    }
    Ok(found)
}

/// Removes the date at the start of a text, or the one in parentheses at its end.
fn without_date(text: &str) -> String {
    let is_date = |word: &str| {
        let word = word.trim_matches(|character: char| !character.is_ascii_digit());
        word.len() == 10 && word.parse::<jiff::civil::Date>().is_ok()
    };
    let text = text.trim();
    let text = match text.split_whitespace().next().filter(|word| is_date(word)) {
        Some(word) => text[word.len()..].trim_start_matches([':', ' ', '-', '–']),
        None => text,
    };
    match text.rsplit(char::is_whitespace).next().filter(|word| word.ends_with(')') && is_date(word)) {
        Some(word) => text[..text.len() - word.len()]
            .trim_end()
            .trim_end_matches("(as of")
            .trim_end_matches("(since")
            .trim_end()
            .to_owned(),
        None => text.to_owned(),
    }
}

fn broken_links(folder: &MemoryFolder, file: &str, notes: &NoteNames<'_>) -> Result<Vec<Finding>, MemoryError> {
    let bytes = folder.read(file)?.unwrap_or_default();
    let document = markdown::parse(file, &tars_vault::text_of(&bytes));
    let source = folder.vault_path(file);
    let found = document.links.iter().filter_map(|link| {
        let target = link.target.trim();
        let resolved = match link.kind {
            LinkKind::Wiki | LinkKind::Embed => leads_somewhere(folder, &source, target, notes),
            LinkKind::Markdown => true,
        };
        (!resolved).then(|| Finding::BrokenLink { file: file.into(), line: link.line, target: target.to_owned() })
    });
    Ok(found.collect())
}

/// Whether a wikilink of the note `source` names a note, or another file of the vault by its path.
fn leads_somewhere(folder: &MemoryFolder, source: &str, target: &str, notes: &NoteNames<'_>) -> bool {
    let name = target.split(['#', '|', '^']).next().unwrap_or_default().trim().trim_end_matches('\\');
    if name.is_empty() {
        return true;
    }
    // Files with other extensions (pictures, PDFs) are assumed to exist.
    let other_file = name.rsplit_once('.').is_some_and(|(_, extension)| {
        (1..=5).contains(&extension.len()) && extension != "md" && !extension.contains([' ', '/'])
    });
    let readings = link_readings(source, target);
    let is_there = |path: &str| folder.vault().join(path).exists();
    !notes.find(&readings, |_| true).is_empty()
        || (other_file && !readings.is_empty())
        || readings.iter().filter_map(Reading::path).any(is_there)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tidied(memory: &str, procedural: &str) -> Vec<String> {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("tars");
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("Memory.md"), memory).unwrap();
        std::fs::write(path.join("Procedural.md"), procedural).unwrap();
        std::fs::write(path.join(PROPOSALS), "- [ ] Say in one line in [[tars/Memory]]: see [[Nowhere]]\n").unwrap();
        let folder = MemoryFolder::new(home.path(), "tars").unwrap();
        let notes = ["Garden/Rain logger.md".to_owned(), "tars/Memory.md".to_owned()];
        let told = |finding: Finding| match &finding {
            Finding::BrokenLink { line, target, .. } => format!("broken_link {line} {target}"),
            Finding::Conflict { one, other } => format!("conflict {} {}", one.text, other.text),
            Finding::Overgrown(overgrown) => format!("overgrown {}", overgrown.file),
            _ => format!("{} {}", finding.as_str(), finding.removal().unwrap().text),
        };
        findings(&folder, &notes).unwrap().into_iter().map(told).collect()
    }

    #[test]
    fn duplicates_are_proposed_once_and_the_longer_text_stays() {
        assert_eq!(
            tidied("- Port is 8080\n- x y\n- port is `8080`.\n- Port is 8080\n", ""),
            ["duplicate port is `8080`.", "duplicate Port is 8080",]
        );
        assert_eq!(
            tidied("- Backups are encrypted every night\n", "- Backups are encrypted every single night on the Pi\n"),
            ["close Backups are encrypted every night"]
        );
    }

    #[test]
    fn a_later_fact_supersedes_an_earlier_one() {
        assert_eq!(
            tidied("- 2026-03-01: port is 9090\n- 2026-01-10: port is 8080\n", ""),
            ["superseded 2026-01-10: port is 8080"]
        );
        assert_eq!(
            tidied("- Port is 8080 (2026-01-10)\n- Port is 9090 (2026-03-01)\n", ""),
            ["superseded Port is 8080 (2026-01-10)"]
        );
        assert_eq!(tidied("- port is 9090\n- port is 8080\n", ""), ["conflict port is 9090 port is 8080"]);
        assert_eq!(tidied("- 2026-03-01: backup restored\n- 2026-03-02: backup restored\n", ""), [""; 0]);
    }

    #[test]
    fn broken_links_are_reported() {
        let text = "- [[Rain logger]] [[rain logger#Radio|radio]] [[Garden/Rain logger]] ![[plan.png]] [[#here]]\n- [[Nowhere]]\n";
        assert_eq!(tidied(text, ""), ["broken_link 2 Nowhere"]);
    }
}
