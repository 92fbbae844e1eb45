//! Adds, removes and switches schedules in the user's file. The rest of the file stays as it is, byte for byte.

use std::ops::Range;

use toml_edit::{Item, Table, TableLike, value};

use super::edit::replace;
use super::file::{self, parse};
use super::schedules::read;
use super::sources::validate_user_text;
use super::user_file::{HEADER, UserFile};
use super::{ConfigError, SCHEDULE, ScheduleSettings};

impl UserFile<'_> {
    /// Returns the schedules of the file as it is now; none if it does not exist.
    ///
    /// # Errors
    /// The file cannot be read, or a schedule in it is invalid.
    pub fn schedules(&self) -> Result<Vec<ScheduleSettings>, ConfigError> {
        file::read(&self.path)?.map_or_else(|| Ok(Vec::new()), |text| read(&text, &self.path))
    }

    /// Appends a schedule to the file. A missing file is created.
    ///
    /// # Errors
    /// Another schedule has this name, the schedule or the file would not load, or the file cannot be written.
    pub fn add_schedule(&self, schedule: &ScheduleSettings) -> Result<(), ConfigError> {
        self.add_schedules(std::slice::from_ref(schedule))
    }

    /// Appends several schedules, all or none; see [`UserFile::add_schedule`].
    ///
    /// # Errors
    /// As for [`UserFile::add_schedule`].
    pub fn add_schedules(&self, schedules: &[ScheduleSettings]) -> Result<(), ConfigError> {
        self.change(|before| {
            let known = read(before, self.path())?;
            let mut text = before.to_owned();
            for schedule in schedules {
                if known.iter().any(|other| other.name == schedule.name) {
                    return Err(schedule_error(&schedule.name, "another one has this name"));
                }
                read(&schedule.to_toml(), self.path()).map_err(without_line)?;
                let break_line = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
                let gap = if text.is_empty() { "" } else { "\n" };
                text = format!("{text}{break_line}{gap}{}", schedule.to_toml());
            }
            // Reading the new text must return exactly the added schedules.
            match read(&text, self.path())?.strip_prefix(known.as_slice()) {
                Some(added) if added == schedules => Ok(Some(text)),
                _ => Err(schedule_error(&schedules[0].name, "the configuration cannot hold it")),
            }
        })
        .map(|_| ())
    }

    /// Removes a schedule from the file and returns whether it was there. Comments above it stay.
    ///
    /// # Errors
    /// The file is not TOML or cannot be written.
    pub fn remove_schedule(&self, name: &str) -> Result<bool, ConfigError> {
        self.change(|before| {
            let document = parse(before).map_err(|error| error.at(&self.path))?;
            let tables = document.get(SCHEDULE).and_then(Item::as_array_of_tables);
            let found = tables.into_iter().flatten().find(|table| is_named(table, name));
            Ok(found.and_then(extent).map(|extent| without_lines(before, extent)))
        })
    }

    /// Enables or disables a schedule and returns whether it exists.
    ///
    /// # Errors
    /// The file does not load or cannot be written.
    pub fn enable_schedule(&self, name: &str, enabled: bool) -> Result<bool, ConfigError> {
        self.change(|before| {
            let mut document = parse(before).map_err(|error| error.at(&self.path))?.into_mut();
            let tables = document.get_mut(SCHEDULE).and_then(Item::as_array_of_tables_mut);
            let Some(table) =
                tables.into_iter().flat_map(|tables| tables.iter_mut()).find(|table| is_named(table, name))
            else {
                return Ok(None);
            };
            match table.get_mut("enabled").and_then(Item::as_value_mut) {
                Some(old) => replace(old, enabled.into()),
                None if enabled => {}
                None => {
                    table.insert("enabled", value(false));
                }
            }
            Ok(Some(document.to_string()))
        })
    }

    /// Replaces the text of the file by the result of `change` and returns whether there was one. The file stays locked meanwhile, and
    /// the new text must load.
    fn change(&self, change: impl FnOnce(&str) -> Result<Option<String>, ConfigError>) -> Result<bool, ConfigError> {
        let mut locked = self.open()?;
        let before = file::read(&self.path)?.unwrap_or_else(|| HEADER.to_owned());
        let Some(after) = change(&before)? else { return Ok(false) };
        if after != before {
            validate_user_text(&after, &self.path, self.environment)?;
            locked.write(&after).map_err(|source| self.failed(source))?;
        }
        Ok(true)
    }
}

/// Removes the line number from an error about text that is not in a file yet.
fn without_line(error: ConfigError) -> ConfigError {
    match error {
        ConfigError::Invalid { key, expected, found, .. } => {
            ConfigError::Invalid { origin: None, key, expected, found }
        }
        other => other,
    }
}

fn schedule_error(name: &str, reason: &str) -> ConfigError {
    ConfigError::Schedule { name: name.to_owned(), reason: reason.to_owned() }
}

fn is_named(table: &Table, name: &str) -> bool {
    table.get("name").and_then(Item::as_str) == Some(name)
}

/// Returns the byte range from the heading of a table to its last value.
fn extent(table: &Table) -> Option<Range<usize>> {
    fn end(table: &dyn TableLike) -> usize {
        let ends = table.iter().map(|(_, item)| {
            let own = item.span().map_or(0, |span| span.end);
            item.as_table_like().map_or(0, end).max(own)
        });
        ends.max().unwrap_or_default()
    }
    let heading = table.span()?;
    Some(heading.start..end(table).max(heading.end))
}

/// Returns `text` without the lines in `extent` and without one empty line above them, which [`UserFile::add_schedule`] inserts.
fn without_lines(text: &str, extent: Range<usize>) -> String {
    let start = text[..extent.start].rfind('\n').map_or(0, |line_end| line_end + 1);
    let end = text[extent.end..].find('\n').map_or(text.len(), |line_end| extent.end + line_end + 1);
    let above = &text[..start];
    let above = if above.ends_with("\n\n") { &above[..above.len() - 1] } else { above };
    format!("{above}{}", &text[end..])
}
