//! Reranks the best hits with a cross-encoder.
//!
//! The cross-encoder rates how well each text answers the question. The hits that it reads take its order; the others follow
//! in their own.
//!
//! Scores stay comparable between questions. Two opinions on the same event are pooled by the mean of their log odds (Genest and Zidek,
//! Statistical Science 1986): the calibrated confidence that the question is answered at all (the best score before reranking), and the
//! cross-encoder's probability for this text. So order and score agree, and a text that both are sure of scores high. A cross-encoder
//! trained on texts other than notes can neither lift an unanswered question to certainty nor silence an answered one.

use tars_base::domain::Hit;
use tars_base::embedding::{EmbedError, Reranker};
use tars_rank::probability;

/// Confidences are clamped to this value and to one minus it.
const MAX_CONFIDENCE: f64 = 0.999;

/// Sorts the first `looked_at` hits by their relevance to `question` and gives every hit its new score. Later hits score no
/// more than the last of these. Ties keep their order.
///
/// # Errors
/// Any error of the reranker; the hits are then unchanged.
pub fn rerank(reranker: &dyn Reranker, question: &str, hits: &mut [Hit], looked_at: usize) -> Result<(), EmbedError> {
    let (read, rest) = hits.split_at_mut(looked_at.min(hits.len()));
    let Some(best) = read.first() else { return Ok(()) };
    let confidence = best.score.clamp(1.0 - MAX_CONFIDENCE, MAX_CONFIDENCE);
    let odds = (confidence / (1.0 - confidence)).ln();
    let texts: Vec<String> = read.iter().map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let logits = reranker.relevance(question, &texts)?;
    for (hit, logit) in read.iter_mut().zip(logits) {
        hit.reranked = Some(probability(logit));
        hit.score = probability((odds + logit) / 2.0);
    }
    read.sort_by(|left, right| right.score.total_cmp(&left.score));
    let lowest = read.last().map_or(0.0, |hit| hit.score);
    for hit in rest {
        hit.score = hit.score.min(lowest);
    }
    Ok(())
}

/// Returns the text that the cross-encoder reads: the heading or title, then the lines.
fn text(hit: &Hit) -> String {
    let place = if hit.heading.is_empty() { &hit.title } else { &hit.heading };
    format!("{place}\n{}", hit.content)
}
