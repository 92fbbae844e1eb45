//! Lists: notes, tags, links, related notes and tasks.

use std::path::Path;

use serde_json::Value;

use crate::contract::text;
use crate::harness::{Output, TestVault};

/// A vault whose notes fit the examples of docs/commands.md.
fn house() -> TestVault {
    let vault = TestVault::of_words().dated();
    vault.write(
        "Home/Backups.md",
        "---\ntags: [work/servers]\ndate: 2026-06-01\n---\n# Backups\n\nThe key is on paper. See [[Sourdough]] and [[Nowhere]].\n\n\
         - [ ] Test a restore 📅 2026-11-20 🔁 every month\n- [ ] Label the disks\n- [x] Buy a disk ✅ 2026-11-02\n\n\
         ```\n- [ ] no task\n```\n",
    );
    vault.write("Sourdough.md", "---\ntags: [idea]\n---\n# Sourdough\n\n## Feeding\n\nTwice a day.\n\n![[loaf.png]]\n");
    vault.write(
        "Projects/Pump.md",
        "# Pump\n\nThe pump drains behind the boiler. #work\n\n- [ ] Call Mara [due:: 2027-03-01]\n",
    );
    vault.index();
    vault
}

fn paths(output: &Output) -> Vec<String> {
    output.json()["notes"].as_array().unwrap().iter().map(|note| text(note, "path").to_owned()).collect()
}

#[test]
fn notes_are_listed_by_filters_by_links_and_by_words() {
    let vault = house();
    let listed = |arguments: &[&str]| paths(&vault.tars(["list", "--json"]).args(arguments).run().success());
    let (backups, pump, sourdough) = ("Home/Backups.md", "Projects/Pump.md", "Sourdough.md");
    assert_eq!(listed(&[]), [backups, pump, sourdough]);
    assert_eq!(listed(&["tag:work"]), [backups, pump]);
    assert_eq!(listed(&["tag:work", "-path:Home"]), [pump]);
    assert_eq!(listed(&["after:2026-06", "before:2026-07"]), [backups]);
    assert_eq!(listed(&["orphan:"]), [backups, pump]);
    assert_eq!(listed(&["--", "-orphan:"]), [sourdough]);
    assert_eq!(listed(&["dead-links:"]), [backups], "a picture is no dead link");
    assert_eq!(listed(&["BACK"]), [backups]);
    assert_eq!(listed(&["--sort", "size", "-n", "1"]), [backups]);
    let nothing = vault.tars(["list", "tag:absent"]).run().code(1);
    nothing.says(&["no note passes these filters"]);
    vault.tars(["list", "status:open"]).run().code(1).says(&["'status:open' is read as words"]);
}

#[test]
fn a_list_is_printed_for_programs_in_their_formats() {
    let vault = house();
    let printed = |format: &[&str]| vault.tars(["list", "tag:work"]).args(format).run().success().stdout().to_owned();
    let (backups, pump) = (vault.path("Home/Backups.md"), vault.path("Projects/Pump.md"));
    let (backups, pump) = (backups.canonicalize().unwrap(), pump.canonicalize().unwrap());
    let (backups, pump) = (backups.to_str().unwrap(), pump.to_str().unwrap());
    assert_eq!(printed(&["--format", "files"]), format!("{backups}\n{pump}\n"));
    assert_eq!(printed(&["-0"]), format!("{backups}\0{pump}\0"));
    assert_eq!(printed(&["--format", "markdown"]), "- [[Home/Backups]]\n- [[Projects/Pump]]\n");
    assert_eq!(printed(&["--format", "vimgrep"]), format!("{backups}:1:1:\n{pump}:1:1:\n"));
    let table = printed(&["--format", "csv"]);
    assert!(table.starts_with("collection,path,title,type,date,"), "{table}");
    let lines = printed(&["--format", "jsonl"]);
    let of_line = |line: &str| text(&serde_json::from_str::<Value>(line).unwrap(), "path").to_owned();
    assert_eq!(lines.lines().map(of_line).collect::<Vec<_>>(), ["Home/Backups.md", "Projects/Pump.md"]);
    vault.tars(["list", "-0", "--format", "csv"]).run().code(2).says(&["-0 separates paths"]);
}

#[test]
fn tags_are_a_tree_in_which_a_tag_counts_the_notes_below_it() {
    let vault = house();
    let shown = vault.tars(["tags"]).run().success().stdout().to_owned();
    assert_eq!(shown, "#idea  1\n#work  2\n  servers  1\n");
    vault.tars(["tags", "-0"]).run().code(2).says(&["this list has no paths"]);
}

#[test]
fn links_and_backlinks_are_listed_with_their_lines() {
    let vault = house();
    let links = vault.tars(["links", "Backups", "--json"]).run().success().json();
    let said =
        |link: &Value| (link["path"].as_str().map(str::to_owned), link["line"].as_u64(), link["is_dead"].as_bool());
    let links: Vec<_> = links["links"].as_array().unwrap().iter().map(said).collect();
    assert_eq!(links, [(None, Some(7), Some(true)), (Some("Sourdough.md".to_owned()), Some(7), Some(false))]);
    let back = vault.tars(["links", "[[Sourdough]]", "--back"]).run().success().stdout().to_owned();
    assert_eq!(back, "Home/Backups.md:7  The key is on paper. See [[Sourdough]] and [[Nowhere]].\n");
    vault.tars(["links", "Pump", "--back"]).run().code(1).says(&["no other note links to Projects/Pump.md"]);
}

#[test]
fn tasks_are_read_with_their_dates_and_none_is_ticked() {
    let vault = house();
    let before = vault.read("Home/Backups.md");
    let shown = |arguments: &[&str]| vault.tars(["tasks"]).args(arguments).run().success().stdout().to_owned();
    let restore = "[ ] Test a restore  Home/Backups.md:9  due 2026-11-20, every month\n";
    let (mara, label) =
        ("[ ] Call Mara  Projects/Pump.md:5  due 2027-03-01\n", "[ ] Label the disks  Home/Backups.md:10\n");
    assert_eq!(shown(&[]), format!("{restore}{mara}{label}"));
    if cfg!(feature = "test-clock") {
        assert_eq!(shown(&["due:<week"]), restore);
    }
    assert_eq!(shown(&["open", "due:2027", "path:Projects"]), mara);
    assert_eq!(shown(&["due:none"]), label);
    assert_eq!(shown(&["done"]), "[x] Buy a disk  Home/Backups.md:11  done 2026-11-02\n");
    vault.tars(["tasks", "due:<soon"]).run().code(2).says(&["'due:<soon' names no day", "due:none"]);
    assert_eq!(vault.read("Home/Backups.md"), before);
}

#[test]
fn control_characters_of_a_note_do_not_reach_the_terminal() {
    let vault = TestVault::of_words();
    vault
        .write("a.md", "# Title\u{1b}]0;x\u{7}\u{202e}\n\n- [ ] pay\u{9b}31m\u{1b}[2J now [[b]]\n")
        .write("b.md", "# B\n\ntext\n");
    vault.index();
    for arguments in [&["list"][..], &["tasks"], &["links", "b", "--back"], &["tasks", "--format", "vimgrep"]] {
        let shown = vault.tars(arguments).run().success().stdout().to_owned();
        assert!(!shown.contains(['\u{1b}', '\u{9b}', '\u{7}', '\u{202e}']), "{shown:?}");
    }
}

#[test]
fn the_examples_of_lists_in_the_docs_run() {
    let vault = house();
    let docs = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md")).unwrap();
    let (_, group) = docs.split_once("\n## Browse\n").expect("docs/commands.md has the group");
    let group = group.split("\n## ").next().unwrap();
    let folder = Path::new(env!("CARGO_BIN_EXE_tars")).parent().unwrap().to_owned();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut run = 0;
    // The picker and opening need a terminal, Obsidian or a server: tests of their own show that.
    let blocks = group.split("```sh\n").skip(1).flat_map(|block| block.split("\n```").next().unwrap().lines());
    for line in blocks.filter(|line| !line.starts_with("tars open") && !line.starts_with("tars ui")) {
        vault.program("sh").args(["-c", line]).env("PATH", &path).run().success();
        run += 1;
    }
    assert!(run >= 12, "only {run} examples were found");
}
