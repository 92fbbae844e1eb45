//! Renders a proposal for the list, and parses it again.
//!
//! ```text
//! - [ ] Add to [[tars/Procedural#Rules]]: Try a migration with `--dry-run` first.
//!   - since: You ran the migration on the real data (corrections.md)
//!   <!-- tars:proposal 5e55b0a2 add from=corrections.md#1a2b3c4d -->
//! ```
//!
//! The first line describes the change; the text after its link may be edited. The comment identifies the affected lines, so that no
//! other lines change.

use super::{ListedProposal, Verdict};
use crate::upkeep::proposal::{Change, Destination, Job, Line, Proposal};
use crate::{Bullet, Encoded, normalized};
use tars_base::domain::collapse_whitespace;
use tars_text::redact::redact;
use tars_vault::{Lines, MemoryFolder};

const OPENING: &str = "<!-- tars:proposal ";
const CLOSING: &str = "-->";
/// Maximum number of sources shown per proposal.
const MAX_SHOWN_SOURCES: usize = 3;
/// Prefixes of explaining lines: the replaced text, and the reason.
const INSTEAD: &str = "instead of: ";
const SINCE: &str = "since: ";
/// Prefix of the line that shows where a link stands.
const IN: &str = "in: ";

/// Returns the lines of an undecided proposal.
pub(super) fn rendered(folder: &MemoryFolder, proposal: &Proposal) -> Vec<String> {
    let change = &proposal.change;
    let place = |place: &Destination| link(folder, &place.file, &place.section);
    let of = |line: &Line| link(folder, &line.file, &line.section);
    let mut nested: Vec<String> = Vec::new();
    let mut instead = |line: &Line| nested.push(format!("{INSTEAD}{}", one_line(&line.text)));
    let said = match change {
        Change::Add { to, text } => format!("Add to {}: {}", place(to), one_line(text)),
        Change::Page { file, lines } => {
            nested.extend(lines.iter().map(|(section, text)| format!("{}: {}", one_line(section), one_line(text))));
            format!("Make {}", link(folder, file, ""))
        }
        Change::Merge { lines, text } => {
            lines.iter().for_each(&mut instead);
            format!("Say in one line in {}: {}", lines.first().map(of).unwrap_or_default(), one_line(text))
        }
        Change::Replace { old, text } => {
            instead(old);
            format!("No longer so, write in {}: {}", of(old), one_line(text))
        }
        Change::Supersede { old, by } => {
            nested.push(format!("{SINCE}{}", one_line(&by.text)));
            format!("No longer so in {}: {}", of(old), one_line(&old.text))
        }
        Change::Remove { line, since } => {
            nested.push(format!("{SINCE}{}", one_line(&since.text)));
            format!("Remove from {}: {}", of(line), one_line(&line.text))
        }
        Change::Link { line, target, to } => {
            // Brackets are removed, so that the list has no broken links of its own.
            nested.push(format!("{IN}{}", one_line(&line.text).replace("[[", "").replace("]]", "")));
            let target = one_line(target);
            match to {
                Some(to) => format!("Link in {}: `[[{target}]]` to `[[{}]]`", of(line), one_line(to)),
                None => format!("No link any more in {}: `[[{target}]]`", of(line)),
            }
        }
        Change::Move { line, to } => format!("Move to {}: {}", place(to), one_line(&line.text)),
    };
    let explained = matches!(change, Change::Supersede { .. } | Change::Remove { .. });
    if !explained {
        let shown = proposal.sources.iter().take(MAX_SHOWN_SOURCES);
        let shown = shown.filter(|line| !line.text.trim().is_empty());
        nested.extend(shown.map(|line| format!("{SINCE}{} ({})", one_line(&line.text), one_line(&line.file))));
        let more = proposal.sources.len().saturating_sub(MAX_SHOWN_SOURCES);
        nested.extend((more > 0).then(|| format!("{SINCE}{more} more like these")));
    }
    std::iter::once(format!("- [ ] {said}"))
        .chain(nested.into_iter().map(|line| format!("  - {line}")))
        .chain([format!("  {}", comment(proposal))])
        .collect()
}

/// Parses a bullet of the list; `None` if it is no proposal or its comment was damaged.
pub(super) fn read(bullet: &Bullet, lines: &Lines<'_>) -> Option<ListedProposal> {
    let (verdict, said) = Verdict::of(&bullet.text)?;
    let whole: Vec<String> = bullet.lines.clone().map(|line| lines.line(line).trim().to_owned()).collect();
    let comment = whole.iter().rev().find_map(|line| line.strip_prefix(OPENING)?.strip_suffix(CLOSING))?;
    let mut words = comment.split_whitespace();
    let (id, kind) = (words.next()?.to_owned(), words.next()?);
    let fields: Vec<(&str, &str)> = words.filter_map(|word| word.split_once('=')).collect();
    let field = |name: &str| fields.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let named =
        |name: &str| -> Vec<Line> { field(name).unwrap_or_default().split(',').filter_map(named_line).collect() };
    let (mut about, by) = (named("lines"), named("by").into_iter().next());
    let text = said.split_once("]]: ").map_or("", |(_, text)| text).trim().to_owned();
    let explained = |start: &str| -> Vec<String> {
        let nested = whole.iter().skip(1).filter_map(|line| line.strip_prefix("- ")?.strip_prefix(start));
        nested.map(|text| text.trim().to_owned()).collect()
    };
    for (line, text) in about.iter_mut().zip(explained(INSTEAD)) {
        line.text = text;
    }
    let section = said.split_once("[[").and_then(|(_, rest)| rest.split_once("]]")?.0.split_once('#'));
    let section = section.map_or_else(String::new, |(_, section)| section.to_owned());
    if kind != "move" {
        about.iter_mut().for_each(|line| line.section.clone_from(&section));
    }
    let to = || field("to").and_then(named_line).map(|line| Destination { file: line.file, section: line.id });
    let first = || about.first().filter(|_| about.len() == 1).cloned();
    let as_shown = |line: Line| Line { text: text.clone(), ..line };
    let since = |line: Line| Line { text: explained(SINCE).into_iter().next().unwrap_or_default(), ..line };
    let change = match kind {
        "add" => Change::Add { to: to()?, text },
        "page" => Change::Page { file: to()?.file, lines: page_lines(&whole) },
        "merge" if !about.is_empty() => Change::Merge { lines: about.clone(), text },
        "replace" => Change::Replace { old: first()?, text },
        "supersede" => Change::Supersede { old: as_shown(first()?), by: since(by?) },
        "remove" => Change::Remove { line: as_shown(first()?), since: since(by?) },
        "link" => Change::Link {
            line: Line { text: explained(IN).into_iter().next().unwrap_or_default(), ..first()? },
            target: named("link").into_iter().next()?.file,
            to: named("to").into_iter().next().map(|line| line.file),
        },
        "move" => Change::Move { line: as_shown(first()?), to: to()? },
        _ => return None,
    };
    if change.brings_text() && normalized(change.text()).is_empty() {
        return None;
    }
    let mut sources = named("from");
    for (line, said) in sources.iter_mut().zip(explained(SINCE)) {
        line.text = said.strip_suffix(&format!(" ({})", line.file)).unwrap_or(&said).to_owned();
    }
    let proposal = Proposal { job: Job::of(&bullet.heading), change, sources };
    Some(ListedProposal { id, verdict, proposal, bullet: bullet.clone() })
}

/// Returns the proposal id of a comment line; `None` for other lines.
pub(super) fn id_in(line: &str) -> Option<&str> {
    line.trim().strip_prefix(OPENING)?.split_whitespace().next()
}

fn page_lines(whole: &[String]) -> Vec<(String, String)> {
    let said = whole.iter().skip(1).filter_map(|line| line.strip_prefix("- ")).filter(|line| !line.starts_with(SINCE));
    said.filter_map(|line| line.split_once(": ")).map(|(section, text)| (section.into(), text.into())).collect()
}

fn comment(proposal: &Proposal) -> String {
    let change = &proposal.change;
    let mut comment = format!("{OPENING}{} {}", change.id(), change.as_str());
    let mut field = |name: &str, lines: &[(&str, &str)]| {
        if !lines.is_empty() {
            let lines: Vec<String> =
                lines.iter().map(|(file, id)| format!("{}#{}", Encoded(file), Encoded(id))).collect();
            comment.push_str(&format!(" {name}={}", lines.join(",")));
        }
    };
    match change {
        Change::Add { to, .. } | Change::Move { to, .. } => field("to", &[(&to.file, &to.section)]),
        Change::Page { file, .. } => field("to", &[(file, "")]),
        Change::Supersede { by: line, .. } | Change::Remove { since: line, .. } => field("by", &[line.key()]),
        Change::Link { target, to, .. } => {
            field("link", &[(target, "")]);
            field("to", &to.iter().map(|to| (to.as_str(), "")).collect::<Vec<_>>());
        }
        Change::Merge { .. } | Change::Replace { .. } => {}
    }
    field("lines", &change.lines().iter().map(Line::key).collect::<Vec<_>>());
    field("from", &proposal.sources.iter().map(Line::key).collect::<Vec<_>>());
    comment + " " + CLOSING
}

fn named_line(word: &str) -> Option<Line> {
    let (file, id) = word.split_once('#')?;
    Some(Line { file: Encoded::decoded(file), id: Encoded::decoded(id), ..Line::default() })
}

/// Returns a link to a heading of a file. Characters that a link cannot hold are left out; if nothing remains, the link leads to the file.
fn link(folder: &MemoryFolder, file: &str, section: &str) -> String {
    let path = folder.vault_path(file.strip_suffix(".md").unwrap_or(file));
    let section: String = section.chars().filter(|c| !"[]|#^\n".contains(*c)).collect();
    match section.trim() {
        "" => format!("[[{path}]]"),
        section => format!("[[{path}#{section}]]"),
    }
}

/// Returns a text as one line without secrets and without comment marks.
fn one_line(text: &str) -> String {
    collapse_whitespace(&redact(text).text).replace("<!--", "< !--").replace("-->", "-- >")
}
