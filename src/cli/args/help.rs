//! Additions to `--help`: the commands in groups, and examples.

use std::fmt::Write;

use clap::{Command, CommandFactory};

use super::Args;

/// A command name with its examples.
pub(super) type Entry = (&'static str, &'static [&'static str]);

/// All commands by group, in the order of the list.
pub(super) const GROUPS: [(&str, &[Entry]); 7] = [
    (
        "Ask",
        &[
            (
                "search",
                &[
                    "tars search how do we rotate the keys",
                    "tars search 'tag:work after:2026-05 \"exact words\" -draft'",
                    "tars search --since 'last week' --json leak valve",
                    "tars search '#chores gutters'",
                    "tars search --since yesterday",
                ],
            ),
            ("sgrep", &["tars sgrep no-unused-vars"]),
            ("svec", &["tars svec what keeps the cellar dry"]),
            ("expand", &["tars expand 202c7e5d", "tars expand 202c7e5d --file"]),
            ("get", &["tars get '[[Sourdough#Feeding]]'", "tars get Home/Backups.md:10-25"]),
            ("context", &["tars context how do we rotate the keys", "tars context --layers"]),
            ("chat", &["tars chat", "tars chat what do you know about the boat", "tars chat --continue"]),
            ("conversations", &["tars conversations"]),
            ("ask", &["tars ask what did the plumber say", "tars ask --json-lines"]),
            (
                "mcp",
                &[
                    "tars mcp install",
                    "tars mcp install cursor --read-only",
                    "tars mcp --collections recipes",
                    "tars mcp servers add files npx -y @modelcontextprotocol/server-filesystem ~/Documents",
                ],
            ),
        ],
    ),
    (
        "Browse",
        &[
            ("ui", &["tars ui", "tars ui shed pump", "tars ui --plain"]),
            (
                "open",
                &[
                    "tars open 2",
                    "tars open '[[Sourdough#Feeding]]'",
                    "tars open where does the pump drain --with obsidian",
                    "tars open",
                    "tars open --qr",
                ],
            ),
            (
                "list",
                &[
                    "tars list tag:work after:2026-05",
                    "tars list orphan: -path:Archive --sort date",
                    "tars list dead-links:",
                    "tars list path:Projects -0",
                ],
            ),
            ("tags", &["tars tags", "tars tags path:Projects"]),
            ("links", &["tars links Home/Backups.md", "tars links '[[Sourdough]]' --back --format vimgrep"]),
            ("related", &["tars related Home/Backups.md"]),
            (
                "tasks",
                &["tars tasks", "tars tasks 'due:<week' path:Home", "tars tasks done 'done:>2026-05-01' --format csv"],
            ),
            ("random", &["tars random", "tars open \"$(tars random tag:idea --format files)\""]),
        ],
    ),
    (
        "Remember",
        &[
            (
                "remember",
                &["tars remember The router is at 192.168.1.1", "tars remember --type rule Run the tests first"],
            ),
            (
                "daily",
                &[
                    "tars daily",
                    "tars daily gestern",
                    "tars daily Ordered a chain --channel shop",
                    "tars daily 17.11.2026 --append 'Met Ilse'",
                ],
            ),
            ("forget", &["tars forget router", "tars forget 0655909e --yes"]),
            ("done", &["tars done", "tars done shed pump", "tars done 0655909e"]),
            ("undo", &["tars undo", "tars undo 3"]),
            ("log", &["tars log -n 5"]),
            ("tidy", &["tars tidy", "tars tidy --propose"]),
            ("history", &["tars history staging port"]),
            ("project", &["tars project", "tars project acme/shop", "tars project update acme/shop"]),
            ("week", &["tars week", "tars week 2026-03-15 --review"]),
            ("compact", &["tars compact --older-than 30d --dry-run", "tars compact 2026-03 --move"]),
        ],
    ),
    (
        "Agents' work",
        &[
            ("sessions", &["tars sessions leak valve", "tars sessions show 2026-05-08"]),
            ("transcript", &["tars transcript ~/.claude/projects/-work-pump/5e55b0a2.jsonl"]),
            ("extract", &["tars extract 2026-05-08 --dry-run", "tars extract notes.md", "tars extract -"]),
            ("import", &["tars import claude-code --dry-run", "tars import chatgpt export.zip"]),
            ("why", &["tars why", "tars why --session 0b6a7c1e", "tars why --not-helpful 2"]),
            ("feedback", &["tars feedback wrong 'Used tabs; this project uses spaces'"]),
            ("review", &["tars review", "tars review --propose", "tars review --settle", "tars review --skills"]),
            ("pause", &["tars pause", "tars pause --all --for 2h"]),
            ("resume", &["tars resume", "tars resume --all"]),
            ("hook", &["tars hook session-start"]),
        ],
    ),
    (
        "Keep up to date",
        &[
            (
                "index",
                &[
                    "tars index",
                    "tars index Projects/Garden.md",
                    "tars index --export notes.tars-index",
                    "tars index --import notes.tars-index",
                ],
            ),
            ("watch", &["tars watch --detach", "tars watch --status"]),
            ("serve", &["tars serve", "tars serve --listen 127.0.0.1:9000", "tars serve token add phone"]),
            (
                "schedule",
                &[
                    "tars schedule list",
                    "tars schedule add brief --at 07:30 --action /brief --deliver notify",
                    "tars schedule import schedules.json",
                ],
            ),
            ("service", &["tars service install", "tars service install --serve"]),
        ],
    ),
    (
        "Check",
        &[
            ("next", &["tars", "tars next"]),
            ("status", &["tars status"]),
            ("stats", &["tars stats", "tars stats --recall", "tars stats --svg stats.svg"]),
            ("conflicts", &["tars conflicts", "tars conflicts --resolve"]),
            ("doctor", &["tars doctor", "tars doctor --repair"]),
            ("audit", &["tars audit"]),
            ("eval", &["tars eval --self"]),
        ],
    ),
    (
        "Set up",
        &[
            (
                "init",
                &[
                    "tars init",
                    "tars init Notes",
                    "tars init Notes --yes --no-service --agents cursor,codex",
                    "tars init --undo",
                ],
            ),
            (
                "collection",
                &[
                    "tars collection add recipes ~/Recipes --weight 0.5 --ignore 'drafts/'",
                    "tars collection list",
                    "tars collection rename recipes kitchen",
                    "tars collection describe kitchen What the family cooks",
                    "tars collection remove kitchen --yes",
                ],
            ),
            ("config", &["tars config list", "tars config set search.limit 5", "tars config edit", "tars config diff"]),
            ("models", &["tars models list"]),
            ("agents", &["tars agents", "tars agents install cursor", "tars agents lines >>AGENTS.md"]),
            ("obsidian", &["tars obsidian install ~/Notes", "tars obsidian remove ~/Notes"]),
            ("completions", &["tars completions bash", "tars completions fish"]),
            ("man", &["tars man ~/.local/share/man/man1"]),
        ],
    ),
];

/// Commands for the first days, which the short help explains.
const FIRST: [&str; 6] = ["init", "search", "get", "remember", "daily", "status"];
/// Width of the short help in columns.
const COLUMNS: usize = 80;

/// Returns the command line with the help that fits on one screen: the purpose of the first commands, and the names of all.
pub(crate) fn command() -> Command {
    let command = with_examples();
    let (heading, name_style) = (*command.get_styles().get_header(), *command.get_styles().get_literal());
    let mut list = String::new();
    for name in FIRST {
        // Writing to a string cannot fail.
        let _ = writeln!(list, "  {name_style}{name:<10}{name_style:#}  {}", about(&command, name));
    }
    list.push('\n');
    let label = GROUPS.iter().map(|(group, _)| group.len() + 2).max().unwrap_or_default();
    for (group, entries) in GROUPS {
        let mut rows = vec![String::new()];
        for (name, _) in entries {
            match rows.last_mut().filter(|row| row.is_empty() || row.len() + 1 + name.len() + label <= COLUMNS) {
                Some(row) if row.is_empty() => row.push_str(name),
                Some(row) => row.extend([" ", name]),
                None => rows.push((*name).to_owned()),
            }
        }
        let blanks = " ".repeat(label);
        let titled = format!("{heading}{group}:{heading:#}{}", &blanks[group.len() + 1..]);
        let _ = writeln!(list, "{titled}{}", rows.join(&format!("\n{blanks}")));
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}\n{heading}Options:{heading:#} --vault, --data-dir, \
         --models-dir FOLDER; --color WHEN; --version\ntars help says what each does, tars COMMAND --help more, with examples."
    ))
}

/// Returns the command line with the help that explains every command. Clap puts all commands under one heading, so a template forms the
/// groups.
pub(super) fn in_full() -> Command {
    let command = with_examples();
    let (heading, name_style) = (*command.get_styles().get_header(), *command.get_styles().get_literal());
    let mut list = String::new();
    for (group, entries) in GROUPS {
        let _ = writeln!(list, "{heading}{group}:{heading:#}");
        for (name, _) in entries {
            let _ = writeln!(list, "  {name_style}{name:<10}{name_style:#}  {}", about(&command, name));
        }
        list.push('\n');
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{heading}Options:{heading:#}\n{{options}}{{after-help}}"
    ))
    .after_help("tars COMMAND --help says more, with examples.")
}

fn about(command: &Command, name: &str) -> String {
    command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string).unwrap_or_default()
}

fn with_examples() -> Command {
    let mut command = Args::command();
    let heading = *command.get_styles().get_header();
    for (name, examples) in GROUPS.iter().flat_map(|(_, entries)| *entries).filter(|(_, examples)| !examples.is_empty())
    {
        let title = if examples.len() == 1 { "Example" } else { "Examples" };
        let text = format!("{heading}{title}:{heading:#}\n  {}", examples.join("\n  "));
        command = command.mut_subcommand(name, |command| command.after_help(text));
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::documented;

    #[test]
    fn the_definitions_pass_the_checks_of_clap() {
        command().debug_assert();
    }

    #[test]
    fn the_full_help_lists_every_command_in_a_group() {
        let command = command();
        let mut listed: Vec<&str> =
            GROUPS.iter().flat_map(|(_, entries)| entries.iter().map(|(name, _)| *name)).collect();
        let mut known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known, "each command is in one group");
        let help = in_full().term_width(80).render_help().to_string();
        for (group, _) in GROUPS {
            assert!(help.contains(&format!("\n{group}:\n")), "{help}");
        }
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn the_short_help_fits_on_a_screen() {
        let help = command().term_width(80).render_help().to_string();
        assert!(help.lines().count() < 24, "{help}");
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        for name in command().get_subcommands().map(Command::get_name) {
            assert!(help.split_whitespace().any(|word| word == name), "{name}\n{help}");
        }
    }

    #[test]
    fn every_example_in_the_help_parses() {
        for example in GROUPS.iter().flat_map(|(_, entries)| entries.iter().flat_map(|(_, examples)| *examples)) {
            if let Err(error) = documented::read(example) {
                panic!("{example}: {error}");
            }
        }
        let help = command().find_subcommand_mut("search").unwrap().render_help().to_string();
        assert!(help.contains("Examples:\n  tars search how do we rotate the keys\n"), "{help}");
    }
}
