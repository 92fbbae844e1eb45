//! Scripted handoffs: the note writer notes sessions in one client, and the handoff is read for another one.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;
use crate::memory::{DoneRequest, SessionsRequest, Tick};
use crate::sessions::{LeftSession, NoteSession, SessionEvent, handoff_offer};
use crate::{App, Backend};
use tars_base::clock::Clock;
use tars_base::domain::{ApproximateTokens, CountTokens};
use tars_config::Environment;

/// Where the agents work.
const PROJECTS: &str = "/nowhere";

/// Returns the scripts.
fn scripts() -> Vec<Script> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("sessions/handoff/scripts.jsonl");
    fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A script: sessions in the order of their time, one an hour, and what the handoff of one of them holds and lacks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    about: String,
    sessions: Vec<ScriptedSession>,
    /// The session to hand over; the last one of the project by default.
    hand: Option<usize>,
    /// Words of an open end that the person ticks.
    done: Option<String>,
    #[serde(default)]
    gives: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    withholds: BTreeMap<String, Vec<String>>,
    unfinished: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedSession {
    turns: Vec<ScriptedTurn>,
    /// Whether no hook reported its end.
    #[serde(default)]
    lost: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedTurn {
    ask: String,
    say: Option<String>,
    #[serde(default)]
    edit: Vec<String>,
    #[serde(default)]
    run: Vec<String>,
    #[serde(default)]
    fail: Vec<String>,
    /// The project, if it is not the pump.
    r#in: Option<String>,
    /// Whether the person had paused tars.
    #[serde(default)]
    paused: bool,
    /// How the turn ended, unless the agent answered: `interrupted`, `failed`, `cut off`, `unanswered`.
    end: Option<String>,
}

struct World {
    home: tempfile::TempDir,
    app: App,
}

impl World {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let vault = home.path().join("vault");
        fs::create_dir(&vault).unwrap();
        let place = Some(home.path().to_owned());
        let clock = Clock::fixed("2026-03-15T18:00:00+00:00[UTC]");
        let environment = Environment { home: place.clone(), directory: place, clock, ..Environment::default() };
        let data = home.path().join("data");
        let flags = [("vault.path", vault.as_path()), ("data.dir", data.as_path())];
        let flags = flags.map(|(key, path)| (key.to_owned(), path.to_str().unwrap().to_owned()));
        let app = App::new(environment, &flags).unwrap();
        Self { home, app }
    }

    fn service(&self) -> Service<'_> {
        Service::new(&self.app, Backend::Local)
    }

    /// Notes a session as the hooks of `client` do, and returns its id.
    fn play(&self, client: AgentClient, number: usize, session: &ScriptedSession) -> String {
        let id = format!("{:08x}-0000-4000-8000-00000000000{number}", 0x5e55_b0a0 + number);
        let folder = self.home.path().join(".claude/projects/pump");
        fs::create_dir_all(&folder).unwrap();
        let transcript = folder.join(format!("{id}.jsonl"));
        let mut text = String::new();
        let last = session.turns.len() - 1;
        for (at, turn) in session.turns.iter().enumerate() {
            let time = |minute: usize| -> Timestamp {
                format!("2026-03-15T{:02}:{:02}:00Z", 9 + number, at * 10 + minute).parse().unwrap()
            };
            if turn.paused {
                self.app.pauses().begin(Some(&id), time(0), None).unwrap();
            }
            text += &lines(&id, at, turn, time(0));
            fs::write(&transcript, &text).unwrap();
            let event = |name: &str, minute: usize| SessionEvent {
                client,
                event: name.into(),
                session: id.clone(),
                transcript: transcript.to_str().unwrap().into(),
                transcript_length: text.len() as u64,
                directory: directory(turn),
                prompt_id: prompt_id(&id, at),
                last_message: turn.say.clone().unwrap_or_default(),
                at: time(minute),
                ..SessionEvent::default()
            };
            match turn.end.as_deref() {
                _ if turn.paused => {}
                None => self.note(&event("Stop", 5)),
                Some("failed") => self.note(&event("StopFailure", 5)),
                Some(_) => {}
            }
            if turn.paused {
                self.app.pauses().end(Some(&id), time(6)).unwrap();
            }
            if at == last && !session.lost {
                self.note(&SessionEvent { prompt_id: String::new(), ..event("SessionEnd", 8) });
            }
        }
        id
    }

    fn note(&self, event: &SessionEvent) {
        NoteSession { event }.run(&self.service()).unwrap();
    }

    fn handoff(&self, session: Option<&str>) -> HandoffResponse {
        let directory = Some(format!("{PROJECTS}/pump"));
        let (session, asking) = (session.map(str::to_owned), Some("the-second-agent".to_owned()));
        self.service().call(&HandoffRequest { session, directory, asking, ..HandoffRequest::default() }).unwrap()
    }

    fn offer(&self, others: &[&str]) -> Option<String> {
        handoff_offer(&self.app, &Project::of(&PathBuf::from(PROJECTS).join("pump")), others, &[]).unwrap()
    }
}

fn directory(turn: &ScriptedTurn) -> String {
    format!("{PROJECTS}/{}", turn.r#in.as_deref().unwrap_or("pump"))
}

/// Returns the id of a prompt, which no other session has.
fn prompt_id(session: &str, at: usize) -> String {
    format!("{}-{at}", &session[..8])
}

/// Returns the lines of a transcript for one turn.
fn lines(session: &str, at: usize, turn: &ScriptedTurn, time: Timestamp) -> String {
    let mut entries: Vec<Value> = Vec::new();
    let mut add = |kind: &str, content: Value, more: Value| {
        let mut entry = json!({"type": kind, "uuid": format!("{kind}{at}-{}", entries.len()), "sessionId": session, "cwd": directory(turn),
                               "timestamp": time, "message": {"role": kind, "content": content}});
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        entries.push(entry);
    };
    add("user", json!(turn.ask), json!({ "promptId": prompt_id(session, at) }));
    let tool =
        |id: &str, name: &str, input: Value| json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
    for file in &turn.edit {
        add("assistant", tool(file, "Edit", json!({"file_path": format!("{}/{file}", directory(turn))})), json!({}));
    }
    for command in &turn.run {
        add("assistant", tool(command, "Bash", json!({ "command": command })), json!({}));
        let result = json!([{"type": "tool_result", "tool_use_id": command, "is_error": turn.fail.contains(command), "content": "…"}]);
        add("user", result, json!({"toolUseResult": "…"}));
    }
    if let Some(said) = &turn.say {
        add("assistant", json!([{"type": "text", "text": said}]), json!({}));
    }
    match turn.end.as_deref() {
        Some("interrupted") => {
            add("user", json!([{"type": "text", "text": "[Request interrupted by user]"}]), json!({}))
        }
        Some("failed") => {
            add("assistant", json!([{"type": "text", "text": "API Error"}]), json!({"isApiErrorMessage": true}))
        }
        _ => {}
    }
    entries.iter().map(|entry| format!("{entry}\n")).collect()
}

/// Returns the texts of a section of a handoff.
fn section(handoff: &HandoffResponse, name: &str) -> String {
    let value = serde_json::to_value(handoff).unwrap();
    let lines = value[name].as_array().unwrap_or_else(|| panic!("no section {name}"));
    let text = |line: &Value| line.as_str().or(line["text"].as_str()).unwrap().to_owned();
    lines.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// Returns the lines of a section in the text for an agent.
fn shown(text: &str, name: &str) -> String {
    let heading = match name {
        "next" => "open",
        "files" => "changed files",
        "earlier" => "open since earlier sessions",
        "ruled_out" => "ruled out",
        name => name,
    };
    let rest = text.split_once(&format!("\n{heading}:\n")).map_or("", |(_, rest)| rest);
    rest.lines().take_while(|line| line.starts_with("- ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn twenty_scripted_handoffs_give_what_counts_and_nothing_that_is_over() {
    let scripts = scripts();
    assert_eq!(scripts.len(), 20);
    let mut wrong: Vec<String> = Vec::new();
    for (number, script) in scripts.iter().enumerate() {
        let world = World::new();
        let clients = AgentClient::ALL;
        let client = clients[number % clients.len()];
        let play =
            |(at, session): (usize, &ScriptedSession)| world.play(clients[(number + at) % clients.len()], at, session);
        let ids: Vec<String> = script.sessions.iter().enumerate().map(play).collect();
        if let Some(words) = &script.done {
            let request = DoneRequest { query: words.clone(), tick: Tick::One };
            assert_eq!(world.service().call(&request).unwrap().ticked.len(), 1, "{}", script.about);
        }
        let handoff = world.handoff(script.hand.map(|at| ids[at].as_str()));
        let text = handoff.text.clone().unwrap_or_default();
        let mut check = |is_right: bool, what: String| {
            if !is_right {
                wrong.push(format!("{}: {what}\n{text}\n", script.about));
            }
        };
        for (name, parts) in &script.gives {
            for part in parts {
                // How the last turn ended is only in the text.
                let is_given = section(&handoff, name).contains(part.as_str()) || name == "asked";
                check(is_given && shown(&text, name).contains(part.as_str()), format!("{name} lacks {part}"));
            }
        }
        for (name, parts) in &script.withholds {
            for part in parts {
                let is_held =
                    section(&handoff, name).contains(part.as_str()) || shown(&text, name).contains(part.as_str());
                check(!is_held, format!("{name} holds {part}"));
            }
        }
        let session = handoff.session.clone().unwrap_or_default();
        check(session.unfinished == script.unfinished, format!("unfinished {:?}", session.unfinished));
        check(ApproximateTokens.count(&text) <= TOKENS, format!("{} tokens", ApproximateTokens.count(&text)));
        check(text.matches("tars-memory>").count() == 2 && !text.contains("<system"), "the block is broken".into());
        if script.sessions.len() == 1 {
            check(
                session.client == Some(client.name()) || script.sessions[0].lost,
                format!("client {:?}", session.client),
            );
            let offer = world.offer(&[]);
            check(offer.is_some() != script.unfinished.is_empty(), format!("offer {offer:?}"));
            check(
                offer.is_none_or(|offer| offer.lines().count() == 1 && offer.contains(&session.short)),
                "offer".into(),
            );
            check(world.offer(&[&ids[0]]).is_none(), "a session is offered to itself".into());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn script(number: usize) -> Script {
    scripts().remove(number)
}

#[test]
fn a_session_that_is_done_is_unfinished_no_more() {
    let world = World::new();
    let script = script(1);
    let id = world.play(AgentClient::Codex, 0, &script.sessions[0]);
    let open = || world.service().call(&SessionsRequest { open: true, ..SessionsRequest::default() }).unwrap();
    let listed = open();
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].client, &listed[0].unfinished[..]), (Some("codex"), &["cut_off"][..]));
    let done = |tick| world.service().call(&DoneRequest { query: listed[0].id.clone(), tick }).unwrap();
    assert_eq!((done(Tick::None).session, open().len()), (Some(id.clone()), 1));
    assert_eq!(done(Tick::One).session.as_deref(), Some(id.as_str()));
    assert!(open().is_empty() && world.offer(&[]).is_none());
    // Noting its end again, without a new turn, does not open it again.
    world.play(AgentClient::Codex, 0, &script.sessions[0]);
    assert!(open().is_empty());
    let handoff = world.handoff(None);
    assert!(handoff.session.unwrap().unfinished.is_empty());
}

#[test]
fn a_session_of_another_project_is_never_handed_over() {
    let world = World::new();
    let id = world.play(AgentClient::Gemini, 0, &script(0).sessions[0]);
    let ask = |request: HandoffRequest| world.service().call(&request);
    let elsewhere = |session: Option<&str>| HandoffRequest {
        session: session.map(str::to_owned),
        directory: Some(format!("{PROJECTS}/shop")),
        ..HandoffRequest::default()
    };
    let refused = ask(elsewhere(Some(&id[..8]))).unwrap_err().to_string();
    assert_eq!(refused, "the session 5e55b0a0 belongs to the project pump");
    assert_eq!(ask(elsewhere(None)).unwrap(), HandoffResponse::default());
    assert!(ask(HandoffRequest::default()).is_err(), "nothing says which project is meant");
    let named = HandoffRequest { session: Some(id), ..HandoffRequest::default() };
    assert_eq!(ask(named).unwrap().session.unwrap().project.as_deref(), Some("pump"));
    assert!(
        handoff_offer(&world.app, &Project::of(&PathBuf::from(PROJECTS).join("shop")), &[], &[]).unwrap().is_none()
    );
}

#[test]
fn a_session_whose_client_was_killed_is_offered_before_it_is_noted() {
    let world = World::new();
    let session = ScriptedSession { lost: true, ..script(1).sessions.remove(0) };
    let id = world.play(AgentClient::ClaudeCode, 0, &session);
    let transcript = world.home.path().join(format!(".claude/projects/pump/{id}.jsonl"));
    let offer = |directory: &str| {
        let left = LeftSession { id: &id, transcript: &transcript, directory: &PathBuf::from(directory) };
        handoff_offer(&world.app, &Project::of(&PathBuf::from(PROJECTS).join("pump")), &[], &[left]).unwrap()
    };
    assert!(offer("/nowhere/pump").unwrap().contains("(in mid-task)"));
    assert_eq!(offer("/nowhere/shop"), None);
}

#[test]
fn a_private_day_is_not_handed_over() {
    let world = World::new();
    world.play(AgentClient::Cursor, 0, &script(0).sessions[0]);
    let day = world.home.path().join("vault/tars/2026-03-15.md");
    let text = fs::read_to_string(&day).unwrap();
    fs::write(&day, format!("---\ntars: private\n---\n{text}")).unwrap();
    assert_eq!(world.handoff(None).next, []);
    assert_eq!(world.offer(&[]), None);
}
