//! The parts of a compound question: several questions in one, two things to compare, or one question about several things.
//!
//! The form decides, not a model: which conjunction stands between which words (`languages/part_words.rs` lists the conjunctions), whether
//! both sides ask, whether the second thing has an article or a preposition of its own, and whether capital letters or equal lengths make
//! them alike. "The salt and pepper mill" has one part and "the plumber and the electrician" two. The form cannot tell a standing pair
//! from two things wherever a language writes both alike ("соль и перец"), so a caller checks whether one text holds both anyway.

mod spaced;
#[cfg(test)]
mod tests;
mod tokens;
mod unspaced;

use crate::analysis::is_unspaced;
use crate::languages::{ALL, Language, Script, detect_language};

/// Maximum number of bytes of a question. A longer text is a paste or a task.
const MAX_QUESTION: usize = 1 << 10;
/// Maximum number of parts. Further ones are left out.
const MAX_PARTS: usize = 4;

/// One part of a compound question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionPart {
    /// The question with this part alone: "the number of the plumber" of "the number of the plumber and the electrician".
    pub text: String,
    /// The words that no other part shares: "the plumber".
    pub own: String,
}

/// Returns the two to four parts of a compound question, in their order, or nothing for any other question and for texts of more than a
/// kilobyte.
pub fn question_parts(question: &str) -> Vec<QuestionPart> {
    let question = question.trim();
    if question.len() > MAX_QUESTION {
        return Vec::new();
    }
    let languages = languages(question);
    let letters = question.chars().filter(|c| c.is_alphabetic()).count();
    let unspaced = question.chars().filter(|c| is_unspaced(*c)).count();
    let is_spaced = languages.iter().any(|language| language.script == Script::Hangul) || 2 * unspaced <= letters;
    let mut parts = match is_spaced {
        true => spaced::parts(question, &languages),
        false => unspaced::parts(question, &languages),
    };
    parts.truncate(MAX_PARTS);
    if parts.len() < 2 { Vec::new() } else { parts }
}

/// Returns the languages of a question. If nothing else shows them, they are English and those with its first word that announces two
/// things: "compara", "vergleiche".
fn languages(question: &str) -> Vec<&'static Language> {
    if let Some(detected) = detect_language(question) {
        return detected.languages().collect();
    }
    let first = question.split_whitespace().next().unwrap_or_default().to_lowercase();
    let announces = |language: &&Language| language.parts.pairing.contains(&first.as_str());
    let others = ALL.into_iter().skip(1).filter(announces);
    ALL.into_iter().take(1).chain(others).collect()
}
