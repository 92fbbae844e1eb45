//! The best hits, read together with the question.
//!
//! A cross-encoder says how well each text answers. The hits it has read are put in its order; the others follow in theirs.
//!
//! Their scores stay comparable between questions: two opinions about the same thing, the calibrated confidence that the
//! question is answered at all (the best score before) and the cross-encoder's probability for this text, are pooled by the
//! mean of their log odds (Genest and Zidek, Statistical Science 1986). So order and score agree, a text that both are sure of
//! scores high, and a cross-encoder that was trained on other texts than notes cannot lift a question that nothing answers to
//! certainty, nor silence one that is answered.

use crate::domain::Hit;
use crate::embed::{EmbedError, Reranker};

/// Confidences beyond this or its opposite are taken for it: nobody is surer than one in a thousand.
const SUREST: f64 = 0.999;

/// Puts the first `looked_at` hits in the order of their relevance to `question` and gives every hit its new score; those
/// behind score no more than the last of these. Ties keep their order.
///
/// # Errors
/// Whatever the reranker fails on; the hits are then as they were.
pub fn rerank(reranker: &dyn Reranker, question: &str, hits: &mut [Hit], looked_at: usize) -> Result<(), EmbedError> {
    let (read, rest) = hits.split_at_mut(looked_at.min(hits.len()));
    let Some(best) = read.first() else { return Ok(()) };
    let confidence = best.score.clamp(1.0 - SUREST, SUREST);
    let odds = (confidence / (1.0 - confidence)).ln();
    let texts: Vec<String> = read.iter().map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let logits = reranker.relevance(question, &texts)?;
    for (hit, logit) in read.iter_mut().zip(logits) {
        hit.reranked = Some(logistic(logit));
        hit.score = logistic((odds + logit) / 2.0);
    }
    read.sort_by(|left, right| right.score.total_cmp(&left.score));
    let lowest = read.last().map_or(0.0, |hit| hit.score);
    for hit in rest {
        hit.score = hit.score.min(lowest);
    }
    Ok(())
}

/// Returns what is read of a hit: where it stands, then its lines.
fn text(hit: &Hit) -> String {
    let place = if hit.heading.is_empty() { &hit.title } else { &hit.heading };
    format!("{place}\n{}", hit.content)
}

fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}
