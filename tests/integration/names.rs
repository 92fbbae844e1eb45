//! Names of notes as people and programs write them: decomposed letters, brackets, links, empty notes.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::harness::TestVault;

fn path_of(vault: &TestVault, name: &str) -> String {
    let found = vault.tars(["get", "--json", name]).run().success().json();
    found["notes"][0]["path"].as_str().unwrap().to_owned()
}

fn found(vault: &TestVault, arguments: &[&str]) -> Vec<String> {
    let mut found = vault.found(&[&["sgrep", "walrus"], arguments].concat());
    found.sort();
    found
}

#[test]
fn an_empty_note_is_found_by_its_name() {
    let vault = TestVault::of_words();
    vault.write("Ideas/Passport renewal.md", "").write("Blank lines.md", "\n  \n\n");
    vault.write("Only properties.md", "---\ntags: [errand]\n---\n").write("Private.md", "---\ntars: private\n---\n");
    vault.write("Other.md", "Some text about gardens.\n").index();
    assert_eq!(vault.found(&["sgrep", "passport"]), ["Ideas/Passport renewal.md"]);
    assert_eq!(vault.found(&["search", "passport renewal"])[0], "Ideas/Passport renewal.md");
    assert_eq!(vault.found(&["search", "tag:errand"]), ["Only properties.md"]);
    for name in ["Passport renewal", "Ideas/Passport renewal.md", "Blank lines", "[[Only properties]]"] {
        let note = vault.tars(["get", "--json", name]).run().success().json()["notes"][0].clone();
        assert_eq!((note["content"].as_str(), note["start_line"].as_u64()), (Some(""), Some(1)), "{name}");
        vault.tars(["get", name]).run().success();
    }
    vault.tars(["get", "Private"]).run().code(2);
    // Text that is written later replaces the bare title.
    vault.write("Blank lines.md", "walrus\n").index();
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["Blank lines.md"]);
}

#[test]
fn names_of_macos_are_found_in_composed_letters() {
    let vault = TestVault::of_words();
    let path = "Mu\u{308}nchen/Cafe\u{301}.md";
    vault.write(path, "walrus #re\u{301}sume\u{301}\n").write("Other.md", "walrus\n").index();
    for name in ["München/Café.md", "café", "[[Café]]", path] {
        assert_eq!(path_of(&vault, name), path, "{name}");
    }
    for arguments in [["--path", "München"], ["--path", "münchen/*.md"], ["--tag", "résumé"], ["--path", "**/Café.md"]]
    {
        assert_eq!(found(&vault, &arguments), [path], "{arguments:?}");
    }
    assert_eq!(vault.found(&["sgrep", "walrus path:münchen"]), [path]);
    let vault = vault.with("TARS_INDEX_EXCLUDE", "München/");
    vault.index();
    assert_eq!(found(&vault, &[]), ["Other.md"]);
}

#[test]
fn a_typed_path_ignores_case_unless_it_has_an_uppercase_letter() {
    let vault = TestVault::of_words();
    vault.write("Projects/a.md", "walrus\n").write("projects/b.md", "walrus\n").index();
    assert_eq!(found(&vault, &["--path", "projects"]), ["Projects/a.md", "projects/b.md"]);
    assert_eq!(found(&vault, &["--path", "Projects"]), ["Projects/a.md"]);
    assert_eq!(found(&vault, &["--path", "PROJECTS/*"]), Vec::<String>::new());
    assert_eq!(found(&vault, &["--path", "pro*/?.md"]), ["Projects/a.md", "projects/b.md"]);
}

#[test]
fn a_path_with_brackets_is_a_path_before_it_is_a_pattern() {
    let vault = TestVault::of_words();
    let meeting = "[2024-01-05] meeting.md";
    let files = [meeting, "[Archive]/a.md", "{draft}/b.md", "what?.md", "a*c.md", "abc.md", "A/d.md"];
    for file in files {
        vault.write(file, "walrus\n");
    }
    vault.index();
    for (typed, path) in [
        (meeting, meeting),
        ("[Archive]", "[Archive]/a.md"),
        ("[archive]/", "[Archive]/a.md"),
        ("{draft}/b.md", "{draft}/b.md"),
        ("what?.md", "what?.md"),
        ("a*c.md", "a*c.md"),
    ] {
        assert_eq!(found(&vault, &["--path", typed]), [path], "{typed}");
        assert_eq!(vault.found(&["sgrep", &format!("walrus path:\"{typed}\"")]), [path], "{typed}");
        let rest = vault.found(&["sgrep", "-n20", &format!("walrus -path:\"{typed}\"")]);
        assert!(rest.len() == files.len() - 1 && !rest.contains(&path.to_owned()), "{typed}: {rest:?}");
    }
    assert_eq!(found(&vault, &["--path", "[A-B]/*"]), ["A/d.md"], "a pattern, since nothing has this name");
    assert_eq!(found(&vault, &["--path", "a?c.md"]), ["a*c.md", "abc.md"]);
    vault.tars(["search", "walrus", "--path", "[9-1].md"]).run().code(2).says(&["'[9-1].md' is not a path pattern"]);
}

#[test]
fn a_path_pattern_of_any_length_is_refused_at_once() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").index();
    let long = "a*".repeat(15_000);
    vault.tars(["search", "walrus", "--path", &long]).run().code(2).says(&["is not a path pattern", "4096"]);
    vault.tars(["search", &format!("walrus path:{long}")]).run().code(2).says(&["is not a path pattern", "4096"]);
    let many: Vec<String> = (0..100).flat_map(|n| ["--path".to_owned(), format!("{}{n}", "?".repeat(60))]).collect();
    vault.tars(["search", "walrus"]).args(&many).run().code(2).says(&["is not a path pattern"]);
}

#[test]
fn a_vault_named_through_a_link_is_the_vault() {
    let vault = TestVault::of_words();
    vault.write("Garden/y.md", "walrus\n").write("z.md", "walrus\n").index();
    let link = vault.root().canonicalize().unwrap().with_extension("link");
    symlink(vault.root(), &link).unwrap();
    let through = |path: &str| link.join(path).to_str().unwrap().to_owned();
    assert_eq!(path_of(&vault, &through("Garden/y.md")), "Garden/y.md");
    assert_eq!(path_of(&vault, &through("Garden/../z")), "z.md");
    let real = vault.root().canonicalize().unwrap().join("Garden");
    assert_eq!(found(&vault, &["--path", real.to_str().unwrap()]), ["Garden/y.md"]);
    assert_eq!(found(&vault, &["--path", &through("Garden")]), ["Garden/y.md"]);
    assert_eq!(found(&vault, &["--path", &through("*/y.md")]), ["Garden/y.md"]);
    assert_eq!(found(&vault, &["--path", &through("")]), ["Garden/y.md", "z.md"]);
    assert_eq!(found(&vault, &["--path", "/Garden"]), ["Garden/y.md"], "from the vault's root");
}

#[test]
fn a_linked_folder_is_said_and_followed_if_the_person_names_it() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::create_dir(outside.path().join("deep")).unwrap();
    std::fs::write(outside.path().join("deep/x.md"), "walrus\n").unwrap();
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n[[Shared/deep/x]]\n");
    symlink(outside.path(), vault.path("Shared")).unwrap();
    symlink(outside.path().join("deep/x.md"), vault.path("linked.md")).unwrap();
    let output = vault.tars(["index"]).run().success().says(&["left out: Shared/, linked.md", "index.follow_links"]);
    assert_eq!(output.stderr().matches("linked.md").count(), 1, "{output}");
    let status = vault.tars(["status", "--json"]).run().success().json();
    assert_eq!(status["collections"][0]["links"], json!(["Shared/", "linked.md"]));
    assert!(vault.tars(["status"]).run().success().stdout().contains("left out: Shared/, linked.md"));
    assert_eq!(found(&vault, &[]), ["a.md"]);

    let vault = vault.with("TARS_INDEX_FOLLOW_LINKS", "Shared");
    vault.index();
    assert_eq!(found(&vault, &[]), ["Shared/deep/x.md", "a.md"]);
    assert_eq!(found(&vault, &["--path", "Shared"]), ["Shared/deep/x.md"]);
    assert_eq!(path_of(&vault, "x"), "Shared/deep/x.md");
    let status = vault.tars(["status", "--json"]).run().success().json();
    assert_eq!(status["collections"][0]["links"], json!(["linked.md"]));
    // A change behind the link is found as any other.
    std::fs::write(outside.path().join("new.md"), "walrus\n").unwrap();
    assert_eq!(found(&vault, &[]), ["Shared/deep/x.md", "Shared/new.md", "a.md"]);
    // A disk that is away for a while takes no notes along.
    std::fs::remove_file(vault.path("Shared")).unwrap();
    symlink(outside.path().join("nowhere"), vault.path("Shared")).unwrap();
    vault.tars(["index"]).run().code(2).says(&["Shared"]);
    assert_eq!(found(&vault, &[]), ["Shared/deep/x.md", "Shared/new.md", "a.md"]);
}
