//! The files of the memory folder, and the position of a new bullet in them.

use jiff::civil::Date;

use super::MemoryError;
use super::bullet::{Bullet, bullets, headings};
use super::likeness::normalized;
use tars_base::domain::MemoryType;
use tars_text::redact::redact;
use tars_vault::{Lines, MemoryFolder, Splice};

/// Durable facts.
pub const MEMORY: &str = "Memory.md";
/// Maximum size of Memory.md, in tokens of about four characters. Every session starts with it.
pub const CORE_TOKENS: usize = 500;
/// Rules and idioms.
pub const PROCEDURAL: &str = "Procedural.md";
/// Corrections: an agent's mistakes.
pub const CORRECTIONS: &str = "corrections.md";
/// Rewards: an agent's successes.
pub const REWARDS: &str = "rewards.md";
/// Proposals that wait for a person's decision.
pub const PROPOSALS: &str = "proposals.md";
/// Proposals that a person has decided.
pub const SETTLED_PROPOSALS: &str = "archive/proposals.md";
/// Folder with one log per session.
pub const SESSIONS: &str = "sessions";
/// Folder of reviewed and archived files.
pub const ARCHIVE: &str = "archive";

/// Facts that are no longer true.
pub const ARCHIVE_SUPERSEDED: &str = "archive/superseded.md";

/// Whether a file holds durable statements: facts, rules, topics, goals and pages of projects.
pub fn is_durable(file: &str) -> bool {
    let folder = file.split_once('/').map(|(folder, _)| folder);
    [MEMORY, PROCEDURAL].contains(&file)
        || folder.is_some_and(|folder| ["context", "timelines", "projects"].contains(&folder))
}
/// Folder of the daily logs whose month was compacted, if the person chose to move them.
pub const ARCHIVED_DAYS: &str = "archive/days";
/// Like [`ARCHIVED_DAYS`], for session logs.
pub const ARCHIVED_SESSIONS: &str = "archive/sessions";

/// Returns the file that holds a kind of memory. Daily notes go to the file of `today`. Returns `None` for kinds that are not written
/// bullet by bullet.
pub fn file_of(kind: MemoryType, today: Date) -> Option<String> {
    Some(match kind {
        MemoryType::Semantic => MEMORY.into(),
        MemoryType::Procedural => PROCEDURAL.into(),
        MemoryType::Daily => daily_file(today),
        MemoryType::Episodic | MemoryType::Chat | MemoryType::Note => return None,
    })
}

/// Returns the name of a day's file.
pub fn daily_file(day: Date) -> String {
    format!("{day}.md")
}

/// Whether a name belongs to a session's log, archived or not.
pub(super) fn is_session_log(file: &str) -> bool {
    [SESSIONS, ARCHIVED_SESSIONS]
        .iter()
        .any(|folder| file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
}

/// Returns the file of a day's log: in the folder itself, else in the archive.
///
/// # Errors
/// The folder cannot be read.
pub fn day_file(folder: &MemoryFolder, day: Date) -> Result<String, MemoryError> {
    let file = daily_file(day);
    let moved = format!("{ARCHIVED_DAYS}/{file}");
    Ok(if folder.read(&file)?.is_none() && folder.read(&moved)?.is_some() { moved } else { file })
}

/// Returns the days that have a log, archived or not, in no order.
///
/// # Errors
/// The folder cannot be read.
pub fn logged_days(folder: &MemoryFolder) -> Result<Vec<Date>, MemoryError> {
    let files = folder.files()?.into_iter();
    let name = |file: String| {
        file.strip_prefix(ARCHIVED_DAYS).and_then(|name| name.strip_prefix('/')).unwrap_or(&file).to_owned()
    };
    Ok(files.map(name).filter(|name| is_daily(name)).filter_map(|name| name[..10].parse().ok()).collect())
}

/// Whether a name belongs to a day's log.
pub(super) fn is_daily(file: &str) -> bool {
    file.strip_suffix(".md").is_some_and(|day| day.parse::<Date>().is_ok_and(|date| date.to_string() == day))
}

/// Returns the remembered facts: the bullets of `Memory.md` and `Procedural.md`, then those of topics and timelines, to which facts move.
/// Pages of projects are left out, because they repeat facts noted elsewhere.
///
/// # Errors
/// A file cannot be read.
pub fn remembered_bullets(folder: &MemoryFolder) -> Result<Vec<Bullet>, MemoryError> {
    let mut found = bullets_of(folder, MEMORY)?;
    found.extend(bullets_of(folder, PROCEDURAL)?);
    for file in folder.files()? {
        if file.starts_with("context/") || file.starts_with("timelines/") {
            found.extend(bullets_of(folder, &file)?);
        }
    }
    Ok(found)
}

/// Returns the bullets of all durable files (see [`is_durable`]).
///
/// # Errors
/// A file cannot be read.
pub fn durable_bullets(folder: &MemoryFolder) -> Result<Vec<Bullet>, MemoryError> {
    let mut found = Vec::new();
    for file in folder.files()?.into_iter().filter(|file| is_durable(file)) {
        found.extend(bullets_of(folder, &file)?);
    }
    Ok(found)
}

/// Returns the bullets of a file on disk; an empty list if the file does not exist. In a guarded folder, their texts have no
/// secrets and private spans, and bullets inside such a span are left out, so that nobody can ask for them word by word.
/// Ids stay those of the file.
///
/// # Errors
/// The file cannot be read.
pub fn bullets_of(folder: &MemoryFolder, file: &str) -> Result<Vec<Bullet>, MemoryError> {
    let bytes = folder.read(file)?.unwrap_or_default();
    let found = bullets(file, &Lines::of(&bytes));
    Ok(if folder.is_guarded() { without_secrets(found, file, &bytes) } else { found })
}

/// Returns the bullets as the file reads without its secrets. Redaction moves no line.
fn without_secrets(found: Vec<Bullet>, file: &str, bytes: &[u8]) -> Vec<Bullet> {
    let text = String::from_utf8_lossy(bytes);
    let redacted = redact(&text);
    if redacted.findings.is_empty() {
        return found;
    }
    let shown = bullets(file, &Lines::of(redacted.text.as_bytes()));
    let seen = |bullet: Bullet| {
        let shown = shown.iter().find(|shown| shown.lines.start == bullet.lines.start)?;
        Some(Bullet { text: shown.text.clone(), heading: shown.heading.clone(), ..bullet })
    };
    found.into_iter().filter_map(seen).collect()
}

/// Formats `text` as a bullet: the marker on the first line, every further line indented under it.
pub fn bullet_lines(text: &str) -> Vec<String> {
    let mut lines = text.trim().lines().map(str::trim_end);
    let first = lines.next().unwrap_or_default();
    let first = first.strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with(' ')).map_or(first, str::trim);
    let rest = lines.map(|line| if line.is_empty() { String::new() } else { format!("  {line}") });
    std::iter::once(format!("- {first}")).chain(rest).collect()
}

/// Returns the change that appends `bullet` to `section`. A missing section is added at the end of the file. An empty file starts with
/// `title`.
pub fn append_to_section(lines: &Lines<'_>, title: &str, section: &str, bullet: Vec<String>) -> Splice {
    let texts = lines.all();
    let headings = headings(lines);
    let wanted = normalized(section);
    if let Some(index) = headings.iter().position(|(_, name)| normalized(name) == wanted) {
        let end = headings.get(index + 1).map_or(texts.len(), |(line, _)| *line);
        return Splice { at: after_text(&texts, headings[index].0 + 1, end), remove: 0, insert: bullet };
    }
    let mut insert = beginning(&texts, title);
    insert.push(format!("## {section}"));
    insert.extend(bullet);
    Splice { at: after_text(&texts, 0, texts.len()), remove: 0, insert }
}

/// Returns the change that appends `bullet` to the part of a file above the first `##` heading.
pub(super) fn append_above_sections(lines: &Lines<'_>, title: &str, bullet: Vec<String>) -> Splice {
    let texts = lines.all();
    let end =
        headings(lines).iter().find(|(line, _)| texts[*line].starts_with("## ")).map_or(texts.len(), |(at, _)| *at);
    let at = after_text(&texts, 0, end);
    let follows_bullet = bullets("", lines).iter().any(|known| known.lines.end == at);
    let mut insert = beginning(&texts[..end], title);
    if follows_bullet {
        insert.clear();
    }
    insert.extend(bullet);
    Splice { at, remove: 0, insert }
}

/// Returns the lines that precede new text: a blank line, after a title if the file is empty.
pub(super) fn beginning(texts: &[String], title: &str) -> Vec<String> {
    match texts.iter().all(|line| line.trim().is_empty()) {
        true => vec![format!("# {title}"), String::new()],
        false => vec![String::new()],
    }
}

/// Returns the line after the last one with text in `start..end`; `start` if there is none.
pub(super) fn after_text(texts: &[String], start: usize, end: usize) -> usize {
    (start..end).rev().find(|line| !texts[*line].trim().is_empty()).map_or(start, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(text: &str, section: &str) -> String {
        let lines = Lines::of(text.as_bytes());
        let splice = append_to_section(&lines, "Memory", section, vec!["- new".into()]);
        String::from_utf8(lines.spliced(&[splice])).unwrap()
    }

    #[test]
    fn a_bullet_is_appended_to_its_section() {
        let text = "# Memory\n\n## A\n- a\n\nText of A.\n\n## B\n\n- b\n";
        assert_eq!(put(text, "a"), "# Memory\n\n## A\n- a\n\nText of A.\n- new\n\n## B\n\n- b\n");
        assert_eq!(put(text, "B"), "# Memory\n\n## A\n- a\n\nText of A.\n\n## B\n\n- b\n- new\n");
        assert_eq!(put(text, "C"), "# Memory\n\n## A\n- a\n\nText of A.\n\n## B\n\n- b\n\n## C\n- new\n");
        assert_eq!(put("", "C"), "# Memory\n\n## C\n- new\n");
        assert_eq!(put("# M\n```\n## A\n```\n", "A"), "# M\n```\n## A\n```\n\n## A\n- new\n");
        assert_eq!(put("# M\r\n\r\n## A", "A"), "# M\r\n\r\n## A\r\n- new");
    }

    #[test]
    fn daily_bullets_precede_session_sections() {
        let put = |text: &str| {
            let lines = Lines::of(text.as_bytes());
            let splice = append_above_sections(&lines, "2026-03-15", vec!["- 10:00 new".into()]);
            String::from_utf8(lines.spliced(&[splice])).unwrap()
        };
        let first = put("");
        assert_eq!(first, "# 2026-03-15\n\n- 10:00 new\n");
        assert_eq!(put(&first), "# 2026-03-15\n\n- 10:00 new\n- 10:00 new\n");
        let text = "# 2026-03-15\n\n- 09:00 a\n  more\n\n## Session 09:10 · p\n\n- 09:11 b\n";
        assert_eq!(put(text), text.replace("  more\n", "  more\n- 10:00 new\n"));
    }

    #[test]
    fn written_text_is_a_single_bullet() {
        assert_eq!(bullet_lines("- one"), ["- one"]);
        assert_eq!(bullet_lines("one\n\n- two\nthree  "), ["- one", "", "  - two", "  three"]);
        assert_eq!(bullet_lines("*emphasis* first"), ["- *emphasis* first"]);
    }
}
