//! Hooks where something is missing, broken or switched off.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Plugin, SCRIPTS, SHELLS, event, find, samples, script};
use crate::harness::{TarsCommand, eventually, today};

#[test]
fn one_line_reports_that_tars_is_missing() {
    let plugin = Plugin::new();
    fs::remove_file(plugin.bin.join("tars")).unwrap();
    for (name, input) in samples() {
        for shell in SHELLS {
            let output = plugin.hook(shell, name, &input, &plugin.path()).run().success().quiet();
            match name {
                "session-start" => {
                    assert!(output.json()["systemMessage"].as_str().unwrap().contains("not installed"), "{output}");
                }
                _ => assert!(output.stdout().is_empty(), "{output}"),
            }
        }
    }
}

#[test]
#[ignore = "nightly: waits for a timeout, 10 s"]
fn a_tars_that_fails_hangs_or_prints_garbage_does_no_harm() {
    for program in [
        "#!/bin/sh\nexit 2\n",
        "#!/bin/sh\necho '{\"hookSpecificOutput\":1}'\nexit 3\n",
        "#!/bin/sh\nkill -9 $$\n",
        "#!/bin/sh\necho rubbish\n",
        "#!/bin/sh\necho '{\"a\":1} and more'\n",
        "#!/bin/sh\necho oops >&2\n",
    ] {
        let plugin = Plugin::new().with_program(program);
        for (name, kind) in SCRIPTS {
            for shell in SHELLS {
                let output = plugin.hook(shell, name, &event(kind, json!({})), &plugin.path()).run().success().quiet();
                assert!(output.stdout().is_empty(), "{program}: {output}");
            }
        }
    }
    let plugin = Plugin::new().with_program("#!/bin/sh\nexec sleep 60\n");
    let started = Instant::now();
    let hanging: Vec<_> = SCRIPTS
        .iter()
        .map(|(name, kind)| plugin.hook("dash", name, &event(kind, json!({})), &plugin.path()).start())
        .collect();
    for hook in hanging {
        assert!(hook.finish().success().stdout().is_empty());
    }
    assert!(started.elapsed() < Duration::from_secs(30), "the hooks waited for a hung program");
}

#[test]
fn without_the_timeout_command_a_hook_gets_its_input_and_does_not_wait_for_a_hung_tars() {
    let plugin = Plugin::new().with_program("#!/bin/sh\nexec sleep 600\n");
    let bare = plugin.vault.home().join("bare");
    fs::create_dir(&bare).unwrap();
    for program in ["sleep", "cat"] {
        std::os::unix::fs::symlink(find(program), bare.join(program)).unwrap();
    }
    let path = format!("{}:{}", plugin.bin.display(), bare.display());
    let started = Instant::now();
    for shell in SHELLS {
        let output = plugin.hook(shell, "session-end", &event("SessionEnd", json!({})), &path).run();
        assert!(output.success().quiet().stdout().is_empty());
    }
    assert!(started.elapsed() < Duration::from_secs(300), "the hooks waited for a hung program");
    let plugin = plugin.with_program("#!/bin/sh\nexec cat\n");
    for shell in SHELLS {
        let input = json!({ "hook_event_name": "SessionEnd" });
        let output = plugin.hook(shell, "session-end", &input, &path).run();
        assert_eq!(output.success().quiet().json(), input);
    }
}

#[test]
fn a_bare_path_finds_tars_in_the_usual_places() {
    let plugin = Plugin::new();
    for place in [".local/bin", ".cargo/bin"] {
        let folder = plugin.vault.home().join(place);
        fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tars"), folder.join("tars")).unwrap();
        let input = event("SessionStart", json!({ "source": "startup" }));
        let output = plugin.hook("dash", "session-start", &input, "/usr/bin:/bin").run().success();
        assert!(output.stdout().contains("port 2283"), "{output}");
        fs::remove_file(folder.join("tars")).unwrap();
    }
    // A PATH without the shell's usual tools.
    let input = event("SessionStart", json!({ "source": "startup" }));
    plugin.hook("dash", "session-start", &input, "/nowhere").run().success().quiet();
}

#[test]
fn a_plugin_in_a_folder_with_a_strange_name_works() {
    let plugin = Plugin::new();
    let folder = plugin.vault.home().join("a 'b' \"c\" $(touch d)/hooks");
    fs::create_dir_all(&folder).unwrap();
    for entry in fs::read_dir(script("stop").parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    // As the client runs it: the command of hooks.json, with the variable in its environment.
    let hooks: Value =
        serde_json::from_str(&fs::read_to_string(script("stop").with_file_name("hooks.json")).unwrap()).unwrap();
    for (name, kind) in SCRIPTS {
        let command = hooks["hooks"][kind][0]["hooks"][0]["command"].as_str().unwrap();
        assert!(command.contains(name), "{command}");
        let mut more = json!({});
        if kind == "SessionStart" {
            more = json!({ "source": "startup" });
        }
        let run = TarsCommand::of_program(&find("sh"), plugin.vault.home())
            .args(["-c", command])
            .env("CLAUDE_PLUGIN_ROOT", folder.parent().unwrap())
            .env("CLAUDE_PID", std::process::id().to_string())
            .env("PATH", plugin.path())
            .env("TARS_VAULT", plugin.vault.root())
            .env("TARS_DATA_DIR", plugin.vault.data())
            .env("TARS_EMBEDDING_PROVIDER", "none")
            .stdin(event(kind, more).to_string())
            .run()
            .success()
            .quiet();
        assert_eq!(run.stdout().contains("port 2283"), kind == "SessionStart", "{run}");
    }
    assert!(!plugin.vault.home().join("d").exists());
}

#[test]
fn a_pause_is_silent_and_writes_nothing() {
    let plugin = Plugin::new();
    for (name, kind) in SCRIPTS {
        let hook = plugin.hook("dash", name, &event(kind, json!({ "source": "startup" })), &plugin.path());
        assert!(hook.env("TARS_DISABLE", "1").run().success().quiet().stdout().is_empty());
    }
    assert!(!plugin.vault.data().join("spool").exists() && !plugin.vault.data().join("watch.lock").exists());
}

#[test]
fn without_a_vault_one_line_says_what_to_run() {
    let plugin = Plugin::new();
    let input = |source: &str| event("SessionStart", json!({ "source": source }));
    let hook =
        |source: &str| plugin.hook("dash", "session-start", &input(source), &plugin.path()).env("TARS_VAULT", "").run();
    let told = hook("startup").success();
    assert!(told.json()["systemMessage"].as_str().unwrap().contains("tars init"), "{told}");
    assert!(hook("resume").success().stdout().is_empty());
}

#[test]
fn a_mistyped_setting_is_reported_once_a_session_and_logged() {
    let plugin = Plugin::new();
    let (run, settings) = (plugin.vault.home().join("run"), plugin.vault.home().join("broken.toml"));
    fs::create_dir(&run).unwrap();
    fs::write(&settings, "[search]\nlimt = 3\n").unwrap();
    let told = |name: &str, input: &Value, runtime: &std::path::Path| {
        let hook = plugin.hook("dash", name, input, &plugin.path());
        let hook = hook.env("TARS_CONFIG", &settings).env("XDG_RUNTIME_DIR", runtime).env("TMPDIR", runtime);
        let output = hook.run().success().quiet();
        if output.stdout().is_empty() {
            return false;
        }
        let said = output.json()["systemMessage"].as_str().unwrap().to_owned();
        assert!(said.starts_with("tars: ") && said.contains("search.limt") && !said.contains('\n'), "{said}");
        true
    };
    for (name, kind) in SCRIPTS {
        let mut input = event(kind, json!({ "source": "startup", "prompt": "which port do we use" }));
        input["session_id"] = name.into();
        if kind == "SubagentStart" {
            // A subagent is not the person.
            assert!(!told(name, &input, &run), "{name}");
            continue;
        }
        assert!([1, 2].map(|_| told(name, &input, &run)) == [true, kind == "SessionStart"], "{name}");
        // Where no state can be written, only these events show the message.
        let nowhere = settings.join("no folder");
        let tells = matches!(kind, "SessionStart" | "UserPromptSubmit");
        assert!([1, 2].map(|_| told(name, &input, &nowhere)) == [tells; 2], "{name}");
    }
    let log = fs::read_to_string(plugin.vault.data().join("hook.log")).unwrap();
    assert!(log.contains("search.limt"), "{log}");
}

#[test]
#[ignore = "nightly: waits for a timeout, 15 s"]
fn the_watcher_lives_as_long_as_its_client() {
    let plugin = Plugin::new();
    let mut client = TarsCommand::of_program(&find("sleep"), plugin.vault.home()).arg("600").start();
    let input = event("SessionStart", json!({ "source": "startup" }));
    let hook = plugin.hook("dash", "session-start", &input, &plugin.path());
    hook.env("CLAUDE_PID", client.id().to_string()).run().success();
    let clients = || plugin.vault.tars(["watch", "--status", "--json"]).run().json()["clients"].clone();
    eventually("the watcher knows its client", || clients() == 1);
    assert!(!client.has_ended());
    client.kill();
    eventually("the watcher ends after its client", || clients().is_null());
}

#[test]
fn a_hook_stops_waiting_for_input_that_never_ends() {
    let plugin = Plugin::new();
    let pipe = plugin.vault.home().join("pipe");
    TarsCommand::of_program("mkfifo", plugin.vault.home()).arg(&pipe).run().success();
    for arguments in ["search --hook", "remember --hook"] {
        // Opened for writing as well, so that the input never ends.
        let script = format!("exec '{}' {arguments} <>'{}'", env!("CARGO_BIN_EXE_tars"), pipe.display());
        let command = TarsCommand::of_program("sh", plugin.vault.home()).args(["-c", &script]);
        let command = command.env("TARS_VAULT", plugin.vault.root()).env("TARS_DATA_DIR", plugin.vault.data());
        assert_eq!(command.run().success().quiet().stdout(), "{}\n");
    }
    let log = fs::read_to_string(plugin.vault.data().join("hook.log")).unwrap();
    assert_eq!(log.matches("standard input was not closed within 3 s").count(), 2, "{log}");
}

#[test]
fn an_unwritable_data_directory_loses_no_turn_and_is_reported_once() {
    let plugin = Plugin::new();
    let (disk, run) = (plugin.vault.home().join("disk"), plugin.vault.home().join("run"));
    // A file in place of the folder: no user that runs the tests can write into it.
    fs::write(&disk, "").unwrap();
    fs::create_dir(&run).unwrap();
    let data = disk.join("data");
    let hook = |name: &str, input: &Value| {
        let hook = plugin.hook("dash", name, input, &plugin.path());
        // The offer of the first session is a separate message.
        let hook = hook.env("TARS_SUMMARY_PROVIDER", "extractive");
        hook.env("TARS_DATA_DIR", &data).env("XDG_RUNTIME_DIR", &run).run().success().quiet()
    };
    let begun = hook("session-start", &event("SessionStart", json!({ "source": "startup" }))).json();
    let said = begun["systemMessage"].as_str().unwrap();
    assert!(said.contains(data.to_str().unwrap()) && said.contains(run.to_str().unwrap()), "{said}");
    assert!(begun["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("port 2283"), "{begun}");
    let asked = hook("user-prompt-submit", &event("UserPromptSubmit", json!({ "prompt": "which port do we use" })));
    assert_eq!(asked.stdout(), "", "it is reported only once");
    let turn = json!({ "last_assistant_message": "The root cause was the old fuse in the cellar. The password is Hunter2!xK9zz." });
    assert_eq!(hook("stop", &event("Stop", turn.clone())).stdout(), "");
    let mut other = event("Stop", turn);
    other["session_id"] = "another".into();
    other["prompt_id"] = "8d1e".into();
    assert!(hook("stop", &other).json()["systemMessage"].as_str().unwrap().contains("until there is room"));
    let folder = fs::read_dir(run.join("tars")).unwrap().next().unwrap().unwrap().path();
    let kept = |folder: &std::path::Path| {
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|kind| kind == "json")).collect::<Vec<_>>()
    };
    let waiting = kept(&folder);
    assert_eq!(waiting.len(), 2);
    assert!(waiting.iter().all(|path| !fs::read_to_string(path).unwrap().contains("Hunter2")));
    // The disk has room again.
    fs::remove_file(&disk).unwrap();
    let mut next = event("SessionStart", json!({ "source": "startup" }));
    next["session_id"] = "later".into();
    let begun = hook("session-start", &next);
    assert!(!begun.stdout().contains("cannot write") && begun.stdout().contains("tars has no index"), "{begun}");
    eventually("the notes are made", || {
        let text = fs::read_to_string(plugin.vault.path(&format!("tars/{}.md", today()))).unwrap_or_default();
        text.matches("<!-- tars:session ").count() == 2 && text.contains("cellar")
    });
    eventually("the fallback is empty", || kept(&folder).is_empty());
    plugin.vault.tars(["watch", "--stop"]).env("TARS_DATA_DIR", &data).env("XDG_RUNTIME_DIR", &run).run();
}

#[test]
fn a_turn_that_cannot_be_stored_anywhere_is_reported_as_lost() {
    let plugin = Plugin::new();
    let file = plugin.vault.home().join("file");
    fs::write(&file, "").unwrap();
    let turn = event("Stop", json!({ "last_assistant_message": "The fuse is in the cellar." }));
    let hook = plugin.hook("dash", "stop", &turn, &plugin.path()).env("TARS_DATA_DIR", file.join("data"));
    let told = hook.env("XDG_RUNTIME_DIR", &file).env("TMPDIR", &file).run().success().quiet().json();
    let said = told["systemMessage"].as_str().unwrap();
    assert!(
        said.contains("lost the note of this turn") && said.contains(file.join("data").to_str().unwrap()),
        "{said}"
    );
}

/// Returns the message to the person at the start of a session, and checks that the agent still gets its memory.
fn told_at_start(plugin: &Plugin, session: &str) -> Option<String> {
    let input = event("SessionStart", json!({ "source": "startup", "session_id": session }));
    let answer = plugin.run("session-start", &input).success().quiet().json();
    assert!(answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("port 2283"), "{answer}");
    answer["systemMessage"].as_str().map(str::to_owned)
}

#[test]
fn a_session_start_reports_a_damaged_or_missing_index() {
    let plugin = Plugin::new();
    let is_whole = || {
        let status = plugin.vault.tars(["status", "--json"]).run();
        status.stdout().contains("\"files\"") && status.json()["files"].as_u64() > Some(0)
    };
    assert!(told_at_start(&plugin, "sound").is_none_or(|said| !said.contains("index")));
    plugin.vault.tars(["watch", "--stop"]).run();
    let whole = fs::read(plugin.vault.database()).unwrap();
    fs::write(plugin.vault.database(), &whole[..whole.len() / 2]).unwrap();
    let said = told_at_start(&plugin, "damaged").unwrap();
    assert!(said.contains("damaged") && said.contains("tars doctor --repair"), "{said}");
    eventually("the watcher has rebuilt the index", is_whole);
    plugin.vault.tars(["watch", "--stop"]).run();
    for file in ["index.db", "index.db-wal", "index.db-shm"] {
        let _ = fs::remove_file(plugin.vault.data().join(file));
    }
    let said = told_at_start(&plugin, "missing").unwrap();
    assert!(said.contains("no index") && said.contains("tars index"), "{said}");
    eventually("the watcher has made the index", is_whole);
}

#[test]
fn long_waiting_notes_are_reported_once_a_session_and_abandoned_ones_once() {
    let plugin = Plugin::new();
    let spool = plugin.vault.data().join("spool");
    fs::create_dir_all(&spool).unwrap();
    fs::write(spool.join("00000000000000000001-1.given-up"), "{}").unwrap();
    let told = |session: &str| told_at_start(&plugin, session).filter(|said| said.contains("gave up"));
    assert!(told("one").unwrap().contains(spool.to_str().unwrap()));
    assert_eq!(["one", "two"].map(told), [None, None]);
    // The hook cannot finish it while another process holds the lock.
    let lock = fs::File::create(spool.join("lock")).unwrap();
    lock.lock().unwrap();
    fs::write(spool.join("00000000000000000002-1.json"), "{}").unwrap();
    let told = |session: &str| told_at_start(&plugin, session).filter(|said| said.contains("waited for more than"));
    assert!(told("two").unwrap().contains("tars remember --finish"));
    assert_eq!((told("two"), told("three").is_some()), (None, true));
}

#[test]
fn a_ranking_key_in_the_settings_does_not_change_hook_output() {
    let plugin = Plugin::new();
    let input = event("SessionStart", json!({ "source": "startup" }));
    let hook = || plugin.hook("dash", "session-start", &input, &plugin.path());
    // The very first session offers a model.
    hook().run().success().quiet();
    let usual = hook().run().success().quiet();
    let warned = hook().env("TARS_SEARCH_CANDIDATES", "200").run().success().quiet();
    assert!(usual.stdout().contains("port 2283"), "{usual}");
    assert_eq!(warned.stdout(), usual.stdout());
}
