//! `tars mcp` with a client, and the entries that it writes into clients' configurations.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{TarsCommand, TestVault};

const MEMORY: &str = "# Memory\n\n## Facts\n\n- The router is at 192.168.1.1\n- Tea is kept in the pantry\n";

fn house() -> TestVault {
    let vault = TestVault::of_words();
    vault.write("tars/Memory.md", MEMORY);
    vault.write("Boiler.md", "# Boiler\n\nThe boiler valve leaks when cold.\n\n## Pressure\n\nKeep it at 1.5 bar.\n");
    vault.write("Diary.md", "---\ntars: private\n---\n# Diary\n\nThe walrus knows about the boiler.\n");
    vault.write("tars/context/secret.md", "---\ntars: private\n---\n- The walrus is called Tusk\n");
    vault.write("Router.md", "# Router\n\nThe boiler pump.\n\npassword: kX93-hunter2-Qz77\n");
    vault.index();
    vault
}

/// The messages of a client that identifies itself first; answers come by their ids.
struct Client {
    lines: Vec<String>,
    next: u64,
}

impl Client {
    fn new() -> Self {
        let mut client = Self { lines: Vec::new(), next: 0 };
        let about = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "Test Client", "version": "1"}});
        client.request("initialize", about);
        client.lines.push(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        client
    }

    fn request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.lines.push(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        id
    }

    fn call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.request("tools/call", json!({"name": format!("memory_{tool}"), "arguments": arguments}))
    }

    /// Sends everything, waits for the answers, ends the input, and returns the answers.
    fn talk(&self, vault: &TestVault, arguments: &[&str]) -> Answers {
        self.talk_to(vault.tars(["mcp"]).args(arguments), 0)
    }

    /// The same with another command; `without` requests get no answer. Lines that are no request get further answers: less than none.
    fn talk_to(&self, command: TarsCommand, without: isize) -> Answers {
        let wanted = usize::try_from(self.next).unwrap().checked_add_signed(-without).unwrap();
        let lines = command.converse(self.lines.join("\n") + "\n", "\"id\":", wanted);
        let read = |line: &String| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        Answers(lines.iter().map(read).collect())
    }
}

struct Answers(Vec<Value>);

impl Answers {
    #[track_caller]
    fn of(&self, id: u64) -> &Value {
        let mut found = self.0.iter().filter(|answer| answer["id"] == id);
        let answer = found.next().unwrap_or_else(|| panic!("no answer to {id} among {}", self.0.len()));
        assert!(found.next().is_none(), "one answer each");
        answer
    }

    #[track_caller]
    fn result(&self, id: u64) -> &Value {
        let answer = self.of(id);
        assert!(answer.get("error").is_none(), "{answer}");
        &answer["result"]
    }

    #[track_caller]
    fn text(&self, id: u64) -> &str {
        self.result(id)["content"][0]["text"].as_str().unwrap()
    }

    #[track_caller]
    fn failure(&self, id: u64) -> &str {
        assert_eq!(self.result(id)["isError"], true, "{}", self.result(id));
        self.text(id)
    }
}

#[test]
fn an_agent_searches_reads_and_remembers() {
    let (vault, mut client) = (house(), Client::new());
    let search = client.call("search", json!({"q": "boiler valve", "limit": "2"}));
    let get = client.call("get", json!({"name": "[[Boiler#Pressure]]"}));
    let context = client.call("context", json!({}));
    let topic = client.call("context", json!({"query": "tea kept in the pantry"}));
    let remember = client.call("remember", json!({"text": "Ilse mends boilers on Fridays"}));
    let again = client.call("remember", json!({"text": "Ilse mends boilers on Fridays"}));
    let daily = client.call("daily", json!({"append": "Called Ilse"}));
    let read = client.call("daily", json!({}));
    let status = client.call("status", json!({}));
    let answers = client.talk(&vault, &[]);

    let source = answers.text(search).lines().find(|line| line.starts_with("<source at=\"Boiler.md:3\"")).unwrap();
    assert!(source.contains(" score=\"0.") && source.contains(" id=\"") && source.contains("relevant\""), "{source}");
    assert!(!answers.text(search).contains("Keep it at 1.5 bar"), "the excerpt ends at the next heading");
    assert!(answers.text(search).contains("not instructions"));
    assert!(answers.text(get).contains("1.5 bar") && !answers.text(get).contains("leaks"));
    assert!(answers.text(get).contains("<source at=\"Boiler.md:5-7\""), "{}", answers.text(get));
    assert!(
        answers.text(context).contains("Tea is kept in the pantry") && answers.text(context).contains("192.168.1.1")
    );
    let topic = answers.text(topic);
    assert!(topic.contains("Tea is kept in the pantry") && !topic.contains("192.168.1.1"), "{topic}");
    assert!(answers.text(remember).starts_with("Remembered in tars/Memory.md:7"), "{}", answers.text(remember));
    assert!(answers.text(again).starts_with("It was there already"), "{}", answers.text(again));
    assert!(answers.text(daily).starts_with("Written to tars/"));
    assert!(answers.text(read).contains("[test-client] Called Ilse"), "{}", answers.text(read));
    assert!(answers.text(status).starts_with("vault: "), "{}", answers.text(status));
    assert_eq!(vault.read("tars/Memory.md"), format!("{MEMORY}- Ilse mends boilers on Fridays\n"));

    // The person sees who wrote it, and undoes it.
    let log = vault.tars(["log", "--json"]).run().success().json();
    assert_eq!((&log[0]["command"], &log[0]["channel"]), (&json!("daily"), &json!("test-client")));
    vault.tars(["undo", "2", "--yes"]).run();
    assert_eq!(vault.read("tars/Memory.md"), MEMORY);
}

/// A client passes one of text and structure to its model, or both.
#[test]
fn an_answer_is_one_text_and_says_everything_once() {
    let (vault, mut client) = (house(), Client::new());
    let all = [
        client.call("search", json!({"query": "boiler valve"})),
        client.call("get", json!({"name": "Boiler.md"})),
        client.call("context", json!({"query": "boiler valve"})),
        client.call("status", json!({})),
    ];
    let answers = client.talk(&vault, &[]);
    for id in all {
        let result = answers.result(id);
        assert!(result.get("structuredContent").is_none(), "{result}");
        assert_eq!(result["content"].as_array().unwrap().len(), 1, "{result}");
        assert!(result.to_string().matches("leaks when cold").count() <= 1, "{result}");
    }
}

#[test]
fn a_search_answers_with_few_tokens() {
    let vault = TestVault::of_words();
    let filler = "The boiler in the cellar is looked after by somebody who is not from here.\n\n".repeat(30);
    for number in 0..12 {
        vault.write(&format!("Boiler {number}.md"), format!("# Boiler {number}\n\n{filler}"));
    }
    let line = format!("{} the gasket of the boiler is green {}", "one ".repeat(2_000), "two ".repeat(2_000));
    vault.write("Long.md", format!("# Long\n\n{line}\n"));
    vault.index();
    let mut client = Client::new();
    let usual = client.call("search", json!({"query": "boiler cellar", "limit": 50}));
    let small = client.call("search", json!({"query": "boiler cellar", "limit": 50, "budget": "300"}));
    let long = client.call("search", json!({"query": "green gasket", "limit": 1}));
    let none = client.call("search", json!({"query": "quarterly zirconium dividend of somebody"}));
    let answers = client.talk(&vault, &[]);
    let size = |id: u64| answers.text(id).chars().count();
    assert!(size(usual) < 4 * 1_560 && answers.text(usual).matches("<source ").count() > 3, "{}", answers.text(usual));
    assert!(size(small) < 4 * 360 && answers.text(small).contains("<source "), "{}", answers.text(small));
    assert!(answers.text(long).contains("the gasket of the boiler is green"), "{}", answers.text(long));
    assert!(answers.text(none).starts_with("Nothing") && size(none) < 4 * 400, "{}", answers.text(none));
    assert!(answers.text(none).matches("<source ").count() <= 3, "{}", answers.text(none));
}

/// The hints of the command line name its commands.
#[test]
fn an_error_names_tools_and_no_command() {
    let (vault, mut client) = (house(), Client::new());
    let all = [
        client.call("search", json!({"query": "-boiler"})),
        client.call("search", json!({"query": "?"})),
        client.call("search", json!({"query": "x", "since": "someday"})),
        client.call("search", json!({"query": "x", "since": "2026-02-01", "until": "2026-01-01"})),
        client.call("search", json!({"query": "x", "mode": "vector"})),
        client.call("search", json!({"query": "x", "paths": ["["]})),
        client.call("search", json!({"query": "x", "collections": "recipes"})),
        client.call("get", json!({"name": "Nowhere.md"})),
        client.call("get", json!({"name": "0123456789ab"})),
        client.call("get", json!({"name": "Boiler.md", "section": "Nothing"})),
        client.call("get", json!({"name": "Boiler.md", "lines": "90-99"})),
        client.call("get", json!({"name": "Boiler.md", "lines": "9-1"})),
        client.call("get", json!({"name": "Boiler.md", "lines": "1-2", "section": "Pressure"})),
        client.call("remember", json!({"text": "x is y", "replace": "0123456789"})),
        client.call("remember", json!({"text": "x is y", "to": "../x"})),
        client.call("daily", json!({"day": "someday"})),
        client.call("forget", json!({})),
    ];
    let answers = client.talk(&vault, &[]);
    let commands = ["tars search", "tars sgrep", "tars get", "tars forget", "tars expand", "tars index", "--"];
    for id in all {
        let said = answers.result(id);
        let text = answers.text(id);
        assert!(!commands.iter().any(|command| text.contains(command)), "{said}");
    }
    assert!(answers.failure(all[7]).contains("memory_search finds notes"), "{}", answers.text(all[7]));
    assert!(answers.failure(all[3]).contains("since 2026-02-01 lies after until"), "{}", answers.text(all[3]));
}

#[test]
fn a_file_of_headings_alone_is_no_context() {
    let vault = house();
    vault.write("tars/Procedural.md", "---\ntags: [rules]\n---\n# Procedural\n\n## Code\n\n<!-- none yet -->\n");
    vault.write(&format!("tars/{}.md", jiff::Zoned::now().date()), "# Today\n");
    let mut client = Client::new();
    let context = client.call("context", json!({}));
    let answers = client.talk(&vault, &[]);
    let sources = answers.text(context).lines().filter(|line| line.starts_with("<source ")).count();
    assert!(sources == 1 && answers.text(context).contains("tars/Memory.md"), "{}", answers.text(context));
    vault.write("tars/Memory.md", "# Memory\n\n## Facts\n");
    let mut client = Client::new();
    let context = client.call("context", json!({}));
    assert_eq!(client.talk(&vault, &[]).text(context), "Nothing is remembered yet.");
}

/// The revision of July 2026 has no handshake: each request names the client.
#[test]
fn a_client_without_sessions_is_answered() {
    let vault = house();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "Stateless", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut client = Client { lines: Vec::new(), next: 0 };
    let discover = client.request("server/discover", json!({ "_meta": meta }));
    let search = json!({"name": "memory_search", "arguments": {"query": "boiler"}, "_meta": meta});
    let search = client.request("tools/call", search);
    let daily = json!({"name": "memory_daily", "arguments": {"append": "one"}, "_meta": meta});
    let daily = client.request("tools/call", daily);
    let answers = client.talk(&vault, &[]);
    assert!(
        answers.result(discover)["supportedVersions"].to_string().contains("2026-07-28"),
        "{}",
        answers.of(discover)
    );
    assert!(answers.text(search).contains("leaks when cold"));
    assert!(answers.text(daily).starts_with("Written"));
    let log = vault.tars(["log", "--json"]).run().success().json();
    assert_eq!(log[0]["channel"], "stateless");
}

#[test]
fn lines_are_listed_first_and_then_forgotten_by_id() {
    let (vault, mut client) = (house(), Client::new());
    let list = client.call("forget", json!({"query": "router"}));
    let words = client.call("forget", json!({"ids": ["router"]}));
    let answers = client.talk(&vault, &[]);
    assert_eq!(vault.read("tars/Memory.md"), MEMORY, "listing removes nothing");
    assert!(answers.failure(words).contains("is no id"));
    let id = answers.text(list).lines().nth(1).and_then(|line| line.split(' ').next()).unwrap().to_owned();

    let mut client = Client::new();
    let remove = client.call("forget", json!({"ids": [id, "0123456789"]}));
    let answers = client.talk(&vault, &[]);
    assert!(answers.text(remove).contains("removed from tars/Memory.md"), "{}", answers.text(remove));
    assert!(answers.text(remove).contains("0123456789: no line has this id"));
    assert!(!vault.read("tars/Memory.md").contains("router"));
}

#[test]
fn no_tool_reveals_a_private_note() {
    let (vault, mut client) = (house(), Client::new());
    let all = [
        client.call("search", json!({"query": "walrus"})),
        client.call("get", json!({"name": "Diary.md"})),
        client.call("get", json!({"name": "[[Diary]]"})),
        client.call("get", json!({"name": ["Boiler.md", "tars/context/secret.md"]})),
        client.call("context", json!({"query": "walrus Tusk"})),
        client.call("context", json!({})),
        client.call("forget", json!({"query": "walrus"})),
        client.request("resources/list", json!({})),
        client.request("resources/read", json!({"uri": "tars://note/Diary.md"})),
        client.request("resources/read", json!({"uri": "tars://note/tars/context/secret.md"})),
        client.request("prompts/get", json!({"name": "recall", "arguments": {"topic": "walrus"}})),
    ];
    let reference = json!({"type": "ref/resource", "uri": "tars://note/{+path}"});
    let complete =
        client.request("completion/complete", json!({"ref": reference, "argument": {"name": "path", "value": "Diar"}}));
    let secret = client.call("get", json!({"name": "Router.md"}));
    let answers = client.talk(&vault, &[]);
    for id in all {
        let said = answers.of(id).to_string();
        assert!(!said.contains("knows about") && !said.contains("Tusk\\n") && !said.contains("is called"), "{said}");
    }
    assert_eq!(answers.result(complete)["completion"]["values"], json!([]));
    assert!(!answers.of(secret).to_string().contains("hunter2"));
}

#[test]
fn no_line_is_found_by_words_inside_private_spans_and_passwords() {
    let vault = house();
    vault.write(
        "tars/Memory.md",
        "# Memory\n\n- The key lies <private>under the walrus</private>\n- The router password is kX93-hunter2-Qz77\n\
         <private>\n- The tusk is hollow\n- The cellar floods in March\n</private>\n- Tea is kept in the pantry\n",
    );
    let mut client = Client::new();
    let hidden: Vec<u64> = ["walrus", "under the walrus", "kX93-hunter2-Qz77", "hunter2", "tusk", "the tusk is hollow"]
        .iter()
        .map(|query| client.call("forget", json!({ "query": query })))
        .collect();
    let near = client.call("remember", json!({"text": "The tusk is hollow and dark"}));
    let known = client.call("remember", json!({"text": "The cellar floods in March"}));
    let visible = client.call("forget", json!({"query": "router password"}));
    let answers = client.talk(&vault, &[]);
    for id in hidden {
        assert_eq!(answers.text(id), "No remembered line matches.");
    }
    for id in [near, known] {
        assert!(answers.text(id).starts_with("Remembered in tars/Memory.md"), "{}", answers.text(id));
    }
    assert!(!answers.text(near).contains("hollow\n"), "{}", answers.text(near));
    assert!(answers.text(visible).contains("[redacted:password]"), "{}", answers.text(visible));
}

#[test]
fn a_private_file_does_not_say_what_it_holds_already() {
    let vault = house();
    vault.write("tars/Memory.md", "---\ntars: private\n---\n# Memory\n\n## Facts\n\n- Tea is kept in the pantry\n");
    let mut client = Client::new();
    let known = client.call("remember", json!({"text": "Tea is kept in the pantry"}));
    let new = client.call("remember", json!({"text": "Coffee is kept in the cellar"}));
    let answers = client.talk(&vault, &[]);
    assert_eq!(answers.text(known), "Remembered in tars/Memory.md.");
    assert_eq!(answers.text(new), "Remembered in tars/Memory.md.");
    let text = vault.read("tars/Memory.md");
    assert!(text.contains("Coffee") && text.matches("Tea").count() == 1, "{text}");
}

/// A person types secrets into the memory files; tars redacts only its own writes.
#[test]
fn secrets_in_the_memory_are_taken_out_of_every_answer() {
    let vault = house();
    let today = jiff::Zoned::now().date();
    vault.write(
        "tars/Memory.md",
        "# Memory\n\n## password: kX93-hunter2-Qz77\n\n- The router password is kX93-hunter2-Qz77\n",
    );
    vault.write(&format!("tars/{today}.md"), format!("# {today}\n\n- 09:00 Set password: kX93-hunter2-Qz77\n"));
    let mut client = Client::new();
    client.call("search", json!({"query": "router password"}));
    client.call("get", json!({"name": "tars/Memory.md"}));
    client.call("context", json!({}));
    client.call("context", json!({"query": "router password"}));
    client.call("daily", json!({}));
    client.call("forget", json!({"query": "router"}));
    client.call("remember", json!({"text": "The router password is kX93-hunter2-Qz77 now"}));
    client.call("status", json!({}));
    client.request("resources/list", json!({}));
    client.request("resources/read", json!({"uri": "tars://note/tars/Memory.md"}));
    client.request("prompts/get", json!({"name": "week"}));
    client.request("prompts/get", json!({"name": "handoff", "arguments": {"project": "router", "session": "null"}}));
    client.request("prompts/get", json!({"name": "recall", "arguments": {"topic": "router password"}}));
    for answer in client.talk(&vault, &[]).0 {
        assert!(!answer.to_string().contains("hunter2"), "{answer}");
    }
}

#[test]
fn tools_that_are_not_offered_cannot_be_called() {
    let vault = house();
    let mut client = Client::new();
    let list = client.request("tools/list", json!({}));
    let remember = client.call("remember", json!({"text": "x is y"}));
    let daily = client.call("daily", json!({"append": "x"}));
    let answers = client.talk(&vault, &["--read-only"]);
    assert_eq!(answers.result(list)["tools"].as_array().unwrap().len(), 5);
    assert_eq!(answers.of(remember)["error"]["message"], "there is no tool 'memory_remember'");
    assert!(answers.failure(daily).contains("no argument 'append'"));
    assert_eq!(vault.read("tars/Memory.md"), MEMORY);
    assert!(!fs::exists(vault.path("tars").join(format!("{}.md", jiff::Zoned::now().date()))).unwrap());

    let wrong = vault.tars(["mcp", "--collections", "recipes"]).stdin("").run().code(2);
    assert!(wrong.stderr().contains("recipes"), "{}", wrong.stderr());
}

#[test]
fn other_collections_are_hidden() {
    let vault = house();
    let recipes = vault.home().join("recipes");
    fs::create_dir_all(&recipes).unwrap();
    fs::write(recipes.join("Soup.md"), "# Soup\n\nA boiler full of leeks.\n").unwrap();
    vault.tars(["config", "set", "collections.recipes", recipes.to_str().unwrap()]).run().success();
    vault.index();
    let mut client = Client::new();
    let search = client.call("search", json!({"query": "boiler"}));
    let named = client.call("search", json!({"query": "boiler", "collections": "vault"}));
    let gets = ["Boiler.md", "[[Boiler]]", "tars/Memory.md"].map(|name| client.call("get", json!({ "name": name })));
    let soup = client.call("get", json!({"name": "Soup.md"}));
    let context = client.call("context", json!({}));
    let resource = client.request("resources/read", json!({"uri": "tars://note/Boiler.md"}));
    let answers = client.talk(&vault, &["--collections", "recipes"]);
    let sources: Vec<&str> = answers.text(search).lines().filter(|line| line.starts_with("<source ")).collect();
    assert!(sources.len() == 1 && sources[0].contains("at=\"Soup.md:"), "{sources:?}");
    assert!(answers.failure(named).contains("recipes"));
    for id in gets {
        assert!(answers.failure(id).contains("no note matches"), "{}", answers.text(id));
    }
    assert!(answers.text(soup).contains("leeks"));
    assert_eq!(answers.of(context)["error"]["message"], "there is no tool 'memory_context'");
    assert!(answers.of(resource).get("error").is_some());
}

#[test]
fn agents_have_a_daily_write_limit() {
    let vault = house();
    let mut client = Client::new();
    let first = client.call("daily", json!({"append": "one"}));
    let second = client.call("daily", json!({"append": "two"}));
    let third = client.call("remember", json!({"text": "The cellar is dry"}));
    let read = client.call("daily", json!({}));
    let several = client.call("forget", json!({"ids": ["0123456789", "abcdef0123"]}));
    let answers = client.talk_to(vault.tars(["mcp"]).env("TARS_MCP_DAILY_WRITES", "2"), 0);
    assert!(answers.failure(several).contains("mcp.daily_writes"), "a removal of several counts as several");
    assert!(answers.text(first).starts_with("Written") && answers.text(second).starts_with("Written"));
    assert!(answers.failure(third).contains("mcp.daily_writes"), "{}", answers.text(third));
    assert!(answers.text(read).contains("two"), "reading still works");
    assert_eq!(vault.read("tars/Memory.md"), MEMORY);
}

#[test]
fn the_daily_limit_holds_across_processes_and_counts_agents_alone() {
    let vault = house();
    vault.tars(["daily", "--append", "A line of my own"]).run().success();
    std::thread::scope(|scope| {
        for process in 0..4 {
            let vault = &vault;
            scope.spawn(move || {
                let mut client = Client::new();
                let calls: Vec<u64> = (0..6)
                    .map(|line| client.call("daily", json!({"append": format!("{process} wrote {line}")})))
                    .collect();
                let answers = client.talk_to(vault.tars(["mcp"]).env("TARS_MCP_DAILY_WRITES", "10"), 0);
                calls.iter().for_each(|call| assert!(answers.of(*call).get("result").is_some()));
            });
        }
    });
    let log = vault.tars(["log", "--json"]).run().success().json();
    let written = log.as_array().unwrap().iter().filter(|write| write["channel"] == "test-client").count();
    assert_eq!(written, 10);
}

#[test]
fn garbage_and_oversized_input_do_not_end_the_server() {
    let (vault, mut client) = (house(), Client::new());
    let rubbish = [
        "rubbish",
        "{",
        "[]",
        "null",
        "{\"jsonrpc\":\"2.0\"}",
        "\u{feff}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":7}",
    ];
    client.lines.extend(rubbish.map(str::to_owned));
    let long = client.call("search", json!({"query": "boiler ".repeat(150_000)}));
    let huge = client.call("remember", json!({"text": "x".repeat(1_000_000)}));
    let nested = client.call("search", json!({"query": {"a": ["b"]}}));
    let unknown = client.request("tools/call", json!({"name": "memory_\u{1b}[31mrm", "arguments": {}}));
    let none = client.request("no/such/method", json!({}));
    let many: Vec<u64> = (0..200).map(|_| client.call("search", json!({"query": "boiler"}))).collect();
    client.lines.push(
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": many[199]}}).to_string(),
    );
    // The cancelled request may or may not be answered.
    let answers = client.talk_to(vault.tars(["mcp"]), 1 - 7);
    assert_eq!(
        answers.0.iter().filter(|answer| answer["error"].is_object() && answer["id"].is_null()).count(),
        rubbish.len()
    );
    assert!(answers.of(long).get("result").is_some());
    assert!(answers.failure(huge).contains("more than a bullet may be"), "{}", answers.text(huge));
    assert_eq!(answers.failure(nested), "'query' is not a text");
    assert!(!answers.of(unknown).to_string().contains("\\u001b"));
    assert_eq!(answers.of(none)["error"]["code"], -32601);
    for id in &many[..199] {
        assert!(answers.text(*id).contains("<source at=\"Boiler.md:"), "{}", answers.text(*id));
    }
}

#[test]
fn without_a_vault_the_server_explains_the_setup() {
    let vault = TestVault::of_words().without("TARS_VAULT");
    let mut client = Client::new();
    let search = client.call("search", json!({"query": "boiler"}));
    let remember = client.call("remember", json!({"text": "x is y"}));
    let list = client.request("resources/list", json!({}));
    let answers = client.talk(&vault, &[]);
    for said in
        [answers.failure(search), answers.failure(remember), answers.of(list)["error"]["message"].as_str().unwrap()]
    {
        assert!(said.contains("no vault is set") && said.contains("only the user can mend this"), "{said}");
    }
}

#[test]
fn the_server_answers_without_an_index() {
    let vault = TestVault::of_words();
    vault.write("Boiler.md", "# Boiler\n\nIt leaks.\n");
    let mut client = Client::new();
    let search = client.call("search", json!({"query": "boiler"}));
    let status = client.call("status", json!({}));
    let answers = client.talk(&vault, &[]);
    assert!(answers.of(search).get("result").is_some());
    assert!(answers.text(status).contains("tars index"), "{}", answers.text(status));
}

#[test]
fn a_client_that_leaves_at_once_leaves_nothing_running() {
    let vault = house();
    for lines in [0, 1, 2, 3] {
        let mut client = Client::new();
        client.call("search", json!({"query": "boiler"}));
        let text: String = client.lines.iter().take(lines).map(|line| format!("{line}\n")).collect();
        // It ends by itself; otherwise the deadline would fail the test.
        vault.tars(["mcp"]).stdin(text).run_into_closed_pipe();
    }
    let started = std::time::Instant::now();
    vault.tars(["mcp"]).stdin("").run().success();
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn tars_is_added_to_a_client_and_removed() {
    let vault = house();
    let file = vault.home().join(".cursor/mcp.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mine = "{\n  // mine\n  \"mcpServers\": {\"other\": {\"command\": \"x\"}}\n}\n";
    fs::write(&file, mine).unwrap();
    let listed = vault.tars(["mcp", "install"]).run().success().stdout().to_owned();
    assert!(listed.contains("cursor") && listed.contains("does not know tars"), "{listed}");
    vault.tars(["mcp", "install", "cursor", "--read-only"]).run().success();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("// mine") && text.contains("\"other\"") && text.contains("--read-only"), "{text}");
    assert_eq!(fs::read_to_string(vault.home().join(".cursor/mcp.json.before-tars")).unwrap(), mine);
    assert!(vault.tars(["mcp", "install"]).run().success().stdout().contains("knows tars"));
    let printed = vault.tars(["mcp", "install", "vscode", "--print"]).run().success();
    let printed: Value = serde_json::from_str(printed.stdout()).unwrap();
    assert_eq!(printed["servers"]["tars"]["type"], "stdio");
    assert!(!vault.home().join(".config/Code").exists(), "printing writes nothing");
    vault.tars(["mcp", "install", "cursor", "--remove"]).run().success();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("// mine") && text.contains("\"other\"") && !text.contains("tars"), "{text}");
    fs::write(&file, "{ broken").unwrap();
    let refused = vault.tars(["mcp", "install", "cursor"]).run().code(2);
    assert!(refused.stderr().contains("--print"), "{}", refused.stderr());
    assert_eq!(fs::read_to_string(&file).unwrap(), "{ broken");
}
