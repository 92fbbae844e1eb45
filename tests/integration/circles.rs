//! No circles of imports: the children of a module (files, or folders with everything in them) form an order in which each
//! imports only earlier ones. Cargo ensures the same for crates.
//!
//! A module and its own children may import each other: a `mod.rs` owns a type that its children implement, or re-exports
//! what they define. A re-export counts as the file that defines the name. Code for tests does not count.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A module by its path from the root of the crate, which is empty.
type Module = Vec<String>;

static USE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*(?:pub(?:\([\w ]+\))? )?use ([\w:{},\s*]+);").unwrap());
/// The innermost braces of a `use` with the path before them.
static GROUP: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"([\w:]*)\{([^{}]*)\}").unwrap());
static INLINE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b(?:crate|super|self)(?:::\w+)+").unwrap());
static MODULE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bmod (\w+);").unwrap());

#[derive(Default)]
struct Crate {
    modules: HashSet<Module>,
    /// Modules that only tests have.
    tests: HashSet<Module>,
    /// The paths that a name stands for in a module that imports or re-exports it: several where features decide.
    names: HashMap<(Module, String), BTreeSet<Module>>,
    /// Every path that a module names.
    paths: Vec<(Module, Module)>,
    /// Whether the modules at the root may import each other.
    has_joined_rooms: bool,
}

impl Crate {
    /// Adds a file of rustfmt's form.
    fn add(&mut self, module: &[&str], source: &str) {
        let module: Module = module.iter().map(|&name| name.to_owned()).collect();
        let (code, tests) = without_tests(source);
        self.tests.extend(MODULE.captures_iter(&tests).map(|found| [&module[..], &[found[1].to_owned()]].concat()));
        for found in USE.captures_iter(&code) {
            let mut tree = found[1].to_owned();
            while GROUP.is_match(&tree) {
                let flat = |group: &Captures<'_>| {
                    let parts = group[2].split(',').map(str::trim).filter(|part| !part.is_empty());
                    parts.map(|part| format!("{}{part}", &group[1])).collect::<Vec<_>>().join(",")
                };
                tree = GROUP.replace(&tree, flat).into_owned();
            }
            for part in tree.split(',').filter(|part| !part.trim().is_empty()) {
                let (path, alias) = part.split_once(" as ").unwrap_or((part, part.rsplit("::").next().unwrap()));
                let path = names(path.trim_end_matches("::self"));
                let name = if alias == "self" { path.last().unwrap().clone() } else { alias.trim().to_owned() };
                self.names.entry((module.clone(), name)).or_default().insert(path.clone());
                self.paths.push((module.clone(), path));
            }
        }
        let inline = USE.replace_all(&code, "");
        self.paths.extend(INLINE.find_iter(&inline).map(|found| (module.clone(), names(found.as_str()))));
        self.modules.insert(module);
    }

    /// Returns the modules that define what `path` means within `module`; none if it leads out of the crate.
    fn defining(&self, module: &Module, path: &[String], imports_followed: usize) -> Vec<Module> {
        let mut places = vec![module.clone()];
        for (position, name) in path.iter().enumerate() {
            let next = |mut place: Module| match name.as_str() {
                "crate" => vec![Module::new()],
                "self" => vec![place],
                "super" => {
                    place.pop();
                    vec![place]
                }
                name => match self.named(&place, name, imports_followed) {
                    found if found.is_empty() && position > 0 => vec![place],
                    found => found,
                },
            };
            places = places.into_iter().flat_map(next).collect();
        }
        places
    }

    /// Returns the child of `module` with this name, or the modules that define what it imports by this name.
    fn named(&self, module: &Module, name: &str, imports_followed: usize) -> Vec<Module> {
        let child = [&module[..], &[name.to_owned()]].concat();
        if self.modules.contains(&child) {
            return vec![child];
        }
        // `use anyhow::anyhow` would be followed without end.
        let paths = self.names.get(&(module.clone(), name.to_owned())).filter(|_| imports_followed < 8);
        paths.into_iter().flatten().flat_map(|path| self.defining(module, path, imports_followed + 1)).collect()
    }

    /// Returns by module the imports among its children, each with the evidence for it.
    fn imports(&self) -> BTreeMap<Module, BTreeMap<(&str, String), String>> {
        let is_test = |module: &Module| (1..=module.len()).any(|length| self.tests.contains(&module[..length]));
        let mut found: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        for (module, path) in self.paths.iter().filter(|(module, _)| !is_test(module)) {
            for other in self.defining(module, path, 0) {
                let shared = module.iter().zip(&other).take_while(|(one, other)| one == other).count();
                if let (Some(one), Some(two)) = (module.get(shared), other.get(shared)) {
                    let evidence = format!("{} imports {} of {}", module.join("::"), path.join("::"), other.join("::"));
                    let imports = found.entry(module[..shared].to_vec()).or_default();
                    imports.insert((one.as_str(), two.clone()), evidence);
                }
            }
        }
        found
    }

    /// Returns the imports that are part of a circle.
    fn circles(&self) -> Vec<String> {
        let mut circles = Vec::new();
        for (module, imports) in self.imports() {
            if module.is_empty() && self.has_joined_rooms {
                continue;
            }
            let leads_to = |from: &str, to: &str| {
                let (mut seen, mut next) = (HashSet::new(), vec![from]);
                while let Some(name) = next.pop() {
                    if seen.insert(name) {
                        next.extend(imports.keys().filter(|(one, _)| *one == name).map(|(_, other)| other.as_str()));
                    }
                }
                seen.contains(to)
            };
            let circular = imports.iter().filter(|((one, other), _)| leads_to(other, one));
            circles.extend(circular.map(|(_, evidence)| evidence.clone()));
        }
        circles
    }
}

fn names(path: &str) -> Module {
    path.split("::").map(|name| name.trim().to_owned()).collect()
}

/// Returns the code without comments and without the items that only tests have, and those items.
fn without_tests(source: &str) -> (String, String) {
    let (mut code, mut tests) = (String::new(), String::new());
    // The indentation of the test item that goes on.
    let mut item = None;
    for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let indentation = line.len() - line.trim_start().len();
        let attribute = line.trim_start();
        if ["#[cfg(test)]", "#[cfg(any(test,", "#[cfg(all(test,"].iter().any(|start| attribute.starts_with(start)) {
            item = Some(indentation);
        }
        let text = if item.is_some() { &mut tests } else { &mut code };
        text.push_str(line);
        text.push('\n');
        // rustfmt ends an item in the column where it begins.
        if item == Some(indentation) && line.ends_with([';', '}']) {
            item = None;
        }
    }
    (code, tests)
}

/// Returns the Rust files of a crate, whose folder may hold other crates.
fn files(folder: &Path) -> Vec<PathBuf> {
    let root = folder.to_owned();
    let is_own = move |path: &Path| path == root || !path.join("Cargo.toml").exists();
    let entries = ignore::WalkBuilder::new(folder).filter_entry(move |entry| is_own(entry.path())).build();
    entries
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "rs"))
        .collect()
}

fn read(folder: &Path) -> Crate {
    let mut read = Crate::default();
    for file in files(folder) {
        let path = file.strip_prefix(folder).unwrap().with_extension("");
        let mut module: Vec<&str> = path.iter().map(|name| name.to_str().unwrap()).collect();
        if ["mod", "lib", "main"].contains(module.last().unwrap()) {
            module.pop();
        }
        read.add(&module, &fs::read_to_string(&file).unwrap());
    }
    read
}

#[test]
fn the_children_of_a_module_import_each_other_in_no_circle() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders = fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().path());
    let crates: Vec<PathBuf> =
        folders.filter(|folder| folder.join("Cargo.toml").exists()).chain([source.clone()]).collect();
    let (mut imports, mut circles) = (0, Vec::new());
    for folder in &crates {
        let mut read = read(folder);
        // The rooms of the service hold the use cases of one type, so that they know each other.
        read.has_joined_rooms = folder.ends_with("service");
        imports += read.imports().values().map(BTreeMap::len).sum::<usize>();
        circles.extend(read.circles().into_iter().map(|circle| format!("{}: {circle}", folder.display())));
    }
    assert!(crates.len() > 10 && imports > 200, "the imports were not found: {imports} in {} crates", crates.len());
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn a_circle_is_found_through_re_exports_and_folders() {
    let circles = |inner: &str| {
        let mut read = Crate::default();
        read.add(&[], "mod a;\nmod b;\npub use b::inner::{Type as Name, other};\n");
        read.add(&["a"], "use super::{Name, other};\n");
        read.add(&["b"], "mod inner;\n");
        read.add(&["b", "inner"], inner);
        read.circles()
    };
    let expected = ["a imports super::other of b::inner", "b::inner imports crate::a::g of a"];
    assert_eq!(circles("pub struct Type;\nfn f() {\n    crate::a::g()\n}\n"), expected);
    for innocent in ["#[cfg(test)]\nmod tests {\n    use crate::a::g;\n}\n", "// crate::a\n", "use super::Part;\n"] {
        assert_eq!(circles(innocent), [""; 0], "{innocent}");
    }
}
