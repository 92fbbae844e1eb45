use std::fs;
use std::time::Duration;

use proptest::prelude::*;

use super::TestHome;
use crate::{CronTimes, Delivery, ScheduleSettings, ScheduleTimes, UserFile};

const FILE: &str = "home/.config/tars/config.toml";
const TEXT: &str = "\
# Mine.
search.limit = 5 # few

# Every morning.
[[schedule]]
name = \"brief\" # short
at = \"07:30\"
action = \"/brief\"

[vault]
path = '/notes'

[[schedule]]   # to a program
name = 'week'
cron = '0 17 * * 5'
action = \"Sum up the week.\"
deliver = [
  'notify',
  'command', # this one
]
command = ['tee', '/tmp/week.md']
enabled = false # for now
timeout_seconds = 60
# The end.
";

fn schedule(name: &str) -> ScheduleSettings {
    ScheduleSettings {
        name: name.into(),
        when: ScheduleTimes::parse_at("07:30").unwrap(),
        action: "/brief".into(),
        deliver: vec![Delivery::DailyMemory],
        command: Vec::new(),
        url: None,
        token_env: None,
        enabled: true,
        timeout: Duration::from_secs(300),
    }
}

fn text(home: &TestHome) -> String {
    fs::read_to_string(home.path(FILE)).unwrap()
}

#[test]
fn schedules_load_with_the_settings() {
    let home = TestHome::new().user(TEXT);
    let settings = home.settings();
    let week = ScheduleSettings {
        when: ScheduleTimes::Cron(CronTimes::parse("0 17 * * 5").unwrap()),
        action: "Sum up the week.".into(),
        deliver: vec![Delivery::Notify, Delivery::Command],
        command: vec!["tee".into(), "/tmp/week.md".into()],
        enabled: false,
        timeout: Duration::from_secs(60),
        ..schedule("week")
    };
    assert_eq!(settings.schedules, [schedule("brief"), week]);
    assert_eq!(settings.config.search.limit, 5);
    assert!(settings.list().iter().all(|setting| !setting.key.starts_with("schedule")));
}

#[test]
fn the_examples_of_the_documentation_load() {
    let page = include_str!("../../../docs/configuration.md");
    let example = page.split("```toml\n").find(|block| block.starts_with("[[schedule]]")).unwrap();
    let settings = TestHome::new().user(example.split("```").next().unwrap()).settings();
    let names: Vec<&str> = settings.schedules.iter().map(|schedule| schedule.name.as_str()).collect();
    assert_eq!(names, ["morning-brief", "hourly-check", "end-of-day-review", "nightly-compact", "weekly-digest"]);
}

#[test]
fn errors_name_line_and_key() {
    let start = "[[schedule]]\nname = 'a'\n";
    for (text, expected) in [
        (
            "at = '07:30'\naction = '/brief'\nactoin = 1\n",
            ":5: unknown key 'schedule.actoin', did you mean 'schedule.action'?",
        ),
        ("at = '07:30'\naction = '/brief'\nzzzzzzzzzz = 1\n", ":5: unknown key 'schedule.zzzzzzzzzz'"),
        ("at = '24:00'\naction = 'x'\n", ":3: schedule.at: expected a time of the day such as \"07:30\""),
        ("at = 07:30:00\naction = 'x'\n", ":3: schedule.at: expected text"),
        ("cron = '0 99 * * *'\naction = 'x'\n", "(hour '99': number out of bounds)"),
        ("cron = '0 9 * * *'\nat = '9:00'\naction = 'x'\n", ":3: schedule.cron: expected either at or cron"),
        ("action = 'x'\n", ":2: schedule.name: expected at = \"07:30\" or cron"),
        ("at = '9:00'\n", ":1: schedule.action: expected a slash command"),
        ("at = '9:00'\naction = ' '\n", ":4: schedule.action: expected"),
        ("at = '9:00'\naction = \"a\\u001b[2J\"\n", ":4: schedule.action: expected text on one line"),
        ("at = '9:00'\naction = 'x'\ndeliver = 'mail'\n", ":5: schedule.deliver: expected one or more of daily_memory"),
        ("at = '9:00'\naction = 'x'\ndeliver = []\n", ":5: schedule.deliver: expected one or more"),
        (
            "at = '9:00'\naction = 'x'\ndeliver = 'command'\n",
            ":5: schedule.deliver: expected schedule.command beside it",
        ),
        (
            "at = '9:00'\naction = 'x'\ncommand = ['rm']\n",
            ":5: schedule.command: expected deliver = \"command\" beside it",
        ),
        (
            "at = '9:00'\naction = 'x'\ndeliver = 'command'\ncommand = 'rm -rf'\n",
            ":6: schedule.command: expected a program",
        ),
        ("at = '9:00'\naction = 'x'\ndeliver = 'webhook'\n", ":5: schedule.deliver: expected schedule.url"),
        ("at = '9:00'\naction = 'x'\ndeliver = 'webhook'\nurl = 'ftp://a'\n", ":6: schedule.url: expected an http"),
        ("at = '9:00'\naction = 'x'\ntoken_env = 'sk-hidden'\n", ":5: schedule.token_env: expected the name"),
        ("at = '9:00'\naction = 'x'\ntoken_env = 'TOKEN'\n", ":5: schedule.token_env: expected a url beside it"),
        ("at = '9:00'\naction = 'x'\nenabled = 1\n", ":5: schedule.enabled: expected true or false"),
        ("at = '9:00'\naction = 'x'\ntimeout_seconds = 0\n", ":5: schedule.timeout_seconds: expected a whole number"),
        (
            "at = '9:00'\naction = 'x'\n[[schedule]]\nname = 'a'\nat = '9:00'\naction = 'x'\n",
            ":6: schedule.name: expected a name that no other",
        ),
        ("at = '9:00'\naction = 'x'\n[schedule.more]\nx = 1\n", "unknown key 'schedule.more'"),
    ] {
        let error = TestHome::new().user(&format!("{start}{text}")).error();
        assert!(error.contains("config.toml") && error.contains(expected), "{text}\n{error}\n{expected}");
        assert!(!error.contains("sk-hidden") && !error.chars().any(char::is_control), "{error}");
    }
    for text in ["schedule = 5\n", "[schedule]\nname = 'a'\n", "schedule = [{ name = 'a' }]\n"] {
        let error = TestHome::new().user(text).error();
        assert!(error.contains(":1: schedule: expected tables that begin with [[schedule]]"), "{error}");
    }
    for name in ["", "a b", "ä", "../x", &"x".repeat(41)] {
        let error =
            TestHome::new().user(&format!("[[schedule]]\nname = '{name}'\nat = '9:00'\naction = 'x'\n")).error();
        assert!(error.contains(":2: schedule.name: expected"), "{error}");
    }
    let error = TestHome::new().user(&format!("{start}actoin = 1\n")).load(&[]).unwrap_err();
    assert!(error.hint().unwrap().contains("tars config edit"));
}

#[test]
fn neither_a_project_nor_a_variable_holds_a_schedule() {
    let evil = "[[schedule]]\nname = 'x'\nat = '0:00'\naction = '/x'\ndeliver = 'command'\ncommand = ['rm']\n";
    let home = TestHome::new().user("").project(evil).with("TARS_SCHEDULE", "x").with("TARS_SCHEDULE_NAME", "x");
    let settings = home.settings();
    assert!(settings.schedules.is_empty());
    assert!(settings.warnings[0].contains("line 1: schedule (not allowed in a project)"), "{:?}", settings.warnings);
}

#[test]
fn settings_are_changed_around_schedules() {
    let home = TestHome::new().user(TEXT);
    let file = UserFile::locate(&home.environment).unwrap();
    file.set("search.limit", "7").unwrap();
    file.set("output.color", "never").unwrap();
    assert!(file.unset("output.color").unwrap());
    assert_eq!(text(&home), TEXT.replace("limit = 5", "limit = 7") + "\n[output]\n");
    assert_eq!(home.settings().schedules.len(), 2);
    assert!(file.unset("schedule").is_err() && file.set("schedule", "1").is_err());
    assert_eq!(home.settings().schedules.len(), 2);
}

#[test]
fn schedules_are_added_switched_and_removed() {
    let home = TestHome::new().user(TEXT);
    let file = UserFile::locate(&home.environment).unwrap();
    let hostile = ScheduleSettings {
        action: "say \"it's\" # not [[schedule]] \\ ü".into(),
        deliver: vec![Delivery::Webhook, Delivery::Stdout],
        url: Some("https://hooks.example.net/x?y=1".into()),
        token_env: Some("HOOK_TOKEN".into()),
        ..schedule("new")
    };
    file.add_schedule(&hostile).unwrap();
    assert!(text(&home).starts_with(TEXT));
    assert_eq!(home.settings().schedules.last().unwrap(), &hostile);
    let error = file.add_schedule(&hostile).unwrap_err();
    assert_eq!(error.to_string(), "schedule 'new': another one has this name");
    assert!(file.add_schedule(&ScheduleSettings { action: "a\nb".into(), ..schedule("bad") }).is_err());
    assert!(file.add_schedules(&[schedule("one"), schedule("one")]).is_err());
    assert!(file.remove_schedule("new").unwrap() && !file.remove_schedule("new").unwrap());
    assert_eq!(text(&home), TEXT, "what was added is gone without a trace");

    assert!(file.enable_schedule("week", true).unwrap());
    assert_eq!(text(&home), TEXT.replace("enabled = false #", "enabled = true #"));
    file.enable_schedule("week", false).unwrap();
    assert_eq!(text(&home), TEXT);
    file.enable_schedule("brief", false).unwrap();
    assert_eq!(text(&home), TEXT.replace("\"/brief\"\n", "\"/brief\"\nenabled = false\n"));
    assert!(!file.enable_schedule("none", true).unwrap());

    file.remove_schedule("brief").unwrap();
    let week = home.settings().schedules;
    assert!(week.len() == 1 && week[0].name == "week");
    assert!(
        text(&home).starts_with("# Mine.\nsearch.limit = 5 # few\n\n# Every morning.\n\n[vault]\n"),
        "{}",
        text(&home)
    );
    file.remove_schedule("week").unwrap();
    assert!(text(&home).ends_with("path = '/notes'\n# The end.\n"), "{}", text(&home));
}

#[test]
fn the_first_schedule_creates_the_file() {
    let home = TestHome::new();
    let file = UserFile::locate(&home.environment).unwrap();
    assert!(!file.remove_schedule("x").unwrap() && !home.path(FILE).exists());
    file.add_schedule(&schedule("brief")).unwrap();
    assert!(text(&home).starts_with("# Settings of tars."));
    assert_eq!(home.settings().schedules, [schedule("brief")]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn added_schedules_round_trip(action in "\\PC{1,40}", name in "[A-Za-z0-9_-]{1,40}", both in any::<bool>()) {
        prop_assume!(!action.trim().is_empty());
        let home = TestHome::new().user(TEXT);
        let file = UserFile::locate(&home.environment).unwrap();
        prop_assume!(name != "brief" && name != "week");
        let deliver = if both { vec![Delivery::Stdout, Delivery::Notify] } else { vec![Delivery::Stdout] };
        let added = ScheduleSettings { action, deliver, ..schedule(&name) };
        file.add_schedule(&added).unwrap();
        prop_assert_eq!(home.settings().schedules.pop(), Some(added));
        file.remove_schedule(&name).unwrap();
        prop_assert_eq!(text(&home), TEXT);
    }
}
