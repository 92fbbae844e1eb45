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
fn properties_of_front_matter_and_of_the_text_are_filters_and_columns() {
    let vault = TestVault::of_words().dated();
    vault
        .write("a.md", "---\nstatus: Open\nrating: 4\ndue: 1777593600123\ntags: [x/y]\n---\n# A\n\n- [ ] soil for A\n");
    vault.write(
        "b.md",
        "---\nstatus: [done, urgent]\nrating: 2.5\n---\n# B\n\nsoil, [due:: 2026-06-02] and (author:: [[Anna Berg]])\n",
    );
    vault.write("c.md", "# C\n\nsoil with status:open in its text\n");
    vault.write("p.md", "---\ntars: private\nhidden: yes\nstatus: open\n---\nsoil\n");
    vault.index();
    let listed = |filters: &[&str]| {
        let output = vault.tars(["list", "--json", "--"]).args(filters).run();
        paths(&output).join(" ")
    };
    for (filters, expected) in [
        (&["status:open"][..], "a.md"),
        (&["status:urgent"], "b.md"),
        (&["rating:>3"], "a.md"),
        (&["rating:<=4", "rating:>2"], "a.md b.md"),
        (&["due:2026-05"], "a.md"),
        (&["due:>2026-05"], "b.md"),
        (&["author:none"], "a.md c.md"),
        (&["-author:none"], "b.md"),
        (&["-status:open"], "b.md c.md"),
        (&["author:anna*", "STATUS:done"], "b.md"),
        (&["hidden:yes"], ""),
    ] {
        assert_eq!(listed(filters), expected, "{filters:?}");
    }
    assert_eq!(vault.found(&["sgrep", "soil status:open"]), ["a.md"]);
    assert_eq!(vault.found(&["sgrep", "rating:>3"]), ["a.md"], "a filter alone lists notes");
    vault.tars(["tasks", "rating:>3"]).run().success();
    assert_eq!(vault.tars(["tags", "status:open"]).run().success().stdout(), "#x  1\n  y  1\n");
    vault.tars(["random", "status:done", "--format", "markdown"]).run().success();
    let columns = vault.tars(["list", "status:*", "--columns", "Status,due,none"]).run().success();
    let columns = columns.says(&["no listed note has the property 'none'"]);
    assert_eq!(columns.stdout(), "a.md  A  Open          1777593600123    #x/y\nb.md  B  done, urgent  2026-06-02\n");
    let table = vault.tars(["list", "status:open", "--columns", "status", "--format", "csv"]).run().success();
    assert!(
        table.stdout().starts_with("collection,path,title,type,date,modified,size,tags,recalled,status\n"),
        "{table}"
    );
    assert!(table.stdout().trim_end().ends_with(",Open"), "{table}");
    let json = vault.tars(["list", "status:done", "--columns", "status", "--json"]).run().success().json();
    assert_eq!(json["notes"][0]["properties"], serde_json::json!({"status": ["done", "urgent"]}));
    let docs = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/search.md")).unwrap();
    let (_, section) = docs.split_once("\n## Properties\n").unwrap();
    let path = Path::new(env!("CARGO_BIN_EXE_tars")).parent().unwrap().display().to_string();
    let path = format!("{path}:{}", std::env::var("PATH").unwrap());
    for line in section.split("```sh\n").nth(1).unwrap().split("\n```").next().unwrap().lines() {
        vault.program("sh").args(["-c", line]).env("PATH", &path).run().success();
    }
    vault.write("a.md", "---\nstatus: closed\n---\nsoil\n").index();
    assert_eq!(listed(&["status:open"]), "", "a changed note has its new properties");
}

#[test]
fn results_for_fzf_begin_with_their_ids() {
    let vault = TestVault::of_words();
    vault.write("a.md", "# A\n\nwalrus\ton \u{1b}[31mice\n").index();
    let shown = vault.tars(["sgrep", "walrus", "--format", "fzf"]).run().success();
    let fields: Vec<&str> = shown.stdout().trim_end().split('\t').collect();
    assert_eq!(fields.len(), 4, "{shown}");
    assert!(fields[1..3] == ["a.md:3", "A"] && fields[3].contains("walrus on"), "{shown}");
    assert!(!shown.stdout().contains('\u{1b}'), "{shown}");
    vault.tars(["expand", fields[0]]).run().success();
}

#[test]
fn counts_are_shown_as_charts_and_drawn_over_no_other_file() {
    let vault = house();
    let plain = vault.tars(["stats"]).env("LC_ALL", "C").run().success();
    for part in
        ["notes        3 notes", "languages", "English", "growth", "never recalled  ####", "tokens       0 today"]
    {
        assert!(plain.stdout().contains(part), "{part}: {plain}");
    }
    assert!(plain.stdout().is_ascii(), "{plain}");
    let blocks = vault.tars(["stats"]).env("LC_ALL", "de_DE.UTF-8").run().success();
    assert!(blocks.stdout().contains('█'), "{blocks}");
    let counts = vault.tars(["stats", "--json"]).run().success().json()["vault"].clone();
    assert_eq!((counts["notes"].as_u64(), counts["never_recalled"].as_u64()), (Some(3), Some(3)));
    assert_eq!(counts["weeks"].as_array().unwrap().len(), 13);
    let draw = |name: &str| vault.tars(["stats", "--svg"]).args([vault.home().join(name)]).run();
    draw("stats.svg").success();
    draw("stats.svg").success();
    let picture = std::fs::read_to_string(vault.home().join("stats.svg")).unwrap();
    assert!(picture.starts_with("<svg ") && picture.contains("prefers-color-scheme: dark"));
    std::fs::write(vault.home().join("mine.svg"), "<svg/>").unwrap();
    draw("mine.svg").code(2).says(&["is there already and is no picture of tars"]);
    TestVault::of_words().tars(["stats"]).run().success();
}

#[test]
fn tasks_are_listed_by_their_own_tags() {
    let vault = TestVault::of_words();
    vault.write("Home.md", "# Home\n\n#shop\n\n- [ ] Buy oil #shop/diy\n- [ ] Buy paint #Shop, in white\n- [ ] Call Jo\n- [ ] Rent #shopping\n");
    vault.index();
    let listed = |query: &str| vault.tars(["tasks", query]).run().success().stdout().to_owned();
    let own = listed("#shop");
    assert!(own.contains("oil") && own.contains("paint") && !own.contains("Jo") && !own.contains("Rent"), "{own}");
    assert!(listed("tag:shop").contains("Jo"), "a filter by notes lists all tasks of the note");
}

/// The beginnings of examples that this test cannot run: they need a terminal, a model, a service of the system or a browser, or they run
/// until somebody ends them. Tests of their own run them.
const ELSEWHERE: [&str; 11] =
    ["ask", "chat", "config edit", "init", "mcp", "obsidian", "open", "serve", "service", "ui", "watch"];

#[test]
fn the_examples_of_commands_in_the_docs_run() {
    let vault = house();
    vault.write("Projects/Garden.md", "# Garden\n\nThe beds are in the sun.\n");
    std::fs::create_dir_all(vault.home().join("Recipes")).unwrap();
    std::fs::create_dir_all(vault.home().join(".claude/projects")).unwrap();
    let docs = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md")).unwrap();
    let folder = Path::new(env!("CARGO_BIN_EXE_tars")).parent().unwrap().to_owned();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let blocks = docs.split("```sh\n").skip(1).flat_map(|block| block.split("\n```").next().unwrap().lines());
    let is_elsewhere = |line: &str| ELSEWHERE.iter().any(|start| line.trim_start_matches("tars ").starts_with(start));
    // Their subject is not here: a session, a question that a model answers, several writes, or a file or an id of somebody's own. They
    // end with an error that says so.
    let lacks = ["acme/shop", "extract", "import", "not-helpful", "sessions show", "svec", "undo 3"];
    let lacks_subject = |line: &str| {
        let is_id = |word: &str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        line.split([' ', '/', '.']).any(is_id) || lacks.iter().any(|words| line.contains(words))
    };
    let (mut run, mut wrong) = (0, Vec::new());
    for line in blocks.filter(|line| line.starts_with("tars ") && !is_elsewhere(line)) {
        let script = format!("cd '{}' && {line}", vault.root().display());
        let output = vault.program("sh").args(["-c", &script]).env("PATH", &path).run();
        let is_right = match output.exit_code() {
            Some(0 | 1) => true,
            Some(2) => lacks_subject(line) && output.stderr().starts_with("tars: "),
            _ => false,
        };
        if !is_right {
            wrong.push(format!("{line}\n{}{}", output.stdout(), output.stderr()));
        }
        run += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(run >= 100, "only {run} examples were found");
}
