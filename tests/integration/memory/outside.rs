//! Notes outside of the memory folder, while commands change the memory.

use std::fs;
use std::path::Path;

use super::{MEMORY, all, answer, run};
use crate::harness::{TestVault, today};
use crate::untouched::contents;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &target) } else { fs::write(&target, fs::read(&path).unwrap()).unwrap() }
    }
}

#[test]
fn memory_commands_change_no_note_outside_of_the_memory_folder() {
    let vault = TestVault::of_words().dated();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/vault"), &vault.root());
    vault.write("latin.md", b"- caf\xe9\r\n- 8080\n").write(".obsidian/app.json", "{}");
    // The names of memory files, and a line that forget would match.
    vault.write("Memory.md", "# Mine\n\n- Port is 8080\n- Port is 8080").write("sessions/a.md", "# Mine\n");
    vault.write("tars/sessions/2026-03-15T10-00-00-tars.md", "# Of the index\n\n- [[Nowhere]]\n");
    let outside = || {
        let mut found = contents(&vault.root());
        found.retain(|path, _| !path.starts_with(vault.path("tars")));
        found
    };
    let before = outside();
    let memory = vault.read(MEMORY);

    vault.index();
    run(&vault, &["remember", "Port is 8080"]).success();
    run(&vault, &["remember", "port is **8080**."]).success();
    run(&vault, &["remember", "Port is 9090"]).success();
    run(&vault, &["remember", "--type", "procedural", "--section", "New", "Run the tests"]).success();
    run(&vault, &["remember", "--type", "daily", "Met Ilse"]).success();
    run(&vault, &["daily", "--append", "Ordered a chain", "--channel", "shop"]).success();
    run(&vault, &["daily"]).success();
    run(&vault, &["daily", "2026-03-15"]).success();
    run(&vault, &["daily", "2001-01-01"]).code(1);
    run(&vault, &["forget", "8080"]).code(1);
    run(&vault, &["forget", "Port is 8080", "--yes"]).success();
    run(&vault, &["forget", "the radio of nobody", "--yes"]).code(1);
    run(&vault, &["feedback", "wrong", "Use metric units"]).success();
    run(&vault, &["feedback", "good", "Short answer"]).success();
    let waiting = answer(&vault, &["review"]);
    run(&vault, &["review", "--promote", all(&waiting, "id")[0], "--to", "procedural"]).success();
    run(&vault, &["review", "--drop", all(&waiting, "id")[1]]).success();
    run(&vault, &["remember", "--force", "Port is 9090"]).success();
    run(&vault, &["tidy"]).success();
    run(&vault, &["tidy", "--yes"]).success();
    run(&vault, &["sessions"]).success();
    run(&vault, &["sessions", "show", "2026-03-15"]).success();
    run(&vault, &["log"]).success();
    run(&vault, &["audit"]).success();
    run(&vault, &["index"]).success();
    run(&vault, &["search", "port"]).success();
    run(&vault, &["context"]).success();
    assert!(vault.path(&format!("tars/{}.md", today())).exists());
    assert!(outside() == before);

    run(&vault, &["undo", "100", "--yes"]).success();
    assert!(outside() == before);
    assert_eq!(vault.read(MEMORY), memory);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_another_program_only_reads_makes_no_conflict_file() {
    use std::process::{Command, Stdio};
    let vault = super::vault_with("- Tea\n- Port is 8080\n");
    let open = std::fs::File::open(vault.path(super::MEMORY)).unwrap();
    let mut reader = Command::new("sleep").arg("600").stdin(Stdio::from(open)).spawn().unwrap();
    super::run(&vault, &["forget", "port", "--yes"]).success();
    super::run(&vault, &["forget", "tea", "--yes"]).success();
    reader.kill().unwrap();
    reader.wait().unwrap();
    super::run(&vault, &["remember", "Gate is green"]).success();
    assert_eq!(super::files(&vault), ["Memory.md"]);
}

#[test]
fn doctor_names_conflict_files_of_the_memory_folder() {
    let vault = super::vault_with("- Tea\n");
    let names = ["Memory (conflict 2026-11-22 16.45.01).md", "Memory.sync-conflict-20261122-101112-ABCDEFG.md"];
    for name in names {
        vault.write(&format!("tars/{name}"), "- Tea\n");
    }
    vault.index();
    let output = vault.tars(["doctor"]).run().success();
    for name in names {
        assert!(output.stdout().contains(&format!("{name}: one side of a conflict")), "{output}");
    }
    let found = vault.tars(["doctor", "--json"]).run().success().json();
    assert_eq!((&found["healthy"], found["conflicts"].as_array().unwrap().len()), (&true.into(), 2));
    vault.tars(["doctor", "--repair"]).run().success();
    assert_eq!(super::files(&vault).len(), 3);
}
