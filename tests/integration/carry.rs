//! An index that one machine exports and another imports.

use std::fs;
use std::path::PathBuf;

use crate::harness::TestVault;

/// Two machines with the same notes: the vaults have different paths, and files have other inodes and times.
struct Machines {
    laptop: TestVault,
    pi: TestVault,
    file: PathBuf,
}

impl Machines {
    fn new() -> Self {
        let laptop = TestVault::new();
        laptop.write("Heating.md", "# Heating\n\nThe heat pump hums at night.\n");
        laptop.write("Garden/Beans.md", "# Beans\n\nRunner beans climb the fence.\n");
        laptop.write("Secret.md", "---\ntars: private\n---\n\nThe walrus knows.\n");
        laptop.index();
        let machines = Self { file: laptop.home().join("notes.tars-index"), laptop, pi: TestVault::new() };
        for note in ["Heating.md", "Garden/Beans.md", "Secret.md"] {
            machines.pi.write(note, machines.laptop.read(note));
        }
        machines
    }

    fn export(&self) -> &Self {
        let said = self.laptop.tars(["index", "--export"]).arg(&self.file).run().success();
        assert!(said.stdout().starts_with("exported 2 notes, 2 of 2 passages embedded, to "), "{said}");
        self
    }

    fn import(&self, more: &[&str]) -> crate::harness::Output {
        self.pi.tars(["index", "--import"]).arg(&self.file).args(more).run()
    }
}

#[test]
fn an_imported_index_answers_and_embeds_only_differences() {
    let machines = Machines::new();
    let Machines { pi, file, .. } = machines.export();
    let bytes = fs::read(file).unwrap();
    assert!(bytes.starts_with(b"tars index 1\n{"));
    assert!(!String::from_utf8_lossy(&bytes).contains("walrus"));
    machines.import(&[]).success().says(&["tars index compares your notes with it"]);
    // It answers at once, for the folder on this machine.
    let found = pi.search(&["search", "noise after dark", "--no-sync"]);
    assert_eq!(found[0]["path"], "Heating.md");
    let root = pi.root().canonicalize().unwrap();
    assert_eq!(pi.count(&format!("SELECT count(*) FROM collections WHERE root = '{}'", root.display())), 1);
    pi.write("New.md", "# New\n\nA third note.\n");
    let report = pi.index();
    assert_eq!((&report["embedded"], &report["added"]), (&1.into(), &1.into()), "{report}");
    assert_eq!((&report["changed"], &report["unchanged"]), (&0.into(), &2.into()), "{report}");
    let again = pi.index();
    assert_eq!((&again["embedded"], &again["unchanged"]), (&0.into(), &3.into()), "{again}");
    pi.tars(["doctor"]).run().success();
}

#[test]
fn an_index_is_replaced_only_by_a_newer_one() {
    let machines = Machines::new();
    let Machines { pi, file, .. } = machines.export();
    pi.write("Later.md", "# Later\n\nOnly here.\n");
    pi.index();
    machines.import(&[]).code(2).says(&["would be replaced", "later than the one in the file", "--force"]);
    assert_eq!(pi.found(&["sgrep", "only here"]), ["Later.md"]);
    machines.import(&["--force"]).success();
    // An export does not replace an index of tars without --force.
    fs::write(pi.database(), "somebody else's notes").unwrap();
    machines.import(&[]).code(2).says(&["would be replaced"]);
    assert_eq!(fs::read(pi.database()).unwrap(), b"somebody else's notes");
    machines.import(&["--force"]).success().says(&["the former index is in "]);
    assert_eq!(pi.found(&["sgrep", "beans"]), ["Garden/Beans.md"]);
    // An export does not overwrite another file.
    fs::write(file, "a letter").unwrap();
    machines.laptop.tars(["index", "--export"]).arg(file).run().code(2).says(&["is not an exported index"]);
    assert_eq!(fs::read(file).unwrap(), b"a letter");
    machines.import(&[]).code(2).says(&["is no index that tars exported", "try:"]);
}

#[test]
fn damaged_and_truncated_exports_change_nothing() {
    let machines = Machines::new();
    let Machines { pi, file, .. } = machines.export();
    let whole = fs::read(file).unwrap();
    for (bytes, said) in [
        (whole[..whole.len() / 2].to_vec(), "is damaged"),
        (whole[..40].to_vec(), "is damaged"),
        ([&whole[..whole.len() - 9], b"something".as_slice()].concat(), "is damaged"),
        (String::from_utf8_lossy(&whole).replacen("notes", "noted", 1).into_bytes(), "is damaged"),
        (Vec::new(), "is no index that tars exported"),
    ] {
        fs::write(file, bytes).unwrap();
        machines.import(&["--force"]).code(2).says(&[said, "try:"]);
        assert!(!pi.database().exists());
    }
    assert!(
        fs::read_dir(pi.data()).unwrap().all(|entry| entry.unwrap().file_name() == "index.lock"),
        "nothing is left"
    );
}

#[test]
fn an_import_reports_different_settings() {
    let machines = Machines::new();
    let Machines { pi, .. } = machines.export();
    pi.tars(["config", "set", "chunk.target_tokens", "300"]).run().success();
    machines
        .import(&[])
        .code(2)
        .says(&["chunk.target_tokens is 400 there and 300 here", "tars config set chunk.target_tokens 400"]);
    pi.tars(["config", "unset", "chunk.target_tokens"]).run().success();
    let models = pi.home().join("none");
    let without = |more: &[&str]| {
        let command = pi.tars(["index", "--import"]).arg(&machines.file).args(more);
        command.env("TARS_MODELS_DIR", &models).run()
    };
    without(&[]).code(2).says(&[
        "its vectors are of all-minilm-l6-v2-int8@",
        "cannot be used here",
        "install the model",
    ]);
    let by_words = pi.tars(["index", "--import"]).arg(&machines.file).env("TARS_EMBEDDING_PROVIDER", "none").run();
    by_words.success().says(&["answered by words alone"]);
    without(&["--force"]).success().says(&["cannot be used here"]);
    // Different notes are a different vault.
    for note in ["Heating.md", "Garden/Beans.md"] {
        pi.rename(note, &format!("other-{}", note.replace('/', "-")));
    }
    machines.import(&["--force"]).success();
    fs::remove_file(pi.database()).unwrap();
    machines.import(&[]).code(2).says(&["of 2 notes of 'vault', 0 are in", "bring the notes to this machine first"]);
}
