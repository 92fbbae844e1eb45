//! The commands in the README, docs/tour.md and docs/memory.md run, and print what the pages show.

use std::fs;
use std::path::Path;

use crate::harness::TestVault;

fn readme() -> String {
    page("README.md")
}

fn page(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// A copy of the example vault, indexed with the real model.
fn example() -> TestVault {
    let vault = copied(TestVault::new());
    vault.index();
    vault
}

/// Returns the vault with the notes of the example vault.
fn copied(vault: TestVault) -> TestVault {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/vault");
    let mut folders = vec![source.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&source).unwrap().to_str().unwrap().to_owned();
                vault.write(&name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    vault
}

/// Returns the lines of the code blocks that open with ```` ```LANGUAGE ````.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(opening) => inside = !inside && opening == language,
            None if inside => lines.push(line.to_owned()),
            None => {}
        }
    }
    lines
}

#[test]
#[ignore = "nightly: runs all commands of the README with the real model, a minute"]
fn the_commands_of_the_readme_print_what_it_shows() {
    let vault = example();
    let readme = readme();
    let mut ran = 0;
    for line in blocks(&readme, "sh") {
        let command = line.split('#').next().unwrap_or_default().trim();
        let Some(arguments) = command.strip_prefix("tars ") else { continue };
        // Other tests cover these: they leave a process or a service, need one, or change another program's settings.
        if ["init", "mcp", "watch", "serve", "service", "open", "ui", "chat"]
            .contains(&arguments.split(' ').next().unwrap_or_default())
        {
            continue;
        }
        let words: Vec<&str> = arguments.split_whitespace().map(|word| word.trim_matches('"')).collect();
        let output = vault.tars(&words).run().success();
        assert!(!output.stdout().is_empty(), "{command}");
        ran += 1;
    }
    assert!(ran >= 5, "the commands of the README were not found");

    prints_what_is_shown("README.md", 5);
}

/// The text of a question at a terminal, up to the answer.
const QUESTIONS: [&str; 5] = ["or [l]eave it? ", "or nothing: ", "or [s]kip? ", "new text: ", "[y/N] "];

/// Returns the answer in a line of the page that shows a question.
fn answer(line: &str) -> Option<(&str, &str)> {
    let at = QUESTIONS.iter().find_map(|question| Some(line.find(question)? + question.len()))?;
    Some(line.split_at(at))
}

/// Splits a command into words; double quotes hold words together.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    parts
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

/// Replaces what depends on the time by words: days, times, and the ids of lines that contain a time.
fn timeless(text: &str, days: &[String]) -> String {
    let text = days.iter().fold(text.to_owned(), |text, day| text.replace(day, "DAY"));
    let digits = |word: &str, pattern: &str| {
        word.len() == pattern.len()
            && word
                .bytes()
                .zip(pattern.bytes())
                .all(|(byte, kind)| if kind == b'0' { byte.is_ascii_digit() } else { byte == kind })
    };
    let is_id = |word: &str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let line = |line: &str| {
        let timed = line.contains("DAY") || line.contains("[garden]");
        let words = line.split(' ').map(|word| match word {
            word if timed && digits(word, "00:00") => "TIME",
            word if timed && is_id(word) => "ID",
            word => word,
        });
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(|one| line(one.trim_end())).collect::<Vec<_>>().join("\n")
}

/// Replaces scores, whose last digit depends on the processor, but not their relevance.
fn scoreless(text: &str) -> String {
    let is_score = |word: &&str| word.len() == 4 && word.starts_with("0.");
    text.split(' ').map(|word| if is_score(&word) { "SCORE" } else { word }).collect::<Vec<_>>().join(" ")
}

/// Returns each command of the console blocks of a page with the output that the page shows.
fn shown(path: &str) -> Vec<(String, String)> {
    let all = blocks(&page(path), "console").join("\n");
    let parts = all.split("$ tars ").skip(1);
    parts
        .map(|part| part.split_once('\n').unwrap_or((part, "")))
        .map(|(line, rest)| (line.into(), rest.into()))
        .collect()
}

/// Runs the commands of the console blocks of a page, at least `least`, in a fresh example vault.
fn prints_what_is_shown(path: &str, least: usize) {
    let vault = example();
    let today = || jiff::Zoned::now().date().to_string();
    let (began, shown) = (today(), shown(path));
    assert!(shown.len() >= least, "the commands of {path} were not found");
    for (command, expected) in shown {
        let printed = vault.tars(words(&command)).run().success();
        let wanted = scoreless(&timeless(&expected, &["2026-11-24".into()]));
        let given = scoreless(&timeless(printed.stdout(), &[began.clone(), today()]));
        assert_eq!(given.trim_end(), wanted.trim_end(), "{command}");
    }
}

#[test]
#[ignore = "nightly: runs all commands of the tour with the real model, 30 s"]
fn the_tour_shows_what_its_commands_print() {
    prints_what_is_shown("docs/tour.md", 8);
}

#[test]
fn the_examples_of_the_memory_page_can_be_reproduced() {
    // The words alone make the lines similar here: the page is the same without a model.
    let vault = copied(TestVault::of_words().with("TZ", "UTC"));
    vault.index();
    let session = "examples/claude/-work-pump/5e55b0a2.jsonl";
    let copy = vault.home().join(session);
    fs::create_dir_all(copy.parent().unwrap()).unwrap();
    fs::write(copy, page(session)).unwrap();
    let today = || jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
    let began = today();
    let mut ran = 0;
    for (command, expected) in shown("docs/memory.md") {
        let (mut keys, mut wanted) = (String::new(), String::new());
        for line in expected.lines() {
            // The terminal shows neither the typed keys nor the end of their line.
            match answer(line) {
                Some((question, typed)) => {
                    keys += &format!("{typed}\n");
                    wanted += question;
                }
                None => wanted += &format!("{line}\n"),
            }
        }
        let printed = vault.at_terminal(words(&command), &keys).run();
        let wanted = timeless(&wanted, &["2026-11-22".into()]);
        assert_eq!(timeless(printed.stdout(), &[began.clone(), today()]).trim_end(), wanted.trim_end(), "{command}");
        ran += 1;
    }
    assert!(ran >= 15, "the commands of the page were not found");
}
