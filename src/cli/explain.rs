//! Explanations of an answer, for people.

use std::io::Write;

use anstyle::Style;
use tars_service::Result;

use super::terminal::sanitize_line;
use tars_base::domain::{HitExplanation, QueryExplanation};

const FAINT: Style = Style::new().dimmed();

/// Prints how the question was understood.
pub(super) fn question(out: &mut dyn Write, explanation: &QueryExplanation) -> Result<()> {
    let QueryExplanation { terms, required, excluded, .. } = explanation;
    writeln!(out, "{FAINT}search terms (chunks, weight):{FAINT:#}")?;
    for term in terms {
        writeln!(out, "{FAINT}  {:<28} {:>6}  {:>5.2}{FAINT:#}", sanitize_line(&term.text), term.chunks, term.weight)?;
    }
    for (what, phrases) in [("must contain", required), ("must not contain", excluded)] {
        if !phrases.is_empty() {
            writeln!(out, "{FAINT}{what}: {}{FAINT:#}", sanitize_line(&phrases.join(", ")))?;
        }
    }
    let share = |value: &Option<f64>| value.map_or("-".into(), |value| format!("{value:.2}"));
    writeln!(
        out,
        "{FAINT}vector weight {:.2}; first hit: coverage {} (matched {}), similarity {}, named {:.2}, \
         unknown {:.2}, lead {:.2}: \
         confidence {:.2}{FAINT:#}\n",
        explanation.vector_weight,
        share(&explanation.coverage),
        share(&explanation.matched),
        share(&explanation.similarity),
        explanation.named,
        explanation.unknown,
        explanation.lead,
        explanation.confidence
    )?;
    Ok(())
}

/// Prints how a hit got its score, and the reranker's score if there is one.
pub(super) fn hit(out: &mut dyn Write, explanation: &HitExplanation, reranked: Option<f64>) -> Result<()> {
    let ranked = |rank: Option<usize>, score: Option<f64>| match (rank, score) {
        (Some(rank), Some(score)) => format!("{score:.2} (#{rank})"),
        _ => "-".into(),
    };
    let HitExplanation { words, meaning, neighbour, link, boost, share, .. } = explanation;
    let by_words = ranked(explanation.lexical_rank, explanation.lexical_score);
    let by_meaning = ranked(explanation.vector_rank, explanation.similarity);
    writeln!(out, "  {FAINT}bm25 {by_words}, pairs {:.2}, similarity {by_meaning}{FAINT:#}", explanation.pairs)?;
    writeln!(
        out,
        "  {FAINT}words {words:.2} + meaning {meaning:.2} + neighbour {neighbour:.2} + link {link:.2}, {:+.0} %: \
         {share:.2} of the best{FAINT:#}",
        100.0 * boost
    )?;
    if let Some(weight) = explanation.collection_weight {
        writeln!(out, "  {FAINT}weight of the collection: {weight}{FAINT:#}")?;
    }
    if let Some(worth) = &explanation.worth {
        writeln!(out, "  {FAINT}use: {worth}{FAINT:#}")?;
    }
    if let Some(probability) = reranked {
        writeln!(out, "  {FAINT}reranked: relevant with {probability:.2}{FAINT:#}")?;
    }
    Ok(())
}
