//! Compound questions: a part that no hit covers gets its own list.
//!
//! The hits of "when did I service the boiler and who painted the fence" may all be about the boiler, because a chunk about the half with
//! the rarer words scores above one about the other half. `tars_text::question_parts` tells the parts by the form of the question. A part
//! is covered if one of the first hits holds most of the weight of its own words, or if the best hit of its own list is among them. The
//! best hit of a part that is not covered comes in at the end of the first hits, and pushes the lowest hit that no part needs one place down, so a let-in hit costs the others one place at most, and the first hit stays.

use super::SearchError;
use super::input::{PartOptions, Search};
use super::query_syntax::ParsedQuery;
use super::reworded::answer_or_skip;
use tars_base::domain::{Hit, Query, QuerySyntax, SearchAnswer};
use tars_store::LexicalQuery;
use tars_text::analysis::{Term, is_stop_word, term_presence, terms};
use tars_text::question_parts::{QuestionPart, question_parts};

/// A part and its own words.
struct Part {
    text: String,
    /// The words that no other part has.
    own: Vec<Term>,
    /// Their weights.
    weights: Vec<f64>,
}

impl Part {
    /// Returns the share of the weight of the part's own words that a hit holds.
    fn held(&self, hit: &Hit) -> f64 {
        let whole: f64 = self.weights.iter().sum();
        if whole <= 0.0 {
            return 0.0;
        }
        let text = format!("{}\n{}\n{}", hit.title, hit.heading, hit.content);
        term_presence(&text, &self.own).iter().zip(&self.weights).map(|(held, weight)| held * weight).sum::<f64>()
            / whole
    }
}

impl Search<'_> {
    /// Lets hits of parts that no hit covers into the answer of a compound question. Other answers stay as they are.
    pub(super) fn with_parts(
        &self,
        parsed: &ParsedQuery,
        mut answer: SearchAnswer,
    ) -> Result<SearchAnswer, SearchError> {
        let PartOptions { cover, places, hits: most, .. } = self.options.parts;
        let places = places.min(self.query.limit);
        // A required phrase or a prompt that was not written for tars is no question of several parts.
        let is_simple = self.query.language == QuerySyntax::Prose || !parsed.required.is_empty();
        if is_simple || places.min(most) == 0 || answer.hits.is_empty() {
            return Ok(answer);
        }
        let parts = self.parts(&question_parts(&parsed.text))?;
        if parts.is_empty() {
            return Ok(answer);
        }
        if self.query.explain {
            let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
            answer.remarks.push(format!("the question has {} parts: {}", parts.len(), texts.join(" | ")));
        }
        let rest = answer.hits.split_off(places.min(answer.hits.len()));
        let first = std::mem::take(&mut answer.hits);
        let covers: Vec<Vec<bool>> =
            first.iter().map(|hit| parts.iter().map(|part| part.held(hit) >= cover).collect()).collect();
        let mut admitted: Vec<Hit> = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            if covers.iter().any(|covers| covers[at]) {
                continue;
            }
            let found = self.of_part(parsed, part)?;
            let is_new = |hit: &Hit| !first.iter().chain(&admitted).any(|known| known.id == hit.id);
            if found.first().is_some_and(|best| !is_new(best)) {
                continue;
            }
            let new: Vec<Hit> = found.into_iter().filter(is_new).take(most).collect();
            if self.query.explain {
                let places = new.iter().map(|hit| format!("{}:{}", hit.path, hit.line)).collect::<Vec<_>>().join(", ");
                let found = if places.is_empty() { "is empty".into() } else { format!("proposes {places}") };
                answer.remarks.push(format!("no first result covers '{}': its own list {found}", part.text));
            }
            admitted.extend(new);
        }
        answer.hits = if admitted.is_empty() {
            first.into_iter().chain(rest).collect()
        } else {
            Admission { first, covers, places, min_score: self.query.min_score }.admit(admitted, rest)
        };
        answer.hits.truncate(self.query.limit);
        Ok(answer)
    }

    /// Returns the parts with the weights of their own words, or nothing if a part has no words of its own.
    fn parts(&self, parts: &[QuestionPart]) -> Result<Vec<Part>, SearchError> {
        let words: Vec<Vec<Term>> = parts.iter().map(|part| terms(&part.own)).collect();
        let mut found = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let is_shared =
                |term: &Term| words.iter().enumerate().any(|(other, words)| other != at && words.contains(term));
            let own: Vec<Term> =
                words[at].iter().filter(|term| !is_shared(term) && !is_stop_word(term.text())).cloned().collect();
            if own.is_empty() {
                return Ok(Vec::new());
            }
            let query = LexicalQuery { terms: own.clone(), ..LexicalQuery::default() };
            // A word that no note holds tells no hit from another.
            let weights = self.store.weights(&query)?.terms;
            let weights = weights.iter().map(|weight| if weight.chunks == 0 { 0.0 } else { weight.idf }).collect();
            found.push(Part { text: part.text.clone(), own, weights });
        }
        Ok(found)
    }

    /// Returns the best hits of a part by itself.
    fn of_part(&self, parsed: &ParsedQuery, part: &Part) -> Result<Vec<Hit>, SearchError> {
        let PartOptions { places, hits, score, .. } = self.options.parts;
        let query = Query { text: part.text.clone(), limit: places + hits, min_score: score, ..self.query.clone() };
        let parsed = ParsedQuery {
            text: part.text.clone(),
            optional_phrases: Vec::new(),
            remarks: Vec::new(),
            ..parsed.clone()
        };
        let list = answer_or_skip(Search { query: &query, ..*self }.answer(parsed), &mut None)?;
        Ok(list.map_or_else(Vec::new, |list| list.hits))
    }
}

/// The first hits of a question, before others come in.
struct Admission {
    first: Vec<Hit>,
    /// For each of them, which parts it covers.
    covers: Vec<Vec<bool>>,
    /// Number of first places.
    places: usize,
    min_score: f64,
}

impl Admission {
    /// Lets hits in at the end of the first ones, and returns all hits. A let-in hit that the list has further down moves up.
    fn admit(mut self, admitted: Vec<Hit>, mut rest: Vec<Hit>) -> Vec<Hit> {
        let mut behind: Vec<Hit> = Vec::new();
        let mut let_in: Vec<Hit> = Vec::new();
        for hit in admitted {
            if self.first.len() + let_in.len() >= self.places {
                let Some(spare) = self.spare() else { break };
                behind.push(self.first.remove(spare));
                self.covers.remove(spare);
            }
            let own = rest.iter().position(|other| other.id == hit.id).map(|place| rest.remove(place));
            let_in.push(own.unwrap_or(hit));
        }
        behind.sort_by(|left, right| right.score.total_cmp(&left.score));
        // Scores fall along the list: a let-in hit gets one between its neighbours', a displaced one none above it.
        let next = behind.first().or(rest.first()).map(|hit| hit.score);
        let mut above = self.first.last().map_or(0.0, |hit| hit.score);
        for hit in &mut let_in {
            hit.score = next.map_or(hit.score.min(above), |next| f64::midpoint(above, next.min(above)));
            above = hit.score;
        }
        behind.iter_mut().for_each(|hit| hit.score = hit.score.min(above));
        let_in.retain(|hit| hit.score >= self.min_score);
        self.first.into_iter().chain(let_in).chain(behind).chain(rest).collect()
    }

    /// Returns the place of the lowest hit, except the first, that is the only one for no part; best one of a note with a better hit.
    fn spare(&self) -> Option<usize> {
        let is_spare = |at: &usize| {
            let covered_elsewhere =
                |part: usize| self.covers.iter().enumerate().any(|(other, covers)| other != *at && covers[part]);
            self.covers[*at].iter().enumerate().all(|(part, covers)| !covers || covered_elsewhere(part))
        };
        let is_repeated = |at: &usize| {
            let note = |hit: &Hit| (hit.collection.clone(), hit.path.clone());
            self.first[..*at].iter().any(|better| note(better) == note(&self.first[*at]))
        };
        let spare: Vec<usize> = (1..self.first.len()).rev().filter(is_spare).collect();
        spare.iter().copied().find(is_repeated).or(spare.first().copied())
    }
}
