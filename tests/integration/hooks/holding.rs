//! Only what holds comes: decisions of branches, unconfirmed rules, and old open ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jiff::ToSpan;
use serde_json::json;

use super::notes::transcript;
use super::{Plugin, event};
use crate::harness::today;

fn git(folder: &Path, arguments: &str) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]).args(arguments.split(' '));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.current_dir(folder).output().expect("git runs");
    assert!(output.status.success(), "git {arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

impl Plugin {
    fn git_repository(&self, folder: &str) -> PathBuf {
        let root = self.vault.home().join(folder);
        fs::create_dir_all(&root).unwrap();
        git(&root, "init -q -b main .");
        fs::write(root.join("main.rs"), "fn main() {}").unwrap();
        git(&root, "add -A");
        git(&root, "commit -q -m first");
        root
    }

    /// Writes the log of the day so many days ago, with one section of a project.
    fn write_day(&self, back: i64, project: &str, lines: &str) {
        let day = today().saturating_sub(back.days());
        let text = format!("# {day}\n\n## Session 10:00 · {project}\n<!-- tars:session s{back} -->\n{lines}\n");
        self.vault.write(&format!("tars/{day}.md"), text);
    }
}

#[test]
fn a_decision_of_a_branch_comes_where_the_branch_holds() {
    let plugin = Plugin::new();
    let work = plugin.git_repository("shop");
    git(&work, "checkout -q -b feature/redis");
    fs::write(work.join("redis.rs"), "// sessions").unwrap();
    git(&work, "add -A");
    git(&work, "commit -q -m redis");
    let lines = "- 10:00 Decided: Login sessions live in Redis. (on branch `feature/redis`)\n\
                 - 10:01 Also: Login sessions live in Redis now; README (on branch `feature/redis`)";
    plugin.write_day(1, "shop", lines);
    plugin.vault.index();
    let week = plugin.vault.tars(["week"]).run().success();
    assert!(week.stdout().contains("live in Redis. (on branch `feature/redis`)"), "{week}");
    let mut asked = 0;
    let mut comes = || {
        asked += 1;
        let question = "which store did we choose for the login sessions?";
        let prompt = plugin.ask_in(&work, question, &format!("s-{asked}"));
        [plugin.start_in(&work), prompt].map(|text| text.contains("live in Redis"))
    };
    assert_eq!(comes(), [true, true], "the branch is checked out");
    git(&work, "checkout -q main");
    assert_eq!(comes(), [false, false], "another branch is checked out");
    git(&work, "merge -q --no-edit --no-ff feature/redis");
    assert_eq!(comes(), [true, true], "the branch is merged");
    git(&work, "reset -q --hard HEAD~1");
    git(&work, "branch -q -D feature/redis");
    assert_eq!(comes(), [false, false], "the branch was dropped");
}

#[test]
fn a_turn_on_a_side_branch_notes_its_branch() {
    let plugin = Plugin::new();
    let work = plugin.git_repository("shop");
    let note = |session: &str, branch: &str| {
        let path = plugin.vault.home().join(format!("{session}.jsonl"));
        let text = transcript(&[(session, "ok, then we keep Redis for the login sessions", "Fine.")]);
        let text = text.replace("/nowhere/photo-service", work.to_str().unwrap());
        fs::write(&path, text.replace("\"type\":\"user\"", &format!("\"type\":\"user\",\"gitBranch\":\"{branch}\"")))
            .unwrap();
        let said = json!({ "session_id": session, "transcript_path": path, "cwd": work, "prompt_id": session });
        plugin.noted("stop", &event("Stop", said));
    };
    note("aaaa", "main");
    assert!(plugin.day().contains("Redis") && !plugin.day().contains("(on branch"), "{}", plugin.day());
    note("bbbb", "feature/redis");
    assert_eq!(plugin.day().matches("(on branch `feature/redis`)").count(), 1, "{}", plugin.day());
    note_changes(&plugin, &work);
    let day = plugin.day();
    assert!(day.contains("Also: Renamed `alpha` to `start` (on branch `feature/redis`)"), "{day}");
    assert!(day.contains("Also: Renamed `beta` to `middle`\n"), "{day}");
}

/// Runs a session that changes a branch in the middle.
fn note_changes(plugin: &Plugin, work: &Path) {
    let path = plugin.vault.home().join("cccc.jsonl");
    let turns =
        [("c1", "rename alpha", "Renamed `alpha` to `start`."), ("c2", "rename beta", "Renamed `beta` to `middle`.")];
    let text = transcript(&turns).replace("/nowhere/photo-service", work.to_str().unwrap());
    let branches = ["feature/redis", "main"].into_iter();
    let lines = text.split_inclusive("\n").collect::<Vec<_>>();
    let text: String = lines
        .chunks(2)
        .zip(branches)
        .map(|(turn, branch)| {
            turn.concat().replace("\"type\":\"user\"", &format!("\"type\":\"user\",\"gitBranch\":\"{branch}\""))
        })
        .collect();
    fs::write(&path, text).unwrap();
    let said = json!({ "session_id": "cccc", "transcript_path": path, "cwd": work, "prompt_id": "c2" });
    plugin.noted("stop", &event("Stop", said));
}

#[test]
fn an_unconfirmed_rule_comes_in_its_project_for_two_weeks() {
    let plugin = Plugin::new();
    let (work, play) = (plugin.git_repository("shop"), plugin.git_repository("game"));
    plugin.write_day(5, "shop", "- 10:00 [extracted] always use ruff, never black.\n- 10:01 [dropped] nothing of it.");
    plugin.write_day(20, "shop", "- 10:00 [extracted] never push on Fridays.");
    for day in 6..12 {
        plugin.write_day(day, "shop", &format!("- 10:00 [extracted] always keep {day} backups of the till."));
    }
    plugin.write_day(13, "shop", "- 10:00 [extracted] in my python repos I prefer pytest over unittest");
    let begun = plugin.start_in(&work);
    assert!(begun.contains("Unconfirmed: always use ruff, never black."), "{begun}");
    assert!((6..12).all(|day| begun.contains(&format!("{day} backups"))), "each of the fourteen days: {begun}");
    assert!(!begun.contains("Fridays") && !begun.contains("nothing of it"), "{begun}");
    let elsewhere = plugin.start_in(&play);
    assert!(!elsewhere.contains("ruff") && !elsewhere.contains("backups"), "{elsewhere}");
    assert!(elsewhere.contains("Unconfirmed: in my python repos I prefer pytest"), "about the person: {elsewhere}");
}

#[test]
fn what_was_said_in_imported_chats_comes_unconfirmed_in_every_project_for_two_weeks() {
    let plugin = Plugin::new();
    let (work, play) = (plugin.git_repository("shop"), plugin.git_repository("game"));
    let list = |back: i64, text: &str| {
        let day = today().saturating_sub(back.days());
        format!(
            "## From chats imported on {day}\n- [ ] Add to [[tars/Procedural#Rules]]: {text}\n  - since: 2025-03-14 {text} (chats/pump.md)\n  \
             <!-- tars:proposal {back:08} add to=Procedural.md#Rules from=chats/pump.md# -->\n\n"
        )
    };
    let text = list(3, "Always answer in tables.") + &list(20, "Never answer in verse.");
    plugin.vault.write("tars/proposals.md", format!("# Proposals\n\n{text}"));
    for folder in [&work, &play] {
        let begun = plugin.start_in(folder);
        assert!(begun.contains("- Unconfirmed: Always answer in tables."), "{begun}");
        assert!(!begun.contains("verse") && !begun.contains("since:"), "{begun}");
    }
    plugin.vault.write("tars/proposals.md", format!("# Proposals\n\n{}", text.replace("- [ ]", "- [-]")));
    assert!(!plugin.start_in(&work).contains("tables"), "the person refused it");
}

#[test]
fn an_old_open_end_is_asked_about_once_and_then_set_aside() {
    let plugin = Plugin::new();
    let work = plugin.git_repository("shop");
    let day = today().saturating_sub(30.days());
    let path = plugin.vault.home().join("aaaa.jsonl");
    let text = transcript(&[("aaaa", "deploy it", "Deployed to production. Staging still needs a restart.")]);
    let text = text.replace("2026-03-15", &day.to_string()).replace("/nowhere/photo-service", work.to_str().unwrap());
    fs::write(&path, text).unwrap();
    let said = json!({ "session_id": "aaaa", "transcript_path": path, "cwd": work, "prompt_id": "aaaa" });
    plugin.noted("stop", &event("Stop", said));
    let log = || plugin.vault.read(&format!("tars/{day}.md"));
    assert!(log().contains("- [ ] 10:00 Open: Staging still needs a restart."), "{}", log());
    let begun = plugin.start_in(&work);
    assert!(begun.contains("Staging still needs a restart.") && begun.contains("ask once"), "{begun}");
    assert!(!plugin.start_in(&work).contains("ask once"), "asked once");
    // The question was on an earlier day.
    let file = plugin.vault.data().join("asked-open-ends.json");
    let asked = fs::read_to_string(&file).unwrap();
    fs::write(&file, asked.replace(&today().to_string(), &today().saturating_sub(1.day()).to_string())).unwrap();
    plugin.session("bbbb", &work, ("hello there, what is this", "A shop."));
    assert!(log().contains("- [-] 10:00 Open: Staging still needs a restart."), "{}", log());
}

#[test]
fn a_private_log_and_branches_of_other_projects_are_left_alone() {
    let plugin = Plugin::new();
    let work = plugin.git_repository("shop");
    git(&work, "checkout -q -b feature/redis");
    fs::write(work.join("redis.rs"), "// sessions").unwrap();
    git(&work, "add -A");
    git(&work, "commit -q -m redis");
    git(&work, "checkout -q main");
    let day = today().saturating_sub(30.days());
    let section =
        "## Session 10:00 · shop\n<!-- tars:session s1 -->\n- [ ] 10:00 Open: Tell the clinic about the move.\n";
    plugin.vault.write(&format!("tars/{day}.md"), format!("---\ntars: private\n---\n# {day}\n\n{section}"));
    plugin.write_day(1, "game", "- 10:00 Decided: High scores live in Redis. (on branch `feature/redis`)");
    plugin.vault.index();
    assert!(!plugin.start_in(&work).contains("clinic"));
    let asked = plugin.ask_in(&work, "where did we decide that the high scores live?", "s-1");
    assert!(asked.contains("High scores live in Redis"), "the branch of this repository is another one: {asked}");
}
