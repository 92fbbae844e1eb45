//! The floors: a module imports from lower floors only, and neighbours on a floor do not know each other.

mod cycles;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Modules that only tests have, and that anything may use.
const TEST_MODULES: [&str; 2] = ["fuzz", "loopback"];

/// Reads module and floor from the table in ARCHITECTURE.md: rows of `| floor | `module` | …`.
fn floors() -> HashMap<String, u8> {
    let map = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let text = fs::read_to_string(map).unwrap();
    let row = |line: &str| {
        let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
        let floor = cells.next()?.parse().ok()?;
        let module = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        Some((module.to_owned(), floor))
    };
    text.lines().filter_map(row).collect()
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
    let floors = floors();
    let (mut wrong, mut checked, mut modules) = (Vec::new(), 0, HashSet::new());
    for file in rust_files(&source) {
        let relative = file.strip_prefix(&source).unwrap();
        let first = relative.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs").to_owned();
        if ["main", "lib"].contains(&module.as_str()) || TEST_MODULES.contains(&module.as_str()) {
            continue;
        }
        let own = *floors.get(&module).unwrap_or_else(|| panic!("ARCHITECTURE.md puts '{module}' on no floor"));
        for import in imports(&fs::read_to_string(&file).unwrap()) {
            let Some(&other) = floors.get(&import) else { continue };
            checked += 1;
            if import != module && other >= own {
                wrong.push(format!("{} imports {import}", relative.display()));
            }
        }
        modules.insert(module);
    }
    assert!(checked > 50, "the imports were not found");
    let gone: Vec<&String> = floors.keys().filter(|module| !modules.contains(*module)).collect();
    assert!(gone.is_empty(), "ARCHITECTURE.md names modules that do not exist: {gone:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
