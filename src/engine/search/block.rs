//! Blocks with a link name, as in Obsidian: a paragraph or list item that ends in ` ^name`, or the block above a line that
//! holds only `^name`, such as a table.

use std::ops::RangeInclusive;

use tars_text::markdown::list_item;
use tars_text::names::folded;

/// Returns the range in `lines` of the block called `name`, or `None`. A list item includes the lines nested under it.
pub(super) fn block(lines: &[&str], name: &str) -> Option<RangeInclusive<usize>> {
    let mark = folded(&format!("^{}", name.trim()));
    let is_marked = |line: &&str| {
        let line = folded(line.trim());
        line.strip_suffix(&mark).is_some_and(|before| before.is_empty() || before.ends_with(char::is_whitespace))
    };
    if mark.len() < 2 {
        return None;
    }
    let at = lines.iter().position(is_marked)?;
    let is_alone = folded(lines[at].trim()) == mark;
    // A blank line may separate the block from its name.
    let last = match is_alone {
        true => lines[..at].iter().rposition(|line| !line.trim().is_empty())?,
        false => at,
    };
    let mut first = last;
    // A name on its own line stands for a whole list.
    let is_item = |line: &str| !is_alone && begins_item(line);
    while first > 0 && continues(lines[first - 1]) && !is_item(lines[first]) && !is_heading(lines[first]) {
        first -= 1;
    }
    let end = if is_item(lines[first]) { last + nested(lines, first, last) } else { last };
    Some(first..=end)
}

fn begins_item(line: &str) -> bool {
    list_item(line.trim_start()).is_some()
}

/// Whether a line is a heading, which starts a new block.
fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with([' ', '\t'])
}

/// Whether a block can continue after this line.
fn continues(line: &str) -> bool {
    !line.trim().is_empty() && !is_heading(line)
}

/// Returns how many lines after `last` are nested under the list item at `first`.
fn nested(lines: &[&str], first: usize, last: usize) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(lines[first]);
    lines[last + 1..].iter().take_while(|line| !line.trim().is_empty() && indent(line) > own).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_a_paragraph_a_list_item_or_the_lines_above_its_name() {
        let text = "# A\nOne\ntwo ^para\n\n- item ^first\n  - nested\n- other\n  goes on ^second\n\n| a |\n|---|\n\n^table\n\n## H ^head";
        let lines: Vec<&str> = text.split('\n').collect();
        let found = |name: &str| block(&lines, name).map(|range| lines[range].join("\n"));
        for (name, said) in [
            ("para", "One\ntwo ^para"),
            ("PARA", "One\ntwo ^para"),
            ("first", "- item ^first\n  - nested"),
            ("second", "- other\n  goes on ^second"),
            ("table", "| a |\n|---|"),
            ("head", "## H ^head"),
        ] {
            assert_eq!(found(name).as_deref(), Some(said), "{name}");
        }
        for missing in ["", "par", "ara", "nothing"] {
            assert_eq!(found(missing), None, "{missing}");
        }
        assert_eq!(block(&["^x"], "x"), None, "nothing stands above it");
    }
}
