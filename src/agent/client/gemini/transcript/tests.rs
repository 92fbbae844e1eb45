use super::*;

/// A session of Gemini CLI 0.61.0 as it wrote it, shortened: a turn with three tools, a resumed session, a failure, an interruption, a
/// shell command and a file of the person, a compression and a rewind.
const SESSION: &str = include_str!("session.jsonl");

fn events(text: &str) -> Vec<TurnEvent> {
    let mut reader = GeminiTranscript::default();
    text.lines().flat_map(|line| reader.read(line.as_bytes()).unwrap()).collect()
}

fn requests(text: &str) -> Vec<String> {
    let request = |event| if let TurnEvent::Requested(request) = event { Some(request.text) } else { None };
    events(text).into_iter().filter_map(request).collect()
}

#[test]
fn only_what_a_person_typed_is_a_request() {
    let expected = [
        "Write them down",
        "Which trees bear fruit?",
        "This fails too",
        "This takes long",
        "Read @list.txt and tell",
        "Which are pears",
        "Which trees are young in spring",
    ];
    assert_eq!(requests(SESSION), expected);
    let TurnEvent::Requested(first) = &events(SESSION)[0] else { panic!("no request") };
    assert_eq!(first.session.as_deref(), Some("02f058c2-e8d2-4ea8-8fdb-b8fde4dc76c0"));
    assert_eq!((first.at, first.is_command), ("2026-11-28T06:06:36.481Z".parse().ok(), false));
}

#[test]
fn what_a_message_repeats_is_read_once() {
    let shown = |act| match act {
        AgentAct::Text(text) => text,
        AgentAct::Tool { name, file, command } => {
            [Some(name), file, command].into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
        AgentAct::Ended => "ended".into(),
        AgentAct::Model(name) | AgentAct::CallId(name) => name,
    };
    let acts: Vec<String> = events(SESSION)
        .into_iter()
        .filter_map(|event| if let TurnEvent::Acted(_, acts) = event { Some(acts) } else { None })
        .flatten()
        .map(shown)
        .collect();
    let first = [
        "One moment.",
        "run_shell_command echo pears",
        "One moment.",
        "write_file /home/user/orchard/list.txt",
        "One moment.",
        "read_file",
        "Understood: Write them down",
        "Understood: Which trees bear fruit?",
    ];
    assert_eq!(acts[..first.len()], first);
    let understood = acts.iter().filter(|act| *act == "Understood: Which are pears").count();
    assert_eq!(understood, 1, "a copy after a compression is not read");
}

#[test]
fn failures_and_interruptions_end_a_turn() {
    let ends: Vec<TurnEnd> = events(SESSION)
        .into_iter()
        .filter_map(|event| if let TurnEvent::Ended(end) = event { Some(end) } else { None })
        .collect();
    assert_eq!(ends, [TurnEnd::Failed, TurnEnd::Interrupted]);
}

#[test]
fn a_transcript_is_known_by_its_beginning() {
    assert!(is_transcript(SESSION.as_bytes()) && !is_one_value(SESSION.as_bytes()));
    assert_eq!(session_in(SESSION.as_bytes()).as_deref(), Some("02f058c2-e8d2-4ea8-8fdb-b8fde4dc76c0"));
    let old = "{\n  \"sessionId\": \"0a1b\",\n  \"projectHash\": \"f0\",\n  \"messages\": []\n}";
    assert!(is_transcript(old.as_bytes()) && is_one_value(old.as_bytes()));
    assert_eq!(session_in(old.as_bytes()).as_deref(), Some("0a1b"));
    for other in ["", "{", r#"{"sessionId":"a","type":"user"}"#, r#"{"type":"user","content":"projectHash"}"#, "[]"] {
        assert!(!is_transcript(other.as_bytes()), "{other}");
        assert_eq!(session_in(other.as_bytes()), None);
    }
}

#[test]
fn a_transcript_of_one_value_is_read() {
    let old = r#"{"sessionId":"0a1b","projectHash":"f0","messages":[
        {"id":"1","type":"user","content":"Which trees are there?","timestamp":"2025-09-21T10:00:00Z"},
        {"id":"2","type":"gemini","content":"Pears.","toolCalls":[{"id":"c","name":"replace","args":{"file_path":"a.md"}}]},
        {"id":"3","type":"user","content":"/memory show"}]}"#;
    let mut reader = GeminiTranscript::default();
    let events = reader.read(old.as_bytes()).unwrap();
    assert!(
        matches!(&events[0], TurnEvent::Requested(request) if request.id == "1" && request.session.as_deref() == Some("0a1b"))
    );
    assert!(matches!(&events[1], TurnEvent::Acted(_, acts) if acts.len() == 2));
    assert!(matches!(&events[2], TurnEvent::Requested(request) if request.is_command));
}

#[test]
fn the_last_summary_is_found_in_replaced_conversations_only() {
    let said = last_summary(SESSION.as_bytes()).unwrap();
    assert_eq!(said, b"<state_snapshot>They spoke of the script.");
    let quoted = r#"{"id":"a","type":"user","content":"<state_snapshot>a</state_snapshot>"}"#;
    assert_eq!(last_summary(quoted.as_bytes()), None);
}

proptest::proptest! {
    #[test]
    fn any_line_is_read(line in r#"([{}\[\]":,\\]|\$set|messages|sessionId|projectHash|type|user|gemini|content|id|text|é|1){0,40}"#) {
        let _ = GeminiTranscript::default().read(line.as_bytes());
        is_transcript(line.as_bytes());
        session_in(line.as_bytes());
        last_summary(line.as_bytes());
    }
}
