//! What is put before an agent: its memory, and what a search finds.

mod brief;
mod former;
mod found;
mod intent;
mod lines;
mod memory;
mod start;
mod when;

use std::collections::HashSet;

use anyhow::Result;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scores::rounded_if_any;
use super::then::without_superseded;
use super::{Service, UseCase};
use crate::app::{ResolvedQuery, VAULT};
use crate::domain::{Filter, IndexState, Language, MemoryType, Query, SearchAnswer};
use crate::injection::{Budget, Piece, block, usable_units};
use crate::private::key;
use crate::rank::allot;
use crate::search::{FeatureOptions, SearchError, SearchOptions};
use brief::{Wanted, near_gate};
use found::Finds;
pub use intent::{Intent, intent};
use intent::{is_foreign, without_little_words};
pub(super) use when::about_named_days;
use when::when;

/// Weights of the parts of a block: facts, rules, the project's page, today's log, the project's last notes, and what was found.
const WEIGHTS: [u32; 6] = [25, 20, 25, 15, 15, 40];
/// Where today's log stands among the memory files.
const TODAY: usize = 2;
/// Where the project's page comes among them: before all logs.
const PAGE: usize = 2;

/// Hits among which the lines of a brief answer are sought: several may hold nothing but lists.
const FOUND: usize = 30;

/// How long a block may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Length {
    /// Tokens, about four characters each.
    Tokens(usize),
    /// Characters, as a client written in JavaScript counts them.
    Characters(usize),
}

/// What is to be put before an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContextRequest {
    /// What the agent is asked; without it, nothing is looked for.
    pub query: Option<String>,
    /// Whether the memory files go with it.
    pub memory: bool,
    /// Length of the block, with all that is around it; as the settings say where it is left out.
    pub length: Option<Length>,
    /// The project that the agent works in: its notes rank higher, and its last ones go with the memory files.
    pub project: Option<String>,
    /// The project's key, which tells it from others of that name.
    pub project_key: Option<String>,
    /// Whether what tars noted in other projects is left out. What a person wrote is not.
    pub only_project: bool,
    /// Lines that the agent has been shown, by their [`line_keys`]: an excerpt of nothing else is left out.
    pub seen: Option<Vec<String>>,
    /// Whether the log of the day is left out.
    pub without_daily: bool,
    /// Collections of which something may be found, any of them; none means all. The memory files belong to the vault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<String>,
    /// What the person is after where nobody has asked for notes: then nothing but the lines that answer comes of what is found.
    pub brief: Option<Intent>,
    /// The session that asks, by the client's id: what it has itself brought about is left out of a brief answer.
    pub session: Option<String>,
}

impl Default for ContextRequest {
    fn default() -> Self {
        Self {
            query: None,
            memory: true,
            length: None,
            project: None,
            project_key: None,
            only_project: false,
            seen: None,
            without_daily: false,
            collections: Vec::new(),
            brief: None,
            session: None,
        }
    }
}

/// What is put before an agent, and what it rests on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct ContextResponse {
    /// The block; `None` if nothing is relevant, nothing is remembered, or nothing fits.
    pub block: Option<String>,
    /// The excerpts in it, in order.
    pub pieces: Vec<ContextPiece>,
    /// Why what was found is less than it could be, if it is.
    pub degraded: Option<String>,
    /// The index when it was asked; `None` if it was not.
    pub index: Option<IndexState>,
    /// Files that were passed over and why, a line each.
    pub warnings: Vec<String>,
}

/// One excerpt of a block.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ContextPiece {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// First line of the file that is shown.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// The line that answers best, if it is shown.
    pub line: Option<usize>,
    /// Its heading path.
    pub heading: Option<String>,
    /// The day that it is of, as the note says.
    pub date: Option<Date>,
    /// Kind of memory.
    pub kind: MemoryType,
    /// The score of the hit that it was found by; `None` for memory files.
    #[serde(serialize_with = "rounded_if_any")]
    pub score: Option<f64>,
    /// The excerpt as it stands in the block.
    pub text: String,
    /// What it takes.
    pub tokens: usize,
    /// Its lines with their numbers in the file, without the marks of missing ones.
    #[serde(skip)]
    pub numbered: Vec<(usize, String)>,
}

/// An excerpt that was chosen for a block.
#[derive(Debug, Clone, PartialEq)]
struct Chosen {
    collection: String,
    piece: Piece,
    score: Option<f64>,
}

impl From<Chosen> for ContextPiece {
    fn from(Chosen { collection, piece, score }: Chosen) -> Self {
        let (start_line, end_line) = piece.lines();
        let (source, answer) = (piece.source(), piece.answer());
        Self {
            collection,
            path: source.path.clone(),
            start_line,
            end_line,
            line: answer.map(|answer| answer.line),
            heading: answer.map(|answer| answer.heading.clone()),
            date: source.date,
            kind: source.kind,
            score,
            text: piece.text(),
            tokens: piece.tokens(),
            numbered: piece.numbered().map(|(number, text)| (number, text.to_owned())).collect(),
        }
    }
}

/// Returns a key for each line of `text` that says something: sixteen digits of its hash.
pub fn line_keys(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(line_key)
}

/// Returns the key of one line; `None` where it says nothing.
pub fn line_key(line: &str) -> Option<String> {
    let line = line.trim();
    line.chars().any(char::is_alphanumeric).then(|| key(line.as_bytes()))
}

/// The name and the key of a project.
type Own<'a> = (&'a str, Option<&'a str>);

impl ContextRequest {
    /// Returns the project that the agent works in.
    fn own(&self) -> Option<Own<'_>> {
        Some((self.project.as_deref()?, self.project_key.as_deref()))
    }

    /// Returns the project that alone tars' own notes may be of; `None` where they may be of any.
    fn scope(&self) -> Option<Own<'_>> {
        self.own().filter(|_| self.only_project)
    }
}

impl UseCase for ContextRequest {
    type Response = ContextResponse;

    /// Returns the block that is put before an agent.
    ///
    /// With a query there is a block only if a hit reaches the gate. Memory files go before what was found, each capped so
    /// that none starves the others, what one leaves going to the rest; hits within the lines of them that are shown
    /// are left out. Memory is read from the disk as it stands, not from the index.
    ///
    /// # Errors
    /// No vault is configured, or the search failed.
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
        let mut out = ContextResponse::default();
        let (mut hits, mut before) = (Vec::new(), Vec::new());
        if let Some(query) = &self.query {
            if self.brief.is_some()
                && let Some(when) = when(query, today)
            {
                let has_seen = |line: &str| {
                    line_keys(line).any(|key| seen.as_ref().is_some_and(|seen| seen.contains(key.as_str())))
                };
                out.put(when.pieces(service, self, &has_seen), true, budget);
                return Ok(out);
            }
            let has_seen =
                |line: &str| line_keys(line).all(|key| seen.as_ref().is_some_and(|seen| seen.contains(key.as_str())));
            before = former::pieces(service, query, &has_seen);
            let Some(mut answer) = self.relevant(service, query)? else {
                out.put(before, true, budget);
                return Ok(out);
            };
            // What is no longer true comes with its label alone.
            without_superseded(app, &mut answer.hits);
            (out.degraded, out.index) = (answer.degraded.clone(), Some(answer.index));
            if answer.hits.is_empty() && before.is_empty() {
                return Ok(out);
            }
            if let Some(intent) = self.brief {
                let wanted = Wanted::new(&answer, intent, seen.unwrap_or_default(), self.session.as_deref());
                let wanted = wanted.within(self.scope()).by_words_if(is_foreign(query));
                before.extend(wanted.pieces(service, answer.hits));
                out.put(before, true, budget);
                return Ok(out);
            }
            hits = answer.hits;
        }
        let (mut parts, mut topics): (Vec<Option<Piece>>, Vec<Piece>) = Default::default();
        if self.memory
            && let Some(vault) = vault
        {
            parts = memory::files(app, &vault.path, today, &mut out.warnings).into();
            if let Some(scope) = self.scope()
                && let Some(day) = parts[TODAY].take()
            {
                parts[TODAY] = memory::within(app, &day, scope, today);
            }
            parts.push(self.own().and_then(|own| memory::last_notes(app, own, today)));
            let page = self.own().and_then(|(name, _)| memory::page(app, &vault.path, name, &mut out.warnings));
            if let Some(page) = &page {
                for part in &mut parts[TODAY..] {
                    *part = part.take().and_then(|noted| memory::beyond_page(&noted, page));
                }
            }
            parts.insert(PAGE, page);
            if self.query.is_none() && self.own().is_some() {
                topics = memory::topics(app, &vault.path, &mut out.warnings);
                topics.retain(|piece| !skip(piece));
            }
        }
        parts.iter_mut().for_each(|part| drop(part.take_if(|piece| skip(piece))));
        // Where there is no memory, what was found has all the room.
        parts.resize(WEIGHTS.len() - 1, None);
        let finds = Finds::new(hits, service).unless(&skip);
        if self.query.is_some() && finds.is_empty() && before.is_empty() {
            return Ok(out);
        }

        let all = usable_units(budget);
        if self.query.is_none()
            && self.memory
            && let Some(own) = self.own()
        {
            parts.extend(topics.into_iter().map(Some));
            let (chosen, complete) = self.start(service, own, parts, all);
            out.put(chosen, complete, budget);
            return Ok(out);
        }
        let wants = |found: usize| -> Vec<(usize, u32)> {
            let memory = parts.iter().map(|part| part.as_ref().map_or(0, Piece::cost));
            memory.chain([found]).zip(WEIGHTS).collect()
        };
        let cut = |given: &[usize]| -> Vec<Piece> {
            parts.iter().zip(given).filter_map(|(part, units)| part.as_ref()?.cut_to(*units)).collect()
        };
        // Twice: what hits leave, since they are packed whole, goes back to the memory files.
        let given = allot(&wants(finds.size()), all);
        let shown = cut(&given);
        let (mut found, complete) = finds.without(&shown).pack(given[WEIGHTS.len() - 1]);
        found.splice(0..0, before);
        let given = allot(&wants(found.iter().map(|one| one.piece.cost()).sum()), all);

        let remembered = cut(&given);
        let complete = complete && remembered.len() == parts.iter().flatten().count();

        let of_memory = |piece| Chosen { collection: VAULT.to_owned(), piece, score: None };
        let chosen: Vec<Chosen> = remembered.into_iter().map(of_memory).chain(found).collect();
        out.put(chosen, complete, budget);
        Ok(out)
    }
}

impl ContextResponse {
    /// Puts these excerpts into the block; `complete` says that nothing was left out before.
    fn put(&mut self, chosen: Vec<Chosen>, complete: bool, budget: Budget) {
        let pieces: Vec<Piece> = chosen.iter().map(|one| one.piece.clone()).collect();
        if let Some(block) = block(&pieces, complete, budget) {
            self.block = Some(block.text);
            let shown = |(index, piece): (usize, Piece)| Chosen { piece, ..chosen[index].clone() }.into();
            self.pieces = block.pieces.into_iter().map(shown).collect();
        }
    }
}

impl ContextRequest {
    /// Returns the hits that reach the gate; `None` if the question holds nothing that could be looked for.
    fn relevant(&self, service: &Service<'_>, query: &str) -> Result<Option<SearchAnswer>> {
        let (search, recency) = (&service.app.settings.config.search, service.app.settings.config.context.recency);
        let options = service.app.search_options(search.fusion);
        let asked = ResolvedQuery {
            query: Query {
                text: if self.brief.is_some() { without_little_words(query) } else { query.to_owned() },
                mode: search.mode,
                limit: if self.brief.is_some() { FOUND } else { search.limit },
                filter: Filter { collections: self.collections.clone(), ..Filter::default() },
                min_score: self
                    .brief
                    .map_or(search.gate.max(search.min_score), |intent| search.gate * near_gate(intent)),
                // A prompt is not written for tars: `-f` or "…" in it are no instructions.
                language: Language::Prose,
                project: self.project.clone(),
                today: service.app.environment.clock.today(),
                // What each word tells decides about the lines.
                explain: true,
            },
            options: SearchOptions { features: FeatureOptions { recency, ..options.features }, ..options },
            window: 0,
            budget: None,
        };
        match service.find(&asked, true) {
            Ok(mut answer) => {
                answer.hits.retain(|hit| !former::is_put_aside(service.app, hit));
                Ok(Some(answer))
            }
            Err(error) => match error.downcast_ref::<SearchError>() {
                Some(SearchError::EmptyQuery | SearchError::NoWords) => Ok(None),
                _ => Err(error),
            },
        }
    }
}
