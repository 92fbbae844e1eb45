//! The floors: a module imports from lower floors only, and neighbours on a floor do not know each other.

use std::fs;
use std::path::{Path, PathBuf};

/// Module and floor, as DESIGN and ARCHITECTURE lay them.
const FLOORS: &[(&str, u8)] = &[
    ("domain", 0),
    ("fuzz", 0),
    ("analysis", 1),
    ("chunker", 1),
    ("endpoint", 1),
    ("injection", 1),
    ("markdown", 1),
    ("metrics", 1),
    ("disk", 1),
    ("private", 1),
    ("rank", 1),
    ("redact", 1),
    ("embed", 2),
    ("llm", 2),
    ("project", 2),
    ("store", 2),
    ("transcript", 2),
    ("vault", 2),
    ("watch", 2),
    ("index", 3),
    ("memory", 3),
    ("search", 3),
    ("config", 4),
    ("app", 5),
    ("daemon", 6),
    ("eval", 6),
    ("hook", 6),
    ("cli", 7),
];

fn floor(module: &str) -> Option<u8> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|(_, floor)| *floor)
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// Returns the modules of the crate that a source text names: `crate::x`, also within `use crate::{x, y}`.
fn imports(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in source.match_indices("crate::") {
        let rest = &source[at + "crate::".len()..];
        let names: Vec<&str> = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default().split(',').collect(),
            None => vec![rest],
        };
        for name in names {
            let word: String = name.trim().chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            found.push(word);
        }
    }
    found
}

#[test]
fn modules_import_from_lower_floors_only() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut checked = 0;
    for file in rust_files(&source) {
        let relative = file.strip_prefix(&source).unwrap();
        let first = relative.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs").to_owned();
        if ["main", "lib"].contains(&module.as_str()) {
            continue;
        }
        let own = floor(&module).unwrap_or_else(|| panic!("module '{module}' stands on no floor"));
        for import in imports(&fs::read_to_string(&file).unwrap()) {
            let Some(other) = floor(&import) else { continue };
            checked += 1;
            if import != module && other >= own {
                wrong.push(format!("{} imports {import}", relative.display()));
            }
        }
    }
    assert!(checked > 50, "the imports were not found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
