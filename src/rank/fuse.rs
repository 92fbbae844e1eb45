//! Fuses the lexical and the vector list.

use std::collections::HashMap;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::balance::Balance;
use super::calibrate::{Confidence, confidence};
use super::estimate::estimated;
use super::evidence::{Evidence, Signals};

/// Methods of fusion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Fusion {
    /// Convex combination of normalised scores, with weights adapted to the question.
    #[default]
    Adaptive,
    /// Convex combination of normalised scores, with a fixed weight.
    Convex,
    /// Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009) with k = 60. For comparison only: it drags a good
    /// list down to the mean of both.
    Rrf,
}

impl FromStr for Fusion {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "adaptive" => Ok(Self::Adaptive),
            "convex" => Ok(Self::Convex),
            "rrf" => Ok(Self::Rrf),
            _ => Err(format!("unknown fusion '{word}': one of adaptive, convex, rrf")),
        }
    }
}

/// Options of the fusion.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FusionOptions {
    /// Method of the fusion.
    pub fusion: Fusion,
    /// Share of the vector side for a question in whole sentences, 0 to 1. Adaptive fusion lowers it for others.
    pub vector_weight: f64,
    /// Share of the better neighbour's score that a chunk is credited with, 0 to 1.
    pub neighbour_credit: f64,
    /// Share of the best hit's score that chunks of the files it links to are credited with, 0 to 1.
    pub link_credit: f64,
    /// Balance of words and meaning. A request without it gets the default.
    #[serde(default)]
    pub balance: Balance,
}

/// The weighted summands of a candidate's score.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Parts {
    /// The lexical side.
    pub words: f64,
    /// The vector side.
    pub meaning: f64,
    /// Credit for the better neighbour.
    pub neighbour: f64,
    /// Credit for a link.
    pub link: f64,
}

impl Parts {
    fn sum(&self) -> f64 {
        self.words + self.meaning + self.neighbour + self.link
    }
}

/// A fused candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Its evidence.
    pub evidence: Evidence,
    /// The summands of its score.
    pub parts: Parts,
    /// Its sum relative to that of the first, 0 to 1.
    pub share: f64,
    /// Score in [0, 1], comparable between questions; decreases along the list.
    pub score: f64,
}

/// A fused list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fused {
    /// Best first. Ties are ordered by file and position, so equal input gives equal output.
    pub list: Vec<Ranked>,
    /// The confidence that the first candidate answers the question.
    pub confidence: Confidence,
    /// Weight of the vector side for this question.
    pub vector_weight: f64,
}

/// Constant of reciprocal rank fusion.
const RRF_K: f64 = 60.0;

/// Fuses the evidence of both retrievers. Candidates that wait for vectors are ranked by an estimated similarity (`estimate`). If most of
/// the index waits, estimates would decide between texts that were never compared. So with a share `u` of passages without vectors, the
/// vector side keeps 1 - u³ of its weight: a few new notes change nothing, and a first index is searched by words.
pub fn fuse(found: &[Evidence], signals: &Signals, options: &FusionOptions) -> Fused {
    let candidates = &estimated(found, signals)[..];
    let vector_weight = match options.fusion {
        Fusion::Adaptive => adapted(signals, options) * (1.0 - signals.unembedded_share.powi(3)),
        Fusion::Convex | Fusion::Rrf => options.vector_weight,
    };
    let mut parts = match options.fusion {
        Fusion::Rrf => reciprocal(candidates),
        Fusion::Convex | Fusion::Adaptive => convex(candidates, signals, vector_weight, &options.balance),
    };
    if options.fusion != Fusion::Rrf {
        credit_neighbours(candidates, &mut parts, options.neighbour_credit);
        let best = parts.iter().map(Parts::sum).fold(0.0, f64::max);
        for (_, parts) in candidates.iter().zip(&mut parts).filter(|(one, _)| one.linked) {
            // The cap moves a linked chunk closer to the best, but never above it.
            parts.link = (options.link_credit * best).min((best - parts.sum()) / 2.0);
        }
    }
    let boosts = boosts_below_summaries(candidates, &parts);
    let mut sums: Vec<f64> = boosts.iter().zip(&parts).map(|(boost, parts)| parts.sum() * (1.0 + boost)).collect();
    let in_order = |sums: &[f64]| {
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by(|left, right| {
            let place = |index: usize| (candidates[index].file, candidates[index].sequence);
            sums[*right].total_cmp(&sums[*left]).then_with(|| place(*left).cmp(&place(*right)))
        });
        order
    };
    let order = in_order(&sums);
    let top = order.first().map_or(0.0, |first| sums[*first]);
    let confidence = order.first().map_or_else(Confidence::default, |first| {
        let (first, meaning) = (&candidates[*first], parts[*first].meaning);
        let other = order.iter().find(|other| candidates[**other].file != first.file).map_or(0.0, |other| sums[*other]);
        let fact = match (first.second_similarity, first.similarity) {
            (Some(next), Some(similarity)) if similarity > 0.0 => meaning * next / similarity,
            _ => 0.0,
        };
        // A chunk with a lowered score, for its age for example, may be worth less than its meaning alone.
        let rival = other.max(fact).min(top);
        confidence(first, if top > 0.0 { 1.0 - (rival / top).max(0.0) } else { 0.0 }, signals)
    });
    // The swap comes after the confidence, which depends on the evidence for the question's words.
    let order = if swap_with_outcomes(candidates, &mut sums) { in_order(&sums) } else { order };
    let ranked = |index: usize| {
        let share = if top > 0.0 { (sums[index] / top).clamp(0.0, 1.0) } else { 0.0 };
        let evidence = Evidence { boost: boosts[index], ..found[index] };
        Ranked { evidence, parts: parts[index], share, score: confidence.score * share }
    };
    Fused { list: order.into_iter().map(ranked).collect(), confidence, vector_weight }
}

/// Swaps the sums of candidates and the chunks that they yield to, if they rank higher. Returns whether anything changed.
fn swap_with_outcomes(candidates: &[Evidence], sums: &mut [f64]) -> bool {
    let mut has_changed = false;
    for (index, one) in candidates.iter().enumerate() {
        let other = one.demoted_below.and_then(|chunk| candidates.iter().position(|other| other.chunk == chunk));
        if let Some(other) = other.filter(|other| sums[*other] < sums[index]) {
            sums.swap(index, other);
            has_changed = true;
        }
    }
    has_changed
}

/// Minimum value of a summary relative to a text it covers, to count as an answer too. A page of sixty lines scores lower
/// than the few lines of a day with the same content.
const SUMMED_UP: f64 = 0.4;
/// Maximum value of a text relative to a summary that covers it and answers too, so that it ranks right after it.
const BEHIND: f64 = 0.99;

/// Returns the boosts of the candidates. If a text and a summary that covers it both answer the question, the text's boost
/// is lowered until it ranks after the summary.
fn boosts_below_summaries(candidates: &[Evidence], parts: &[Parts]) -> Vec<f64> {
    let mut boosts: Vec<f64> = candidates.iter().map(|one| one.boost).collect();
    for (at, one) in candidates.iter().enumerate().filter(|(_, one)| one.summary.is_some()) {
        let Some(summary) = candidates.iter().position(|other| Some(other.chunk) == one.summary) else { continue };
        let worth = |place: usize| parts[place].sum() * (1.0 + candidates[place].boost);
        if worth(at) > BEHIND * worth(summary) && worth(summary) >= SUMMED_UP * worth(at) {
            boosts[at] = BEHIND * worth(summary) / parts[at].sum() - 1.0;
        }
    }
    boosts
}

/// Returns the weight of the vector side for this question. Names and single words are matched by their letters, not by their
/// meaning. A model that hardly knows a script has little to say about it. Vectors do not know dates. In a sentence, the
/// weights of words are a guess when only a dozen texts exist.
fn adapted(signals: &Signals, options: &FusionOptions) -> f64 {
    let (weight, balance) = (options.vector_weight, &options.balance);
    let (texts, few) = (signals.text_count as f64, balance.few_texts);
    let known = texts * texts / (texts * texts + few * few);
    let base = match signals {
        Signals { names_things: true, .. } | Signals { words: 0..=1, .. } => weight * balance.name_share,
        Signals { words: 0..=3, .. } => weight,
        _ => 1.0 - (1.0 - weight) * known.max(balance.least_known),
    };
    let base = if signals.has_date { base.min(weight * balance.date_share) } else { base };
    let base = if signals.is_single_name { base.min(weight * balance.one_name_share) } else { base };
    base * (1.0 - signals.unsupported_script_share)
}

/// Mixes the two sides, each divided by its unit: the best similarity, and for words a mean of the best score and the highest
/// possible one, but at least the minimum unit.
fn convex(candidates: &[Evidence], signals: &Signals, weight: f64, balance: &Balance) -> Vec<Parts> {
    let best = candidates.iter().filter_map(Evidence::words).fold(0.0, f64::max);
    let ceiling = signals.lexical_ceiling.max(best);
    let least = balance.least_unit * (signals.text_count.max(1) as f64).ln();
    let unit = (best.powf(balance.best_share) * ceiling.powf(1.0 - balance.best_share)).max(least);
    let nearest = candidates.iter().filter_map(|one| one.similarity).fold(0.0, f64::max);
    let weight = match (best > 0.0, nearest > 0.0) {
        (true, true) => weight,
        (true, false) => 0.0,
        (false, _) => 1.0,
    };
    let share = |score: Option<f64>, top: f64| if top > 0.0 { (score.unwrap_or(0.0) / top).max(0.0) } else { 0.0 };
    let parts = |one: &Evidence| Parts {
        words: (1.0 - weight) * share(one.words(), unit),
        meaning: weight * share(one.similarity, nearest),
        ..Parts::default()
    };
    candidates.iter().map(parts).collect()
}

fn reciprocal(candidates: &[Evidence]) -> Vec<Parts> {
    let mut parts = vec![Parts::default(); candidates.len()];
    type Side = (fn(&Evidence) -> Option<f64>, fn(&mut Parts) -> &mut f64);
    let sides: [Side; 2] =
        [(Evidence::words, |parts| &mut parts.words), (|one| one.similarity, |parts| &mut parts.meaning)];
    for (side, part) in sides {
        let mut listed: Vec<usize> =
            (0..candidates.len()).filter(|index| side(&candidates[*index]).is_some()).collect();
        listed.sort_by(|left, right| {
            let (left, right) = (&candidates[*left], &candidates[*right]);
            let falling = side(right).unwrap_or(0.0).total_cmp(&side(left).unwrap_or(0.0));
            falling.then_with(|| (left.file, left.sequence).cmp(&(right.file, right.sequence)))
        });
        for (rank, index) in listed.into_iter().enumerate() {
            *part(&mut parts[index]) = 1.0 / (RRF_K + rank as f64 + 1.0);
        }
    }
    parts
}

/// Credits each chunk with a share of its better neighbour, because an answer often stands next to the words of the question.
fn credit_neighbours(candidates: &[Evidence], parts: &mut [Parts], credit: f64) {
    let places: HashMap<(i64, u32), f64> =
        candidates.iter().zip(parts.iter()).map(|(one, parts)| ((one.file, one.sequence), parts.sum())).collect();
    for (one, parts) in candidates.iter().zip(parts) {
        let before = one.sequence.checked_sub(1).and_then(|place| places.get(&(one.file, place)));
        let after = places.get(&(one.file, one.sequence + 1));
        parts.neighbour = credit * before.into_iter().chain(after).copied().fold(0.0, f64::max);
    }
}
