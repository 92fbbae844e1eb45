//! Which project's notes a session gets.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::notes::transcript;
use super::{Plugin, event};

const TOKEN: &str = "s3cr3t-t0ken-0f-anna";

impl Plugin {
    /// Creates a repository with the remote `address`.
    fn repository(&self, folder: &str, address: &str) -> PathBuf {
        let root = self.vault.home().join(folder);
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::write(root.join(".git/config"), format!("[remote \"origin\"]\n\turl = {address}\n")).unwrap();
        root
    }

    /// Runs a session of one turn from its beginning to its end.
    pub(super) fn session(&self, session: &str, repository: &Path, (request, answer): (&str, &str)) {
        let path = self.vault.home().join(format!("{session}.jsonl"));
        let text = transcript(&[(session, request, answer)]);
        fs::write(&path, text.replace("/nowhere/photo-service", repository.to_str().unwrap())).unwrap();
        let said = json!({ "session_id": session, "transcript_path": path, "cwd": repository, "prompt_id": session,
                           "last_assistant_message": answer });
        self.noted("stop", &event("Stop", said.clone()));
        self.noted("session-end", &event("SessionEnd", said));
    }

    pub(super) fn start_in(&self, repository: &Path) -> String {
        self.context("session-start", &event("SessionStart", json!({ "source": "startup", "cwd": repository })))
    }

    pub(super) fn ask_in(&self, repository: &Path, prompt: &str, session: &str) -> String {
        let said = json!({ "prompt": prompt, "cwd": repository, "session_id": session });
        self.context("user-prompt-submit", &event("UserPromptSubmit", said))
    }
}

#[test]
fn two_repositories_of_one_name_have_notes_of_their_own() {
    let plugin = Plugin::new();
    let work = plugin.repository("work/api", &format!("https://anna:{TOKEN}@example.org/acme/api.git"));
    let play = plugin.repository("play/api", "git@example.org:anna/api.git");
    let moved = plugin.repository("moved/api-2", "ssh://git@example.org:22/acme/api");
    let (overflow, valve) = ("The upload timer overflowed at midnight.", "The valve of the upload leaks at night.");
    plugin.session("aaaa", &work, ("why does the upload stop", overflow));
    plugin.session("bbbb", &play, ("why does the upload drip", valve));

    let begun = plugin.start_in(&work);
    assert!(begun.contains("overflowed") && !begun.contains("leaks"), "{begun}");
    let begun = plugin.start_in(&play);
    assert!(begun.contains("leaks") && !begun.contains("overflowed"), "{begun}");
    assert_eq!(plugin.start_in(&moved), plugin.start_in(&work), "a clone elsewhere is the same project");

    let mut written = String::new();
    for place in [plugin.vault.path("tars"), plugin.vault.path("tars/sessions")] {
        for file in fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
            written += &format!("{}\n{}\n", file.display(), fs::read_to_string(&file).unwrap_or_default());
        }
    }
    for expected in ["· acme/api\n", "· anna/api\n", "-acme-api.md", "project: \"acme/api\"\nproject_key: \""] {
        assert!(written.contains(expected), "{expected} in {written}");
    }
    assert!(!written.contains(TOKEN), "{written}");
}

#[test]
fn with_project_scope_notes_of_other_projects_stay_out() {
    let plugin = Plugin::new();
    let work = plugin.repository("work/api", "https://example.org/acme/api.git");
    let play = plugin.repository("play/web", "https://example.org/acme/web.git");
    plugin.session("aaaa", &work, ("why does the upload stop", "The upload timer overflowed at midnight."));
    plugin.vault.write("Uploads.md", "# Uploads\n\nThe upload timer was set to midnight by Ben.\n");
    plugin.vault.index();
    let question = "what was it with the upload timer at midnight";
    let all = plugin.ask_in(&play, question, "s-all");
    assert!(all.contains("overflowed") && all.contains("by Ben"), "{all}");
    plugin.vault.tars(["config", "set", "hooks.scope", "project"]).run().success();
    let own = plugin.ask_in(&work, question, "s-own");
    assert!(own.contains("overflowed") && own.contains("by Ben"), "{own}");
    let other = plugin.ask_in(&play, question, "s-other");
    assert!(!other.contains("overflowed") && other.contains("by Ben"), "{other}");
}

#[test]
fn a_session_begins_with_the_open_part_of_the_day_in_its_project() {
    let plugin = Plugin::new();
    let (work, play) = (plugin.repository("work/api", "h:acme/api"), plugin.repository("play/web", "h:acme/web"));
    let today = crate::harness::today();
    let section = |name: &str, text: &str| {
        let lines = format!("- 10:00 Found: {text}\n- [x] 10:01 Open: ticked\n- [-] 10:01 Open: set aside\n");
        format!("\n## Session 10:00 · {name}\n<!-- tars:session {name} -->\n{lines}")
    };
    let day = format!("# {today}\n\n- 09:00 met Ben\n{}{}", section("api", "overflow"), section("web", "leak"));
    plugin.vault.write(&format!("tars/{today}.md"), day);
    let shown = |repository: &Path| {
        let begun = plugin.start_in(repository);
        assert!(!begun.contains("ticked") && !begun.contains("set aside"), "{begun}");
        ["met Ben", "overflow", "leak"].map(|text| begun.contains(text))
    };
    assert_eq!(shown(&work), [true, true, false]);
    assert_eq!(shown(&play), [true, false, true]);
    // A question brings notes of sessions where they answer.
    plugin.vault.write("Boat.md", "# Boat\n\nThe boat lies in the harbour of Lisbon.\n");
    plugin.vault.index();
    let asked = plugin.vault.tars(["context", "where does the boat lie?"]).run().success();
    let asked = asked.stdout();
    assert!(asked.contains("met Ben") && !asked.contains("overflow") && !asked.contains("leak"), "{asked}");
}

#[test]
fn a_turn_belongs_to_the_repository_that_it_worked_in() {
    let plugin = Plugin::new();
    let work = plugin.repository("work/api", "https://example.org/acme/api.git");
    let play = plugin.repository("play/web", "https://example.org/acme/web.git");
    let path = plugin.vault.home().join("aaaa.jsonl");
    let turns = [
        ("p1", "why does the upload stop", "The root cause was the timer, which overflowed."),
        ("p2", "fix it", "The page shows it now."),
    ];
    for (number, here) in [(1, &work), (2, &play)] {
        let known = fs::read_to_string(&path).unwrap_or_default();
        let all = transcript(&turns[..number]).replace("/nowhere/photo-service", here.to_str().unwrap());
        let new: String = all.lines().skip(known.lines().count()).map(|line| format!("{line}\n")).collect();
        fs::write(&path, known + &new).unwrap();
        let (id, _, said) = turns[number - 1];
        let said = json!({ "session_id": "aaaa", "transcript_path": path, "cwd": here, "prompt_id": id,
                           "last_assistant_message": said });
        plugin.noted("stop", &event("Stop", said));
    }
    let day = plugin.day();
    let (api, web) = day.split_once("· acme/web\n").unwrap();
    assert!(api.contains("· acme/api\n") && api.contains("timer") && !api.contains("page"), "{day}");
    assert!(web.contains("The page shows it now") && !web.contains("timer"), "{day}");
}

#[test]
fn archived_lines_are_shown_in_a_project_that_mentions_them() {
    let plugin = Plugin::new();
    let work = plugin.repository("work/api", "https://example.org/acme/api.git");
    let play = plugin.repository("play/web", "https://example.org/acme/web.git");
    plugin.session("aaaa", &work, ("why does the upload stop", "The upload timer overflowed at midnight."));
    plugin.session("bbbb", &play, ("why is the banner gone", "The banner of the shop was hidden by a rule."));
    let topics = "# Work\n\n## Limits\n- The upload timer counts minutes, 90 at most\n- Elin is on leave\n\n## Shop\n- The banner of the shop is red\n";
    plugin.vault.write("tars/context/work.md", topics);
    plugin.vault.write("tars/context/private.md", "---\ntars: private\n---\n- The upload timer is a secret\n");
    let begun_in = |repository: &Path| {
        let event = event("SessionStart", json!({ "source": "startup", "cwd": repository }));
        let started = plugin.hook("dash", "session-start", &event, &plugin.path());
        started.env("TARS_TEST_CLOCK", "2026-03-20T10:00:00Z[UTC]").run().success().stdout().to_owned()
    };
    let begun = begun_in(&work);
    assert!(begun.contains("## Limits") && begun.contains("counts minutes, 90 at most"), "{begun}");
    for other in ["Elin", "banner", "## Shop", "a secret"] {
        assert!(!begun.contains(other), "{other}: {begun}");
    }
    assert!(begun_in(&play).contains("is red"));
}

#[test]
fn a_session_begins_with_findings_of_earlier_days_where_there_is_room() {
    let plugin = Plugin::new();
    let work = plugin.repository("work/api", "h:acme/api");
    let write = |day: &str, sections: &[(&str, &str)]| {
        let section = |(name, lines): &(&str, &str)| {
            format!("\n## Session 10:00 · {name}\n<!-- tars:session {name}{} -->\n{lines}\n", &day[8..])
        };
        let sections: String = sections.iter().map(section).collect();
        plugin.vault.write(&format!("tars/{day}.md"), format!("# {day}\n{sections}"));
    };
    write(
        "2026-03-16",
        &[("api", "- 10:00 Found: The export stops at the quota of the disk.\n- 10:01 Done: Renamed a file.")],
    );
    write(
        "2026-03-17",
        &[
            (
                "api",
                "- 10:00 Ruled out: It is the proxy.\n- 10:01 Found: The export stops at the quota of the disk, 5 GB.",
            ),
            ("web", "- 10:00 Found: The banner is hidden by a rule."),
        ],
    );
    write("2026-03-19", &[("api", "- 10:00 Decided: We keep exports for 30 days.")]);
    let begun = || {
        let event = event("SessionStart", json!({ "source": "startup", "cwd": work }));
        let started = plugin.hook("dash", "session-start", &event, &plugin.path());
        started.env("TARS_TEST_CLOCK", "2026-03-20T10:00:00Z[UTC]").run().success().stdout().to_owned()
    };
    let shown = begun();
    for expected in ["for 30 days", "disk, 5 GB", "It is the proxy"] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    for other in ["quota of the disk.", "banner", "Renamed"] {
        assert!(!shown.contains(other), "{other}: {shown}");
    }
    plugin.vault.tars(["config", "set", "hooks.session_characters", "420"]).run().success();
    let shown = begun();
    assert!(shown.contains("for 30 days") && !shown.contains("5 GB"), "{shown}");
}

#[test]
fn every_fifth_session_proposes_what_the_person_said_about_themselves() {
    let plugin = Plugin::new();
    let proposals = plugin.vault.path("tars/proposals.md");
    let memory = "# Memory\n\n## Person\n- I prefer spaces\n";
    plugin.vault.write("tars/Memory.md", memory);
    for (at, (project, request)) in [
        ("api", "From now on I prefer tabs. Fix the pump, please."),
        ("web", "why does the page flicker"),
        ("api", "why does the queue grow"),
        ("web", "why is the font so small"),
        ("cli", "why does the help text wrap"),
    ]
    .into_iter()
    .enumerate()
    {
        assert!(!proposals.exists(), "{at}");
        let repository = plugin.repository(project, &format!("https://example.org/acme/{project}.git"));
        plugin.session(&format!("session{at}"), &repository, (request, "The cause was a missing setting."));
    }
    let listed = fs::read_to_string(&proposals).unwrap();
    assert!(
        listed.contains("in [[tars/Memory#Person]]: From now on I prefer tabs.\n  - instead of: I prefer spaces\n"),
        "{listed}"
    );
    assert_eq!(plugin.vault.read("tars/Memory.md"), memory, "nothing changes without the person's consent");
}
