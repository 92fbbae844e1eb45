//! What is put before an agent: its memory, and what a search finds.

mod found;
mod memory;

use anyhow::Result;
use jiff::civil::Date;

use super::{App, Asked, VAULT};
use crate::domain::{ChunkId, IndexState, Language, Query, SearchAnswer};
use crate::injection::{Budget, Piece, block, room};
use crate::rank::allot;
use crate::search::{Expansion, FeatureOptions, SearchError, SearchOptions};
use found::Finds;

/// Weights of the parts of a block: facts, rules, today's log, the project's last notes, and what was found.
const WEIGHTS: [u32; 5] = [25, 20, 15, 15, 40];

/// Who answers questions: a daemon, or the process itself.
pub trait Answers {
    /// Answers a question.
    ///
    /// # Errors
    /// See [`App::answer`].
    fn search(&self, asked: &Asked) -> Result<SearchAnswer>;

    /// Returns a chunk with so many of its neighbours on either side.
    ///
    /// # Errors
    /// See [`crate::search::expand()`].
    fn around(&self, id: &ChunkId, window: u32) -> Result<Expansion>;
}

/// What is to be put before an agent.
#[derive(Clone, Copy)]
pub struct ContextRequest<'a> {
    /// What the agent is asked; without it, nothing is looked for.
    pub query: Option<&'a str>,
    /// Whether the memory files go with it.
    pub memory: bool,
    /// Length of the block, with all that is around it.
    pub budget: Budget,
    /// The present day.
    pub today: Date,
    /// The project that the agent works in: its notes rank higher, and its last ones go with the memory files.
    pub project: Option<&'a str>,
    /// Which excerpts need not be shown again.
    pub skip: Option<&'a dyn Fn(&Piece) -> bool>,
}

/// What is put before an agent, and what it rests on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContextAnswer {
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
#[derive(Debug, Clone, PartialEq)]
pub struct ContextPiece {
    /// Name of the collection.
    pub collection: String,
    /// The excerpt as it stands in the block.
    pub piece: Piece,
    /// The score of the hit that it was found by; `None` for memory files.
    pub score: Option<f64>,
}

impl App {
    /// Returns the block that is put before an agent.
    ///
    /// With a query there is a block only if a hit reaches the gate. Memory files go before what was found, each capped so
    /// that none starves the others, what one leaves going to the rest; hits within the lines of them that are shown
    /// are left out. Memory is read from the disk as it stands, not from the index.
    ///
    /// # Errors
    /// No vault is configured, or `answers` failed.
    pub fn context(&self, request: &ContextRequest<'_>, answers: &dyn Answers) -> Result<ContextAnswer> {
        let vault = self.roots()?.into_iter().find(|root| root.name == VAULT);
        let mut out = ContextAnswer::default();
        let mut hits = Vec::new();
        if let Some(query) = request.query {
            let Some(answer) = self.relevant(query, request, answers)? else { return Ok(out) };
            (out.degraded, out.index) = (answer.degraded, Some(answer.index));
            if answer.hits.is_empty() {
                return Ok(out);
            }
            hits = answer.hits;
        }
        let mut parts: Vec<Option<Piece>> = Vec::new();
        if request.memory
            && let Some(vault) = vault
        {
            parts = self.memory(&vault.path, request.today, &mut out.warnings).into();
            parts.push(request.project.and_then(|project| self.last_notes(project, request.today)));
        }
        if let Some(skip) = request.skip {
            parts.iter_mut().for_each(|part| drop(part.take_if(|piece| skip(piece))));
        }
        // Where there is no memory, what was found has all the room.
        parts.resize(WEIGHTS.len() - 1, None);
        let finds = Finds::new(hits, answers);
        let finds = match request.skip {
            Some(skip) => finds.unless(skip),
            None => finds,
        };
        if request.query.is_some() && finds.is_empty() {
            return Ok(out);
        }

        let all = room(request.budget);
        let wants = |found: usize| -> Vec<(usize, u32)> {
            let memory = parts.iter().map(|part| part.as_ref().map_or(0, Piece::cost));
            memory.chain([found]).zip(WEIGHTS).collect()
        };
        let cut = |given: &[usize]| -> Vec<Piece> {
            parts.iter().zip(given).filter_map(|(part, units)| part.as_ref()?.cut_to(*units)).collect()
        };
        // Twice: what hits leave, since they are packed whole, goes back to the memory files.
        let given = allot(&wants(finds.size()), all);
        let (found, complete) = finds.without(&cut(&given)).pack(given[WEIGHTS.len() - 1]);
        let given = allot(&wants(found.iter().map(|one| one.piece.cost()).sum()), all);

        let remembered = cut(&given);
        let complete = complete && remembered.len() == parts.iter().flatten().count();

        let of_memory = |piece| ContextPiece { collection: VAULT.to_owned(), piece, score: None };
        let chosen: Vec<ContextPiece> = remembered.into_iter().map(of_memory).chain(found).collect();
        let pieces: Vec<Piece> = chosen.iter().map(|one| one.piece.clone()).collect();
        if let Some(block) = block(&pieces, complete, request.budget) {
            out.block = Some(block.text);
            let shown = |(index, piece): (usize, Piece)| ContextPiece { piece, ..chosen[index].clone() };
            out.pieces = block.pieces.into_iter().map(shown).collect();
        }
        Ok(out)
    }

    /// Returns the hits that reach the gate; `None` if the question holds nothing that could be looked for.
    fn relevant(
        &self,
        query: &str,
        request: &ContextRequest<'_>,
        answers: &dyn Answers,
    ) -> Result<Option<SearchAnswer>> {
        let (search, recency) = (&self.settings.config.search, self.settings.config.context.recency);
        let options = self.search_options(search.fusion);
        let asked = Asked {
            query: Query {
                text: query.to_owned(),
                mode: search.mode,
                limit: search.limit,
                filter: crate::domain::Filter::default(),
                min_score: search.gate.max(search.min_score),
                // A prompt is not written for tars: `-f` or "…" in it are no instructions.
                language: Language::Prose,
                project: request.project.map(str::to_owned),
                today: request.today,
                explain: false,
            },
            options: SearchOptions { features: FeatureOptions { recency, ..options.features }, ..options },
            window: 0,
            budget: None,
        };
        match answers.search(&asked) {
            Ok(answer) => Ok(Some(answer)),
            Err(error) => match error.downcast_ref::<SearchError>() {
                Some(SearchError::EmptyQuery | SearchError::NoWords) => Ok(None),
                _ => Err(error),
            },
        }
    }
}
