//! A line of text that a person edits, with a cursor.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use unicode_segmentation::UnicodeSegmentation;

use crate::snippet::{columns, start_of_column};
use tars_base::domain::is_terminal_control;

/// Longest text in bytes.
const LONGEST: usize = 4 << 10;

/// A line of text. The cursor stands before a character as a person sees it, such as a letter with its accents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Input {
    text: String,
    /// A byte of the text, at the boundary of a character.
    cursor: usize,
}

impl Input {
    /// Returns a line with the cursor at its end.
    pub(crate) fn new(text: &str) -> Self {
        let mut input = Self::default();
        input.insert(text);
        input
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Inserts a typed or pasted text. Line breaks become blanks, other control characters are left out.
    pub(crate) fn insert(&mut self, text: &str) {
        for character in text.chars() {
            let character = if character.is_whitespace() { ' ' } else { character };
            if is_terminal_control(character) || self.text.len() + character.len_utf8() > LONGEST {
                continue;
            }
            self.text.insert(self.cursor, character);
            self.cursor += character.len_utf8();
        }
    }

    /// Applies an editing key. Returns whether it is one.
    pub(crate) fn edit(&mut self, key: KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.text.len(),
            KeyCode::Char('b') if control => self.cursor = self.before(),
            KeyCode::Char('f') if control => self.cursor = self.behind(),
            KeyCode::Char('u') if control => self.remove(0, self.cursor),
            KeyCode::Char('k') if control => self.text.truncate(self.cursor),
            KeyCode::Char('h') if control => self.remove(self.before(), self.cursor),
            KeyCode::Char('w') if control => self.remove(self.word(), self.cursor),
            KeyCode::Backspace if key.modifiers.contains(KeyModifiers::ALT) => self.remove(self.word(), self.cursor),
            KeyCode::Char(typed) if !control && !key.modifiers.contains(KeyModifiers::ALT) => {
                self.insert(typed.encode_utf8(&mut [0; 4]));
            }
            KeyCode::Backspace => self.remove(self.before(), self.cursor),
            KeyCode::Delete => self.remove(self.cursor, self.behind()),
            KeyCode::Left => self.cursor = self.before(),
            KeyCode::Right => self.cursor = self.behind(),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            _ => return false,
        }
        true
    }

    /// Returns the part that fits into `width` columns, and the column of the cursor in it.
    pub(crate) fn shown(&self, width: usize) -> (&str, usize) {
        let (before, room) = (&self.text[..self.cursor], width.saturating_sub(1));
        let start = match columns(before).checked_sub(room) {
            None | Some(0) => 0,
            // The first boundary of a character from which the cursor is in sight.
            Some(_) => {
                let boundaries = before.grapheme_indices(true).map(|(at, _)| at).chain([before.len()]);
                boundaries.into_iter().find(|at| columns(&before[*at..]) <= room).unwrap_or(before.len())
            }
        };
        let rest = &self.text[start..];
        (&rest[..start_of_column(rest, width)], columns(&self.text[start..self.cursor]))
    }

    fn before(&self) -> usize {
        self.text[..self.cursor].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn behind(&self) -> usize {
        self.text[self.cursor..].graphemes(true).next().map_or(self.cursor, |next| self.cursor + next.len())
    }

    /// Returns the beginning of the word before the cursor.
    fn word(&self) -> usize {
        self.text[..self.cursor].trim_end().rfind(' ').map_or(0, |at| at + 1)
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(input: &mut Input, code: KeyCode, modifiers: KeyModifiers) {
        assert!(input.edit(KeyEvent::new(code, modifiers)));
    }

    #[test]
    fn a_character_with_its_accents_is_edited_as_one() {
        let mut input = Input::new("cafe\u{301} 战国");
        for _ in 0..3 {
            press(&mut input, KeyCode::Backspace, KeyModifiers::NONE);
        }
        assert_eq!(input.text(), "cafe\u{301}");
        press(&mut input, KeyCode::Backspace, KeyModifiers::NONE);
        assert_eq!(input.text(), "caf");
        press(&mut input, KeyCode::Home, KeyModifiers::NONE);
        press(&mut input, KeyCode::Char('x'), KeyModifiers::NONE);
        press(&mut input, KeyCode::Char('k'), KeyModifiers::CONTROL);
        assert_eq!(input.text(), "x");
    }

    #[test]
    fn a_word_is_removed_and_a_paste_is_one_clean_line() {
        let mut input = Input::new("shed pump");
        press(&mut input, KeyCode::Char('w'), KeyModifiers::CONTROL);
        input.insert("roof\r\n\u{1b}[31mred");
        assert_eq!(input.text(), "shed roof  [31mred");
        input.insert(&"x".repeat(9_000));
        assert_eq!(input.text().len(), LONGEST);
    }

    #[test]
    fn the_cursor_stays_in_sight() {
        let mut input = Input::new("one two three");
        assert_eq!(input.shown(20), ("one two three", 13));
        assert_eq!(input.shown(6), ("three", 5));
        press(&mut input, KeyCode::Home, KeyModifiers::NONE);
        assert_eq!(input.shown(6), ("one tw", 0));
        assert_eq!(Input::new("战国战国").shown(5), ("战国", 4));
        assert_eq!(Input::new("a").shown(0), ("", 0));
    }
}
