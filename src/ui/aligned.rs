//! A backend under which every cell stays in its column, although terminals count the columns of some characters differently.
//!
//! Flags, emoji of several parts and letters of Indic scripts take more columns in one terminal than in another. Such a terminal puts
//! what follows elsewhere than `ratatui` thinks, so that later changes miss it, and it stays. Therefore this backend clears a row that
//! has or had such a character once a cell of it changes, and writes all of it; it places the cursor anew after each such character.
//! Other rows pass as they are.

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::{Cell, CellWidth};
use ratatui::layout::{Position, Size};

/// A backend that keeps the rows that it has written.
#[derive(Debug)]
pub(crate) struct Aligned<B> {
    backend: B,
    rows: Vec<Vec<Cell>>,
}

impl<B: Backend> Aligned<B> {
    /// Returns a backend for a terminal that is clear.
    pub(crate) fn new(backend: B) -> Self {
        Self { backend, rows: Vec::new() }
    }

    /// Notes changed cells of a row. Returns whether the row has to be written as a whole.
    fn change(&mut self, changes: &[(u16, u16, &Cell)]) -> bool {
        let y = changes.first().map_or(0, |(_, y, _)| usize::from(*y));
        if self.rows.len() <= y {
            self.rows.resize_with(y + 1, Vec::new);
        }
        let row = &mut self.rows[y];
        let was_unsure = row.iter().any(is_unsure);
        for (x, _, cell) in changes {
            let (start, end) = (usize::from(*x), usize::from(*x) + width(cell));
            row.resize(row.len().max(end), Cell::EMPTY);
            row[start..end].fill(Cell::EMPTY);
            row[start] = (*cell).clone();
        }
        was_unsure || row.iter().any(is_unsure)
    }

    fn write(&mut self, y: u16) -> Result<(), B::Error> {
        self.backend.set_cursor_position((0, y))?;
        self.backend.clear_region(ClearType::CurrentLine)?;
        let row = &self.rows[usize::from(y)];
        let mut run = Vec::new();
        let mut x = 0;
        while let Some(cell) = row.get(x) {
            if *cell != Cell::EMPTY {
                run.push((x as u16, y, cell));
            }
            if is_unsure(cell) {
                // Each call places the cursor first.
                self.backend.draw(run.drain(..))?;
            }
            x += width(cell);
        }
        self.backend.draw(run.into_iter())
    }
}

/// Whether terminals disagree about the columns of a character as a person sees it: it has several parts, or later versions of Unicode
/// have made it wider, or it is a private one.
fn is_unsure(cell: &Cell) -> bool {
    let mut characters = cell.symbol().chars();
    let first = characters.next().unwrap_or(' ');
    characters.next().is_some()
        || matches!(first, '\u{ad}' | '\u{2600}'..='\u{27bf}' | '\u{e000}'..='\u{f8ff}' | '\u{1f000}'..='\u{1ffff}')
}

fn width(cell: &Cell) -> usize {
    cell.cell_width().max(1).into()
}

impl<B: Backend> Backend for Aligned<B> {
    type Error = B::Error;

    fn draw<'a, I>(&mut self, content: I) -> Result<(), B::Error>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let content: Vec<(u16, u16, &Cell)> = content.collect();
        let (mut sure, mut unsure) = (Vec::new(), Vec::new());
        for changes in content.chunk_by(|one, next| one.1 == next.1) {
            match self.change(changes) {
                true => unsure.push(changes[0].1),
                false => sure.extend_from_slice(changes),
            }
        }
        self.backend.draw(sure.into_iter())?;
        unsure.into_iter().try_for_each(|y| self.write(y))
    }

    fn hide_cursor(&mut self) -> Result<(), B::Error> {
        self.backend.hide_cursor()
    }

    fn show_cursor(&mut self) -> Result<(), B::Error> {
        self.backend.show_cursor()
    }

    fn get_cursor_position(&mut self) -> Result<Position, B::Error> {
        self.backend.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), B::Error> {
        self.backend.set_cursor_position(position)
    }

    fn clear(&mut self) -> Result<(), B::Error> {
        self.rows.clear();
        self.backend.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> Result<(), B::Error> {
        // The picker clears nothing but the whole screen.
        if region == ClearType::All {
            self.rows.clear();
        }
        self.backend.clear_region(region)
    }

    fn size(&self) -> Result<Size, B::Error> {
        self.backend.size()
    }

    fn window_size(&mut self) -> Result<WindowSize, B::Error> {
        self.backend.window_size()
    }

    fn flush(&mut self) -> Result<(), B::Error> {
        self.backend.flush()
    }
}

#[cfg(test)]
mod tests {
    use ratatui::backend::CrosstermBackend;
    use ratatui::layout::Rect;
    use ratatui::{Terminal, TerminalOptions, Viewport};

    use super::*;

    const COLUMNS: u16 = 24;
    /// Rows with all kinds of characters whose columns terminals count differently, with a rule in column 16.
    const UNSURE: [&str; 4] = ["🇩🇪🇯🇵 flags", "देवनागरी नमस्ते", "👩\u{200d}👧 ✔\u{fe0f} e\u{301}", "plain"];
    const PLAIN: [&str; 4] = ["a", "two", "", "plain"];

    /// Draws frames, and returns the bytes for the terminal.
    fn drawn(frames: &[[&str; 4]]) -> String {
        let mut bytes = Vec::new();
        let viewport = Viewport::Fixed(Rect::new(0, 0, COLUMNS, 4));
        let backend = Aligned::new(CrosstermBackend::new(&mut bytes));
        let mut terminal = Terminal::with_options(backend, TerminalOptions { viewport }).unwrap();
        for rows in frames {
            let draw = |frame: &mut ratatui::Frame<'_>| {
                for (row, text) in (0..).zip(rows) {
                    frame.render_widget(*text, Rect::new(0, row, 16, 1));
                    frame.render_widget("│rule", Rect::new(16, row, 8, 1));
                }
            };
            terminal.draw(draw).unwrap();
        }
        drop(terminal);
        String::from_utf8(bytes).unwrap()
    }

    /// Returns the screen of a terminal that counts columns in its own way.
    fn shown(bytes: &str, columns: fn(char) -> usize) -> Vec<String> {
        let mut screen = vec![vec![' '; COLUMNS.into()]; 4];
        let (mut x, mut y) = (0, 0);
        let mut rest = bytes;
        while let Some(character) = rest.chars().next() {
            rest = &rest[character.len_utf8()..];
            if character == '\u{1b}' {
                let end = rest.find(char::is_alphabetic).unwrap();
                let numbers: Vec<usize> = rest[1..end].split(';').filter_map(|number| number.parse().ok()).collect();
                match &rest[end..=end] {
                    "H" => (y, x) = (numbers[0] - 1, numbers[1] - 1),
                    "K" => screen[y].fill(' '),
                    _ => {}
                }
                rest = &rest[end + 1..];
                continue;
            }
            // It wraps no line, so the last column is written again and again.
            for _ in 0..columns(character) {
                screen[y][x.min(usize::from(COLUMNS) - 1)] = character;
                x += 1;
            }
        }
        screen.into_iter().map(|row| row.into_iter().collect()).collect()
    }

    #[test]
    fn nothing_is_left_of_characters_whose_columns_terminals_count_differently() {
        let expected = shown(&drawn(&[PLAIN]), |_| 1);
        let counts: [fn(char) -> usize; 3] = [
            |_| 1,
            |one| if one.is_ascii() || one == '│' { 1 } else { 2 },
            |one| usize::from(one < '\u{900}' || one == '│'),
        ];
        for columns in counts {
            assert_eq!(shown(&drawn(&[UNSURE, PLAIN]), columns), expected);
            for row in shown(&drawn(&[PLAIN, UNSURE]), columns) {
                assert_eq!(row.chars().skip(16).collect::<String>(), "│rule   ", "the rule stays in its column");
            }
        }
    }

    #[test]
    fn rows_of_ordinary_characters_are_never_cleared() {
        assert!(!drawn(&[PLAIN, ["战国", "Änderung", "x", ""]]).contains("\u{1b}[2K"));
        assert_eq!(drawn(&[UNSURE]).matches("\u{1b}[2K").count(), 3);
    }
}
