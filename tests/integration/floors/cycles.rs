//! Import cycles within a module of the crate.
//!
//! The rule: the children of one module (files, or folders with all that is in them) do not import each other in a
//! circle. A module and its own children may: that is how Rust lets a `mod.rs` own a type that its children implement,
//! or re-export what they define. A re-export counts as the file that defines the name. Code that only tests have does
//! not count.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use super::rust_files;

/// A module by the names of its path from the root of the crate; the root is empty.
type Module = Vec<String>;

/// Who imports whom among the children of one module, with one import as the evidence.
type Imports = BTreeMap<(String, String), String>;

/// The modules of the crate and what each of them names.
#[derive(Default)]
struct Crate {
    modules: HashSet<Module>,
    /// Modules that only tests have.
    tests: HashSet<Module>,
    /// What a name stands for that a module imports or re-exports: several paths where features decide.
    names: HashMap<(Module, String), Vec<Module>>,
    /// Every path that a module names, as it is written.
    paths: Vec<(Module, Vec<String>)>,
}

impl Crate {
    fn read(source: &Path) -> Self {
        let mut read = Self::default();
        for file in rust_files(source) {
            let relative = file.strip_prefix(source).unwrap().with_extension("");
            let mut module: Module = relative.iter().map(|name| name.to_string_lossy().into_owned()).collect();
            if ["mod", "lib", "main"].contains(&module.last().unwrap().as_str()) {
                module.pop();
            }
            read.add(module, &words(&fs::read_to_string(&file).unwrap()));
        }
        read
    }

    /// Notes what a module names, apart from its items that only tests have.
    fn add(&mut self, module: Module, words: &[String]) {
        let mut at = 0;
        while at < words.len() {
            let rest = &words[at..];
            let word = rest[0].as_str();
            if let Some(attribute) = test_attribute(rest) {
                let item = &rest[attribute..];
                let item = &item[..item_length(item)];
                if let Some(place) = item.iter().position(|word| word == "mod") {
                    self.tests.insert(child(&module, &item[place + 1]));
                }
                at += attribute + item.len();
            } else if word == "mod" && rest[2] == "{" {
                let length = item_length(rest);
                self.add(child(&module, &rest[1]), &rest[3..length - 1]);
                at += length;
            } else if word == "use" && rest[1] != "<" {
                at += 1 + self.add_use(&module, &rest[1..], &[]);
            } else if ["crate", "super", "self"].contains(&word) && rest[1] == "::" {
                let path = path(rest);
                at += 2 * path.len() - 1;
                self.paths.push((module.clone(), path));
            } else {
                at += 1;
            }
        }
        self.modules.insert(module);
    }

    /// Notes one tree of a `use`, which stands below the path `above`, and returns how many words it takes.
    fn add_use(&mut self, module: &Module, words: &[String], above: &[String]) -> usize {
        let names = path(words);
        let mut at = (2 * names.len()).saturating_sub(1);
        let mut whole = [above, &names].concat();
        if words[at] == "::" {
            at += 1;
        }
        if words[at] == "{" {
            at += 1;
            while words[at] != "}" {
                at += if words[at] == "," { 1 } else { self.add_use(module, &words[at..], &whole) };
            }
            return at + 1;
        }
        if whole.len() > 1 && whole.last().is_some_and(|name| name == "self") {
            whole.pop();
        }
        let mut name = whole.last().cloned();
        if words[at] == "as" {
            name = Some(words[at + 1].clone());
            at += 2;
        } else if words[at] == "*" {
            name = None;
            at += 1;
        }
        if let Some(name) = name {
            self.names.entry((module.clone(), name)).or_default().push(whole.clone());
        }
        self.paths.push((module.clone(), whole));
        at
    }

    /// Returns the modules that define what `path` means within `module`; none if it leads out of the crate.
    fn defining(&self, module: &Module, path: &[String], imports_followed: usize) -> Vec<Module> {
        let parent = |module: &Module| module[..module.len().saturating_sub(1)].to_vec();
        let mut places = match path[0].as_str() {
            "crate" => vec![Module::new()],
            "self" => vec![module.clone()],
            "super" => vec![parent(module)],
            name => self.named(module, name, imports_followed),
        };
        for name in &path[1..] {
            let next = |place: Module| match name.as_str() {
                "super" => vec![parent(&place)],
                name => match self.named(&place, name, imports_followed) {
                    found if found.is_empty() => vec![place],
                    found => found,
                },
            };
            places = places.into_iter().flat_map(next).collect();
        }
        places
    }

    /// Returns the module that `name` is within `module`, or those that define it if the module imports it.
    fn named(&self, module: &Module, name: &str, imports_followed: usize) -> Vec<Module> {
        let below = child(module, name);
        if self.modules.contains(&below) {
            return vec![below];
        }
        // `use anyhow::anyhow` would be followed without end.
        let paths = self.names.get(&(module.clone(), name.to_owned())).filter(|_| imports_followed < 8);
        paths.into_iter().flatten().flat_map(|path| self.defining(module, path, imports_followed + 1)).collect()
    }

    fn is_for_tests(&self, module: &Module) -> bool {
        (1..=module.len()).any(|length| self.tests.contains(&module[..length]))
    }

    /// Returns the imports among the children of each module, apart from those of the crate, which the floors order.
    fn imports(&self) -> BTreeMap<Module, Imports> {
        let mut found: BTreeMap<Module, Imports> = BTreeMap::new();
        for (module, path) in self.paths.iter().filter(|(module, _)| !self.is_for_tests(module)) {
            for other in self.defining(module, path, 0) {
                let shared = module.iter().zip(&other).take_while(|(one, other)| one == other).count();
                if let (Some(one), Some(two), 1..) = (module.get(shared), other.get(shared), shared) {
                    let evidence = format!("{} imports {} of {}", module.join("::"), path.join("::"), other.join("::"));
                    let imports = found.entry(module[..shared].to_vec()).or_default();
                    imports.insert((one.clone(), two.clone()), evidence);
                }
            }
        }
        found
    }
}

fn child(module: &[String], name: &str) -> Module {
    [module, &[name.to_owned()]].concat()
}

/// Returns the names of the path that `words` begin with.
fn path(words: &[String]) -> Vec<String> {
    let is_name = |word: &String| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut names = Vec::new();
    for pair in words.chunks(2).take_while(|pair| is_name(&pair[0])) {
        names.push(pair[0].clone());
        if pair.get(1).is_none_or(|word| word != "::") {
            break;
        }
    }
    names
}

/// Returns how many words the `#[cfg(test)]` takes that `words` begin with; `None` if they begin with something else.
fn test_attribute(words: &[String]) -> Option<usize> {
    if words.len() < 4 || words[..4] != ["#", "[", "cfg", "("] {
        return None;
    }
    let length = words.iter().position(|word| word == "]")? + 1;
    let has = |name: &str| words[..length].iter().any(|word| word == name);
    (has("test") && !has("not")).then_some(length)
}

/// Returns how many words the item takes that `words` begin with: up to its `;` or the end of its braces.
fn item_length(words: &[String]) -> usize {
    let mut depth = 0;
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "{" => depth += 1,
            "}" if depth == 1 => return at + 1,
            "}" => depth -= 1,
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
    }
    words.len()
}

/// Cuts Rust into names, `::` and single signs, without comments, texts and characters. `$crate` of a macro is `crate`.
fn words(source: &str) -> Vec<String> {
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        let passed_over =
            r##"\$|//[^\n]*|/\*.*?\*/|b?r#".*?"#|b?r"[^"]*"|b?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])'"##;
        Regex::new(&format!(r"(?s){passed_over}|([A-Za-z_][A-Za-z0-9_]*|::|\S)")).unwrap()
    });
    WORD.captures_iter(source).filter_map(|found| Some(found.get(1)?.as_str().to_owned())).collect()
}

/// Returns the imports that are part of a circle.
fn circular(imports: &Imports) -> Vec<&String> {
    let leads_to = |from: &str, to: &str| {
        let (mut seen, mut next) = (HashSet::new(), vec![from]);
        while let Some(name) = next.pop() {
            if seen.insert(name) {
                next.extend(imports.keys().filter(|(one, _)| one == name).map(|(_, other)| other.as_str()));
            }
        }
        seen.contains(to)
    };
    imports.iter().filter(|((one, other), _)| leads_to(other, one)).map(|(_, evidence)| evidence).collect()
}

#[test]
fn the_children_of_a_module_import_each_other_in_no_circle() {
    let found = Crate::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).imports();
    assert!(found.values().map(BTreeMap::len).sum::<usize>() > 200, "the imports were not found");
    let circles: Vec<&String> = found.values().flat_map(circular).collect();
    assert!(circles.is_empty(), "{circles:#?}");
}

/// Returns what is circular in a module `room` with these files.
fn circular_in(files: &[(&str, &str)]) -> Vec<String> {
    let mut read = Crate::default();
    for (module, source) in files {
        read.add(module.split("::").map(str::to_owned).collect(), &words(source));
    }
    read.imports().values().flat_map(|imports| circular(imports).into_iter().cloned().collect::<Vec<_>>()).collect()
}

#[test]
fn a_circle_is_found_through_re_exports_and_folders() {
    let room = ("room", "mod a; mod b; pub use b::inner::{Type as Name, other};");
    let files = [room, ("room::a", "use super::{Name, other};"), ("room::b", "mod inner;")];
    let back = "pub struct Type; fn f() { crate::room::a::g() }";
    let expected =
        ["room::a imports super::other of room::b::inner", "room::b::inner imports crate::room::a::g of room::a"];
    assert_eq!(circular_in(&[&files[..], &[("room::b::inner", back)]].concat()), expected);
    for innocent in
        ["#[cfg(test)] mod tests { use crate::room::a::g; }", "// crate::room::a", "use super::super::Name;"]
    {
        assert_eq!(circular_in(&[&files[..], &[("room::b::inner", innocent)]].concat()), [""; 0], "{innocent}");
    }
}

#[test]
fn a_module_and_its_children_may_import_each_other() {
    let room = ("room", "mod a; mod b; use a::f; pub struct Type;");
    let files = [room, ("room::a", "use super::{Type, b::g};"), ("room::b", "impl super::Type {}")];
    assert_eq!(circular_in(&files), [""; 0]);
}
