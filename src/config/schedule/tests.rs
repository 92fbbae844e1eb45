//! Tests of whole runs, with a clock and a time zone set by the test.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail};
use jiff::{SignedDuration, Zoned};
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::{CronTimes, DEFAULT_TIMEOUT, Delivery, Environment, ScheduleSettings, ScheduleTimes};
use tars_testing::loopback::{Loopback, Reply};

/// Returns a daily schedule that delivers to the log of the day.
pub(super) fn at(time: &str) -> ScheduleSettings {
    ScheduleSettings {
        name: "brief".into(),
        when: ScheduleTimes::parse_at(time).unwrap(),
        action: "/brief".into(),
        deliver: vec![Delivery::DailyMemory],
        command: Vec::new(),
        url: None,
        token_env: None,
        enabled: true,
        timeout: DEFAULT_TIMEOUT,
    }
}

pub(super) fn cron(text: &str) -> ScheduleSettings {
    ScheduleSettings { when: ScheduleTimes::Cron(CronTimes::parse(text).unwrap()), ..at("00:00") }
}

/// Records deliveries.
#[derive(Default)]
struct Kept {
    shown: RefCell<Vec<String>>,
    noted: RefCell<Vec<String>>,
    fails: bool,
}

impl Deliver for Kept {
    fn stdout(&self, _: &ScheduleSettings, text: &str) {
        self.shown.borrow_mut().push(text.to_owned());
    }

    fn daily_memory(&self, schedule: &ScheduleSettings, text: &str) -> Result<()> {
        if self.fails {
            bail!("the memory is read only");
        }
        self.noted.borrow_mut().push(format!("{}: {text}", schedule.name));
        Ok(())
    }
}

fn moment(text: &str) -> Zoned {
    format!("{text}[Europe/Berlin]").parse().unwrap()
}

fn runner(data: &TempDir, schedules: &[ScheduleSettings]) -> Runner {
    let environment = Environment { home: Some(data.path().to_owned()), ..Environment::default() };
    Runner::new(data.path(), schedules.to_vec(), environment.with("PATH", std::env::var_os("PATH").unwrap()))
}

/// Ticks at a moment and returns the names of the schedules that ran.
fn tick(runner: &mut Runner, time: &str) -> Vec<String> {
    let ran = runner.tick(&moment(time), &Kept::default(), &mut |_| Ok("done".into())).unwrap();
    ran.into_iter().map(|ran| ran.name).collect()
}

/// Keeps tests that start a program apart from tests that take the lock of the runner again: a child holds its parent's locks
/// until it has become the program.
fn without_children() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn due_schedules_run_once_and_never_for_the_past() {
    let _alone = without_children();
    let data = tempfile::tempdir().unwrap();
    let mut runner = runner(&data, &[at("07:30")]);
    assert!(tick(&mut runner, "2026-11-24T12:00").is_empty(), "it was just added");
    assert_eq!(runner.next_due(&moment("2026-11-24T12:00")), Some(moment("2026-11-25T07:30")));
    assert!(tick(&mut runner, "2026-11-25T07:29:59").is_empty());
    assert_eq!(runner.next_due(&moment("2026-11-25T07:30")), Some(moment("2026-11-25T07:30")));
    assert_eq!(tick(&mut runner, "2026-11-25T07:30"), ["brief"]);
    assert!(tick(&mut runner, "2026-11-25T07:30").is_empty() && tick(&mut runner, "2026-11-25T23:00").is_empty());
    assert_eq!(tick(&mut runner, "2026-11-29T09:00"), ["brief"], "four days were missed");
    assert!(tick(&mut runner, "2026-11-29T09:01").is_empty());
}

#[test]
fn changed_times_and_reenabling_start_over() {
    let _alone = without_children();
    let data = tempfile::tempdir().unwrap();
    tick(&mut runner(&data, &[at("07:30")]), "2026-11-24T06:00");
    assert!(tick(&mut runner(&data, &[at("06:30")]), "2026-11-24T08:00").is_empty());
    let off = ScheduleSettings { enabled: false, ..at("06:30") };
    let mut idle = runner(&data, &[off]);
    assert!(tick(&mut idle, "2026-11-25T05:00").is_empty());
    assert_eq!(idle.next_due(&moment("2026-11-25T05:00")), None);
    drop(idle);
    assert!(tick(&mut runner(&data, &[at("06:30")]), "2026-11-26T08:00").is_empty());
    assert_eq!(tick(&mut runner(&data, &[at("06:30")]), "2026-11-27T06:30"), ["brief"]);
    assert!(
        runner(&data, &[]).tick(&moment("2026-11-27T06:30"), &Kept::default(), &mut |_| panic!()).unwrap().is_empty()
    );
}

#[test]
fn clock_changes_run_a_schedule_once() {
    let data = tempfile::tempdir().unwrap();
    let mut runner = runner(&data, &[at("02:30")]);
    tick(&mut runner, "2026-03-28T12:00");
    assert!(tick(&mut runner, "2026-03-29T01:59").is_empty());
    assert_eq!(tick(&mut runner, "2026-03-29T03:00"), ["brief"]);
    assert!(tick(&mut runner, "2026-03-29T03:30").is_empty());
    tick(&mut runner, "2026-10-24T12:00");
    assert_eq!(tick(&mut runner, "2026-10-25T02:30+02:00"), ["brief"]);
    assert!(tick(&mut runner, "2026-10-25T02:30+01:00").is_empty());
}

#[test]
fn a_wrong_clock_does_not_stop_a_schedule() {
    let data = tempfile::tempdir().unwrap();
    let mut runner = runner(&data, &[at("07:30")]);
    tick(&mut runner, "2036-01-01T00:00");
    assert!(tick(&mut runner, "2026-11-24T07:00").is_empty());
    assert_eq!(tick(&mut runner, "2026-11-24T07:31"), ["brief"]);
    // The clock was set back by some minutes, after the run.
    assert!(tick(&mut runner, "2026-11-24T07:20").is_empty() && tick(&mut runner, "2026-11-24T07:30").is_empty());
    assert_eq!(runner.next_due(&moment("2026-11-24T07:20")), Some(moment("2026-11-25T07:30")));
}

#[test]
fn one_process_runs_schedules() {
    let _alone = without_children();
    let data = tempfile::tempdir().unwrap();
    let [mut first, mut second] = [0, 1].map(|_| runner(&data, &[at("07:30")]));
    tick(&mut first, "2026-11-24T06:00");
    assert!(tick(&mut second, "2026-11-24T08:00").is_empty());
    let time = moment("2026-11-24T08:00");
    assert_eq!((first.next_due(&time), second.next_due(&time)), (Some(time.clone()), None));
    assert_eq!(tick(&mut first, "2026-11-24T08:00"), ["brief"]);
    drop(first);
    assert_eq!(tick(&mut second, "2026-11-25T08:00"), ["brief"]);
    let mode =
        |name: &str| fs::metadata(data.path().join("schedules").join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(""), mode("state.json"), mode("lock")), (0o700, 0o600, 0o600));
}

/// Leaves the state of a process that was killed during a run.
fn kill_during_a_run(data: &TempDir, time: &str) {
    let mut runner = runner(data, &[at("07:30")]);
    let run = std::panic::AssertUnwindSafe(|| runner.tick(&moment(time), &Kept::default(), &mut |_| panic!("killed")));
    assert!(std::panic::catch_unwind(run).is_err());
}

#[test]
fn a_killed_run_is_made_up_for_once() {
    let _alone = without_children();
    let data = tempfile::tempdir().unwrap();
    tick(&mut runner(&data, &[at("07:30")]), "2026-11-24T06:00");
    kill_during_a_run(&data, "2026-11-24T07:30");
    let now = moment("2026-11-24T08:00");
    let seen = schedule_statuses(data.path(), &[at("07:30")], &now).unwrap().remove(0);
    assert_eq!(seen.next, Some(now));
    let last = seen.last.unwrap();
    assert!(last.ended.is_none() && last.result.is_some_and(|result| !result.ok && result.line.contains("tars ended")));
    assert_eq!(tick(&mut runner(&data, &[at("07:30")]), "2026-11-24T08:00"), ["brief"]);
    assert!(tick(&mut runner(&data, &[at("07:30")]), "2026-11-24T08:01").is_empty());

    // An action that always kills its process does so twice, not at every start.
    kill_during_a_run(&data, "2026-11-25T07:30");
    kill_during_a_run(&data, "2026-11-25T07:40");
    assert!(tick(&mut runner(&data, &[at("07:30")]), "2026-11-25T07:50").is_empty());
    assert_eq!(tick(&mut runner(&data, &[at("07:30")]), "2026-11-26T07:30"), ["brief"]);
    kill_during_a_run(&data, "2026-11-27T07:30");
    assert!(
        tick(&mut runner(&data, &[at("07:30")]), "2026-12-04T07:29").contains(&"brief".to_owned()),
        "within a week"
    );
}

#[test]
fn a_run_in_progress_is_shown_as_running() {
    let _alone = without_children();
    let data = tempfile::tempdir().unwrap();
    let mut runner = runner(&data, &[at("07:30")]);
    tick(&mut runner, "2026-11-24T06:00");
    let now = moment("2026-11-24T07:30");
    let mut seen = None;
    runner
        .tick(&now, &Kept::default(), &mut |_| {
            seen = schedule_statuses(data.path(), &[at("07:30")], &now).unwrap().pop();
            Ok(String::new())
        })
        .unwrap();
    let seen = seen.unwrap();
    assert_eq!(seen.next, Some(moment("2026-11-25T07:30")));
    assert!(seen.last.is_some_and(|last| last.ended.is_none() && last.result.is_none()));
}

#[test]
fn a_failure_is_reported_and_the_others_run() {
    let _alone = without_children();
    let data = tempfile::tempdir().unwrap();
    let schedules = [at("07:30"), ScheduleSettings { name: "early".into(), ..at("06:30") }];
    let mut runner = runner(&data, &schedules);
    tick(&mut runner, "2026-11-24T06:00");
    let token = format!("glpat-{}", "x7Kq2LmZ9vBt4RwY8sHd");
    let kept = Kept::default();
    let ran = runner.tick(&moment("2026-11-24T08:00"), &kept, &mut |schedule| match schedule.name.as_str() {
        "early" => bail!("no model\n\u{1b}[2J {token}"),
        _ => Ok(format!("two tasks\nkey {token}\u{7}")),
    });
    let ran = ran.unwrap();
    assert_eq!((ran[0].name.as_str(), ran[1].name.as_str()), ("early", "brief"), "in the order of their times");
    assert!(!ran[0].result.ok && ran[0].result.line.starts_with("no model \u{fffd}[2J [redacted:"), "{:?}", ran[0]);
    assert!(ran[1].result.ok && ran[1].result.line.starts_with("two tasks key [redacted:"), "{:?}", ran[1]);
    assert!(kept.noted.borrow()[0].starts_with("brief: two tasks\nkey [redacted:") && kept.noted.borrow().len() == 1);
    let state = fs::read_to_string(data.path().join("schedules/state.json")).unwrap();
    assert!(!state.contains(&token) && state.contains("no model"), "{state}");
}

#[test]
fn a_failed_delivery_does_not_stop_the_others() {
    let _alone = without_children();
    let (result, kept) = deliver_as(
        ScheduleSettings {
            deliver: vec![Delivery::DailyMemory, Delivery::Command, Delivery::Stdout],
            command: vec!["false".into()],
            ..at("07:30")
        },
        &[],
        Kept { fails: true, ..Kept::default() },
    );
    assert!(
        !result.ok
            && result.line.starts_with("not delivered to daily_memory: the memory is read only; command: false ended"),
        "{result:?}"
    );
    assert_eq!(*kept.shown.borrow(), ["<b>one</b>\ntwo"]);
}

/// Runs a schedule once with these variables and returns its result.
fn deliver_as(schedule: ScheduleSettings, variables: &[(&str, &Path)], kept: Kept) -> (RunResult, Kept) {
    let data = tempfile::tempdir().unwrap();
    let mut runner = runner(&data, &[schedule]);
    for (name, value) in variables {
        runner.set_variable(name, value);
    }
    tick(&mut runner, "2026-11-24T06:00");
    let run = &mut |_: &ScheduleSettings| Ok("<b>one</b>\ntwo\n".to_owned());
    let ran = runner.tick(&moment("2026-11-24T07:30"), &kept, run).unwrap();
    (ran[0].result.clone(), kept)
}

fn to_command(words: &[&str], timeout: u64) -> RunResult {
    let schedule = ScheduleSettings {
        deliver: vec![Delivery::Command],
        command: words.iter().map(|word| (*word).to_owned()).collect(),
        timeout: Duration::from_secs(timeout),
        ..at("07:30")
    };
    deliver_as(schedule, &[], Kept::default()).0
}

#[test]
fn a_program_receives_the_result() {
    let _alone = without_children();
    let folder = tempfile::tempdir().unwrap();
    let [text, variables] = ["text $(id)", "variables"].map(|name| folder.path().join(name));
    let result = to_command(&["tee", text.to_str().unwrap()], 60);
    assert!(result.ok, "{result:?}");
    assert_eq!(fs::read_to_string(text).unwrap(), "<b>one</b>\ntwo\n");
    let script = format!("echo $TARS_DISABLE $TARS_SCHEDULE_NAME > {}", variables.display());
    assert!(to_command(&["sh", "-c", &script], 60).ok);
    assert_eq!(fs::read_to_string(variables).unwrap(), "1 brief\n");
    let slow = to_command(&["sleep", "600"], 1);
    assert!(!slow.ok && slow.line.contains("sleep took longer than 1 s and was ended"), "{slow:?}");
    let wrong = to_command(&["cat", "/no/such/file"], 60);
    assert!(!wrong.ok && wrong.line.contains("No such file"), "{wrong:?}");
    assert!(to_command(&["/gone/away"], 60).line.contains("cannot run /gone/away"));
}

#[test]
fn the_desktop_shows_the_result() {
    let _alone = without_children();
    let folder = tempfile::tempdir().unwrap();
    let (program, seen) = (folder.path().join("notify-send"), folder.path().join("seen"));
    let notify = || ScheduleSettings { deliver: vec![Delivery::Notify], ..at("07:30") };
    let (result, _) = deliver_as(notify(), &[("PATH", folder.path())], Kept::default());
    if cfg!(target_os = "linux") {
        assert!(!result.ok && result.line.contains("there is no notify-send here"), "{result:?}");
        fs::write(&program, format!("#!/bin/sh\nprintf '%s|' \"$@\" > {}\n", seen.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let (result, _) = deliver_as(notify(), &[("PATH", folder.path())], Kept::default());
        assert!(result.ok, "{result:?}");
        let expected = "--app-name=tars|--|tars: brief|&lt;b&gt;one&lt;/b&gt;\ntwo|";
        assert_eq!(fs::read_to_string(seen).unwrap(), expected);
    }
}

fn to_webhook(url: &str, token: Option<&str>) -> RunResult {
    let schedule = ScheduleSettings {
        deliver: vec![Delivery::Webhook],
        url: Some(url.into()),
        token_env: token.map(|_| "HOOK_TOKEN".into()),
        timeout: Duration::from_secs(20),
        ..at("07:30")
    };
    let variables = token.filter(|token| !token.is_empty()).map(|token| ("HOOK_TOKEN", Path::new(token)));
    deliver_as(schedule, variables.as_slice(), Kept::default()).0
}

#[test]
fn a_url_receives_the_result() {
    let server = Loopback::script(vec![
        Reply::status(204, ""),
        Reply::status(500, "broken sk-1"),
        Reply::redirect("http://127.0.0.1:1/"),
    ]);
    let url = server.url() + "/hook?id=1";
    assert!(to_webhook(&url, Some("sk-1")).ok);
    let asked = &server.received()[0];
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/hook?id=1"));
    assert_eq!(asked.header("authorization"), Some("Bearer sk-1"));
    let body: serde_json::Value = serde_json::from_slice(&asked.body).unwrap();
    assert_eq!((&body["name"], &body["text"]), (&"brief".into(), &"<b>one</b>\ntwo".into()));
    assert!(body["time"].as_str().unwrap().starts_with("2026-11-24T07:3"), "{body}");
    let failed = to_webhook(&url, Some("sk-1"));
    assert!(
        !failed.ok && failed.line.ends_with("answers 500: broken [key]") && !failed.line.contains("id=1"),
        "{failed:?}"
    );
    let redirected = to_webhook(&url, None);
    assert!(!redirected.ok && redirected.line.contains("redirects (302), which is not followed"), "{redirected:?}");
    assert_eq!(server.received().len(), 3);
    assert!(to_webhook(&url, Some("")).line.contains("HOOK_TOKEN should hold the token but is not set"));
    assert!(
        to_webhook("http://hooks.example.net/", Some("sk-1")).line.contains("refusing to send a key over plain http")
    );
    assert_eq!(server.received().len(), 3);
}

#[test]
fn an_unreadable_state_is_an_error() {
    let data = tempfile::tempdir().unwrap();
    tick(&mut runner(&data, &[at("07:30")]), "2026-11-24T06:00");
    for text in ["", "{", "[]", r#"{"schedules":{"brief":{"when":1}}}"#] {
        fs::write(data.path().join("schedules/state.json"), text).unwrap();
        let mut runner = runner(&data, &[at("07:30")]);
        let error = runner.tick(&moment("2026-11-24T08:00"), &Kept::default(), &mut |_| panic!());
        assert_eq!(runner.next_due(&moment("2026-11-24T08:00")), None);
        assert!(error.unwrap_err().to_string().contains("state.json"));
        assert!(schedule_statuses(data.path(), &[at("07:30")], &moment("2026-11-24T08:00")).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn ticks_run_each_due_time_at_most_once(minutes in prop::collection::vec(1i64..3000, 1..25)) {
        let data = tempfile::tempdir().unwrap();
        let schedule = cron("*/20 * * * *");
        let mut runner = runner(&data, std::slice::from_ref(&schedule));
        let mut now = moment("2026-10-23T12:07");
        runner.tick(&now, &Kept::default(), &mut |_| Ok(String::new())).unwrap();
        for passed in minutes {
            let before = now.clone();
            now = now.checked_add(SignedDuration::from_mins(passed)).unwrap();
            let due = next(&schedule, &before).unwrap() <= now;
            prop_assert_eq!(runner.next_due(&now).unwrap() <= now, due);
            let ran = runner.tick(&now, &Kept::default(), &mut |_| Ok(String::new())).unwrap();
            prop_assert_eq!(ran.len(), usize::from(due));
            prop_assert!(runner.next_due(&now).unwrap() > now);
        }
    }
}
