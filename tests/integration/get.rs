//! Notes by path, by link and by id, and which are hidden.

use std::fs;

use crate::contract::text;
use crate::harness::{Output, TestVault};

const TEA: &str = "---\ntags: [drinks]\n---\n# Tea\n\nSteep it for three minutes.\n\n## Green\n\nAt 80 degrees.\n\n### Sencha\n\n\
                   Twice.\n\n## Black\n\nAt 100 degrees.\n";

fn kitchen() -> TestVault {
    let vault = TestVault::of_words();
    vault.write("Kitchen/Tea.md", TEA).write("Archive/Tea leaves.md", "# Leaves\n\nRead them.\n");
    vault.write("Work/Plan.md", "# Plan\n\nWork.\n").write("Home/Plan.md", "# Plan\n\nHome.\n");
    vault.write("Diary.md", "---\ntars: private\n---\n# Diary\n\nThe walrus knows.\n");
    vault.write("Router.md", "# Router\n\nThe address is 10.0.0.1.\n\npassword: kX93-hunter2-Qz77\n");
    vault.index();
    vault
}

fn get(vault: &TestVault, arguments: &[&str]) -> Output {
    vault.tars(["get", "--json"]).args(arguments).run()
}

#[track_caller]
fn shown(vault: &TestVault, arguments: &[&str]) -> String {
    text(&get(vault, arguments).success().json()["notes"][0], "content").to_owned()
}

#[test]
fn a_note_is_found_by_its_path_by_a_link_and_by_an_id() {
    let vault = kitchen();
    let whole = TEA.split_once("# Tea").map(|(_, rest)| format!("# Tea{}", rest.trim_end())).unwrap();
    for name in [
        "Kitchen/Tea.md",
        "Kitchen/Tea",
        "kitchen/tea.md",
        "[[Tea]]",
        "[[Tea|a cup]]",
        "![[kitchen/tea]]",
        "tea",
        "./Kitchen/Tea.md",
    ] {
        assert_eq!(shown(&vault, &[name]).trim(), whole, "{name}");
    }
    let inside = vault.path("Kitchen/Tea.md");
    assert_eq!(shown(&vault, &[inside.to_str().unwrap()]).trim(), whole);
    let id = text(&vault.search(&["sgrep", "sencha"])[0], "id").to_owned();
    assert!(shown(&vault, &[&id]).contains("Twice"));
    assert!(!shown(&vault, &[&id, "--lines", "10-10"]).contains("Twice"));
    let two = get(&vault, &["Work/Plan.md", "Home/Plan.md"]).success().json();
    assert_eq!((text(&two["notes"][0], "path"), text(&two["notes"][1], "path")), ("Work/Plan.md", "Home/Plan.md"));
}

#[test]
fn a_place_is_taken_as_a_search_prints_it() {
    let vault = kitchen();
    let place = vault.tars(["sgrep", "steep"]).run().success().stdout().split("  ").next().unwrap().to_owned();
    assert_eq!(place, "Kitchen/Tea.md:6");
    assert_eq!(shown(&vault, &[&place]).trim_end(), "Steep it for three minutes.", "to the end of its section");
    assert_eq!(shown(&vault, &["Kitchen/Tea.md:6-8"]), "Steep it for three minutes.\n\n## Green");
    assert!(shown(&vault, &["[[Tea]]:8"]).trim_end().ends_with("Twice."), "a heading with its subsections");
    let green = get(&vault, &["tea:10"]).success().json()["notes"][0].clone();
    assert_eq!((green["start_line"].as_u64(), text(&green, "content").trim_end()), (Some(10), "At 80 degrees."));
    assert_eq!(shown(&vault, &["Kitchen/Tea.md:6 (vault)"]).trim_end(), "Steep it for three minutes.");
    assert_eq!(shown(&vault, &["Kitchen/Tea.md:6", "--lines", "10-10"]), "At 80 degrees.", "an option decides");
    get(&vault, &["Kitchen/Tea.md:99"]).code(2).says(&["Kitchen/Tea.md"]);
    get(&vault, &["Nowhere.md:3"]).code(2).says(&["no note matches 'Nowhere.md:3'"]);
    get(&vault, &["Diary.md:5"]).code(2).says(&["no note matches"]);
    vault.write("At 10:30.md", "# Call\n\nAbout tea.\n").index();
    assert!(shown(&vault, &["At 10:30"]).contains("About tea."), "a name that ends like a place");
}

#[test]
fn a_part_is_shown_by_its_lines_or_under_its_heading() {
    let vault = kitchen();
    assert_eq!(shown(&vault, &["tea", "--lines", "6-8"]), "Steep it for three minutes.\n\n## Green");
    let note = get(&vault, &["tea", "--lines", "14-99"]).success().json()["notes"][0].clone();
    assert_eq!((note["start_line"].as_u64(), text(&note, "heading")), (Some(14), "Tea > Green > Sencha"));
    for (heading, expected) in [
        ("Green", "## Green\n\nAt 80 degrees.\n\n### Sencha\n\nTwice."),
        ("green > sencha", "### Sencha\n\nTwice."),
        ("Black", "## Black\n\nAt 100 degrees."),
    ] {
        assert_eq!(shown(&vault, &["tea", "--section", heading]).trim_end(), expected, "{heading}");
    }
    assert_eq!(shown(&vault, &["[[Tea#Green#Sencha]]"]).trim_end(), "### Sencha\n\nTwice.");
    get(&vault, &["tea", "--section", "White"]).code(2).says(&["no section 'White'", "Tea > Green > Sencha"]);
    get(&vault, &["tea", "--lines", "40-50"]).code(2).says(&["has lines 4 to"]);
    let cut = get(&vault, &["tea", "--budget", "10"]).success().json()["notes"][0].clone();
    assert_eq!(
        (cut["is_cut"].as_bool(), text(&cut, "content")),
        (Some(true), "# Tea\n\nSteep it for three minutes.\n\n## Green\n")
    );
}

#[test]
fn hidden_notes_are_reported_like_missing_ones() {
    let vault = kitchen();
    let outside = vault.home().join("outside.md");
    fs::write(&outside, "# Outside\n\nThe walrus waits.\n").unwrap();
    std::os::unix::fs::symlink(&outside, vault.path("linked.md")).unwrap();
    let refused = |name: &str| {
        let output = get(&vault, &[name]).code(2);
        assert!(!output.stdout().contains("walrus"), "{output}");
        output.stderr().replace(name, "NAME")
    };
    let nowhere = refused("Nowhere.md");
    assert!(nowhere.contains("no note matches 'NAME'"), "{nowhere}");
    let outside = outside.to_str().unwrap().to_owned();
    for name in [
        "Diary.md",
        "[[Diary]]",
        "../outside.md",
        "Kitchen/../../outside.md",
        &outside,
        "linked.md",
        "linked",
        "ffffffff",
        "[[]]",
        "/",
    ] {
        assert_eq!(refused(name), nowhere, "{name}");
    }
    // A collection is the person's own word, as in a search: the error may say that none has that name.
    get(&vault, &["tea", "--collection", "other"]).code(2).says(&["no collection 'other'", "there is vault"]);
    get(&vault, &["[[Plan]]"]).code(2).says(&["several notes match", "Work/Plan.md", "Home/Plan.md"]);
    let router = shown(&vault, &["Router"]);
    assert!(router.contains("10.0.0.1") && !router.contains("hunter2"), "{router}");
}

#[test]
fn a_fresh_save_is_shown() {
    let vault = kitchen();
    vault.write("New.md", "# New\n\nThe puffin walks.\n");
    assert!(shown(&vault, &["[[New]]"]).contains("puffin"));
    let asked = vault.tars(["ask", "--json-lines"]).stdin("{\"get\":{\"names\":[\"New\"]}}\n").run().success();
    assert!(asked.stdout().starts_with("{\"get\":{\"notes\":[{\"id\":"), "{asked}");
}

#[test]
fn an_id_reveals_nothing_about_other_collections() {
    let vault = TestVault::of_words();
    vault.write("Here.md", "# Here\n\nThe otter sleeps.\n");
    let work = vault.home().join("work");
    fs::create_dir(&work).unwrap();
    // Enough notes that two ids have the same four first digits.
    for number in 0..600 {
        fs::write(work.join(format!("{number}.md")), format!("# {number}\n\nThe walrus {number} waits.\n")).unwrap();
    }
    vault.tars(["config", "set", "collections.work"]).arg(&work).run().success();
    vault.index();
    let hits = vault.tars(["sgrep", "--json", "--limit", "1000", "walrus"]).run().json()["results"].clone();
    let mut ids: Vec<String> = hits.as_array().unwrap().iter().map(|hit| text(hit, "id")[..4].to_owned()).collect();
    ids.sort_unstable();
    let twice = ids.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone()).unwrap();
    let whole = text(&hits[0], "id").to_owned();
    let gone = text(&hits[1], "id").to_owned();
    fs::remove_file(work.join(text(&hits[1], "path"))).unwrap();
    vault.index();
    get(&vault, &[&twice]).code(2).says(&["several chunks have an id"]);
    get(&vault, &[&whole]).success();
    let nowhere = get(&vault, &["nowhere", "--collection", "vault"]).code(2).stderr().replace("nowhere", "NAME");
    for id in [&twice, &whole, &gone] {
        let refused = get(&vault, &[id, "--collection", "vault"]).code(2);
        assert_eq!(refused.stderr().replace(id.as_str(), "NAME"), nowhere, "{id}");
    }
}

#[test]
fn a_note_is_found_by_an_alias() {
    let vault = kitchen();
    vault.write(
        "Home/Router.md",
        "---\naliases: [FritzBox, The box]\n---\n# Wireless\n\nUpstairs.\n\n## Key\n\nOn a card.\n",
    );
    vault.write("Home/Modem.md", "---\naliases: The box\n---\n# Modem\n\nDownstairs.\n");
    vault.write("Secret.md", "---\ntars: private\naliases: Walrus\n---\n# Secret\n");
    vault.index();
    for name in ["FritzBox", "fritzbox", "[[FritzBox]]", "[[FritzBox|the box]]"] {
        assert!(shown(&vault, &[name]).contains("Upstairs"), "{name}");
    }
    assert_eq!(shown(&vault, &["[[FritzBox#Key]]"]).trim(), "## Key\n\nOn a card.");
    assert_eq!(shown(&vault, &["FritzBox#Key"]).trim(), "## Key\n\nOn a card.");
    get(&vault, &["The box"]).code(2).says(&["Home/Modem.md (vault)", "Home/Router.md (vault)"]);
    for unknown in ["Walrus", "box", "Fritz", "", "the"] {
        get(&vault, &[unknown]).code(2).says(&["no note matches"]);
    }
}

#[test]
fn a_block_is_found_by_its_name() {
    let vault = TestVault::of_words();
    vault.write(
        "Note.md",
        "# Note\n\nFirst.\n\nThe paragraph\nof two lines. ^para\n\n- one\n- two ^item\n  - nested\n- three\n",
    );
    vault.write("C# notes.md", "# Sharp\n\nA language.\n").index();
    for name in ["Note#^para", "[[Note#^para]]", "![[Note#^para|shown]]", "Note.md#^para"] {
        assert_eq!(shown(&vault, &[name]), "The paragraph\nof two lines. ^para", "{name}");
    }
    assert_eq!(shown(&vault, &["Note", "--section", "^item"]), "- two ^item\n  - nested");
    let note = get(&vault, &["[[Note#^item]]"]).success().json()["notes"][0].clone();
    assert_eq!((note["start_line"].as_u64(), note["end_line"].as_u64()), (Some(9), Some(10)));
    get(&vault, &["Note#^gone"]).code(2).says(&["Note.md has no block '^gone'", "ends in ^NAME"]);
    assert!(shown(&vault, &["C# notes"]).contains("A language"), "a sign in a file name does not begin a part");
}

#[test]
fn a_request_for_thousands_of_notes_is_refused_at_once() {
    let vault = kitchen();
    let names = vec!["Bread.md"; 1_001];
    get(&vault, &names).code(2).says(&["1001 notes are named", "1000 at most"]);
}
