use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn opened() -> (tempfile::TempDir, Folder) {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::open(place.path()).unwrap();
    (place, folder)
}

#[test]
fn a_name_never_leads_elsewhere() {
    let (place, folder) = opened();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a"), "outside").unwrap();
    symlink(outside.path(), place.path().join("link")).unwrap();
    symlink(outside.path().join("a"), place.path().join("file")).unwrap();
    assert!(folder.open_folder("link").is_err() && folder.open_or_create_folder("link").is_err());
    assert!(folder.open_file("file", Access::Read).is_err());
    assert!(folder.open_file("file", Access::Append).is_err());
    assert!(folder.open_or_create("file", 0o600).is_err());
    assert_eq!(folder.link_target("link").unwrap(), outside.path());
    for name in ["", ".", "..", "a/b", "../a", "a\0b"] {
        assert!(folder.open_file(name, Access::Read).is_err(), "{name:?}");
        assert!(folder.create(name, 0o600).is_err(), "{name:?}");
        assert!(folder.open_folder(name).is_err(), "{name:?}");
        assert!(folder.remove(name).is_err(), "{name:?}");
    }
    assert_eq!(fs::read_to_string(outside.path().join("a")).unwrap(), "outside");
}

#[test]
fn an_open_folder_is_the_same_after_a_rename() {
    let (place, folder) = opened();
    let inner = folder.open_or_create_folder("inner").unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::rename(place.path().join("inner"), place.path().join("aside")).unwrap();
    symlink(outside.path(), place.path().join("inner")).unwrap();
    write_atomic(&inner, "a", b"text", 0o600).unwrap();
    assert_eq!(fs::read(place.path().join("aside/a")).unwrap(), b"text");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn only_regular_files_are_opened() {
    let (place, folder) = opened();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(&folder, "pipe", rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.path().join("socket")).unwrap();
    folder.open_or_create_folder("folder").unwrap();
    for name in ["pipe", "socket", "folder"] {
        assert!(folder.open_file(name, Access::Read).is_err(), "{name}");
    }
    let names = folder.names().unwrap();
    assert_eq!(names, [("folder".to_owned(), true)]);
    assert!(folder.open_file("none", Access::Read).unwrap().is_none());
}

#[test]
fn rename_new_and_exchange_replace_nothing() {
    let (place, folder) = opened();
    for name in ["a", "b"] {
        folder.create(name, 0o600).unwrap().write_all(name.as_bytes()).unwrap();
    }
    assert_eq!(folder.rename_new("a", "b").unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert!(folder.exchange("a", "b").unwrap());
    assert_eq!(fs::read_to_string(place.path().join("a")).unwrap(), "b");
    folder.rename_new("a", "c").unwrap();
    assert!(folder.exchange("a", "c").is_err(), "there is nothing to exchange it with");
}

#[test]
fn put_new_keeps_an_existing_file() {
    let (place, folder) = opened();
    create_atomic(&folder, "a", b"first", 0o644).unwrap();
    let refused = create_atomic(&folder, "a", b"second", 0o644).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert_eq!(fs::read(place.path().join("a")).unwrap(), b"first");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn put_is_atomic_under_faults() {
    let calls = |after, kind| {
        let (place, folder) = opened();
        write_atomic(&folder, "a", b"before", 0o640).unwrap();
        let (result, struck) = with_fault(Fault { after, kind }, || write_atomic(&folder, "a", b"and after", 0o600));
        let content = fs::read(place.path().join("a")).unwrap();
        assert_eq!(content, if result.is_ok() { &b"and after"[..] } else { b"before" }, "{after} {kind:?}");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "{after} {kind:?}: something is left");
        write_atomic(&folder, "a", b"again", 0o600).unwrap();
        struck
    };
    for kind in [FaultKind::Full, FaultKind::NoDescriptors, FaultKind::Interrupted] {
        assert!((0..).take_while(|after| calls(*after, kind)).count() > 0, "{kind:?}");
    }
    // A single broken call may also strike the removal of the part: the next write removes it.
    let (place, folder) = opened();
    fs::write(place.path().join(".a.part"), "left").unwrap();
    write_atomic(&folder, "a", b"text", 0o600).unwrap();
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    let mode = fs::metadata(place.path().join("a")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
