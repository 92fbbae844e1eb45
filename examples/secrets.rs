//! What redaction finds in a corpus of samples, and what it takes for a secret in documents that hold none:
//! `cargo run --example secrets -- samples FILE` and `… -- documents FOLDER…`. See docs/secrets.md.
//!
//! A sample is a line of JSON: `set` and `rule` say where it is from, `expect` whether it holds a secret, `text` is the text
//! and `secret` the secret in it. A secret counts as found if no half of it is left.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use tars_text::redact;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[derive(Deserialize)]
struct Sample {
    set: String,
    rule: String,
    expect: bool,
    text: String,
    secret: String,
}

#[derive(Default)]
struct Row {
    secrets: usize,
    found: usize,
    others: usize,
    taken: usize,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((what, [file])) if what == "samples" => samples(&fs::read_to_string(file)?),
        Some((what, folders)) if what == "documents" => documents(folders),
        _ => Err("say `samples FILE` or `documents FOLDER…`".into()),
    }
}

/// Prints a row for each rule, then one for each set; with `TARS_SHOW` set, each sample that was judged otherwise too.
fn samples(lines: &str) -> Result<()> {
    let show = std::env::var_os("TARS_SHOW").is_some();
    let mut rules: BTreeMap<(String, String), Row> = BTreeMap::new();
    for line in lines.lines() {
        let sample: Sample = serde_json::from_str(line)?;
        let redacted = redact::redact(&sample.text);
        let row = rules.entry((sample.set, sample.rule)).or_default();
        if sample.expect {
            let found = !half_left(&redacted.text, &sample.secret);
            (row.secrets, row.found) = (row.secrets + 1, row.found + usize::from(found));
            if !found && show {
                println!("left: {:?}", sample.text);
            }
        } else {
            let taken = !redacted.findings.is_empty();
            (row.others, row.taken) = (row.others + 1, row.taken + usize::from(taken));
            if taken && show {
                println!("taken: {:?}", redacted.text);
            }
        }
    }
    let mut sets: BTreeMap<&str, Row> = BTreeMap::new();
    for ((set, rule), row) in &rules {
        println!("{set} {rule}: {} of {}, {} of {} others", row.found, row.secrets, row.taken, row.others);
        let sum = sets.entry(set).or_default();
        *sum = Row {
            secrets: sum.secrets + row.secrets,
            found: sum.found + row.found,
            others: sum.others + row.others,
            taken: sum.taken + row.taken,
        };
    }
    for (set, sum) in sets {
        let rules = rules.iter().filter(|((of, _), row)| of == set && row.secrets > 0);
        let (all, whole, none) = rules.fold((0, 0, 0), |(all, whole, none), (_, row)| {
            (all + 1, whole + usize::from(row.found == row.secrets), none + usize::from(row.found == 0))
        });
        println!(
            "{set}: {} of {} secrets found, {} of {} others taken; of {all} rules {whole} wholly found, {none} not at all",
            sum.found, sum.secrets, sum.taken, sum.others
        );
    }
    Ok(())
}

/// Whether half of `secret` or more of it in one piece stands in `text`.
fn half_left(text: &str, secret: &str) -> bool {
    let characters: Vec<char> = secret.chars().collect();
    characters.windows(characters.len().div_ceil(2).max(1)).any(|half| text.contains(&half.iter().collect::<String>()))
}

/// Prints each finding with its line, how many there are of a kind, and how much was read.
fn documents(folders: &[String]) -> Result<()> {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut size = 0;
    let mut files = 0;
    for folder in folders {
        for entry in ignore::WalkBuilder::new(folder).standard_filters(false).build() {
            let entry = entry?;
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            let Ok(text) = fs::read_to_string(entry.path()) else { continue };
            (size, files) = (size + text.len(), files + 1);
            for finding in redact::find(&text) {
                *kinds.entry(finding.kind).or_default() += 1;
                shown(entry.path(), &text, &finding);
            }
        }
    }
    for (kind, count) in &kinds {
        println!("{kind}: {count}");
    }
    println!("{} findings in {files} files of {size} bytes", kinds.values().sum::<usize>());
    Ok(())
}

fn shown(path: &Path, text: &str, finding: &redact::Finding) {
    let line = text.lines().nth(finding.line - 1).unwrap_or_default();
    let line: String = line.chars().take(200).collect();
    let secret: String = text[finding.span.clone()].chars().take(60).collect();
    println!("{}:{}: {} {secret:?} in {line:?}", path.display(), finding.line, finding.kind);
}
