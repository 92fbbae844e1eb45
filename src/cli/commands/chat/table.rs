//! Renders a table: in columns if it fits the width, else row by row.

use anstyle::Style;

use super::inline::{is_mark, translated_whole};
use crate::snippet::columns;

const FAINT: Style = Style::new().dimmed();
/// Between two columns.
const GAP: &str = "  ";

/// A table, cell by cell, with the marks of [`translated_whole`] in its cells.
pub(super) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads lines that begin with `|`; `None` if the second is no line of dashes.
    pub(super) fn of(lines: &[String]) -> Option<Self> {
        let [head, dashes, rows @ ..] = lines else { return None };
        let is_dashes = |cell: &String| cell.contains('-') && cell.chars().all(|character| "-: ".contains(character));
        if cells(dashes).is_empty() || !cells(dashes).iter().all(is_dashes) {
            return None;
        }
        let translated =
            |line: &String| -> Vec<String> { cells(line).iter().map(|cell| translated_whole(cell)).collect() };
        let mut rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).map(translated).collect();
        // A row may have more cells than the head, and none of them is lost.
        let count = rows.iter().map(Vec::len).max().unwrap_or_default();
        rows.iter_mut().for_each(|row| row.resize(count, String::new()));
        let rest = rows.split_off(1);
        Some(Self { head: rows.pop().unwrap_or_default(), rows: rest })
    }

    /// Returns the lines of the table in columns, each with its cells styled by `styled`; `None` if it is wider than `width`.
    pub(super) fn in_columns(&self, width: usize, styled: &dyn Fn(&str) -> String) -> Option<String> {
        let widest = |column: usize| {
            let cells = std::iter::once(&self.head).chain(&self.rows).map(|row| taken(&row[column]));
            cells.max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..self.head.len()).map(widest).collect();
        if widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1) > width {
            return None;
        }
        let line = |row: &[String]| {
            let padded = row.iter().zip(&widths).map(|(cell, width)| styled(cell) + &" ".repeat(width - taken(cell)));
            padded.collect::<Vec<_>>().join(GAP).trim_end().to_owned() + "\n"
        };
        let strong =
            |cell: &String| if cell.contains("**") || cell.is_empty() { cell.clone() } else { format!("**{cell}**") };
        let head = line(&self.head.iter().map(strong).collect::<Vec<_>>());
        let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
        let head = head + &format!("{FAINT}{}{FAINT:#}\n", rule.join(GAP));
        Some(self.rows.iter().fold(head, |text, row| text + &line(row)))
    }

    /// Returns the table row by row, as lines of the form `head: cell`, with a blank line between rows.
    pub(super) fn in_rows(&self) -> String {
        let cell = |(head, cell): (&String, &String)| {
            let head = if head.is_empty() { String::new() } else { format!("**{head}:** ") };
            (!cell.is_empty()).then(|| format!("{head}{cell}\n"))
        };
        let row = |row: &Vec<String>| self.head.iter().zip(row).filter_map(cell).collect::<String>();
        let rows: Vec<String> = self.rows.iter().map(row).filter(|row| !row.is_empty()).collect();
        if rows.is_empty() { self.head.join(GAP) + "\n" } else { rows.join("\n") }
    }
}

/// Returns the cells of a line. `\|` is no border.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().replace("\\|", "\u{0}");
    let inner = line.strip_prefix('|').unwrap_or(&line);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner.split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect()
}

/// Returns the width of a cell without its marks.
fn taken(cell: &str) -> usize {
    let shown: String = cell.chars().filter(|character| !is_mark(*character)).collect();
    columns(&shown.replace("**", "").replace('`', ""))
}
