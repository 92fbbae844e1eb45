//! Writes links to notes, follows moved notes, and repairs links to notes that do not exist.

use std::ops::Range;

use super::MemoryError;
use super::bullet::{Bullet, bullets};
use tars_base::domain::collapse_whitespace;
use tars_vault::{Lines, Splice, Writer};

/// Points the links to `target` in a bullet's lines to `to`, or turns them into plain text if `to` is `None`. The rest of the lines stays
/// as it is. If the bullet was changed in the meantime, the only other bullet of its file with such a link is used. Returns the bullet in
/// its new form; `None` if no line holds the link.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn repair_link(
    writer: &mut Writer<'_>,
    (file, id): (&str, &str),
    target: &str,
    to: Option<&str>,
) -> Result<Option<Bullet>, MemoryError> {
    // A person may have edited the list of proposals. No note's name holds these characters.
    if to.is_some_and(|to| to.trim().is_empty() || to.contains(|c: char| "[]|#^`".contains(c) || c.is_control())) {
        return Ok(None);
    }
    let mut repaired_bullet = None;
    writer.edit(file, |lines| {
        let all = bullets(file, lines);
        let changes = |bullet: &Bullet| -> Vec<Splice> {
            let nested = all
                .iter()
                .map(|other| other.lines.start)
                .find(|start| *start > bullet.lines.start && bullet.lines.contains(start));
            (bullet.lines.start..nested.unwrap_or(bullet.lines.end))
                .filter_map(|at| Some(Splice { at, remove: 1, insert: vec![repaired(&lines.line(at), target, to)?] }))
                .collect()
        };
        let with_link: Vec<&Bullet> = all.iter().filter(|bullet| !changes(bullet).is_empty()).collect();
        let meant = with_link.iter().find(|bullet| bullet.id == id).or(match &with_link[..] {
            [only] => Some(only),
            _ => None,
        });
        let splices = meant.map_or_else(Vec::new, |bullet| changes(bullet));
        // The file is not read back, because it may be hidden.
        let after = lines.spliced(&splices);
        let stands = |bullet: &Bullet| meant.is_some_and(|meant| meant.lines.start == bullet.lines.start);
        repaired_bullet = bullets(file, &Lines::of(&after)).into_iter().find(stands);
        splices
    })?;
    Ok(repaired_bullet)
}

/// Returns a link that reads `text`, to a section of `note`, given by its path in the vault. An empty heading links to the note itself.
pub fn section_link(note: &str, heading: &str, text: &str) -> String {
    // Obsidian writes links to headings this way.
    let target: String = heading.chars().map(|c| if "#|^:%[]".contains(c) { ' ' } else { c }).collect();
    let target = collapse_whitespace(&target);
    let mark = if target.is_empty() { "" } else { "#" };
    format!("[[{}{mark}{target}|{text}]]", note.trim_end_matches(".md"))
}

/// Returns a line with its link targets replaced as `moved` says.
pub fn relinked(line: &str, moved: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, link)) = rest.split_once("[[") {
        let end = link.find(['#', '|', ']']).unwrap_or(link.len());
        out.push_str(before);
        out.push_str("[[");
        out.push_str(moved(&link[..end]).as_deref().unwrap_or(&link[..end]));
        rest = &link[end..];
    }
    out + rest
}

/// Returns the line with its links to `target` repaired; `None` if it has no such link or is not UTF-8.
fn repaired(line: &str, target: &str, to: Option<&str>) -> Option<String> {
    let mut out = String::new();
    let mut from = 0;
    for link in links(line, target) {
        let inner = &line[link.start + 2..link.end - 2];
        // `![[…]]` embeds a note. Without the link there is nothing to embed, so the `!` goes too.
        let start = link.start - usize::from(to.is_none() && line[..link.start].ends_with('!'));
        out.push_str(&line[from..start]);
        match to {
            Some(to) => {
                let rest = inner.find(['#', '|', '^']).map_or("", |at| &inner[at..]);
                // In a table the pipe is escaped: `\|`.
                let stroke =
                    if rest.starts_with('|') && inner[..inner.len() - rest.len()].ends_with('\\') { "\\" } else { "" };
                out.push_str(&format!("[[{to}{stroke}{rest}]]"));
            }
            None => out.push_str(inner.split_once('|').map_or(inner, |(_, shown)| shown)),
        }
        from = link.end;
    }
    (from > 0 && !line.contains('\u{fffd}')).then(|| out + &line[from..])
}

/// Returns the byte ranges of the links to `target`, brackets included, outside of code.
fn links(line: &str, target: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = line[from..].find("[[").map(|at| from + at) {
        let Some(end) = line[start..].find("]]").map(|at| start + at + 2) else { break };
        let inner = &line[start + 2..end - 2];
        let name = inner.split(['#', '|', '^']).next().unwrap_or_default().trim_end_matches('\\').trim();
        let is_code = line[..start].matches('`').count() % 2 == 1;
        if name == target.trim_end_matches('\\').trim() && !is_code {
            found.push(start..end);
            from = end;
        } else {
            from = start + 2;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repairing_a_link_leaves_the_rest_of_the_line() {
        for (line, to, result) in [
            ("- a [[Gone]] b", Some("There"), Some("- a [[There]] b")),
            ("- [[Gone#Part|words]]  [[gone]]", Some("There"), Some("- [[There#Part|words]]  [[gone]]")),
            ("- | [[Gone\\|words]] |", Some("There"), Some("- | [[There\\|words]] |")),
            ("- ![[Gone]] `[[Gone]]` [[Gone|it]]", None, Some("- Gone `[[Gone]]` it")),
            ("- [[Gone", None, None),
            ("- [[[[Gone]]", None, Some("- [[Gone")),
            ("- [[Other]]", None, None),
            ("- \u{fffd} [[Gone]]", None, None),
        ] {
            assert_eq!(repaired(line, "Gone", to).as_deref(), result, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn repair_accepts_any_line(line in "[\\[\\]|#^`!\\\\ aé]{0,30}") {
            for to in [None, Some("there")] {
                if let Some(repaired) = repaired(&line, "a", to) {
                    proptest::prop_assert!(repaired.len() + 12 * line.len() >= line.len());
                    proptest::prop_assert_ne!(&repaired, &line);
                }
            }
        }
    }
}
