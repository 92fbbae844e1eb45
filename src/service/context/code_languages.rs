//! The programming languages of a repository, so that an agent gets no code of another one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Most entries of a folder that are read.
const MAX_ENTRIES: usize = 500;
/// Most folders that are looked into at each of so many levels below the working directory.
const MAX_FOLDERS: usize = 40;
const DEPTH: usize = 2;

/// A language: the words that name it in front of code, and the files that mark a repository of it. An entry `.x` is the end of a name.
type Language = (&'static [&'static str], &'static [&'static str]);

/// Languages that people write whole projects in. Others, such as those of configuration, queries, markup and shells, suit any repository.
#[rustfmt::skip]
const LANGUAGES: &[Language] = &[
    (&["python", "py", "python3", "pycon"], &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", ".py"]),
    (&["rust", "rs"], &["Cargo.toml", ".rs"]),
    (&["javascript", "js", "jsx", "typescript", "ts", "tsx", "mjs", "vue", "svelte"], &["package.json", "deno.json", "tsconfig.json", ".js", ".ts"]),
    (&["go", "golang"], &["go.mod", ".go"]),
    (&["java", "kotlin", "kt", "scala", "groovy"], &["pom.xml", "build.gradle", "build.gradle.kts", "build.sbt", ".java", ".kt"]),
    (&["ruby", "rb"], &["Gemfile", "Rakefile", ".gemspec", ".rb"]),
    (&["php"], &["composer.json", ".php"]),
    (&["csharp", "cs", "c#", "fsharp", "fs"], &[".csproj", ".fsproj", ".sln"]),
    (&["c", "cpp", "c++", "cc", "h", "hpp", "objc", "cuda", "arduino", "ino"], &["CMakeLists.txt", "meson.build", "platformio.ini", ".c", ".cpp", ".ino"]),
    (&["swift"], &["Package.swift", ".xcodeproj", ".swift"]),
    (&["dart"], &["pubspec.yaml", ".dart"]),
    (&["elixir", "ex", "exs", "erlang", "erl"], &["mix.exs", "rebar.config", ".ex"]),
    (&["haskell", "hs"], &["stack.yaml", ".cabal", ".hs"]),
    (&["clojure", "clj"], &["deps.edn", "project.clj"]),
    (&["julia", "jl"], &["Project.toml", ".jl"]),
    (&["r"], &["DESCRIPTION", "renv.lock", ".R", ".Rproj"]),
    (&["lua"], &[".rockspec", ".lua"]),
    (&["zig"], &["build.zig"]),
];

/// The languages of a repository; empty if nothing marks any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CodeLanguages(BTreeSet<usize>);

impl CodeLanguages {
    /// Returns the languages of a working directory, of the folders above it up to its repository's root, and of the folders in it. Outside
    /// of a repository the folders above say nothing: a home or a temporary folder holds files of any language.
    pub(super) fn of(directory: &Path) -> Self {
        let above = directory.ancestors().position(|folder| folder.join(".git").exists()).unwrap_or_default();
        let mut found: BTreeSet<usize> = directory.ancestors().take(above + 1).flat_map(marked_in).collect();
        // A repository may keep its parts in folders of their own, such as `services/api`.
        let mut waiting = folders_in(directory);
        for depth in 1..=DEPTH {
            let folders = std::mem::take(&mut waiting);
            for folder in folders.iter().take(MAX_FOLDERS) {
                found.extend(marked_in(folder));
                if depth < DEPTH {
                    waiting.extend(folders_in(folder));
                }
            }
        }
        Self(found)
    }

    /// Whether a word in front of code names a language that a whole project is written in.
    pub(super) fn knows(word: &str) -> bool {
        let word = word.to_lowercase();
        LANGUAGES.iter().any(|(words, _)| words.contains(&word.as_str()))
    }

    /// Whether code with this word in front of it may concern the repository.
    pub(super) fn may_concern(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let named = LANGUAGES.iter().position(|(words, _)| words.contains(&word.as_str()));
        self.0.is_empty() || named.is_none_or(|language| self.0.contains(&language))
    }
}

/// Returns the folders in a folder, without hidden ones.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).take(MAX_ENTRIES);
    let is_shown = |entry: &fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| kind.is_dir()) && !entry.file_name().to_string_lossy().starts_with('.')
    };
    entries.filter(is_shown).map(|entry| entry.path()).take(MAX_FOLDERS).collect()
}

/// Returns the languages that files of a folder mark.
fn marked_in(folder: &Path) -> BTreeSet<usize> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).take(MAX_ENTRIES);
    let names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let is_mark = |mark: &str, name: &str| name == mark || (mark.starts_with('.') && name.ends_with(mark));
    let is_marked = |(_, marks): &Language| marks.iter().any(|mark| names.iter().any(|name| is_mark(mark, name)));
    (0..LANGUAGES.len()).filter(|place| is_marked(&LANGUAGES[*place])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_another_language_does_not_concern_a_repository() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in ["api/.git", "api/src/deep", "both/.git", "both/web", "both/services/api", "notes"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["setup.py", "api/pyproject.toml", "both/web/package.json", "both/services/api/Cargo.toml"] {
            fs::write(at(file), "").unwrap();
        }
        let concerns = |folder: &str, word: &str| CodeLanguages::of(&at(folder)).may_concern(word);
        for folder in ["api", "api/src/deep"] {
            assert!(concerns(folder, "Python") && !concerns(folder, "rust"), "{folder}");
            assert!(["sh", "sql", "yaml", "", "unheard"].iter().all(|word| concerns(folder, word)), "{folder}");
        }
        assert!(concerns("both", "ts") && concerns("both", "rs") && !concerns("both", "go"));
        assert!(concerns("notes", "rust"), "nothing marks a language");
    }
}
