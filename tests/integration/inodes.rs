//! Changes that only the inode's time reveals, while size and modification time stay.

use std::fs;

use crate::harness::TestVault;

#[test]
fn an_edit_in_place_of_equal_size_and_time_is_noticed() {
    let vault = TestVault::of_words();
    let edit = |note: &str, text: &str| {
        let time = fs::metadata(vault.path(note)).unwrap().modified().unwrap();
        let mut file = fs::File::options().write(true).open(vault.path(note)).unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        file.set_modified(time).unwrap();
    };
    vault.write("a.md", "walrus\n").write("b.md", "walrus\n").settle("a.md").settle("b.md");
    vault.index();
    edit("a.md", "dugong\n");
    assert_eq!(vault.found(&["sgrep", "dugong"]), ["a.md"], "a search indexes it");
    edit("b.md", "dugong\n");
    assert_eq!(vault.index()["changed"], 1);
    assert_eq!(vault.found(&["sgrep", "dugong", "--no-sync"]).len(), 2);
}

#[test]
fn a_note_with_a_changed_inode_is_read_once() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").settle("a.md").index();
    fs::hard_link(vault.path("a.md"), vault.home().join("link.md")).unwrap();
    let read_at = || vault.count("SELECT indexed_at_ns FROM files");
    let before = read_at();
    assert_eq!(vault.index()["unchanged"], 1);
    let after = read_at();
    assert!(after > before, "it was not checked");
    assert_eq!((vault.index()["unchanged"].as_u64(), read_at()), (Some(1), after), "it is checked again each time");
}
