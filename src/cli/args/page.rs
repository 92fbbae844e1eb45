//! docs/commands.md, made from the definitions: the test compares it, and `scripts/docs/commands` has the test write it.

use std::fmt::Write;
use std::{env, fs};

use clap::{Arg, Command};

use super::EVERYWHERE;
use super::help::{GROUPS, command};

/// The repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const PAGE: &str = "docs/commands.md";
/// The environment variable that makes the test write the page instead of comparing it.
const WRITE: &str = "TARS_WRITE_DOCS";
const SEARCHES: [&str; 2] = ["tars sgrep", "tars svec"];
const START: &str = "# Commands

This page is made from the definitions of the program by `scripts/docs/commands`, so it says what `tars COMMAND --help` says. Exit codes,
where a command does not name its own: 0 found or done, 1 nothing was found, 2 an error (also when some files failed), 130
interrupted. Data goes to standard output and everything else to standard error.
";

/// Returns a text as one line for a table cell, with `|` and `<` escaped.
fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('|', "\\|").replace('<', "&lt;")
}

/// Returns the syntax of an argument.
fn typed(arg: &Arg) -> String {
    let values = arg.get_value_names().unwrap_or_default().iter().map(|name| name.to_string());
    let values = values.collect::<Vec<_>>().join(" ");
    let value = match (arg.get_action().takes_values(), values.is_empty()) {
        (false, _) => String::new(),
        (true, false) => values,
        (true, true) => arg.get_id().as_str().to_uppercase(),
    };
    let names = [arg.get_short().map(|short| format!("-{short}")), arg.get_long().map(|long| format!("--{long}"))];
    let names = names.into_iter().flatten().collect::<Vec<_>>().join(", ");
    [names, value].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// Returns the help of an argument, with its values and its default.
fn meaning(arg: &Arg) -> String {
    let said = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut said = cell(&said);
    if !said.ends_with(['.', '}', '…']) && !said.is_empty() {
        said.push('.');
    }
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set() && arg.get_action().takes_values())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !values.is_empty() {
        let _ = write!(said, " One of {}.", values.join(", "));
    }
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if !defaults.is_empty() && arg.get_action().takes_values() {
        let _ = write!(said, " Default: `{}`.", defaults.join(","));
    }
    said
}

fn table<'a>(page: &mut String, title: &str, arguments: impl Iterator<Item = &'a Arg>) {
    let rows: String = arguments.map(|arg| format!("| `{}` | {} |\n", typed(arg), meaning(arg))).collect();
    if !rows.is_empty() {
        let _ = write!(page, "\n| {title} | |\n|---|---|\n{rows}");
    }
}

/// Returns the tables of a command's arguments.
fn tables(command: &Command) -> String {
    let mut page = String::new();
    let shown: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && arg.get_help_heading() != Some(EVERYWHERE) && arg.get_id() != "help")
        .collect();
    table(&mut page, "argument", shown.iter().copied().filter(|arg| arg.is_positional()));
    let options = || shown.iter().copied().filter(|arg| !arg.is_positional());
    table(&mut page, "option", options().filter(|arg| arg.get_help_heading().is_none()));
    let mut told = Vec::new();
    for heading in options().filter_map(Arg::get_help_heading) {
        if !told.contains(&heading) {
            told.push(heading);
            table(&mut page, heading, options().filter(|arg| arg.get_help_heading() == Some(heading)));
        }
    }
    page
}

/// Writes a command and its subcommands.
fn section(page: &mut String, command: &mut Command, examples: &[&str], depth: usize) {
    let name = command.get_bin_name().unwrap_or_default().to_owned();
    let usage = command.render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let about = about.replace('<', "&lt;");
    let stop = if about.ends_with(['.', '…']) { "" } else { "." };
    let _ = write!(page, "\n{} `{name}`\n\n{about}{stop}\n\n```text\n{usage}\n```\n", "#".repeat(depth));
    let tables = tables(command);
    // `tars sgrep` and `tars svec` are searches with a preset mode.
    match SEARCHES.contains(&name.as_str()) && page.contains(&tables) {
        true => page.push_str("\nTakes what `tars search` takes.\n"),
        false => page.push_str(&tables),
    }
    if !examples.is_empty() {
        let _ = write!(page, "\n```sh\n{}\n```\n", examples.join("\n"));
    }
    for below in command.get_subcommands_mut().filter(|below| !below.is_hide_set() && below.get_name() != "help") {
        section(page, below, &[], depth + 1);
    }
}

fn page() -> String {
    let mut all = command();
    all.build();
    let mut page = START.to_owned();
    table(
        &mut page,
        EVERYWHERE,
        all.get_arguments().filter(|arg| arg.get_help_heading() == Some(EVERYWHERE) && !arg.is_hide_set()),
    );
    for (group, entries) in GROUPS {
        let _ = write!(page, "\n## {group}\n");
        for (name, examples) in entries {
            if let Some(below) = all.find_subcommand_mut(name) {
                section(&mut page, below, examples, 3);
            }
        }
    }
    page
}

#[test]
fn the_commands_page_matches_the_definitions() {
    let (path, page) = (format!("{ROOT}/{PAGE}"), page());
    if env::var_os(WRITE).is_some() {
        fs::write(&path, page).unwrap();
        return;
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    if let Some((old, new)) = kept.lines().zip(page.lines()).find(|(old, new)| old != new) {
        panic!("{PAGE} is not up to date, run scripts/docs/commands:\n- {old}\n+ {new}");
    }
    assert_eq!(kept, page, "{PAGE} is not up to date, run scripts/docs/commands");
}
