//! Selects the server tools that fit a message, if there are too many for one request.
//!
//! Two scores with equal weight rate the name and description of a tool: the words that it shares with the message, where
//! rare words count more, and its similarity in meaning, if the embedding model runs on this machine. Tools that the
//! conversation has used are always kept.

use std::collections::{HashMap, HashSet};

use super::OfferedTool;
use tars_config::Provider;
use tars_embed::TextKind;
use tars_service::App;
use tars_text::analysis::terms;

/// Characters of a description that are embedded.
const EMBEDDED: usize = 300;

/// Cached vectors of tool texts.
pub(crate) type ToolVectors = HashMap<String, Vec<f32>>;

/// Returns the `most` best offers, in their original order.
pub(crate) fn best(
    app: &App,
    offers: Vec<OfferedTool>,
    vectors: &mut ToolVectors,
    (message, used): (&str, &HashSet<String>),
    most: usize,
) -> Vec<OfferedTool> {
    let texts: Vec<String> = offers.iter().map(text).collect();
    let words = by_words(&texts, message);
    let meaning = by_meaning(app, &texts, vectors, message).unwrap_or_else(|| vec![0.0; texts.len()]);
    let mut order: Vec<usize> = (0..offers.len()).collect();
    let score =
        |at: usize| if used.contains(&offers[at].request_name) { f64::INFINITY } else { words[at] + meaning[at] };
    // The sort is stable: among equals, tools earlier in the configuration win.
    order.sort_by(|one, other| score(*other).total_cmp(&score(*one)));
    let chosen: HashSet<usize> = order.into_iter().take(most).collect();
    offers.into_iter().enumerate().filter(|(at, _)| chosen.contains(at)).map(|(_, offer)| offer).collect()
}

/// Returns the text to rate a tool by, with `addTask` and `add_task` split into two words.
fn text(offer: &OfferedTool) -> String {
    let mut name = String::new();
    for letter in offer.tool.full_name().chars() {
        if letter.is_uppercase() && name.ends_with(char::is_lowercase) {
            name.push(' ');
        }
        name.push(if letter.is_alphanumeric() { letter } else { ' ' });
    }
    let description: String = offer.tool.description.chars().take(EMBEDDED).collect();
    format!("{name}: {description}")
}

/// Returns for each text its weighted share of the message's words, 1 for the best.
fn by_words(texts: &[String], message: &str) -> Vec<f64> {
    let of = |text: &str| terms(text).iter().map(|term| term.text().to_lowercase()).collect::<HashSet<String>>();
    let wanted = of(message);
    let held: Vec<HashSet<String>> = texts.iter().map(|text| of(text)).collect();
    let weight = |word: &String| {
        let holding = held.iter().filter(|words| words.contains(word)).count();
        (1.0 + texts.len() as f64 / (1.0 + holding as f64)).ln()
    };
    let scores: Vec<f64> = held.iter().map(|words| wanted.intersection(words).map(weight).sum()).collect();
    let best = scores.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    scores.iter().map(|score| score / best).collect()
}

/// Returns for each text its cosine similarity to the message; `None` without a model on this machine. Embedding servers are never used.
fn by_meaning(app: &App, texts: &[String], vectors: &mut ToolVectors, message: &str) -> Option<Vec<f64>> {
    if app.settings.config.embedding.provider != Provider::Onnx {
        return None;
    }
    let model = app.model(app.workers());
    let embedder = model.embedder()?;
    let new: Vec<&str> = texts.iter().filter(|text| !vectors.contains_key(*text)).map(String::as_str).collect();
    for batch in new.chunks(embedder.batch_size().max(1)) {
        let made = embedder.embed(TextKind::Passage, batch).ok()?;
        vectors.extend(batch.iter().map(|text| (*text).to_owned()).zip(made));
    }
    let wanted: String = message.chars().take(EMBEDDED).collect();
    let question = embedder.embed(TextKind::Query, &[&wanted]).ok()?.pop()?;
    let cosine = |text: &String| {
        let products = vectors.get(text)?.iter().zip(&question).map(|(one, other)| f64::from(one * other));
        Some(products.sum::<f64>())
    };
    texts.iter().map(cosine).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_chat::mcp_client::RemoteTool;

    fn offer(name: &str, description: &str) -> OfferedTool {
        OfferedTool::of(RemoteTool {
            server: "s".into(),
            name: name.into(),
            description: description.into(),
            schema: serde_json::Map::new(),
        })
    }

    #[test]
    fn rare_words_of_names_and_descriptions_count_more() {
        let offers = [
            offer("addTask", "Adds a task to a list"),
            offer("get_weather", "Returns the weather of a place"),
            offer("list_tasks", "Returns the tasks of a list"),
        ];
        let texts: Vec<String> = offers.iter().map(text).collect();
        let scores = by_words(&texts, "what will the weather be in Graz");
        assert!(scores[1] == 1.0 && scores[0] == 0.0, "{scores:?}");
        let scores = by_words(&texts, "please add eggs");
        assert!(scores[0] > scores[2], "{scores:?}");
        assert_eq!(by_words(&texts, ""), [0.0; 3]);
    }
}
