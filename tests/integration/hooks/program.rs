//! Which program the plugin runs, and how it downloads it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;

use serde_json::{Value, json};

use super::{Plugin, SHELLS, event, script};
use crate::harness::TarsCommand;

fn manifest() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".claude-plugin/plugin.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Writes a program that prints its version, and answers a hook with its path.
fn program(path: &Path, version: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let answer = format!("cat <<'END'\n{}\nEND", json!({ "systemMessage": path }));
    fs::write(path, format!("#!/bin/sh\n[ \"$1\" = --version ] && exec echo tars {version}\n{answer}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_hooks_know_the_version_of_the_plugin() {
    let version = manifest()["version"].as_str().unwrap().to_owned();
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let shared = fs::read_to_string(script("tars")).unwrap();
    assert!(shared.contains(&format!("\nTARS_PLUGIN_VERSION={version}\n")), "hooks/tars.sh names another version");
}

#[test]
fn the_plugin_asks_for_the_vault_in_the_clients_form() {
    // `userConfig` of https://code.claude.com/docs/en/plugins-reference as of Claude Code 2.1.250.
    let options = manifest()["userConfig"].as_object().unwrap().clone();
    for (key, option) in &options {
        assert!(
            key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !key.starts_with(|c: char| c.is_ascii_digit())
        );
        let known = ["type", "title", "description", "required", "default", "multiple", "sensitive", "min", "max"];
        assert!(option.as_object().unwrap().keys().all(|field| known.contains(&field.as_str())), "{option}");
        assert!(["string", "number", "boolean", "directory", "file"].contains(&option["type"].as_str().unwrap()));
        assert!(option["title"].is_string() && option["description"].is_string(), "{option}");
    }
    assert_eq!(options["vault"]["type"], "directory");
    let plugin = Plugin::new();
    let input = event("SessionStart", json!({ "source": "startup" }));
    let hook = |shell| plugin.hook(shell, "session-start", &input, &plugin.path()).env("TARS_VAULT", "");
    for shell in SHELLS {
        let without = hook(shell).run().success();
        assert!(!without.stdout().contains("port 2283"), "{without}");
        let told = hook(shell).env("CLAUDE_PLUGIN_OPTION_VAULT", plugin.vault.root()).run().success();
        assert!(told.stdout().contains("port 2283"), "{told}");
    }
}

#[test]
fn among_several_programs_the_matching_one_serves_the_session() {
    let plugin = Plugin::new().with_program("#!/bin/sh\necho tars 0.0.1\n");
    let home = plugin.vault.home().to_owned();
    let data = home.join("plugin's data");
    let fitting = data.join("bin/tars");
    program(&home.join(".local/bin/tars"), "9.9.9");
    program(&fitting, env!("CARGO_PKG_VERSION"));
    program(&home.join(".cargo/bin/tars"), env!("CARGO_PKG_VERSION"));
    let vault = home.join("it's mine");
    for shell in SHELLS {
        let environment = home.join(format!("{shell}.env"));
        let run = |name: &str, kind: &str| {
            let hook = plugin.hook(shell, name, &event(kind, json!({})), &plugin.path());
            let hook = hook.env("CLAUDE_PLUGIN_DATA", &data).env("CLAUDE_ENV_FILE", &environment);
            hook.env("CLAUDE_PLUGIN_OPTION_VAULT", &vault).run().success().quiet()
        };
        for (name, kind) in
            [("session-start", "SessionStart"), ("user-prompt-submit", "UserPromptSubmit"), ("stop", "Stop")]
        {
            let output = run(name, kind);
            assert_eq!(output.json()["systemMessage"].as_str(), fitting.to_str(), "{shell}: {output}");
        }
        // Commands of the agent run the same program, which knows the vault that the person named.
        let commands =
            format!(". '{}' && command -v tars && echo \"$CLAUDE_PLUGIN_OPTION_VAULT\"", environment.display());
        let said = TarsCommand::of_program(&super::find(shell), &home)
            .args(["-c", &commands])
            .env("PATH", plugin.path())
            .run();
        assert_eq!(said.success().stdout(), format!("{}\n{}\n", fitting.display(), vault.display()));
        // A program that was removed is not looked up again.
        fs::remove_file(&fitting).unwrap();
        let next = run("stop", "Stop");
        assert!(next.stdout().is_empty(), "the first one prints no JSON: {next}");
        program(&fitting, env!("CARGO_PKG_VERSION"));
    }
}

#[test]
fn a_program_of_another_version_is_reported_once_a_session() {
    let plugin = Plugin::new();
    let hooks = plugin.vault.home().join("plugin/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for name in ["tars", "session-start"] {
        let text = fs::read_to_string(script(name)).unwrap();
        fs::write(hooks.join(format!("{name}.sh")), text.replace("TARS_PLUGIN_VERSION=0.", "TARS_PLUGIN_VERSION=7."))
            .unwrap();
    }
    let input = event("SessionStart", json!({ "source": "startup" }));
    let start = || {
        let mut command = TarsCommand::of_program(&super::find("dash"), plugin.vault.home());
        for name in ["TARS_VAULT", "TARS_DATA_DIR", "TARS_EMBEDDING_PROVIDER", "TARS_TEST_CLOCK", "TZ"] {
            if let Some(value) = plugin.vault.variable(name) {
                command = command.env(name, value);
            }
        }
        let command = command.env("CLAUDE_PID", std::process::id().to_string()).env("PATH", plugin.path());
        command.arg(hooks.join("session-start.sh")).stdin(input.to_string()).run().success().quiet().json()
    };
    let first = start();
    let said = first["systemMessage"].as_str().unwrap();
    assert!(said.contains("does not fit its plugin (7.1.0)") && said.contains("/tars:install"), "{said}");
    assert!(
        first["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("port 2283"),
        "it works all the same"
    );
}

/// Serves a folder on the loopback address until the test ends, and returns its address.
fn serve(folder: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let folder = folder.to_owned();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let wanted = lines.next().unwrap_or_default();
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let name = wanted.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
            let answer = fs::read(folder.join(name)).map(|body| {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                [head.into_bytes(), body].concat()
            });
            let none = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec();
            let _ = stream.write_all(&answer.unwrap_or(none));
        }
    });
    address
}

#[test]
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn the_download_of_the_program_is_verified_by_the_plugins_hash() {
    let vault = crate::harness::TestVault::of_words();
    let home = vault.home();
    let (plugin, release, data) = (home.join("plugin"), home.join("release"), home.join("data of the plugin"));
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("tars-{version}-{}-unknown-linux-gnu", std::env::consts::ARCH);
    program(&release.join(&name).join("bin/tars"), version);
    fs::create_dir_all(release.join(&name).join("lib/tars/models")).unwrap();
    fs::write(release.join(&name).join("lib/tars/models/one"), "model").unwrap();
    let shell = |text: &str| {
        TarsCommand::of_program(&super::find("dash"), home).args(["-c", text]).env("PATH", "/usr/bin:/bin").run()
    };
    shell(&format!(
        "cd release && tar -czf {name}.tar.gz {name} && rm -r {name} && sha256sum {name}.tar.gz > SHA256SUMS"
    ))
    .success();
    for folder in [".claude-plugin", "skills/install"] {
        fs::create_dir_all(plugin.join(folder)).unwrap();
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in [".claude-plugin/plugin.json", ".claude-plugin/release.txt", "skills/install/install-tars.sh"] {
        fs::copy(source.join(file), plugin.join(file)).unwrap();
    }
    let install = |from: &str, arguments: &str| {
        let command = format!("sh plugin/skills/install/install-tars.sh {arguments}");
        let command = TarsCommand::of_program(&super::find("dash"), home).args(["-c", &command]);
        command.env("PATH", "/usr/bin:/bin").env("CLAUDE_PLUGIN_DATA", &data).env("TARS_INSTALL_FROM", from).run()
    };
    let address = serve(&release);
    install(&address, "").code(2).says(&["knows no released program", "hint:"]);
    let pins = fs::read_to_string(release.join("SHA256SUMS")).unwrap();
    fs::write(
        plugin.join(".claude-plugin/release.txt"),
        format!("# pins\nfrom https://nowhere.invalid/v{version}\n{pins}"),
    )
    .unwrap();
    install("http://192.0.2.1/", "").code(2).says(&["is not https"]);
    install(&format!("{address}/gone"), "").code(2).says(&["cannot fetch"]);
    let said = install(&address, "").success();
    assert!(said.stdout().contains(&format!("tars {version}")), "{said}");
    assert!(data.join("bin/tars").exists() && data.join("lib/tars/models/one").exists());
    // Again, over the existing file, and into another folder.
    install(&address, "").success();
    install(&address, "--to elsewhere").success();
    assert!(home.join("elsewhere/bin/tars").exists());
    // The server has another file than the one that the plugin was published with.
    let archive = release.join(format!("{name}.tar.gz"));
    let mut bytes = fs::read(&archive).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&archive, bytes).unwrap();
    fs::remove_dir_all(&data).unwrap();
    install(&address, "").code(2).says(&["is not what this plugin was published with", "nothing was installed"]);
    assert!(!data.join("bin").exists());
}
