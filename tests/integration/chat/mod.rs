//! `tars chat` with a scripted model on the loopback interface, in both dialects.

mod commands;
mod ending;
mod hostile;
mod notes;
mod served;
mod surroundings;
mod terminal;
mod tools;

use serde_json::{Value, json};

use crate::command::TarsCommand;
use crate::harness::TestVault;
use tars_testing::loopback::{Loopback, Reply, StreamEnd};

const BOAT: &str = "# Boat\n\nThe boat Linnea lies in Kappeln. Its hull number is SE-4471.\n";

/// The API of a model server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Dialect {
    OpenAi,
    Anthropic,
}

const DIALECTS: [Dialect; 2] = [Dialect::OpenAi, Dialect::Anthropic];

impl Dialect {
    pub(crate) fn name(self) -> &'static str {
        if self == Self::OpenAi { "openai" } else { "anthropic" }
    }

    fn stream(self, events: &[Value]) -> Reply {
        let line = |event: &Value| match self {
            Self::OpenAi => format!("data: {event}\n\n"),
            Self::Anthropic => format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()),
        };
        let done = if self == Self::OpenAi { "data: [DONE]\n\n" } else { "" };
        Reply::stream(events.iter().map(line).collect::<String>() + done, StreamEnd::Whole)
    }

    /// A text answer.
    pub(crate) fn says(self, text: &str) -> Reply {
        match self {
            Self::OpenAi => self.stream(&[
                json!({"choices": [{"delta": {"content": text}}]}),
                json!({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}),
            ]),
            Self::Anthropic => self.stream(&[
                json!({"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}}),
                json!({"type": "message_stop"}),
            ]),
        }
    }

    /// The beginning of an answer that never continues.
    pub(crate) fn begins(self, text: &str) -> Reply {
        let delta = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
        let events = match self {
            Self::OpenAi => format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]})),
            Self::Anthropic => [
                json!({"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                delta,
            ]
            .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
            .concat(),
        };
        Reply::stream(events, StreamEnd::Silent)
    }

    /// An answer to an internal task, which is no stream.
    pub(crate) fn whole(self, text: &str) -> Reply {
        let answer = match self {
            Self::OpenAi => json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}),
            Self::Anthropic => json!({"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}),
        };
        Reply::ok(answer.to_string())
    }

    /// A tool call.
    pub(crate) fn calls(self, tool: &str, arguments: &Value) -> Reply {
        let written = arguments.to_string();
        match self {
            Self::OpenAi => self.stream(&[
                json!({"choices": [{"delta": {"tool_calls": [
                    {"index": 0, "id": "c1", "type": "function", "function": {"name": tool, "arguments": written}}]}}]}),
                json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
            ]),
            Self::Anthropic => self.stream(&[
                json!({"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}),
                json!({"type": "content_block_start", "index": 0,
                    "content_block": {"type": "tool_use", "id": "c1", "name": tool, "input": {}}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": written}}),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}}),
                json!({"type": "message_stop"}),
            ]),
        }
    }
}

/// An answer of the OpenAI dialect that calls a tool once with each of these arguments.
pub(crate) fn calls_each(tool: &str, arguments: &[Value]) -> Reply {
    let call = |(index, given): (usize, &Value)| {
        let function = json!({"name": tool, "arguments": given.to_string()});
        json!({"index": index, "id": format!("c{index}"), "type": "function", "function": function})
    };
    let calls: Vec<Value> = arguments.iter().enumerate().map(call).collect();
    Dialect::OpenAi.stream(&[
        json!({"choices": [{"delta": {"tool_calls": calls}}]}),
        json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
    ])
}

/// A vault that uses a scripted server.
struct Talk {
    vault: TestVault,
    server: Loopback,
    dialect: Dialect,
}

impl Talk {
    fn new(dialect: Dialect, replies: Vec<Reply>) -> Self {
        Self::with(dialect, Loopback::script(replies))
    }

    fn with(dialect: Dialect, server: Loopback) -> Self {
        let vault = TestVault::of_words().dated();
        vault.write("Boat.md", BOAT);
        vault.tars(["index"]).run().success();
        Self { vault, server, dialect }
    }

    fn tars(&self, arguments: &[&str]) -> TarsCommand {
        self.told(self.vault.tars(arguments))
    }

    /// Points a command at the server.
    fn told(&self, command: TarsCommand) -> TarsCommand {
        let base = self.server.url() + if self.dialect == Dialect::OpenAi { "/v1" } else { "" };
        command
            .env("TARS_CHAT_PROVIDER", self.dialect.name())
            .env("TARS_CHAT_MODEL", "small")
            .env("TARS_CHAT_BASE_URL", &base)
    }

    /// The requests to the server, as JSON.
    fn asked(&self) -> Vec<Value> {
        self.server.received().iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect()
    }

    fn conversation(&self) -> String {
        let folder = self.vault.data().join("conversations");
        let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap();
        std::fs::read_to_string(file.path()).unwrap()
    }
}

#[test]
fn the_model_gets_the_memory_uses_a_tool_and_answers() {
    for dialect in DIALECTS {
        let calls = dialect.calls("memory_search", &json!({"query": "hull number of the boat"}));
        let talk = Talk::new(dialect, vec![calls, dialect.says("It is SE-4471.")]);
        let said = talk.tars(&["chat", "what", "is", "the", "hull", "number"]).run().success();
        assert_eq!(said.stdout().trim(), "It is SE-4471.", "{dialect:?}");
        assert!(said.stderr().contains("memory_search hull number of the boat"), "{}", said.stderr());
        let asked = talk.asked();
        assert_eq!(asked.len(), 2);
        let (first, second) = (asked[0].to_string(), asked[1].to_string());
        assert!(first.contains("You are tars") && first.contains("note_read"), "{first}");
        assert!(first.contains("SE-4471"), "results of a search for the opening go with it: {first}");
        assert!(
            second.contains("<tars-memory>") && second.matches("SE-4471").count() > first.matches("SE-4471").count()
        );
        assert!(talk.conversation().contains("\"kind\":\"tool\""));
    }
}

#[test]
fn a_conversation_resumes() {
    for dialect in DIALECTS {
        let talk = Talk::new(dialect, vec![dialect.says("Noted."), dialect.says("Blue.")]);
        talk.tars(&["chat", "--conversation", "paint", "the hull is blue"]).run().success();
        talk.tars(&["chat", "--continue", "which colour"]).run().success();
        let asked = talk.asked();
        let last = asked.last().unwrap()["messages"].to_string();
        assert!(
            last.contains("the hull is blue") && last.contains("Noted.") && last.contains("which colour"),
            "{last}"
        );
        let listed = talk.tars(&["conversations"]).run().success();
        assert!(
            listed.stdout().contains("paint") && listed.stdout().contains("the hull is blue"),
            "{}",
            listed.stdout()
        );
    }
}

#[test]
fn piped_input_goes_with_the_message() {
    let talk = Talk::new(Dialect::OpenAi, vec![Dialect::OpenAi.says("Fine.")]);
    talk.tars(&["chat", "review", "this"]).stdin("-old\n+new\n").run().success();
    let asked = talk.asked()[0]["messages"].to_string();
    assert!(asked.contains("review this") && asked.contains("+new"), "{asked}");
}

#[test]
fn a_fact_for_the_core_becomes_a_proposal_where_nobody_can_be_asked() {
    for dialect in DIALECTS {
        let fact = json!({"text": "The boat Linnea is moored in Kappeln."});
        let talk = Talk::new(dialect, vec![dialect.calls("memory_remember", &fact), dialect.says("I proposed it.")]);
        let before = talk.vault.tars(["get", "tars/Memory.md"]).run().stdout().to_owned();
        talk.tars(&["chat", "remember where the boat is"]).run().success();
        assert_eq!(talk.vault.tars(["get", "tars/Memory.md"]).run().stdout().to_owned(), before);
        assert!(talk.vault.read("tars/proposals.md").contains("The boat Linnea is moored in Kappeln."));
        assert!(talk.asked()[1].to_string().contains("list of proposals"));
    }
}

#[test]
fn writing_to_the_day_needs_no_permission_and_can_be_undone() {
    let dialect = Dialect::OpenAi;
    let line = json!({"text": "Ordered the paint."});
    let talk = Talk::new(dialect, vec![dialect.calls("memory_daily", &line), dialect.says("Done.")]);
    talk.tars(&["chat", "note that the paint is ordered"]).run().success();
    let log = talk.vault.tars(["daily"]).run().success().stdout().to_owned();
    assert!(log.contains("Ordered the paint."), "{log}");
    talk.vault.tars(["undo", "2", "--yes"]).run().success();
    let log = talk.vault.tars(["daily"]).run().stdout().to_owned();
    assert!(!log.contains("Ordered the paint."), "{log}");
}

#[test]
fn private_notes_and_secrets_are_never_sent() {
    for dialect in DIALECTS {
        let calls = dialect.calls("note_read", &json!({"name": "Diary.md"}));
        let talk = Talk::new(dialect, vec![calls, dialect.says("I do not know.")]);
        talk.vault.write("Diary.md", "---\ntars: private\n---\n# Diary\n\nThe boat secretwordone.\n");
        talk.vault.write("tars/context/boat.md", "---\ntars: private\n---\n# Boat\n\n- secretwordtwo\n");
        let message = "the boat key is sk-proj-w9Xq2LmZ4tR7vB1nK8yH3cJ6pD5sF0gA what about it";
        talk.tars(&["chat", message]).run().success();
        let asked: String = talk.asked().iter().map(Value::to_string).collect();
        assert!(!asked.contains("secretword") && !asked.contains("w9Xq2LmZ"), "{asked}");
        assert!(!talk.conversation().contains("w9Xq2LmZ"));
    }
}

#[test]
fn private_collections_are_never_sent() {
    let dialect = Dialect::OpenAi;
    let calls = dialect.calls("memory_search", &json!({"query": "boat"}));
    let talk = Talk::new(dialect, vec![calls, dialect.says("Nothing.")]);
    talk.tars(&["chat", "tell me of the boat"]).env("TARS_CHAT_PRIVATE_COLLECTIONS", "vault").run().success();
    let asked: String = talk.asked().iter().map(Value::to_string).collect();
    assert!(!asked.contains("SE-4471") && asked.contains("private"), "{asked}");
}

#[test]
fn a_tool_that_was_not_offered_is_refused() {
    for dialect in DIALECTS {
        let calls = dialect.calls("run_shell", &json!({"command": "touch /tmp/x"}));
        let talk = Talk::new(dialect, vec![calls, dialect.says("I cannot.")]);
        let said = talk.tars(&["chat", "run it"]).run().success();
        assert_eq!(said.stdout().trim(), "I cannot.");
        assert!(talk.asked()[1].to_string().contains("there is no tool 'run_shell'"));
    }
}

#[test]
fn no_tools_means_none() {
    let talk = Talk::new(Dialect::OpenAi, vec![Dialect::OpenAi.says("Hello.")]);
    talk.tars(&["chat", "--no-tools", "hello"]).run().success();
    assert!(talk.asked()[0].get("tools").is_none());
}

#[test]
fn a_turn_has_ten_rounds_at_most_and_the_last_has_no_tools() {
    let dialect = Dialect::OpenAi;
    let talk = Talk::new(dialect, vec![dialect.calls("memory_search", &json!({"query": "boat"}))]);
    talk.tars(&["chat", "for ever"]).run();
    let asked = talk.asked();
    assert_eq!(asked.len(), 10);
    assert!(asked[8].get("tools").is_some() && asked[9].get("tools").is_none());
}

#[test]
fn a_long_conversation_is_summarized_without_tools() {
    for dialect in DIALECTS {
        let task = |asked: &str| match asked.contains("You sum up the older part") {
            true => "They paint the boat blue.".to_owned(),
            false => "{}".to_owned(),
        };
        let talk = Talk::with(dialect, ending::server(dialect, vec![dialect.says("Yes.")], task));
        for number in 0..4 {
            talk.tars(&["chat", "--conversation", "long", &format!("message {number}")])
                .env("TARS_CHAT_COMPACT_MESSAGES", "6")
                .env("TARS_CHAT_HISTORY_TOKENS", "1000")
                .run()
                .success();
        }
        talk.tars(&["chat", "--conversation", "long", "which colour"]).run().success();
        let asked = talk.asked();
        let summary = asked.iter().find(|request| request.to_string().contains("You sum up the older part")).unwrap();
        assert!(summary.get("tools").is_none());
        for task in asked.iter().filter(|request| !request.to_string().contains("You are tars")) {
            assert!(task.get("tools").is_none(), "{task}");
        }
        let last = asked.last().unwrap();
        let said = last["messages"].as_array().unwrap().iter().filter(|message| message["role"] != "system");
        let said = said.map(Value::to_string).collect::<String>();
        assert!(last.to_string().contains("They paint the boat blue."), "the summary is sent: {last}");
        assert!(!said.contains("message 0") && said.contains("message 3"), "old turns are left out: {said}");
    }
}

#[test]
fn commands_reach_no_model_and_typos_are_reported() {
    let talk = Talk::new(Dialect::OpenAi, vec![Dialect::OpenAi.says("never")]);
    let found = talk.tars(&["chat", "/search hull number"]).run().success();
    assert!(found.stdout().contains("SE-4471"), "{}", found.stdout());
    let slip = talk.tars(&["chat", "/serach hull"]).run();
    assert!(slip.stderr().contains("/serach") && slip.stderr().contains("/search"), "{}", slip.stderr());
    let refused = talk.tars(&["chat", "/quit"]).run();
    assert!(refused.stderr().contains("at a terminal only"), "{}", refused.stderr());
    assert!(talk.asked().is_empty());
}

#[test]
fn without_a_model_the_setup_command_is_named() {
    let vault = TestVault::new();
    let none = vault.tars(["chat", "hello"]).run();
    assert!(none.stderr().contains("tars config set chat.provider"), "{}", none.stderr());
    let key = vault.tars(["chat", "hello"]).env("TARS_CHAT_PROVIDER", "anthropic").env("TARS_CHAT_MODEL", "m").run();
    assert!(key.stderr().contains("ANTHROPIC_API_KEY"), "{}", key.stderr());
    let model = vault.tars(["chat", "hello"]).env("TARS_CHAT_PROVIDER", "ollama").run();
    assert!(model.stderr().contains("tars config set chat.model"), "{}", model.stderr());
}

#[test]
fn a_kill_during_an_answer_loses_no_message() {
    for dialect in DIALECTS {
        let talk = Talk::new(dialect, vec![dialect.begins("The hull"), dialect.says("SE-4471.")]);
        let running = talk.tars(&["chat", "--conversation", "killed", "the hull number please"]).start();
        crate::harness::eventually("the model is asked", || !talk.server.received().is_empty());
        running.kill();
        drop(talk.server);
        let server = Loopback::script(vec![dialect.says("SE-4471.")]);
        let talk = Talk { server, ..talk };
        talk.tars(&["chat", "--conversation", "killed", "go on"]).run().success();
        let asked = talk.asked()[0]["messages"].to_string();
        assert!(asked.contains("the hull number please") && asked.contains("go on"), "{asked}");
    }
}

#[test]
fn a_program_answers_as_a_provider_without_tools() {
    let vault = TestVault::of_words().dated();
    vault.write("Boat.md", BOAT);
    vault.tars(["index"]).run().success();
    let program = vault.home().join("model.sh");
    std::fs::write(&program, "#!/bin/sh\ncat > \"$1\"\nprintf 'The hull \\033[31mnumber is SE-4471.\\n'\n").unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let heard = vault.home().join("heard.txt");
    let command = json!([program, heard]).to_string();
    let tars = |arguments: &[&str]| {
        vault.tars(arguments).env("TARS_CHAT_PROVIDER", "command").env("TARS_CHAT_COMMAND", &command)
    };
    let said = tars(&["chat", "--conversation", "boat", "what is the hull number"]).run().success();
    assert!(said.stderr().contains("this goes to"), "the notice names the program: {}", said.stderr());
    let answer = said.stdout().trim();
    assert!(answer.starts_with("The hull ") && answer.ends_with("number is SE-4471."), "{answer}");
    assert!(!answer.contains('\u{1b}'), "no terminal escapes: {answer:?}");
    let first = std::fs::read_to_string(&heard).unwrap();
    assert!(first.contains("You are tars") && first.contains("what is the hull number"), "{first}");
    assert!(first.contains("lies in Kappeln"), "search results go with it: {first}");
    let again = tars(&["chat", "--conversation", "boat", "and the harbour"]).run().success();
    assert!(!again.stderr().contains("this goes to"), "the notice comes once: {}", again.stderr());
    let second = std::fs::read_to_string(&heard).unwrap();
    assert!(second.contains("what is the hull number") && second.contains("and the harbour"), "{second}");
    let missing = vault.tars(["chat", "hello"]).env("TARS_CHAT_PROVIDER", "command").run();
    assert!(missing.stderr().contains("chat.command"), "{}", missing.stderr());
}

#[test]
fn a_missing_server_and_a_wrong_key_are_reported() {
    for dialect in DIALECTS {
        let talk = Talk::new(dialect, vec![Reply::status(401, "{\"error\": {\"message\": \"invalid x-api-key\"}}")]);
        let refused = talk.tars(&["chat", "hello"]).run().code(2);
        assert!(refused.stderr().contains("401") || refused.stderr().contains("key"), "{}", refused.stderr());
        assert_eq!(talk.asked().len(), 1, "a refusal is not retried");
        let away = talk.tars(&["chat", "hello"]).env("TARS_CHAT_BASE_URL", "http://127.0.0.1:9/v1").run().code(2);
        assert!(away.stderr().contains("127.0.0.1:9"), "{}", away.stderr());
        let kept = talk.vault.tars(["conversations", "--json"]).run().success();
        assert_eq!(kept.json().as_array().unwrap().len(), 2, "what the person said is kept");
    }
}
