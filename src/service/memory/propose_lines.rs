//! Turns the lines of a text for a guarded file into proposals for a person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::files::{COMMAND, LONGEST_FILE, named, not_found, writable};
use super::remember::no_rule;
use super::{MemoryLine, ProposalView};
use crate::{Refusal, Result, Service, UseCase};
use tars_base::domain::sanitize_line;
use tars_memory::upkeep::{self, Change, Destination, Job, Proposal};
use tars_memory::{Bullet, Fact, FileClass, PROCEDURAL, SoulFile, normalized};
use tars_vault::{Author, Lines};

/// Maximum number of proposals per request.
const MOST: usize = 40;

/// Proposes the bullets of a text that a file lacks, for a guarded file when no person can be asked. The person finds them in the
/// list of proposals.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProposeLinesRequest {
    /// The file's path below the memory folder: `Memory.md`, `Procedural.md`, `soul/soul.md`, or a file of `context/` or `timelines/`.
    pub path: String,
    /// The text, in markdown.
    pub text: String,
    /// Whether the text is an addition to the file: then lines that it lacks do not count as dropped.
    pub append: bool,
}

/// The result of the proposals.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProposeLinesResponse {
    /// The new proposals.
    pub proposals: Vec<ProposalView>,
    /// Number of lines that were proposed before, or exceed the limit of one request.
    pub left: usize,
    /// Number of lines of the text that are not bullets and are not proposed.
    pub no_bullets: usize,
    /// Lines of the file that the text lacks. They stay; to change one, pass it to `memory_remember` with `replace`.
    pub dropped: Vec<MemoryLine>,
}

impl UseCase for ProposeLinesRequest {
    type Response = ProposeLinesResponse;

    fn run(&self, service: &Service<'_>) -> Result<ProposeLinesResponse> {
        let (folder, file) = named(service, &self.path)?;
        let name = file.as_str();
        let takes_lines = match file.class() {
            FileClass::Core | FileClass::Layer => true,
            FileClass::Soul => SoulFile::of(name).is_some(),
            FileClass::Day | FileClass::ReadOnly => false,
        };
        if !takes_lines {
            let message = format!("nothing is proposed for {}", folder.vault_path(name));
            let hint = "Memory.md, Procedural.md, soul/soul.md, context/NAME.md or timelines/NAME.md".into();
            return Err(Refusal { message, hint }.into());
        }
        if folder.hides(name)? {
            return Err(not_found(&folder, name).into());
        }
        if name == PROCEDURAL && service.authorship(COMMAND).origin.by == Author::Untrusted {
            return Err(no_rule().into());
        }
        let (text, _) = writable(&self.text, LONGEST_FILE, "name the lines to propose")?;
        let held = match SoulFile::of(name) {
            Some(soul) => tars_memory::soul_bullets(&folder, soul)?,
            None => tars_memory::bullets_of(&folder, name)?,
        };
        let lines = Lines::of(text.as_bytes());
        let wanted = tars_memory::bullets(name, &lines);
        let is_in =
            |known: &[Bullet], one: &Bullet| known.iter().any(|other| normalized(&other.text) == normalized(&one.text));
        let new: Vec<&Bullet> = wanted.iter().filter(|bullet| !is_in(&held, bullet)).collect();
        let mut proposals = Vec::new();
        for bullet in new.iter().take(MOST) {
            let fact = Fact::of_file(name, section(&wanted, bullet), &bullet.text)?;
            let to = Destination { file: name.to_owned(), section: fact.section.unwrap_or_default() };
            proposals.push(Proposal {
                job: Job::Chat,
                change: Change::Add { to, text: fact.text },
                sources: Vec::new(),
            });
        }
        let listed = match proposals.is_empty() {
            true => Vec::new(),
            false => upkeep::propose(&mut service.writer(&folder, COMMAND)?, &proposals)?,
        };
        let dropped = held.into_iter().filter(|bullet| !self.append && !is_in(&wanted, bullet));
        Ok(ProposeLinesResponse {
            left: new.len() - listed.len(),
            proposals: listed.iter().map(|listed| ProposalView::new(&folder, listed)).collect(),
            no_bullets: no_bullets(&lines, &wanted),
            dropped: MemoryLine::list(&folder, &dropped.collect::<Vec<_>>()),
        })
    }
}

/// Returns the heading above a bullet of the text; `None` if that is the title of the text.
fn section(all: &[Bullet], bullet: &Bullet) -> Option<String> {
    let heading = sanitize_line(&bullet.heading);
    let is_first = all.first().is_some_and(|first| first.heading == bullet.heading);
    let is_title =
        is_first && ["memory", "procedural", "soul", "opinions", "unresolved"].contains(&normalized(&heading).as_str());
    Some(heading).filter(|heading| !heading.trim().is_empty() && !is_title)
}

/// Returns the number of text lines outside bullets and headings.
fn no_bullets(lines: &Lines<'_>, bullets: &[Bullet]) -> usize {
    let is_text = |line: &usize| {
        let text = lines.line(*line);
        !text.trim().is_empty() && !text.starts_with('#') && !bullets.iter().any(|bullet| bullet.lines.contains(line))
    };
    (0..lines.len()).filter(is_text).count()
}
