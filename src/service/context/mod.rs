//! Builds the block of context for an agent: its memory, and the results of a search.

mod candidate;
mod code_languages;
mod fact_files;
mod in_force;
mod instructions;
mod intent;
mod memory;
mod old_open_ends;
mod overruled;
mod packed_hits;
mod pieces;
mod relevant;
mod start;
mod superseded_lines;
mod time_questions;
mod unprompted;
mod untrusted;

use std::collections::HashSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::recall::Learned;
use crate::search::without_superseded;
use crate::{Result, Service, UseCase, VAULT};
use fact_files::FactFiles;
pub(crate) use in_force::LinesInForce;
use instructions::Instructions;
pub use intent::{Intent, intent};
use packed_hits::PackedHits;
pub use pieces::ContextPiece;
pub(crate) use pieces::UNTRUSTED;
use pieces::{Chosen, fitting, unmarked};
use relevant::gate;
use tars_agent::context_block::{Budget, Piece, units_for_pieces};
use tars_agent::project::Branches;
use tars_base::domain::{Hit, IndexState, MemoryType};
use tars_base::private::short_hash;
use tars_engine::search::Breadth;
use tars_rank::share_budget;
pub(super) use time_questions::about_named_days;
use time_questions::when;
pub(crate) use untrusted::UntrustedLines;
pub use untrusted::mark_untrusted;
use untrusted::marked;

/// Number of memory files in a block: facts, rules, the project's page, today's log, the project's last notes.
const FILES: usize = 5;
/// Weights of the parts of a block: these files, then hits, then single lines of fact files.
const WEIGHTS: [u32; FILES + 2] = [25, 20, 25, 15, 15, 40, 70];
/// Position of today's log among the memory files, before the page is inserted.
const TODAY: usize = 2;
/// Position of the project's page: before all logs.
const PAGE: usize = 2;

/// The length limit of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Length {
    /// Tokens, about four characters each.
    Tokens(usize),
    /// UTF-16 code units, as a client written in JavaScript counts them.
    Characters(usize),
}

/// Asks for the context of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContextRequest {
    /// The agent's question; without it, no search is run.
    pub query: Option<String>,
    /// Whether to include the memory files. With a question, these are the lines of fact files that answer, and today's log.
    pub memory: bool,
    /// Whether the fact files come whole beside a question too, for the start of a conversation.
    pub whole_memory: bool,
    /// Length limit of the whole block; the settings apply if it is left out.
    pub length: Option<Length>,
    /// The agent's project: its notes rank higher, and its last notes come with the memory files.
    pub project: Option<String>,
    /// The project's key, which distinguishes it from other projects of the same name.
    pub project_key: Option<String>,
    /// The project that holds the agent's repository as a submodule, and its key: its notes are no notes of another project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<(String, String)>,
    /// Whether to leave out what tars noted in other projects. A person's own notes always stay.
    pub only_project: bool,
    /// Lines that the agent has been shown, by their [`line_keys`]: excerpts of only such lines are left out.
    pub seen: Option<Vec<String>>,
    /// Whether to leave out today's log.
    pub without_daily: bool,
    /// Collections to search; none means all. The memory files belong to the vault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<String>,
    /// The intent of the prompt, for context that nobody asked for: the block then holds only the lines that answer.
    pub brief: Option<Intent>,
    /// The session that asks, by the client's id: a brief answer leaves out its own notes.
    pub session: Option<String>,
    /// Whether to ask about old open ends. The caller records the `asked` ones.
    pub asks: bool,
    /// The agent's working directory: decisions that were made on a branch are left out where its repository shows that they do not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The client of the agent, as `tars agents` names it: lines of its own instructions for `directory` are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

impl Default for ContextRequest {
    fn default() -> Self {
        Self {
            query: None,
            memory: true,
            whole_memory: false,
            length: None,
            project: None,
            project_key: None,
            parent: None,
            only_project: false,
            seen: None,
            without_daily: false,
            collections: Vec::new(),
            brief: None,
            session: None,
            asks: false,
            directory: None,
            client: None,
        }
    }
}

/// The context of an agent, and the state of the index behind it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct ContextResponse {
    /// The block; `None` if nothing is relevant, nothing is remembered, or nothing fits.
    pub block: Option<String>,
    /// The excerpts in the block, in order.
    pub pieces: Vec<ContextPiece>,
    /// Why the search was degraded, if it was.
    pub degraded: Option<String>,
    /// The state of the index; `None` if it was not searched.
    pub index: Option<IndexState>,
    /// Ids of the old open ends that the block asks about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// Skipped files with the reason, a line each.
    pub warnings: Vec<String>,
}

/// Returns a key for each line of `text` that holds text: sixteen digits of its hash.
pub fn line_keys(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(line_key)
}

/// Returns the key of one line, with or without the word for its origin; `None` if it holds no letter or digit.
pub fn line_key(line: &str) -> Option<String> {
    let line = unmarked(line).trim();
    line.chars().any(char::is_alphanumeric).then(|| short_hash(line.as_bytes()))
}

/// The name and the key of a project.
type ProjectRef<'a> = (&'a str, Option<&'a str>);

impl ContextRequest {
    /// Returns the agent's project.
    fn own(&self) -> Option<ProjectRef<'_>> {
        Some((self.project.as_deref()?, self.project_key.as_deref()))
    }

    /// Returns the only project whose notes may appear; `None` allows notes of any project.
    fn scope(&self) -> Option<ProjectRef<'_>> {
        self.own().filter(|_| self.only_project)
    }

    /// Returns the project that holds the agent's repository.
    fn parent(&self) -> Option<ProjectRef<'_>> {
        self.parent.as_ref().map(|(name, key)| (name.as_str(), Some(key.as_str())))
    }

    /// Returns the projects whose notes of today appear; `None` if each of them may. With a question, notes of a project that nobody named
    /// appear where they answer.
    fn projects_of_day(&self) -> Option<Vec<ProjectRef<'_>>> {
        let projects: Vec<_> = self.own().into_iter().chain(self.parent()).collect();
        (!projects.is_empty() || self.brings_fact_lines()).then_some(projects)
    }

    /// Whether only the lines of fact files that answer appear.
    fn brings_fact_lines(&self) -> bool {
        self.query.is_some() && self.brief.is_none() && self.memory && !self.whole_memory
    }

    /// Returns the branches of the repository that the agent works in.
    fn branches(&self) -> Option<Branches> {
        Branches::of(Path::new(self.directory.as_deref()?))
    }
}

impl UseCase for ContextRequest {
    type Response = ContextResponse;

    /// Returns the context block.
    ///
    /// With a query, there is a block only if a hit reaches the gate or a line of a fact file answers. From fact files only the lines
    /// that answer appear, those of the project at hand first, unless the request asks for whole files. Memory files come before hits.
    /// Each file has a cap so that none starves the others, and unused room goes to the rest. Hits within shown lines of memory files
    /// are left out. Memory is read from the disk, not from the index.
    ///
    /// # Errors
    /// No vault is configured; or the search failed.
    fn run(&self, service: &Service<'_>) -> Result<ContextResponse> {
        let app = service.app;
        let vault = app.roots()?.into_iter().find(|root| root.name == VAULT);
        let today = app.environment.clock.today();
        let budget = match self.length {
            Some(Length::Tokens(tokens)) => Budget::of_tokens(tokens),
            Some(Length::Characters(characters)) => Budget::of_characters(characters),
            None => Budget::of_tokens(app.settings.config.context.budget_tokens),
        };
        let seen: Option<HashSet<&str>> = self.seen.as_ref().map(|seen| seen.iter().map(String::as_str).collect());
        let skip = |piece: &Piece| {
            let has_seen = |seen: &HashSet<&str>| line_keys(&piece.text()).all(|line| seen.contains(line.as_str()));
            (self.without_daily && piece.source().kind == MemoryType::Daily) || seen.as_ref().is_some_and(has_seen)
        };
        let instructions = Instructions::of(app, self.client.as_deref(), self.directory.as_deref());
        let logs = memory::Logs::new(app);
        let mut out = ContextResponse::default();
        let (mut hits, mut facts, mut before) = (Vec::new(), Vec::new(), Vec::new());
        let branches = self.branches();
        if let Some(query) = &self.query {
            if self.brief.is_some()
                && let Some(when) = when(query, today)
            {
                let has_seen = |line: &str| {
                    line_keys(line).any(|key| seen.as_ref().is_some_and(|seen| seen.contains(key.as_str())))
                };
                out.put(
                    marked(app, instructions.leave_out(when.pieces(service, &logs, self, &has_seen))),
                    true,
                    budget,
                );
                return Ok(out);
            }
            let has_seen =
                |line: &str| line_keys(line).all(|key| seen.as_ref().is_some_and(|seen| seen.contains(key.as_str())));
            before = superseded_lines::pieces(service, query, &has_seen);
            let Some(mut answer) = self.relevant(service, query)? else {
                out.put(marked(app, instructions.leave_out(before)), true, budget);
                return Ok(out);
            };
            // Superseded lines appear only with their label, in `before`.
            without_superseded(app, &mut answer.hits);
            (out.degraded, out.index) = (answer.degraded.clone(), Some(answer.index));
            if answer.hits.is_empty() && before.is_empty() {
                return Ok(out);
            }
            let known = seen.clone().unwrap_or_default();
            let files = FactFiles::new(app, self, query);
            if let Some(intent) = self.brief {
                let wanted = self.criteria(&answer, intent, known, branches.as_ref());
                let learned = Learned::of(app, self.project.as_deref());
                before.extend(wanted.pieces(service, answer.hits, &files, &learned));
                out.put(marked(app, instructions.leave_out(before)), true, budget);
                return Ok(out);
            }
            if self.brings_fact_lines() {
                let wanted = self.criteria(&answer, intent(query), known, branches.as_ref());
                let (of_facts, others): (Vec<Hit>, Vec<Hit>) = answer.hits.into_iter().partition(FactFiles::is_fact);
                facts = wanted.facts(service, &of_facts, &files);
                let gate = gate(app) * Breadth::of(query).gate_share;
                hits = others.into_iter().filter(|hit| hit.score >= gate).collect();
            } else {
                hits = answer.hits;
            }
        }
        let (mut parts, mut topics): (Vec<Option<Piece>>, Vec<Piece>) = Default::default();
        if self.memory
            && let Some(vault) = vault
        {
            parts = memory::files(app, &vault.path, today, &mut out.warnings).into();
            if let Some(projects) = self.projects_of_day()
                && let Some(day) = parts[TODAY].take()
            {
                parts[TODAY] = memory::within(app, &day, &projects, today);
            }
            parts.push(self.own().and_then(|own| memory::last_notes(&logs, own, today)));
            if self.brings_fact_lines() {
                parts[..PAGE].fill(None);
            }
            let own = self.own().filter(|_| !self.brings_fact_lines());
            let page = own.and_then(|(name, _)| memory::page(app, &vault.path, name, &mut out.warnings));
            if let Some(page) = &page {
                for part in &mut parts[TODAY..] {
                    *part = part.take().and_then(|noted| memory::beyond_page(&noted, page));
                }
            }
            if let Some((branches, own)) = branches.as_ref().zip(self.own()) {
                for part in &mut parts[TODAY..] {
                    *part = part.take().and_then(|noted| memory::on_branch(app, &noted, branches, own));
                }
            }
            parts.insert(PAGE, page);
            if self.query.is_none() && self.own().is_some() {
                topics = memory::topics(app, &vault.path, &mut out.warnings);
                topics.retain(|piece| !skip(piece) && piece.says_something());
            }
        }
        // A file of headings alone tells an agent nothing.
        parts.iter_mut().for_each(|part| drop(part.take_if(|piece| skip(piece) || !piece.says_something())));
        // Without memory files, the hits have all the room.
        parts.resize(FILES, None);
        let finds = PackedHits::new(hits, service).unless(&skip);
        if self.query.is_some() && finds.is_empty() && facts.is_empty() && before.is_empty() {
            return Ok(out);
        }

        let all = units_for_pieces(budget);
        if self.query.is_none()
            && self.memory
            && let Some(own) = self.own()
        {
            parts.extend(topics.into_iter().map(Some));
            let (chosen, complete, old) = self.start(service, &logs, own, branches.as_ref(), parts, all);
            out.put(instructions.leave_out(chosen), complete, budget);
            out.asked = old_open_ends::asked_in(&old, &out.pieces);
            return Ok(out);
        }
        let cost = |chosen: &[Chosen]| chosen.iter().map(|one| one.piece.cost()).sum::<usize>();
        let wants = |found: usize| -> Vec<(usize, u32)> {
            let memory = parts.iter().map(|part| part.as_ref().map_or(0, Piece::cost));
            memory.chain([found, cost(&facts)]).zip(WEIGHTS).collect()
        };
        let cut = |given: &[usize]| -> Vec<Piece> {
            parts.iter().zip(given).filter_map(|(part, units)| part.as_ref()?.cut_to(*units)).collect()
        };
        let breadth = self.query.as_deref().map(Breadth::of).unwrap_or_default();
        // Allotted twice: hits are packed whole, and the room that they leave goes back to the memory files.
        let given = share_budget(&wants(finds.size() + cost(&before)), all);
        let shown = cut(&given);
        let (mut found, complete) = finds.without(&shown).pack(given[FILES].saturating_sub(cost(&before)), breadth);
        found.splice(0..0, before);
        let given = share_budget(&wants(cost(&found)), all);

        let remembered = cut(&given);
        let told = fitting(&facts, given[FILES + 1]);
        let complete = complete && remembered.len() == parts.iter().flatten().count() && told.len() == facts.len();

        let of_memory = |piece| Chosen { collection: VAULT.to_owned(), piece, score: None };
        let chosen: Vec<Chosen> = told.into_iter().chain(remembered.into_iter().map(of_memory)).chain(found).collect();
        out.put(marked(app, instructions.leave_out(chosen)), complete, budget);
        Ok(out)
    }
}
