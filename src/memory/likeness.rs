//! Decides whether two bullets say the same, nearly the same, or contradict each other ([`contradict`]).
//!
//! Two texts are equal if they differ only in case, punctuation marks and a final stop. Their similarity is the Dice coefficient of their
//! words without English stop words. It is 1 if all words of the shorter text, at least three, occur in the longer one. An embedding
//! model, where available, adds the cosine of their vectors.

use std::collections::BTreeSet;

use super::bullet::Bullet;
use super::contradiction::{contradict, negated, values};
use super::shared_words::{CLOSE_WORDS, by_words, words};
use schemars::JsonSchema;
use serde::Serialize;

use tars_base::embedding::{EmbedError, Embedder, TextKind};

/// Minimum cosine of two close bullets. With the default model, 7 of the 8 paraphrases in the test below reach it (0.82 to 0.93). The
/// pairs of different facts that reach it differ in a value.
const CLOSE_MEANING: f64 = 0.8;
/// Relation of an existing bullet to a new text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// Says the same.
    Equal,
    /// Says nearly the same.
    Close,
    /// Says something different about the same subject.
    Conflict,
}

/// An existing bullet that is near a new text.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarBullet {
    /// The existing bullet.
    pub bullet: Bullet,
    /// Its relation to the new text.
    pub relation: Relation,
    /// From 0 to 1; 1 for an equal text.
    pub similarity: f64,
}

/// Normalizes a text: case, marks, whitespace and final punctuation do not count.
pub fn normalized(text: &str) -> String {
    let plain: String = text.chars().filter(|character| !"*_`[]\"'“”‘’".contains(*character)).collect();
    let words: Vec<String> = plain.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ").trim_end_matches(['.', '!', ';', ',', '。']).to_owned()
}

/// Returns the word similarity of two texts, from 0 to 1, whether or not they contradict each other.
pub fn word_similarity(one: &str, other: &str) -> f64 {
    by_words(&normalized(one), &normalized(other))
}

/// Whether a text says nothing that an existing one does not: it holds all of its words, and both or neither deny something.
pub fn adds_nothing(text: &str, existing: &str) -> bool {
    let (new, old) = (normalized(text), normalized(existing));
    negated(&new) == negated(&old) && words(&new).is_subset(&words(&old))
}

/// Returns the content words of a text, without a plural `s`.
pub fn content_words(text: &str) -> BTreeSet<String> {
    words(&normalized(text))
}

/// Returns the bullets near `text`: equal ones first, then close ones, then conflicting ones, each by descending similarity.
///
/// # Errors
/// The model fails.
pub fn similar_bullets(
    text: &str,
    bullets: &[Bullet],
    model: Option<&dyn Embedder>,
) -> Result<Vec<SimilarBullet>, EmbedError> {
    let new = normalized(text);
    let mut found: Vec<SimilarBullet> = Vec::new();
    let mut unclear: Vec<(&Bullet, f64)> = Vec::new();
    for bullet in bullets {
        let old = normalized(&bullet.text);
        if old == new {
            found.push(SimilarBullet { bullet: bullet.clone(), relation: Relation::Equal, similarity: 1.0 });
            continue;
        }
        let similarity = by_words(&new, &old);
        let relation = if contradict(&new, &old) {
            Some(Relation::Conflict)
        } else {
            (similarity >= CLOSE_WORDS).then_some(Relation::Close)
        };
        match relation {
            Some(relation) => found.push(SimilarBullet { bullet: bullet.clone(), relation, similarity }),
            None => unclear.push((bullet, similarity)),
        }
    }
    if let Some(model) = model
        && !found.iter().any(|like| like.relation == Relation::Equal)
    {
        found.extend(by_meaning(text, &unclear, model)?);
    }
    found.sort_by(|one, other| one.relation.cmp(&other.relation).then(other.similarity.total_cmp(&one.similarity)));
    Ok(found)
}

/// Maximum number of bullets compared by meaning: those with the highest word similarity.
const MAX_COMPARED: usize = 64;

fn by_meaning(text: &str, unclear: &[(&Bullet, f64)], model: &dyn Embedder) -> Result<Vec<SimilarBullet>, EmbedError> {
    let fits = |text: &str| model.tokens().count(text) <= model.window();
    let mut candidates: Vec<&(&Bullet, f64)> = unclear.iter().filter(|(bullet, _)| fits(&bullet.text)).collect();
    candidates.sort_by(|one, other| other.1.total_cmp(&one.1));
    candidates.truncate(MAX_COMPARED);
    if candidates.is_empty() || !fits(text) {
        return Ok(Vec::new());
    }
    let mut texts = vec![text];
    texts.extend(candidates.iter().map(|(bullet, _)| bullet.text.as_str()));
    let vectors = model.embed(TextKind::Passage, &texts)?;
    let near = candidates.iter().zip(&vectors[1..]).filter_map(|((bullet, _), vector)| {
        let similarity = cosine(&vectors[0], vector);
        let values_agree = values(text) == values(&bullet.text);
        (similarity >= CLOSE_MEANING).then(|| SimilarBullet {
            bullet: (*bullet).clone(),
            // A model hardly distinguishes numbers or weekdays. If two facts differ in values only, they are two values of one thing.
            relation: if values_agree { Relation::Close } else { Relation::Conflict },
            similarity,
        })
    });
    Ok(near.collect())
}

/// An existing bullet among those nearest to a new text.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestBullet {
    /// The existing bullet.
    pub bullet: Bullet,
    /// Its relation to the new text, if the rules see one.
    pub relation: Option<Relation>,
    /// The higher of the similarity by words and by meaning, from 0 to 1.
    pub similarity: f64,
}

/// Maximum number of bullets that are compared with a new text by meaning for [`nearest_bullets`].
const MAX_EMBEDDED: usize = 256;

/// Returns the `count` bullets nearest to `text`, nearest first, whether or not the rules see a relation; by words alone without a model.
/// A bullet without a word in common and without a model is none.
///
/// # Errors
/// The model fails.
pub fn nearest_bullets(
    text: &str,
    bullets: &[Bullet],
    count: usize,
    model: Option<&dyn Embedder>,
) -> Result<Vec<NearestBullet>, EmbedError> {
    let new = normalized(text);
    let mut found: Vec<NearestBullet> = bullets
        .iter()
        .map(|bullet| {
            let similarity = by_words(&new, &normalized(&bullet.text));
            NearestBullet { bullet: bullet.clone(), relation: None, similarity }
        })
        .collect();
    let by_similarity = |one: &NearestBullet, other: &NearestBullet| other.similarity.total_cmp(&one.similarity);
    found.sort_by(by_similarity);
    if let Some(model) = model.filter(|model| model.tokens().count(text) <= model.window()) {
        found.truncate(MAX_EMBEDDED);
        found.retain(|near| model.tokens().count(&near.bullet.text) <= model.window());
        let texts: Vec<&str> =
            std::iter::once(text).chain(found.iter().map(|near| near.bullet.text.as_str())).collect();
        let vectors = model.embed(TextKind::Passage, &texts)?;
        for (near, vector) in found.iter_mut().zip(&vectors[1..]) {
            near.similarity = near.similarity.max(cosine(&vectors[0], vector));
        }
        found.sort_by(by_similarity);
    }
    found.retain(|near| near.similarity > 0.0);
    found.truncate(count);
    for near in &mut found {
        let alike = similar_bullets(text, std::slice::from_ref(&near.bullet), None)?;
        near.relation = alike.first().map(|like| like.relation);
    }
    Ok(found)
}

/// Returns the cosine of two vectors of length 1, from 0 to 1.
fn cosine(one: &[f32], other: &[f32]) -> f64 {
    f64::from(one.iter().zip(other).map(|(one, other)| one * other).sum::<f32>()).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalization_ignores_case_marks_and_final_stops() {
        assert_eq!(normalized("The **port** is `8080`."), normalized("the port is 8080"));
        assert_ne!(normalized("the port is 8080"), normalized("the port is 8081"));
    }

    #[test]
    fn a_contained_text_is_close() {
        let long = "home server: raspberry pi 5, boots from nvme, address 192.168.1.20, name pi.home";
        assert!(by_words("home server boots from nvme", long) >= CLOSE_WORDS);
        assert!(by_words("home server", long) < CLOSE_WORDS, "two words are too few");
        assert!(by_words("backups are encrypted", "the backups are all encrypted") >= CLOSE_WORDS);
    }

    #[test]
    fn paraphrases_are_close_by_meaning_and_different_facts_are_not() {
        let models = std::path::PathBuf::from(std::env::var_os("TARS_MODELS_DIR").expect("scripts/test sets it"));
        let model = tars_embed::Catalog::new(&models).get("all-minilm-l6-v2-int8").unwrap();
        let runtime = tars_embed::RuntimeLibrary::find(None, &models).unwrap();
        let model = tars_embed::OnnxEmbedder::load(&model, &runtime, 1).unwrap();
        let relation = |new: &str, old: &str| {
            let known = Bullet { text: old.into(), lines: 0..1, ..Bullet::default() };
            similar_bullets(new, &[known], Some(&model)).unwrap().first().map(|like| like.relation)
        };
        let paraphrases = [
            ("Jonas is allergic to celery", "Jonas can't eat celery"),
            (
                "The photo service's database is dumped before an upgrade",
                "Before upgrading the photo service, dump its database",
            ),
            ("Prefers short answers with the reasons afterwards", "Answer briefly first, give reasons after"),
            ("Backups are encrypted", "All backup archives get encrypted"),
            ("Deploys happen on Tuesdays", "We deploy every Tuesday"),
            ("Lives in a rented flat in Bremen", "Home is a rental apartment in Bremen"),
            ("Home server is a Raspberry Pi 5", "The server at home runs on a Raspberry Pi 5"),
            ("Use metric units", "Units should be metric"),
        ];
        let close = paraphrases.iter().filter(|(new, old)| relation(new, old) == Some(Relation::Close)).count();
        assert!(close >= 7, "{close} of {}", paraphrases.len());
        for (new, old) in [
            ("Home server is a Raspberry Pi 5", "Home server boots from NVMe"),
            ("The off-site disk is at Ilse's flat", "Ilse travels along in November"),
            ("Backups are encrypted", "Backups run at night"),
            ("Writes notes in English", "Writes recipes in Chinese"),
            ("Run the tests before every commit", "Run the linter before every commit"),
            ("Prefers tea in the morning", "Prefers coffee in the evening"),
        ] {
            assert_eq!(relation(new, old), None, "{new} / {old}");
        }
        for (new, old) in [
            ("Deploys happen on Tuesdays", "Deploys happen on Fridays"),
            ("Jonas is allergic to celery", "Jonas is allergic to nuts"),
            ("The port of the server is 8080", "The server's port is 9090"),
        ] {
            assert_eq!(relation(new, old), Some(Relation::Conflict), "{new} / {old}");
        }
    }
}
