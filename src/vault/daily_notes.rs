//! Finds a person's daily notes in a vault, from the settings that Obsidian keeps in `.obsidian`.
//!
//! | file | keys | owner |
//! |---|---|---|
//! | `daily-notes.json` | `folder`, `format` | the core plugin |
//! | `plugins/periodic-notes/data.json` | `daily.folder`, `daily.format` | the plugin Periodic Notes |
//!
//! Formats follow moment.js: `YYYY/MM/YYYY-MM-DD`, `D MMMM YYYY`. Names of months and weekdays are in Obsidian's language, which
//! the settings do not contain. The pattern therefore accepts any word, and the note's name must then be a date that tars
//! understands. Without settings, a note whose name is its day (`2026-11-25.md`) is a daily note in any folder.

use std::path::Path;

use jiff::civil::Date;
use regex::Regex;
use serde_json::Value;

use super::ignore_files::{Content, read_settings_file};
use super::obsidian;
use tars_text::markdown::days_in_text;

/// Each settings file: the folders above it, its name, and the JSON pointer to the settings in it.
const FILES: [(&[&str], &str, &str); 2] =
    [(&[], "daily-notes.json", ""), (&["plugins", "periodic-notes"], "data.json", "/daily")];
/// Obsidian's default format.
const DEFAULT_FORMAT: &str = "YYYY-MM-DD";
/// Longest folder or format that is read, in characters.
const MAX_CHARS: usize = 1000;

/// The locations of a person's daily notes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DailyNotes {
    /// The places from the settings; empty without settings.
    places: Vec<Place>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    folder: String,
    format: String,
}

impl DailyNotes {
    /// Reads the settings of the vault at `root`. Settings that cannot be read count as absent: daily notes are then found by their
    /// names.
    pub fn read(root: &Path) -> Self {
        let Ok(Some(settings)) = obsidian::folder(root) else { return Self::default() };
        let place = |(folders, name, pointer): (&[&str], &str, &str)| {
            let folder = settings.descend(folders.iter().copied()).ok()?;
            let Ok(Content::Text(content)) = read_settings_file(&folder, name) else { return None };
            let values: Value = serde_json::from_str(&content).ok()?;
            let values = values.pointer(pointer).and_then(Value::as_object)?;
            // The plugin keeps the settings of periods that are turned off.
            if values.get("enabled").and_then(Value::as_bool) == Some(false) {
                return None;
            }
            let setting = |key: &str| {
                let value = values.get(key).and_then(Value::as_str).unwrap_or_default();
                value.trim().trim_matches('/').chars().take(MAX_CHARS).collect::<String>()
            };
            let format = Some(setting("format")).filter(|format| !format.is_empty());
            Some(Place { folder: setting("folder"), format: format.unwrap_or_else(|| DEFAULT_FORMAT.to_owned()) })
        };
        Self { places: FILES.into_iter().filter_map(place).collect() }
    }

    /// Returns those of `paths` (relative to the vault) that are daily notes of `day`.
    pub fn of_day<'p>(&self, day: Date, paths: impl IntoIterator<Item = &'p str>) -> Vec<&'p str> {
        let patterns: Vec<Pattern> = self.places.iter().filter_map(|place| Pattern::of(place, day)).collect();
        let is_of_day = |path: &&str| {
            let Some(bare) = path.strip_suffix(".md") else { return false };
            match self.places.is_empty() {
                true => bare.rsplit('/').next() == Some(day.to_string().as_str()),
                false => patterns.iter().any(|pattern| pattern.fits(bare, day)),
            }
        };
        paths.into_iter().filter(is_of_day).collect()
    }
}

/// The path pattern of one day's note, without the extension.
struct Pattern {
    path: Regex,
    /// Whether the month is a word. The pattern accepts any word, so the date must be checked as well.
    is_worded: bool,
}

impl Pattern {
    fn of(place: &Place, day: Date) -> Option<Self> {
        let (name, is_worded) = pattern(&place.format, day);
        let folder = if place.folder.is_empty() { String::new() } else { regex::escape(&place.folder) + "/" };
        Some(Self { path: Regex::new(&format!("^{folder}{name}$")).ok()?, is_worded })
    }

    fn fits(&self, path: &str, day: Date) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.path.is_match(path) && (!self.is_worded || days_in_text(name).any(|named| named == day))
    }
}

/// Returns a regular expression for `day` in `format`, and whether the month is a word in it.
fn pattern(format: &str, day: Date) -> (String, bool) {
    let characters: Vec<char> = format.chars().collect();
    let (mut out, mut is_worded, mut at) = (String::new(), false, 0);
    while let Some(&character) = characters.get(at) {
        if character == '[' {
            // Text in brackets is literal.
            let inner: String = characters[at + 1..].iter().take_while(|character| **character != ']').collect();
            at += inner.chars().count() + 2;
            out += &regex::escape(&inner);
            continue;
        }
        let length = characters[at..].iter().take_while(|other| **other == character).count();
        at += length;
        let is_ordinal = characters.get(at) == Some(&'o') && length == 1 && "MDdwWQ".contains(character);
        let number = |number: i64| if length == 1 { number.to_string() } else { format!("{number:0length$}") };
        let week = day.iso_week_date();
        let part = match (character, length) {
            ('Y', 2) => format!("{:02}", day.year().rem_euclid(100)),
            ('Y', 1 | 4) => format!("{:04}", day.year()),
            ('M', 1 | 2) => number(day.month().into()),
            ('M', 3 | 4) => {
                is_worded = true;
                WORD.to_owned()
            }
            ('D', 1 | 2) => number(day.day().into()),
            ('D', 3) => day.day_of_year().to_string(),
            ('D', 4) => format!("{:03}", day.day_of_year()),
            ('d', 2..=4) => WORD.to_owned(),
            ('d', 1) => day.weekday().to_sunday_zero_offset().to_string(),
            ('E', 1) => day.weekday().to_monday_one_offset().to_string(),
            ('W', 1 | 2) => number(week.week().into()),
            ('G', 4) => week.year().to_string(),
            ('Q', 1) => (u8::try_from(day.month()).map_or(0, |month| (month - 1) / 3) + 1).to_string(),
            // Locale-dependent weeks, and times: any number.
            ('w' | 'g' | 'H' | 'h' | 'k' | 'm' | 's', _) => r"\d+".to_owned(),
            _ => regex::escape(&character.to_string().repeat(length)),
        };
        out += &part;
        if is_ordinal {
            at += 1;
            out += r"(\p{L}{1,3}|\.|º|ª)?";
        }
    }
    (out, is_worded)
}

/// Any word of a date: `Nov.`, `марта`.
const WORD: &str = r"[\p{L}\p{M}]+\.?";

#[cfg(test)]
mod tests {
    use std::fs;

    use jiff::civil::date;

    use super::*;

    fn of(name: &str, settings: &str) -> DailyNotes {
        let vault = tempfile::tempdir().unwrap();
        let file = vault.path().join(".obsidian").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, settings).unwrap();
        DailyNotes::read(vault.path())
    }

    fn set(folder: &str, format: &str) -> DailyNotes {
        of("daily-notes.json", &serde_json::json!({ "folder": folder, "format": format }).to_string())
    }

    #[test]
    fn formats_follow_obsidian() {
        let day = date(2026, 3, 5);
        for (format, path) in [
            ("", "Daily/2026-03-05.md"),
            ("YYYY/MM/YYYY-MM-DD", "Daily/2026/03/2026-03-05.md"),
            ("D.M.YY", "Daily/5.3.26.md"),
            ("YYYYMMDD dddd", "Daily/20260305 Donnerstag.md"),
            ("MMMM Do, YYYY", "Daily/March 5th, 2026.md"),
            ("D. MMMM YYYY", "Daily/5. März 2026.md"),
            ("[Day] DDDD [of] YYYY", "Daily/Day 064 of 2026.md"),
            ("GGGG-[W]WW-E", "Daily/2026-W10-4.md"),
            ("YYYY [(a+b)] Q", "Daily/2026 (a+b) 1.md"),
        ] {
            assert_eq!(set("/Daily/", format).of_day(day, [path]), [path], "{format}");
        }
        for (format, path) in [
            ("YYYY-MM-DD", "2026-03-05.md"),
            ("YYYY-MM-DD", "Daily/2026-03-06.md"),
            ("YYYY-MM-DD", "Daily/2026-03-05 b.md"),
            ("YYYY-MM-DD", "Daily/2026-03-05.canvas"),
            ("D MMMM YYYY", "Daily/5 April 2026.md"),
            ("YYYY.MM", "Daily/2026x03.md"),
        ] {
            assert_eq!(set("Daily", format).of_day(day, [path]), [""; 0], "{format}");
        }
    }

    #[test]
    fn without_settings_a_note_named_by_its_day_is_a_daily_note() {
        let paths = ["2026-03-05.md", "Journal/2026/2026-03-05.md", "2026-03-06.md", "Notes/2026-03-05 talk.md"];
        let unset = DailyNotes::read(Path::new("/nonexistent"));
        assert_eq!(unset.of_day(date(2026, 3, 5), paths), paths[..2]);
        assert_eq!(of("daily-notes.json", "{ not json").of_day(date(2026, 3, 5), paths), paths[..2]);
        assert_eq!(of("daily-notes.json", "{}").of_day(date(2026, 3, 5), paths), paths[..1]);
    }

    #[test]
    fn periodic_notes_settings_count_unless_disabled() {
        let file = "plugins/periodic-notes/data.json";
        let settings = |enabled: bool| format!(r#"{{"daily":{{"folder":"P","format":"","enabled":{enabled}}}}}"#);
        let paths = ["P/2026-03-05.md", "2026-03-05.md"];
        assert_eq!(of(file, &settings(true)).of_day(date(2026, 3, 5), paths), paths[..1]);
        assert_eq!(of(file, &settings(false)).of_day(date(2026, 3, 5), paths), paths);
    }
}
