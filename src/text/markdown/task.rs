//! Boxes in lists: what is to do, and when.
//!
//! Reads plain boxes (`- [ ] call Mara`), the signs of the Obsidian plugin Tasks (`📅 2026-12-01`, `🔁 every week`) and the fields of
//! Dataview (`[due:: 2026-12-01]`). A sign or field whose value cannot be read stays text.

use jiff::civil::Date;

use super::list_item::list_item;

/// Longest field of Dataview in bytes; longer brackets are text.
const LONGEST_FIELD: usize = 200;
/// Signs that may follow an emoji and only say how to draw it.
const DRAWN_AS_PICTURE: char = '\u{fe0f}';

/// A box in a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Task {
    /// The character in the box.
    pub mark: char,
    /// The text without signs and fields, in one line.
    pub text: String,
    /// When it is due.
    pub due: Option<Date>,
    /// When somebody means to work on it.
    pub scheduled: Option<Date>,
    /// The first day on which it can be done.
    pub start: Option<Date>,
    /// When it was written down.
    pub created: Option<Date>,
    /// When it was done.
    pub done: Option<Date>,
    /// When it was given up.
    pub cancelled: Option<Date>,
    /// How it recurs, as written: `every week`.
    pub recurrence: Option<String>,
    /// `highest`, `high`, `medium`, `low` or `lowest`.
    pub priority: Option<&'static str>,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// It is to do. Boxes with an unknown character count as open.
    Open,
    /// It is done.
    Done,
    /// It was given up.
    Cancelled,
}

impl Task {
    /// Returns how far it is, by the character in the box.
    pub fn state(&self) -> TaskState {
        match self.mark {
            'x' | 'X' => TaskState::Done,
            '-' => TaskState::Cancelled,
            _ => TaskState::Open,
        }
    }
}

/// Returns the task in a line; `None` if the line has no box, or nothing after it.
pub fn task(line: &str) -> Option<Task> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
    let mut boxed = list_item(line)?.strip_prefix('[')?.chars();
    let mark = boxed.next()?;
    let rest = boxed.as_str().strip_prefix(']')?.strip_prefix([' ', '\t'])?;
    let mut task = Task { mark, ..Task::default() };
    let (mut text, mut rest) = (String::new(), without_block_name(rest));
    while let Some(next) = rest.chars().next() {
        match sign(rest, &mut task).or_else(|| field(rest, &mut task)) {
            Some(after) => {
                text.push(' ');
                rest = after;
            }
            None => {
                text.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    task.text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!task.text.is_empty()).then_some(task)
}

/// Removes the name of the block (`^name`) from the end of a text.
fn without_block_name(text: &str) -> &str {
    let text = text.trim_end();
    let Some((before, name)) = text.rsplit_once(" ^") else { return text };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if is_name { before } else { text }
}

/// Reads a sign at the start of `text`, and returns the text behind its value.
fn sign<'t>(text: &'t str, task: &mut Task) -> Option<&'t str> {
    let sign = text.chars().next()?;
    if sign.is_ascii() {
        return None;
    }
    let after = text[sign.len_utf8()..].trim_start_matches(DRAWN_AS_PICTURE);
    let value = after.trim_start();
    if let Some(priority) = priority_of(sign) {
        task.priority = Some(priority);
        return Some(after);
    }
    match sign {
        '🔁' => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, ',' | '!' | ' ');
            let end = value.find(|c| !is_part(c)).unwrap_or(value.len());
            let said = value[..end].trim_end();
            (!said.is_empty()).then(|| task.recurrence = Some(said.to_owned()))?;
            Some(&value[end..])
        }
        // The names of a task and of those before it, and what happens to it once it is done.
        '🆔' | '⛔' | '🏁' => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, ',' | '-' | '_');
            let end = value.find(|c| !is_part(c)).unwrap_or(value.len());
            (end > 0).then(|| &value[end..])
        }
        _ => {
            let key = match sign {
                '📅' | '📆' | '🗓' => "due",
                '⏳' | '⌛' => "scheduled",
                '🛫' => "start",
                '➕' => "created",
                '✅' => "completion",
                '❌' => "cancelled",
                _ => return None,
            };
            let date = value.get(..10)?;
            set_date(task, key, date).then(|| &value[10..])
        }
    }
}

fn priority_of(sign: char) -> Option<&'static str> {
    Some(match sign {
        '🔺' => "highest",
        '⏫' => "high",
        '🔼' => "medium",
        '🔽' => "low",
        '⏬' => "lowest",
        _ => return None,
    })
}

/// Reads a field of Dataview at the start of `text`, and returns the text behind it.
fn field<'t>(text: &'t str, task: &mut Task) -> Option<&'t str> {
    let close = match text.as_bytes().first()? {
        b'[' => ']',
        b'(' => ')',
        _ => return None,
    };
    let (end, _) = text.char_indices().take_while(|(at, _)| *at < LONGEST_FIELD).find(|(_, c)| *c == close)?;
    let (key, value) = text[1..end].split_once("::")?;
    let value = value.trim();
    let is_read = match key.trim() {
        "repeat" if !value.is_empty() => {
            task.recurrence = Some(value.to_owned());
            true
        }
        "priority" => {
            let known = ["highest", "high", "medium", "low", "lowest"].into_iter().find(|known| *known == value);
            task.priority = known.or(task.priority);
            known.is_some()
        }
        "id" | "dependsOn" | "onCompletion" => true,
        // A time of day may follow the date.
        key => value.get(..10).is_some_and(|date| set_date(task, key, date)),
    };
    is_read.then(|| &text[end + 1..])
}

/// Sets a date by its field's name in Dataview; returns false if there is no such date.
fn set_date(task: &mut Task, key: &str, date: &str) -> bool {
    let date: Option<Date> = date.parse().ok();
    let place = match key {
        "due" => &mut task.due,
        "scheduled" => &mut task.scheduled,
        "start" => &mut task.start,
        "created" => &mut task.created,
        "completion" => &mut task.done,
        "cancelled" => &mut task.cancelled,
        _ => return false,
    };
    *place = date.or(*place);
    date.is_some()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_plain_box_is_a_task_in_every_kind_of_list() {
        for line in [
            "- [ ] call Mara",
            "  * [ ] call  Mara",
            "> + [ ] call Mara",
            "12. [ ] call Mara ^call-1",
            "1) [/] call Mara",
        ] {
            let task = task(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((task.text.as_str(), task.state()), ("call Mara", TaskState::Open), "{line}");
        }
        assert_eq!(task("- [x] done").map(|task| task.state()), Some(TaskState::Done));
        assert_eq!(task("- [-] given up").map(|task| task.state()), Some(TaskState::Cancelled));
        for line in ["- [ ]", "- [ ]  ", "[ ] a", "- [x](y) link", "- [ab] c", "text", "- a [ ] b"] {
            assert_eq!(task(line), None, "{line}");
        }
    }

    #[test]
    fn the_signs_of_obsidian_tasks_are_read() {
        let line = "- [x] Water #garden the beans ⏫ 🔁 every week ➕ 2026-11-01 🛫 2026-11-03 ⏳️ 2026-11-04 📅 2026-11-06 ✅ 2026-11-05 🆔 a-1";
        let expected = Task {
            mark: 'x',
            text: "Water #garden the beans".into(),
            due: Some(date(2026, 11, 6)),
            scheduled: Some(date(2026, 11, 4)),
            start: Some(date(2026, 11, 3)),
            created: Some(date(2026, 11, 1)),
            done: Some(date(2026, 11, 5)),
            cancelled: None,
            recurrence: Some("every week".into()),
            priority: Some("high"),
        };
        assert_eq!(task(line), Some(expected));
    }

    #[test]
    fn the_fields_of_dataview_are_read() {
        let read =
            task("- [ ] Pay rent [due:: 2026-12-01T10:00] (repeat:: every month) [priority:: low] [note:: by hand]")
                .unwrap();
        assert_eq!((read.text.as_str(), read.due), ("Pay rent [note:: by hand]", Some(date(2026, 12, 1))));
        assert_eq!((read.recurrence.as_deref(), read.priority), (Some("every month"), Some("low")));
    }

    #[test]
    fn a_sign_without_a_date_stays_text() {
        let read = task("- [ ] buy 📅 stickers for 2026-13-40 [due:: soon]").unwrap();
        assert_eq!((read.text.as_str(), read.due), ("buy 📅 stickers for 2026-13-40 [due:: soon]", None));
    }

    proptest::proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "(- \\[.\\] )?[📅⏳🔁⏫🆔a é\\[\\](:)0-9^-]{0,60}") {
            if let Some(task) = task(&line) {
                proptest::prop_assert!(task.text.len() <= line.len() && !task.text.contains('\n'));
            }
        }
    }
}
