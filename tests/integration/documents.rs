//! The documents are consistent: links and anchors resolve, every script is documented, and every quoted message exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the files of a folder and its subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the pages in the root folder and in docs/.
fn pages() -> Vec<PathBuf> {
    let of_folder = |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let all = of_folder(root().to_owned()).chain(of_folder(root().join("docs")));
    let mut pages: Vec<PathBuf> = all.filter(|path| path.extension().is_some_and(|kind| kind == "md")).collect();
    pages.sort();
    assert!(pages.len() > 20, "{pages:?}");
    pages
}

/// Returns the lines of a page outside of code blocks, without text in backticks.
fn prose(page: &str) -> Vec<String> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for line in page.lines() {
        let start = line.trim_start();
        let marks = start.len() - start.trim_start_matches('`').len();
        match fence {
            None if marks >= 3 => fence = Some(&start[..marks]),
            Some(open) if start.trim_end() == open => fence = None,
            None => lines.push(line.split('`').step_by(2).collect()),
            Some(_) => {}
        }
    }
    lines
}

/// Returns the anchors of a page's headings as GitHub and mdBook name them.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut seen = BTreeMap::new();
    let headings = page.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let text = line.trim_start_matches('#').trim().to_lowercase();
            let kept = text.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
            let anchor = kept.collect::<String>().replace(' ', "-");
            let count = seen.entry(anchor.clone()).and_modify(|count| *count += 1).or_insert(0);
            if *count == 0 { anchor } else { format!("{anchor}-{count}") }
        })
        .collect()
}

/// Returns the targets of the links of a page, except for those on the web.
fn links(page: &str) -> Vec<String> {
    let targets = |line: &String| -> Vec<String> {
        let marked = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let attributes = line.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
        marked.chain(attributes).map(str::to_owned).collect()
    };
    let all = prose(page).iter().flat_map(targets).collect::<Vec<_>>();
    all.into_iter().filter(|target| !target.contains("://") && !target.starts_with("mailto:")).collect()
}

#[test]
fn links_and_anchors_resolve() {
    let mut broken = Vec::new();
    let mut followed = 0;
    for path in pages() {
        let page = read(&path);
        for target in links(&page) {
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let file = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let leads = match (file.exists(), anchor) {
                (exists, "") => exists,
                (true, anchor) => anchors(&read(&file)).contains(anchor),
                (false, _) => false,
            };
            if !leads {
                broken.push(format!("{}: {target}", path.strip_prefix(root()).unwrap().display()));
            }
            followed += 1;
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(followed > 100, "only {followed} links were found");
}

#[test]
fn every_page_is_in_the_book() {
    let listed: BTreeSet<String> = links(&read(&root().join("docs/SUMMARY.md"))).into_iter().collect();
    for path in pages() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let entry = if path.parent() == Some(root()) { format!("../{name}") } else { name.to_owned() };
        assert!(listed.contains(&entry) || entry == "SUMMARY.md", "docs/SUMMARY.md lacks {entry}");
    }
}

#[test]
fn every_script_is_documented() {
    let page = read(&root().join("CONTRIBUTING.md"));
    for path in files(&root().join("scripts")) {
        // A file with an extension is a part of other scripts.
        if path.extension().is_none() {
            let name = path.strip_prefix(root()).unwrap().display();
            assert!(page.contains(&format!("`{name}`")), "CONTRIBUTING.md does not say what {name} is for");
        }
    }
    for named in page.split("`scripts/").skip(1).filter_map(|rest| rest.split(['`', ' ']).next()) {
        assert!(root().join("scripts").join(named).exists(), "CONTRIBUTING.md names scripts/{named}");
    }
}

/// Returns a text with `…` for each placeholder in braces, and with resolved escapes.
fn pattern(text: &str) -> String {
    let (mut out, mut depth) = (String::new(), 0);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '{' if depth == 0 && characters.peek() == Some(&'{') => {
                characters.next();
                out.push('{');
            }
            '}' if depth == 0 && characters.peek() == Some(&'}') => {
                characters.next();
                out.push('}');
            }
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 && !out.ends_with('…') {
                    out.push('…');
                }
            }
            _ if depth > 0 => {}
            // A continued line: its break and indentation are not part of the text.
            '\\' => match characters.next() {
                Some('\n') => while characters.next_if(|next| next.is_whitespace()).is_some() {},
                Some('n') => out.push(' '),
                other => out.extend(other),
            },
            _ => out.push(character),
        }
    }
    out.replace('`', "'")
}

/// Returns the string literals of a source, each as a [`pattern`]. Quotes within a literal are escaped.
fn literals(source: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let bytes = source.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => at += source[at..].find('\n').unwrap_or(source.len() - at),
            // A character literal of a quote begins no string.
            b'\'' if bytes[at..].starts_with(b"'\"'") => at += 3,
            b'\'' if bytes[at..].starts_with(b"'\\\"'") => at += 4,
            b'"' => {
                let start = at + 1;
                at = start;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                texts.extend(source.get(start..at.min(bytes.len())).map(pattern));
                at += 1;
            }
            _ => at += 1,
        }
    }
    texts
}

/// Returns the sources of the program by path.
fn sources() -> Vec<(PathBuf, String)> {
    let all = files(&root().join("src")).into_iter();
    let sources = all.filter(|path| path.extension().is_some_and(|kind| kind == "rs"));
    let tests =
        |path: &PathBuf| path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs");
    sources.filter(|path| !tests(path)).map(|path| (path.clone(), read(&path))).collect()
}

/// Returns the messages that docs/troubleshooting.md explains: the text in backticks in the first cell of its rows.
fn explained() -> BTreeSet<String> {
    let page = read(&root().join("docs/troubleshooting.md"));
    let cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let messages = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>());
    messages.map(|message| message.replace("\\|", "|")).collect()
}

#[test]
fn every_error_is_explained() {
    let explained = explained();
    let mut missing = Vec::new();
    for (path, source) in sources() {
        for text in source.split("#[error(").skip(1).filter_map(|text| text.trim_start().strip_prefix('"')) {
            // Up to the first unescaped quote.
            let end = text.char_indices().find(|(at, letter)| *letter == '"' && !text[..*at].ends_with('\\'));
            let message = pattern(&text[..end.unwrap().0]);
            // A transparent error has no words of its own.
            if message.chars().any(char::is_alphabetic) && !explained.contains(&message) {
                missing.push(format!("{}: {message}", path.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(missing.is_empty(), "docs/troubleshooting.md explains no\n{}", missing.join("\n"));
}

#[test]
fn explained_errors_exist() {
    let known: BTreeSet<String> = sources().iter().flat_map(|(_, source)| literals(source)).collect();
    let explained = explained();
    let unknown: Vec<&String> = explained.iter().filter(|message| !known.contains(*message)).collect();
    assert!(unknown.is_empty(), "docs/troubleshooting.md quotes what no source says: {unknown:#?}");
    assert!(explained.len() > 150, "only {} messages were found", explained.len());
}

#[test]
fn messages_become_patterns() {
    assert_eq!(pattern("cannot read {path}: {}"), "cannot read …: …");
    assert_eq!(pattern("{}{}: expected {expected}{}"), "…: expected …");
    assert_eq!(pattern("a \\\"b\\\" {{x}} `c`"), "a \"b\" {x} 'c'");
    assert_eq!(literals("f(\"a \\\"b\\\"\", '\"', \"c {d}\") // \"e\""), ["a \"b\"", "c …"]);
}
