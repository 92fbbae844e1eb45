//! Notes in other encodings than UTF-8, and files that are not indexed.

use serde_json::{Value, json};

use crate::harness::TestVault;

fn unindexed(vault: &TestVault) -> Vec<(String, String)> {
    let status = vault.tars(["status", "--json"]).run().success().json();
    let collection = &status["collections"][0];
    let list = collection["unindexed"].as_array().unwrap();
    assert_eq!((collection["unreadable"].as_u64(), &collection["pending"]), (Some(list.len() as u64), &json!(0)));
    let text = |file: &Value, key: &str| file[key].as_str().unwrap().to_owned();
    list.iter().map(|file| (text(file, "path"), text(file, "reason"))).collect()
}

fn utf_16(text: &str) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

#[test]
fn notes_in_old_encodings_are_read_and_said() {
    let vault = TestVault::of_words();
    let latin = b"# K\xf6ln\n\nDie B\xfccher f\xfcr J\xfcrgen, sagte M\xfcller.\n";
    vault.write("latin.md", latin);
    vault.write("utf16.md", utf_16("# Größe\n\nDer Schlüssel liegt hier.\n"));
    vault
        .write("sjis.md", b"\x89\xef\x8bc\x82\xcd\x8c\x8e\x97j\x93\xfa\x82\xc9\x93\x8c\x8b\x9e\x82\xc5\x82\xb7\x81B\n");
    vault.write("secret.md", utf_16("---\ntars: private\n---\nwalrus\n"));
    ["latin.md", "utf16.md", "sjis.md", "secret.md"].iter().for_each(|note| {
        vault.settle(note);
    });
    let output =
        vault.tars(["index"]).run().success().says(&["not UTF-8", "latin.md (windows-1252)", "utf16.md (UTF-16LE)"]);
    assert!(!output.stderr().contains("secret.md"), "{output}");
    assert_eq!(vault.found(&["sgrep", "bücher"]), ["latin.md"]);
    assert_eq!(vault.found(&["sgrep", "schlüssel"]), ["utf16.md"]);
    assert_eq!(vault.found(&["sgrep", "東京"]), ["sjis.md"]);
    vault.tars(["sgrep", "walrus"]).run().code(1);
    let note = vault.tars(["get", "utf16", "--lines", "3-3"]).run().success();
    assert!(note.stdout().contains("Der Schlüssel liegt hier."), "{note}");
    assert!(unindexed(&vault).is_empty());
    assert_eq!(std::fs::read(vault.path("latin.md")).unwrap(), latin, "the file stays as it is");
}

#[test]
fn secrets_are_removed_from_notes_in_other_encodings() {
    let vault = TestVault::of_words();
    vault.write("keys.md", utf_16("walrus\n\npassword: kX93-hunter2-Qz77\n")).index();
    let shown = vault.tars(["get", "keys"]).run().success();
    assert!(shown.stdout().contains("walrus") && !shown.stdout().contains("hunter2"), "{shown}");
    vault.tars(["sgrep", "hunter2"]).run().code(1);
}

#[test]
fn files_that_are_not_indexed_are_named_until_they_are_mended() {
    let vault = TestVault::of_words().with("TARS_INDEX_MAX_FILE_SIZE", "1 KiB");
    vault.write("fine.md", "walrus\n").write("large.md", "word ".repeat(500));
    vault.write("picture.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0");
    vault.write("cut.md", b"Caf\xc3\xa9 und B\xc3\xbccher, cut: \xe6\x97\n");
    for _ in 0..2 {
        vault.tars(["index"]).run().success();
        let named = unindexed(&vault);
        let paths: Vec<&str> = named.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["cut.md", "large.md", "picture.md"]);
        assert!(named[0].1.contains("not UTF-8") && named[2].1.contains("binary"), "{named:?}");
        assert!(named[1].1.contains("2500 bytes, more than index.max_file_size"), "{named:?}");
        let status = vault.tars(["status"]).run().success();
        let doctor = vault.tars(["doctor"]).run().success();
        for (path, reason) in &named {
            let start: String = reason.chars().take(12).collect();
            for output in [&status, &doctor] {
                let stdout = output.stdout();
                assert!(stdout.contains(path) && stdout.contains(&start), "{path}: {output}");
            }
        }
        let doctor = vault.tars(["doctor", "--json"]).run().success().json();
        assert_eq!(doctor["unindexed"].as_array().unwrap().len(), 3);
    }
    vault.write("large.md", "short\n").write("picture.md", "text\n").write("cut.md", "Café\n").index();
    assert!(unindexed(&vault).is_empty());
}

#[test]
fn a_memory_file_that_is_not_utf_8_is_never_edited() {
    let vault = TestVault::of_words();
    let old = b"# Memory\n\n- K\xf6ln hat einen Dom\n";
    vault.write("tars/Memory.md", old).index();
    vault.tars(["remember", "The pump runs at night"]).run().code(2).says(&["Memory.md is not UTF-8"]);
    assert_eq!(std::fs::read(vault.path("tars/Memory.md")).unwrap(), old);
}
