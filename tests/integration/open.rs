//! Opening results: in an editor at the line, in Obsidian, and by their places in the last answer.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::harness::TestVault;

/// A vault with programs that note their arguments, a line each, instead of opening something.
fn desk() -> TestVault {
    let vault = TestVault::of_words();
    vault.write("Tea.md", "# Tea\n\nSteep it for three minutes.\n\n## Green\n\nAt 80 degrees.\n");
    vault.write("Cellar/Pump $(touch pwned).md", "# Pump\n\nThe pump in the cellar drains behind the boiler.\n");
    for name in ["nvim", "code", "xdg-open", "open"] {
        let path = program(&vault, name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/opened\"\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    vault.index();
    vault
}

fn program(vault: &TestVault, name: &str) -> PathBuf {
    vault.home().join("my programs").join(name)
}

fn opened(vault: &TestVault) -> Vec<String> {
    let text = fs::read_to_string(vault.home().join("opened")).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn note(vault: &TestVault, path: &str) -> String {
    vault.path(path).canonicalize().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_note_opens_in_the_editor_at_the_line() {
    let vault = desk();
    let nvim = format!("'{}' -f", program(&vault, "nvim").display());
    vault.tars(["open", "Tea.md:3"]).env("EDITOR", &nvim).run().success();
    assert_eq!(opened(&vault), ["-f", "+3", &note(&vault, "Tea.md")]);
    let code = format!("\"{}\" --wait", program(&vault, "code").display());
    vault.tars(["open", "[[Tea#Green]]"]).env("EDITOR", &nvim).env("VISUAL", &code).run().success();
    assert_eq!(opened(&vault), ["--wait", "--goto", &format!("{}:5:1", note(&vault, "Tea.md"))]);
}

#[test]
fn a_question_opens_its_first_relevant_hit_and_says_so_without_a_shell() {
    let vault = desk();
    let nvim = format!("'{}'", program(&vault, "nvim").display());
    let said = vault.tars(["open", "where", "does", "the", "pump", "drain"]).env("EDITOR", &nvim).run().success();
    said.says(&["opens Cellar/Pump $(touch pwned).md:3, the first of"]);
    assert_eq!(opened(&vault), ["+3", &note(&vault, "Cellar/Pump $(touch pwned).md")]);
    assert!(!vault.home().join("pwned").exists());
    vault.tars(["open", "xylophone", "concert"]).env("EDITOR", &nvim).run().code(1).says(&["nothing is opened"]);
    vault.tars(["open", "Pump.md"]).env("EDITOR", &nvim).run().code(2).says(&["no note matches 'Pump.md'"]);
}

#[test]
fn an_editor_that_cannot_be_started_is_named_with_its_variable() {
    let vault = desk();
    vault.tars(["open", "Tea"]).run().code(2).says(&["neither $VISUAL nor $EDITOR", "export EDITOR"]);
    vault.tars(["open", "Tea"]).env("EDITOR", "no-such-editor").run().code(2).says(&["'no-such-editor' of $EDITOR"]);
    vault.tars(["open", "Tea"]).env("VISUAL", "'nvim").run().code(2).says(&["$VISUAL is no command"]);
    vault
        .tars(["open", "Tea"])
        .env("EDITOR", "false")
        .run()
        .code(2)
        .says(&["'false' of $EDITOR ended with", "start it yourself"]);
}

#[test]
fn obsidian_opens_a_note_of_its_vault() {
    let vault = desk();
    let path = format!("{}:{}", program(&vault, "").display(), std::env::var("PATH").unwrap());
    let open = || vault.tars(["open", "Tea.md:3", "--with", "obsidian"]).env("PATH", &path).run();
    open().code(2).says(&["is in no vault of Obsidian"]);
    fs::create_dir_all(vault.path(".obsidian")).unwrap();
    open().success();
    let link = opened(&vault).remove(0);
    assert!(link.starts_with("obsidian://open?path=%2F") && link.ends_with("%2FTea.md"), "{link}");
}

#[test]
fn a_number_is_a_place_in_the_last_answer_of_this_terminal() {
    let vault = desk();
    let nvim = format!("'{}'", program(&vault, "nvim").display());
    let script = "\"$TARS\" sgrep steep; \"$TARS\" open 1";
    vault.shell_at_terminal(script).env("EDITOR", &nvim).run().success();
    assert_eq!(opened(&vault), ["+3", &note(&vault, "Tea.md")]);
    let folder = vault.data().join("last-answers");
    let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!fs::read_to_string(&file).unwrap().contains("three minutes"), "places alone are kept");
    let none = vault.tars(["open", "1"]).env("EDITOR", &nvim).run().code(2);
    none.says(&["there is no terminal with an answer"]);
    let script = "\"$TARS\" list; \"$TARS\" get 2; \"$TARS\" list tag:absent; \"$TARS\" open 1";
    let said = vault.shell_at_terminal(script).env("EDITOR", &nvim).run().code(2).stdout().to_owned();
    assert!(said.contains("At 80 degrees."), "the whole note: {said}");
    assert!(said.contains("this terminal has no answer with places"), "an earlier answer is not meant: {said}");
    let script = "\"$TARS\" sgrep steep; \"$TARS\" expand 1; \"$TARS\" links 1; \"$TARS\" list; \"$TARS\" expand 2";
    let said = vault.shell_at_terminal(script).run().code(2).stdout().to_owned();
    assert!(said.contains("three minutes"), "the section of the result: {said}");
    assert!(said.contains("no link to a note in Tea.md"), "{said}");
    assert!(said.contains("not a result of a search"), "a note has no id: {said}");
    let script = "\"$TARS\" list; \"$TARS\" open 77";
    let said = vault.shell_at_terminal(script).env("EDITOR", &nvim).run().code(2).stdout().to_owned();
    assert!(said.contains("has the places 1 to 2, not 77"), "{said}");
}
