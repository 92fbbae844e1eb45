//! The documents and the vaults of the project: redaction takes nothing out of them that is no secret.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// Pieces of the examples of secrets, which are taken out rightly.
const SECRETS: &[&str] = &[
    "hunter2",
    "ghp_R4tZ8qLw2",
    "glsa_Zk4tQ9",
    "Wq7-fennel",
    "AKIAQ3ZV7",
    "glpat-x7Kq2",
    "Koi#Riff",
    "https://abc:xyz",
];

#[test]
fn no_prose_of_the_project_is_redacted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![root.join("README.md"), root.join("CHANGELOG.md"), root.join("SECURITY.md")];
    for folder in ["docs", "examples", "skills", "tests"] {
        collect(&root.join(folder), &mut files);
    }
    let (mut read, mut taken) = (0, Vec::new());
    for file in &files {
        let Ok(text) = fs::read_to_string(file) else { continue };
        // A page that explains the tag does not end there.
        let text =
            text.replace("<private", "(private").replace("</private", "(private").replace("< private", "(private");
        read += text.len();
        for finding in find(&text) {
            let piece = &text[finding.span.clone()];
            if !SECRETS.iter().any(|secret| piece.contains(secret) || text[..finding.span.end].ends_with(secret)) {
                let from = text.floor_char_boundary(finding.span.start.saturating_sub(60));
                taken.push(format!(
                    "{}:{} {} {:?}",
                    file.display(),
                    finding.line,
                    finding.kind,
                    &text[from..finding.span.end]
                ));
            }
        }
    }
    assert!(read > 1_000_000, "{read}");
    assert!(taken.is_empty(), "{} of {} files: {taken:#?}", taken.len(), files.len());
}

/// Collects the notes and questions below a folder; the tests of whole commands are code with secrets in it.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && !path.ends_with("integration") && !path.ends_with("fuzz") {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|kind| ["md", "txt", "jsonl", "json", "toml"].iter().any(|text| kind == *text))
        {
            files.push(path);
        }
    }
}
