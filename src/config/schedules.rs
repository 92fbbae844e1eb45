//! The person's schedules: each `[[schedule]]` in the user's file.
//!
//! A schedule may run a program and name an address, so project files, variables and the vault cannot define schedules.

use std::path::Path;
use std::time::Duration;

use jiff::civil::Time;
use toml::Value;

use super::cron::CronTimes;
use super::file::{self, quoted};
use super::rule::Rule;
use super::tables::{Fields, SourceFile, invalid_field};
use super::{ConfigError, SCHEDULE};

/// Maximum length of a name, in bytes.
const MAX_NAME_LENGTH: usize = 40;
/// Maximum number of schedules. More could not run one after the other in time.
const MAX_SCHEDULES: usize = 100;
/// Default timeout of a run.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);
/// The values of `deliver`.
const DELIVERIES: [(&str, Delivery); 5] = [
    ("daily_memory", Delivery::DailyMemory),
    ("stdout", Delivery::Stdout),
    ("notify", Delivery::Notify),
    ("command", Delivery::Command),
    ("webhook", Delivery::Webhook),
];
const KEYS: [&str; 10] =
    ["name", "at", "cron", "action", "deliver", "command", "url", "token_env", "enabled", "timeout_seconds"];

/// A configured schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleSettings {
    /// Its unique name: up to 40 ASCII letters, digits, `-` and `_`.
    pub name: String,
    /// When it runs, in the person's time zone.
    pub when: ScheduleTimes,
    /// Its action: a slash command of the assistant, or a message to it. One line, never empty.
    pub action: String,
    /// Destinations of the result, without repetition; never empty.
    pub deliver: Vec<Delivery>,
    /// The program that receives the result on standard input, and its arguments; empty unless `deliver` names it.
    pub command: Vec<String>,
    /// The URL to post the result to.
    pub url: Option<String>,
    /// The variable that holds the token for the URL.
    pub token_env: Option<String>,
    /// Whether it is active.
    pub enabled: bool,
    /// Timeout of the action, and of each delivery.
    pub timeout: Duration,
}

/// The times of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScheduleTimes {
    /// Every day at this time, in whole minutes.
    At(Time),
    /// At the times of a cron expression.
    Cron(CronTimes),
}

/// Destination of a schedule's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// The log of the day.
    DailyMemory,
    /// The terminal, or the log of the process that runs the schedule.
    Stdout,
    /// A desktop notification.
    Notify,
    /// A program's standard input.
    Command,
    /// A URL.
    Webhook,
}

impl Delivery {
    /// Returns the word used in settings.
    pub fn as_str(self) -> &'static str {
        DELIVERIES.iter().find(|(_, delivery)| *delivery == self).map_or("", |(word, _)| word)
    }

    /// Parses the word used in settings.
    pub fn parse(word: &str) -> Option<Self> {
        DELIVERIES.iter().find(|(known, _)| *known == word).map(|(_, delivery)| *delivery)
    }
}

impl ScheduleTimes {
    /// Parses a time of day, such as `07:30`.
    pub fn parse_at(text: &str) -> Option<Self> {
        let (hour, minute) = text.split_once(':')?;
        let number = |digits: &str| {
            let is_plain = (1..=2).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
            digits.parse::<i8>().ok().filter(|_| is_plain)
        };
        let minute = number(minute).filter(|_| minute.len() == 2)?;
        Time::new(number(hour)?, minute, 0, 0).ok().map(Self::At)
    }

    /// Returns the key and the value that configure these times.
    pub fn setting(&self) -> (&'static str, String) {
        match self {
            Self::At(time) => ("at", time.strftime("%H:%M").to_string()),
            Self::Cron(cron) => ("cron", cron.to_string()),
        }
    }
}

impl ScheduleSettings {
    /// Whether `name` is a valid name of a schedule.
    pub fn is_name(name: &str) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        (1..=MAX_NAME_LENGTH).contains(&name.len()) && name.chars().all(plain)
    }

    /// Returns the schedule as TOML, heading included. Default values are left out.
    pub(super) fn to_toml(&self) -> String {
        let (key, when) = self.when.setting();
        let mut lines = vec![format!("[[{SCHEDULE}]]")];
        let mut add = |key: &str, value: Value| lines.push(format!("{key} = {value}"));
        add("name", self.name.as_str().into());
        add(key, when.into());
        add("action", self.action.as_str().into());
        match self.deliver.as_slice() {
            [Delivery::DailyMemory] => {}
            [one] => add("deliver", one.as_str().into()),
            several => add("deliver", several.iter().map(|one| Value::from(one.as_str())).collect::<Vec<_>>().into()),
        }
        if !self.command.is_empty() {
            add("command", self.command.clone().into());
        }
        for (key, value) in [("url", &self.url), ("token_env", &self.token_env)] {
            if let Some(value) = value {
                add(key, value.as_str().into());
            }
        }
        if !self.enabled {
            add("enabled", false.into());
        }
        if self.timeout != DEFAULT_TIMEOUT {
            add("timeout_seconds", Value::Integer(self.timeout.as_secs().cast_signed()));
        }
        lines.join("\n") + "\n"
    }
}

/// Returns the schedules of a user's file in order.
pub(super) fn read(text: &str, path: &Path) -> Result<Vec<ScheduleSettings>, ConfigError> {
    let document = file::parse(text).map_err(|error| error.at(path))?;
    let source = SourceFile { text, path };
    let Some((key, item)) = document.as_table().get_key_value(SCHEDULE) else { return Ok(Vec::new()) };
    let Some(tables) = item.as_array_of_tables() else {
        let origin = source.origin(key.span().or_else(|| item.span()));
        return Err(invalid_field(
            origin,
            SCHEDULE,
            "tables that begin with [[schedule]], one for each schedule",
            None,
        ));
    };
    let mut schedules: Vec<ScheduleSettings> = Vec::new();
    for table in tables {
        let fields = Fields { table, section: SCHEDULE, source };
        let schedule = schedule(&fields)?;
        if schedules.iter().any(|other| other.name == schedule.name) {
            return Err(fields.invalid("name", "a name that no other schedule has", Some(schedule.name)));
        }
        if schedules.len() == MAX_SCHEDULES {
            return Err(fields.invalid("name", &format!("{MAX_SCHEDULES} schedules at most"), None));
        }
        schedules.push(schedule);
    }
    Ok(schedules)
}

/// Parses one table.
fn schedule(fields: &Fields<'_>) -> Result<ScheduleSettings, ConfigError> {
    fields.check(&KEYS)?;
    let name = fields.required_text("name", Rule::Text, "a name")?;
    if !ScheduleSettings::is_name(&name) {
        let expected = "a name of at most 40 ASCII letters, digits, '-' and '_'";
        return Err(fields.invalid("name", expected, Some(name)));
    }
    let deliver = deliver(fields)?;
    let schedule = ScheduleSettings {
        name,
        when: when(fields)?,
        action: fields.required_text("action", Rule::Text, "a slash command such as \"/brief\", or a message")?,
        command: command(fields, &deliver)?,
        url: fields.text("url", Rule::Address)?,
        token_env: fields.text("token_env", Rule::VariableName)?,
        enabled: fields.bool("enabled", true)?,
        timeout: fields.seconds("timeout_seconds", DEFAULT_TIMEOUT)?,
        deliver,
    };
    needs(fields, "url", schedule.url.is_some(), (Delivery::Webhook, &schedule.deliver))?;
    if schedule.token_env.is_some() && schedule.url.is_none() {
        return Err(fields.invalid("token_env", "a url beside it", None));
    }
    Ok(schedule)
}

fn when(fields: &Fields<'_>) -> Result<ScheduleTimes, ConfigError> {
    match (fields.text("at", Rule::Text)?, fields.text("cron", Rule::Text)?) {
        (Some(at), None) => ScheduleTimes::parse_at(&at)
            .ok_or_else(|| fields.invalid("at", "a time of the day such as \"07:30\"", Some(quoted(&at)))),
        (None, Some(cron)) => CronTimes::parse(&cron).map(ScheduleTimes::Cron).map_err(|reason| {
            let expected = format!("a cron expression such as \"30 7 * * 1-5\" ({reason})");
            fields.invalid("cron", &expected, Some(quoted(&cron)))
        }),
        (Some(_), Some(_)) => Err(fields.invalid("cron", "either at or cron, not both", None)),
        (None, None) => Err(fields.invalid("name", "at = \"07:30\" or cron = \"30 7 * * 1-5\" beside it", None)),
    }
}

fn deliver(fields: &Fields<'_>) -> Result<Vec<Delivery>, ConfigError> {
    let expected = || format!("one or more of {}", DELIVERIES.map(|(word, _)| word).join(", "));
    let Some(value) = fields.plain("deliver") else { return Ok(vec![Delivery::DailyMemory]) };
    let words = match &value {
        Value::Array(words) => words.as_slice(),
        word => std::slice::from_ref(word),
    };
    let mut deliver = Vec::new();
    for word in words {
        let known = word.as_str().and_then(Delivery::parse);
        let one = known.ok_or_else(|| fields.invalid("deliver", &expected(), Some(word.to_string())))?;
        if !deliver.contains(&one) {
            deliver.push(one);
        }
    }
    match deliver.is_empty() {
        true => Err(fields.invalid("deliver", &expected(), Some(value.to_string()))),
        false => Ok(deliver),
    }
}

fn command(fields: &Fields<'_>, deliver: &[Delivery]) -> Result<Vec<String>, ConfigError> {
    let value = fields.value("command", Rule::Command)?;
    let words = value.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let words: Vec<String> = words.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if words.first().is_some_and(String::is_empty) {
        return Err(fields.invalid("command", &Rule::Command.expected(), None));
    }
    needs(fields, "command", !words.is_empty(), (Delivery::Command, deliver))?;
    Ok(words)
}

/// Checks a delivery and its setting: a delivery without its setting would do nothing, and a setting without its delivery is probably a
/// mistake.
fn needs(
    fields: &Fields<'_>,
    key: &str,
    is_there: bool,
    (of, deliver): (Delivery, &[Delivery]),
) -> Result<(), ConfigError> {
    match (is_there, deliver.contains(&of)) {
        (false, true) => {
            let expected = format!("{SCHEDULE}.{key} beside it, for '{}'", of.as_str());
            Err(fields.invalid("deliver", &expected, None))
        }
        (true, false) => Err(fields.invalid(key, &format!("deliver = \"{}\" beside it", of.as_str()), None)),
        _ => Ok(()),
    }
}
