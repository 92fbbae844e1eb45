//! The soul files: `tars undo` reverts what a model wrote and `tars review` settles it.

use serde_json::json;
use tars_config::Environment;
use tars_service::memory::{
    ObserveRequest, ProposeLinesRequest, ResetMemoryRequest, ResetSoulRequest, UpdateSoulRequest,
};
use tars_service::{App, Backend, Service, UseCase};

use super::{answer, bytes, run, vault_with};
use crate::contract::text;
use crate::harness::TestVault;

const SOUL: &str = "tars/soul/soul.md";

fn call<U: UseCase>(vault: &TestVault, request: &U) -> U::Response {
    let home = vault.home().to_owned();
    let environment = Environment { home: Some(home.clone()), directory: Some(home), ..Environment::default() };
    let path = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
    let flags = [("vault.path", path(vault.root())), ("data.dir", path(vault.data()))];
    let app = App::new(environment, &flags.map(|(key, value)| (key.to_owned(), value))).unwrap();
    Service::new(&app, Backend::Local).call(request).unwrap()
}

#[test]
fn a_line_for_the_soul_is_accepted_and_undone() {
    let vault = vault_with("# Memory\n");
    let text_of_model = "## How I speak\n- I answer Anna in German\n";
    let request = ProposeLinesRequest { path: "soul/soul.md".into(), text: text_of_model.into(), append: true };
    let listed = call(&vault, &request).proposals;
    let shown = run(&vault, &["review", "--proposals"]).success();
    assert!(shown.stdout().contains("I answer Anna in German"), "{shown}");
    run(&vault, &["review", "--accept", &listed[0].id]).success();
    assert!(vault.read(SOUL).contains("- I answer Anna in German\n\n## What I do"));
    run(&vault, &["undo"]).success();
    assert!(bytes(&vault, SOUL).is_none());
    assert!(
        vault.read("tars/proposals.md").contains("## From conversations\n- [ ] Add to [[tars/soul/soul#How I speak]]")
    );
}

#[test]
fn each_reset_is_undone_by_one_command() {
    let vault = vault_with("# Memory\n");
    vault.write("tars/context/work.md", "# Work\r\n- Pump");
    vault.write("tars/timelines/goals.md", "# Goals\n");
    call(&vault, &UpdateSoulRequest { add: "I whistle".into(), ..UpdateSoulRequest::default() });
    call(&vault, &ObserveRequest { text: "Asks for sources".into(), ..ObserveRequest::default() });
    let files = ["tars/context/work.md", "tars/timelines/goals.md", SOUL, "tars/soul/observations.md"];
    let before = files.map(|file| bytes(&vault, file));
    call(&vault, &ResetMemoryRequest::default());
    call(&vault, &ResetSoulRequest::default());
    assert!(bytes(&vault, files[0]).is_none() && bytes(&vault, files[3]).is_none());
    assert!(!vault.read(SOUL).contains("I whistle"));
    run(&vault, &["undo"]).success();
    run(&vault, &["undo"]).success();
    assert_eq!(files.map(|file| bytes(&vault, file)), before);
    assert_eq!(text(&answer(&vault, &["log"])[0], "command"), "undo");
}

#[test]
fn commands_handle_the_soul_and_no_session_begins_with_it() {
    let vault = vault_with("# Memory\n\n## Facts\n- The pump is blue\n");
    call(&vault, &UpdateSoulRequest { add: "I whistle at work".into(), ..UpdateSoulRequest::default() });
    call(&vault, &ObserveRequest { text: "The pump is blue".into(), ..ObserveRequest::default() });
    for command in ["tidy", "audit", "week", "status"] {
        let output = run(&vault, &[command]);
        assert!(output.status.code().is_some_and(|code| code < 2), "{output}");
    }
    let begin = json!({"session_id": "a", "cwd": vault.root(), "hook_event_name": "SessionStart", "source": "startup"});
    let started = vault.tars(["hook", "session-start"]).stdin(begin.to_string()).run().success();
    assert!(started.stdout().contains("The pump is blue"), "{started}");
    for output in [started, run(&vault, &["context"]).success(), run(&vault, &["context", "--layers"]).success()] {
        assert!(!output.stdout().contains("whistle") && !output.stdout().contains("soul"), "{output}");
    }
}
