//! Schedules through the binary: listing, adding, importing and removing.

use std::fs;

use crate::harness::TestVault;

const FILE: &str = ".config/tars/config.toml";
const IMPORT: &str = r#"{"schedules": [
  {"name": "Morning brief", "cron": "30 7 * * 1-5", "prompt": "What is on today?", "deliver": "webhook", "url": "http://x"},
  {"id": "review", "time": "18:00", "command": "/review", "enabled": false},
  {"id": "clean", "time": "03:00", "command": "rm -rf /tmp/x"}
]}"#;

fn vault() -> TestVault {
    TestVault::of_words().with("TARS_TEST_CLOCK", "2026-11-24T12:00:00+01:00[Europe/Berlin]")
}

fn config(vault: &TestVault) -> String {
    fs::read_to_string(vault.home().join(FILE)).unwrap_or_default()
}

#[test]
#[cfg(feature = "test-clock")]
fn schedules_are_added_listed_and_removed() {
    let vault = vault();
    vault.tars(["schedule", "list"]).run().code(1).says(&["there are no schedules", "tars schedule add"]);
    let add = ["schedule", "add", "brief", "--at", "7:30", "--action", "/brief", "--deliver", "notify,stdout"];
    assert_eq!(vault.tars(add).run().success().stdout(), "added brief: every day at 07:30\n");
    let program = ["--deliver", "command", "--command", "tee", "-a", "week.md"];
    let long = "Sum up what was decided, learnt and left open in the seven days before this one.";
    vault.tars(["schedule", "add", "week", "--cron", "0 17 * * 5", "--action", long]).args(program).run().success();
    let shown = vault.tars(["schedule", "list"]).run().success();
    assert_eq!(
        shown.stdout(),
        "brief  every day at 07:30\n  does  /brief\n  next  Wed 2026-11-25 07:30\nweek  at 17:00, on Friday\n  does  Sum up \
         what was decided, learnt and left open in the seven days before …\n  next  Fri 2026-11-27 17:00\n"
    );
    let list = vault.tars(["schedule", "list", "--json"]).run().success().json();
    let fields = ["name", "at", "cron", "when", "action", "deliver", "enabled", "next", "last"];
    assert_eq!(crate::contract::keys(&list[0]), fields);
    assert_eq!((&list[0]["at"], &list[1]["cron"]), (&"07:30".into(), &"0 17 * * 5".into()));
    assert_eq!(list[1]["next"], "2026-11-27T17:00:00+01:00");
    assert!(config(&vault).contains("command = [\"tee\", \"-a\", \"week.md\"]"), "{}", config(&vault));

    vault.tars(["schedule", "disable", "week"]).run().success();
    assert!(vault.tars(["schedule", "list"]).run().success().stdout().contains("next  switched off"));
    vault.tars(["schedule", "enable", "week"]).run().success();
    vault.tars(["config", "set", "search.limit", "3"]).run().success();
    assert!(!vault.tars(["config", "list"]).run().success().stdout().contains("schedule"));
    vault.tars(["schedule", "remove", "brief"]).run().success();
    vault.tars(["schedule", "remove", "brief"]).run().code(1).says(&["there is no schedule 'brief'"]);
    assert_eq!(vault.tars(["schedule", "list", "--json"]).run().success().json().as_array().unwrap().len(), 1);
}

#[test]
fn past_runs_are_shown() {
    let vault = vault();
    vault.tars(["schedule", "add", "brief", "--at", "00:00", "--action", "/brief"]).run().success();
    let folder = vault.data().join("schedules");
    fs::create_dir_all(&folder).unwrap();
    let state = |rest: &str| {
        let text = format!(
            r#"{{"schedules":{{"brief":{{"when":"at 00:00","counted":"2026-11-24T11:00:00Z","started":"2026-11-24T10:00:00Z",{rest}}}}}}}"#
        );
        fs::write(folder.join("state.json"), text).unwrap();
    };
    let shown = || vault.tars(["schedule", "list"]).run().success().stdout().to_owned();
    state(r#""ended":"2026-11-24T10:00:09Z","result":{"ok":true,"line":"two tasks \u001b[2J"}"#);
    assert!(shown().contains(": ok: two tasks \u{fffd}[2J\n"), "{}", shown());
    state(r#""ended":"2026-11-24T10:00:09Z","result":{"ok":false,"line":"no model"}"#);
    assert!(shown().contains(": failed: no model\n"), "{}", shown());
    state(r#""ended":null,"result":null"#);
    assert!(shown().contains(": failed: tars ended before the run did\n"), "{}", shown());
    fs::write(folder.join("state.json"), "{").unwrap();
    vault.tars(["schedule", "list"]).run().code(2).says(&["state.json", "no schedule runs until"]);
}

#[test]
fn a_schedule_that_cannot_run_is_refused() {
    let vault = vault();
    let add = |more: &[&str]| vault.tars(["schedule", "add", "x", "--action", "/x"]).args(more).run().code(2);
    add(&[]).says(&["--at"]);
    add(&["--at", "25:00"]).says(&["a time of the day"]);
    add(&["--cron", "0 99 * * *"]).says(&["hour '99': number out of bounds"]);
    add(&["--at", "9:00", "--cron", "0 9 * * *"]).says(&["cannot be used with"]);
    add(&["--at", "9:00", "--deliver", "mail"]).says(&["one of daily_memory"]);
    add(&["--at", "9:00", "--deliver", "webhook"]).says(&["schedule.url beside it", "tars schedule add --help"]);
    add(&["--at", "9:00", "--deliver", "webhook", "--url", "ftp://x"]).says(&["schedule.url: expected an http"]);
    assert_eq!(config(&vault), "");
    vault.tars(["schedule", "add", "x", "--at", "9:00", "--action", "/x"]).run().success();
    add(&["--at", "9:00"]).says(&["schedule 'x': another one has this name"]);

    fs::write(vault.home().join(FILE), "[[schedule]]\nname = 'x'\nat = '9:00'\nactoin = '/x'\n").unwrap();
    vault
        .tars(["schedule", "list"])
        .run()
        .code(2)
        .says(&["config.toml:4: unknown key 'schedule.actoin'", "schedule.action"]);
}

#[test]
fn schedules_of_another_assistant_are_shown_before_their_import() {
    let vault = vault();
    fs::write(vault.home().join("schedules.json"), IMPORT).unwrap();
    let said = ["'webhook' is dropped", "entry 3 is left out", "programs are not imported", "nothing was written"];
    let asked = vault.tars(["schedule", "import", "schedules.json"]).run().code(1).says(&said);
    assert!(asked.stdout().contains("Morning-brief  at 07:30") && asked.stdout().contains("switched off"), "{asked}");
    assert_eq!(config(&vault), "");
    vault.at_terminal(["schedule", "import", "schedules.json"], "n\n").run().code(1);
    assert_eq!(config(&vault), "");
    let answered = vault.at_terminal(["schedule", "import", "schedules.json"], "y\n").run().success();
    assert!(answered.stdout().contains("add 2 schedules? [y/N]"), "{answered}");
    let text = config(&vault);
    assert!(
        text.contains("name = \"Morning-brief\"") && text.contains("enabled = false") && !text.contains("http"),
        "{text}"
    );
    vault.tars(["schedule", "import", "schedules.json", "--yes"]).run().code(1).says(&["a schedule has this name"]);
    assert_eq!(config(&vault), text);
    fs::write(vault.home().join("schedules.json"), "{}").unwrap();
    vault.tars(["schedule", "import", "schedules.json"]).run().code(2).says(&["is not a list of schedules"]);
    vault.tars(["schedule", "import", "none.json"]).run().code(2).says(&["cannot read none.json"]);
}

#[test]
fn a_project_file_adds_no_schedule() {
    let vault = vault();
    let project = vault.home().join("project");
    fs::create_dir_all(&project).unwrap();
    let evil = "[[schedule]]\nname = 'x'\nat = '0:00'\naction = '/x'\ndeliver = 'command'\ncommand = ['rm']\n";
    fs::write(project.join(".tars.toml"), evil).unwrap();
    vault.write(".tars.toml", evil);
    vault.tars(["schedule", "list"]).within(&project).run().code(1).says(&["schedule (not allowed in a project)"]);
    vault.tars(["schedule", "list"]).within(&vault.root()).run().code(1).says(&["there are no schedules"]);
}
