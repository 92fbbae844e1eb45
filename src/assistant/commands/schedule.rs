//! `/schedule`: lists and adds schedules.

use super::super::tools::one_line;
use super::super::{Assistant, Channel, ChatFrontend};
use super::Reply;
use tars_config::schedule::{ScheduleStatus, in_words, schedule_statuses};
use tars_config::{DEFAULT_TIMEOUT, Delivery, ScheduleSettings, ScheduleTimes, UserFile};
use tars_service::{Refusal, Result};

pub(super) fn run(assistant: &mut Assistant<'_, '_>, what: &str, _: &mut dyn ChatFrontend) -> Result<Reply> {
    match what.split_once(char::is_whitespace) {
        Some(("add", behind)) => add(assistant, behind.trim()),
        _ if what.is_empty() => Reply::markdown(match lines(assistant)?.join("\n") {
            lines if lines.is_empty() => "No schedule is set: /schedule add NAME HH:MM ACTION".into(),
            lines => lines,
        }),
        _ => Err(usage()),
    }
}

/// Returns one line per schedule of the person's configuration as it is now; none if there is no schedule.
pub(super) fn lines(assistant: &Assistant<'_, '_>) -> Result<Vec<String>> {
    let app = assistant.service.app();
    let (data, now) = (&app.settings.config.data.dir, app.environment.clock.now());
    let schedules = UserFile::locate(&app.environment)?.schedules()?;
    let found = schedule_statuses(data, &schedules, &now)?;
    let line = |one: &ScheduleStatus| {
        let next =
            one.next.as_ref().map_or_else(|| "off".to_owned(), |next| next.strftime("next %a %H:%M").to_string());
        let last = one.last.as_ref().and_then(|last| last.result.as_ref()).filter(|result| !result.ok);
        let failed = last.map(|result| format!(" (failed: {})", one_line(&result.line, 80))).unwrap_or_default();
        let (name, when, action) =
            (&one.schedule.name, in_words(&one.schedule.when), one_line(&one.schedule.action, 60));
        format!("- {name}: {action}, {when}, {next}{failed}")
    };
    Ok(found.iter().map(line).collect())
}

/// Adds a schedule to the person's configuration, which only the person at a terminal may change.
fn add(assistant: &Assistant<'_, '_>, what: &str) -> Result<Reply> {
    if assistant.channel != Channel::Terminal {
        let message = "schedules can only be added at a terminal".to_owned();
        return Err(Refusal { message, hint: "tars schedule add".into() }.into());
    }
    let mut words = what.splitn(3, char::is_whitespace);
    let (Some(name), Some(time), Some(action)) = (words.next(), words.next(), words.next()) else {
        return Err(usage());
    };
    let Some(when) = ScheduleTimes::parse_at(time) else { return Err(usage()) };
    let schedule = ScheduleSettings {
        name: name.to_owned(),
        when,
        action: action.trim().to_owned(),
        deliver: vec![Delivery::DailyMemory],
        command: Vec::new(),
        url: None,
        token_env: None,
        enabled: true,
        timeout: DEFAULT_TIMEOUT,
    };
    UserFile::locate(&assistant.service.app().environment)?.add_schedule(&schedule)?;
    Reply::markdown(format!(
        "{} runs {}, from now on, while tars serve or tars chat is open.",
        schedule.name,
        in_words(&schedule.when)
    ))
}

fn usage() -> tars_service::Error {
    let message = "/schedule lists; /schedule add NAME HH:MM ACTION adds".to_owned();
    Refusal { message, hint: "/schedule add morning 07:30 /brief, or tars schedule add for cron expressions".into() }
        .into()
}
