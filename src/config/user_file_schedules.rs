//! Adds, removes and switches schedules in the user's file. The rest of the file stays as it is, byte for byte.

use toml_edit::{Item, Table, value};

use super::edit::{extent, replace, with_table, without_lines};
use super::file::{self, parse};
use super::schedules::read;
use super::user_file::UserFile;
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
                text = with_table(&text, &schedule.to_toml());
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
}

/// Removes the line number from an error about text that is not in a file yet.
pub(super) fn without_line(error: ConfigError) -> ConfigError {
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
