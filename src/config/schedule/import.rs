//! Imports schedules of another assistant from its `schedules.json`.
//!
//! The file is a list of objects, or an object with such a list under `schedules`. The objects have the fields `name` or `id`; `cron`, or
//! `time` or `at`; `prompt`, `message`, `action` or `command`; `enabled`; `deliver` or `channel`. The file is untrusted: programs and
//! addresses are not imported. The import reports everything that it leaves out.

use serde_json::{Map, Value};

use crate::{CronTimes, DEFAULT_TIMEOUT, Delivery, ScheduleSettings, ScheduleTimes};
use tars_base::domain::{collapse_whitespace, sanitize_line};

const NAMES: [&str; 2] = ["name", "id"];
const TIMES: [&str; 2] = ["time", "at"];
const ACTIONS: [&str; 4] = ["prompt", "message", "action", "command"];
const DELIVERIES: [&str; 2] = ["deliver", "channel"];
/// Maximum length of an action in bytes, and maximum number of entries.
const MAX_ACTION_BYTES: usize = 4_000;
const MAX_ENTRIES: usize = 100;

/// Result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Import {
    /// The imported schedules in order, with distinct names.
    pub schedules: Vec<ScheduleSettings>,
    /// Parts that were left out or changed, one sentence each.
    pub notes: Vec<String>,
}

/// Parses the text of a file. Schedules with names in `taken` are left out.
///
/// # Errors
/// The text is no list of schedules. The reason is a lower-case fragment.
pub fn read_import(text: &str, taken: &[&str]) -> Result<Import, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    let list = value.as_array().or_else(|| value.get("schedules")?.as_array());
    let list = list.ok_or("it holds neither a list nor an object with a list under \"schedules\"")?;
    let mut import = Import::default();
    for (index, item) in list.iter().enumerate() {
        let place = format!("entry {}", index + 1);
        if index == MAX_ENTRIES {
            import.notes.push(format!("{place} and all later entries are left out: the limit is {MAX_ENTRIES}."));
            break;
        }
        match item.as_object().ok_or("it is not an object".to_owned()).and_then(|fields| read(fields, &place)) {
            Ok((schedule, notes)) => {
                import.notes.extend(notes);
                let is_taken = taken.contains(&schedule.name.as_str())
                    || import.schedules.iter().any(|other| other.name == schedule.name);
                match is_taken {
                    true => import.notes.push(format!("'{}' is left out: a schedule has this name.", schedule.name)),
                    false => import.schedules.push(schedule),
                }
            }
            Err(reason) => import.notes.push(format!("{place} is left out: {reason}.")),
        }
    }
    import.notes.iter_mut().for_each(|note| *note = sanitize_line(note));
    Ok(import)
}

fn read(fields: &Map<String, Value>, place: &str) -> Result<(ScheduleSettings, Vec<String>), String> {
    let mut notes = Vec::new();
    let written = text(fields, &NAMES)?.ok_or("it has no name")?;
    let name = valid_name(&written).ok_or_else(|| format!("'{}' cannot be a name", short(&written)))?;
    if name != written {
        notes.push(format!("{place} is called '{name}' here."));
    }
    let schedule = ScheduleSettings {
        when: when(fields)?,
        action: action(fields, &name, &mut notes)?,
        deliver: deliver(fields, &name, &mut notes),
        command: Vec::new(),
        url: None,
        token_env: None,
        enabled: match fields.get("enabled") {
            None => true,
            Some(enabled) => enabled.as_bool().ok_or("enabled is neither true nor false")?,
        },
        timeout: DEFAULT_TIMEOUT,
        name,
    };
    let known = |key: &str| {
        ["cron", "enabled"].contains(&key) || [&NAMES[..], &TIMES, &ACTIONS, &DELIVERIES].concat().contains(&key)
    };
    let unknown: Vec<String> = fields.keys().filter(|key| !known(key)).map(|key| format!("'{}'", short(key))).collect();
    if !unknown.is_empty() {
        notes.push(format!("'{}': not imported: {}.", schedule.name, unknown.join(", ")));
    }
    Ok((schedule, notes))
}

/// Returns the text of the first of these keys; `None` if all are missing, null or blank.
fn text(fields: &Map<String, Value>, keys: &[&str]) -> Result<Option<String>, String> {
    for key in keys {
        match fields.get(*key) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if text.trim().is_empty() => {}
            Some(Value::String(text)) => return Ok(Some(text.trim().to_owned())),
            Some(Value::Number(number)) => return Ok(Some(number.to_string())),
            Some(_) => return Err(format!("'{key}' is not text")),
        }
    }
    Ok(None)
}

/// Converts a text into a valid name: hyphens replace invalid characters.
fn valid_name(written: &str) -> Option<String> {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { ' ' };
    let words: String = written.chars().map(plain).collect();
    let name: String = words.split_whitespace().collect::<Vec<_>>().join("-").chars().take(40).collect();
    Some(name).filter(|name| ScheduleSettings::is_name(name))
}

fn when(fields: &Map<String, Value>) -> Result<ScheduleTimes, String> {
    match (text(fields, &["cron"])?, text(fields, &TIMES)?) {
        (Some(cron), None) => CronTimes::parse(&cron)
            .map(ScheduleTimes::Cron)
            .map_err(|error| format!("its cron '{}': {error}", short(&cron))),
        (None, Some(at)) => {
            ScheduleTimes::parse_at(&at).ok_or_else(|| format!("'{}' is not a time of day such as 07:30", short(&at)))
        }
        (Some(_), Some(_)) => Err("it has a time and a cron expression".to_owned()),
        (None, None) => Err("it has neither a time nor a cron expression".to_owned()),
    }
}

fn action(fields: &Map<String, Value>, name: &str, notes: &mut Vec<String>) -> Result<String, String> {
    let given = ACTIONS.iter().find_map(|key| Some((*key, text(fields, &[*key]).transpose()?)));
    let (key, written) = given.ok_or("it has no action")?;
    let written = written?;
    if key == "command" && !written.starts_with('/') {
        return Err("its command is not a slash command, and programs are not imported".to_owned());
    }
    let action = collapse_whitespace(&written);
    if action.chars().any(char::is_control) {
        return Err("its action holds control characters".to_owned());
    }
    if action.len() > MAX_ACTION_BYTES {
        return Err(format!("its action is longer than {MAX_ACTION_BYTES} bytes"));
    }
    if written.contains('\n') {
        notes.push(format!("'{name}': the lines of its action were joined into one."));
    }
    Ok(action)
}

fn deliver(fields: &Map<String, Value>, name: &str, notes: &mut Vec<String>) -> Vec<Delivery> {
    let given = DELIVERIES.iter().find_map(|key| fields.get(*key).filter(|value| !value.is_null()));
    let words = match given {
        None => return vec![Delivery::DailyMemory],
        Some(Value::Array(words)) => words.as_slice(),
        Some(word) => std::slice::from_ref(word),
    };
    let mut deliver = Vec::new();
    for word in words {
        let written = word.as_str().map_or_else(|| word.to_string(), str::to_owned);
        match Delivery::parse(&written) {
            Some(one @ (Delivery::Command | Delivery::Webhook)) => notes.push(format!(
                "'{name}': the delivery '{}' is dropped: only your own configuration may name programs and addresses.",
                one.as_str()
            )),
            Some(one) if deliver.contains(&one) => {}
            Some(one) => deliver.push(one),
            None => notes.push(format!("'{name}': the delivery '{}' is not known here.", short(&written))),
        }
    }
    if deliver.is_empty() {
        notes.push(format!("'{name}': its result goes into the log of the day."));
        deliver.push(Delivery::DailyMemory);
    }
    deliver
}

/// Returns the beginning of a foreign text, for use in a message.
fn short(text: &str) -> String {
    sanitize_line(text).chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn schedules_of_another_assistant_are_imported() {
        let text = r#"{"schedules": [
            {"name": "Morning brief", "cron": "30 7 * * 1-5", "prompt": "What is\n on today?", "deliver": "stdout"},
            {"id": 7, "time": "18:00", "command": "/review", "enabled": false, "channel": "telegram", "retries": 3},
            {"name": "week", "at": "9:00", "message": "Sum up", "deliver": ["webhook", "notify", "notify"], "url": "http://x"}
        ]}"#;
        let import = read_import(text, &[]).unwrap();
        let names: Vec<&str> = import.schedules.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["Morning-brief", "7", "week"]);
        assert_eq!(import.schedules[0].action, "What is on today?");
        assert_eq!(import.schedules[0].deliver, [Delivery::Stdout]);
        assert!(!import.schedules[1].enabled && import.schedules[1].deliver == [Delivery::DailyMemory]);
        assert!(import.schedules[2].deliver == [Delivery::Notify] && import.schedules[2].url.is_none());
        let notes = import.notes.join("\n");
        for said in [
            "entry 1 is called 'Morning-brief'",
            "lines of its action",
            "'telegram' is not known",
            "not imported: 'retries'",
            "'webhook' is dropped",
            "not imported: 'url'",
        ] {
            assert!(notes.contains(said), "{said}: {notes}");
        }
    }

    #[test]
    fn programs_and_invalid_entries_are_left_out() {
        let text = r#"[
            {"name": "a", "at": "9:00", "command": "rm -rf /"},
            {"name": "b", "at": "9:00", "cron": "0 9 * * *", "prompt": "x"},
            {"name": "c", "prompt": "x"}, {"name": "d", "at": "25:00", "prompt": "x"}, {"at": "9:00", "prompt": "x"},
            {"name": "e", "cron": "99 * * * *", "prompt": "x"}, {"name": "ü\u001b", "at": "9:00", "prompt": "x"},
            {"name": "f", "at": "9:00"}, {"name": "g", "at": "9:00", "prompt": "a\u001b[2J"}, 5,
            {"name": "h", "at": "9:00", "prompt": ["x"]}, {"name": "i", "at": "9:00", "prompt": "x", "enabled": "no"},
            {"name": "old", "at": "9:00", "prompt": "x"}
        ]"#;
        let import = read_import(text, &["old"]).unwrap();
        assert!(import.schedules.is_empty(), "{:?}", import.schedules);
        assert_eq!(import.notes.len(), 13, "{:#?}", import.notes);
        assert!(import.notes.iter().all(|note| note.contains("is left out") && !note.chars().any(char::is_control)));
        assert!(read_import("{", &[]).unwrap_err().starts_with("it is not JSON"));
        assert!(read_import("{\"a\": []}", &[]).unwrap_err().contains("neither"));
    }

    proptest! {
        #[test]
        fn imported_schedules_are_valid_settings(name in "\\PC{0,60}", at in "[0-9:]{0,5}", prompt in "(?s).{0,40}") {
            let text = serde_json::json!([{ "name": name, "at": at, "prompt": prompt, "deliver": name }]).to_string();
            for schedule in read_import(&text, &[]).unwrap().schedules {
                prop_assert!(ScheduleSettings::is_name(&schedule.name));
                prop_assert!(!schedule.action.is_empty() && !schedule.action.chars().any(char::is_control));
            }
        }
    }
}
