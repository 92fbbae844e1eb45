//! Other forms of a question's words, for inflecting languages that the index does not stem.
//!
//! The forms come from the vocabulary of the notes at question time, so an answer does not depend on the indexing order.
//! English questions need none, because their words are stemmed.

use super::SearchError;
use super::alternative::{ALTERNATIVE_FACTOR, Alternative};
use super::limits;
use tars_store::{LexicalQuery, PartWeight, QueryWeights, Reader};
use tars_text::analysis::{Forms, Term, detect_language, is_stop_word};
use tars_text::languages::{DetectedLanguages, LanguageShares, by_code};

/// Share of notes that must be in a language before a question without stop words is taken to be in it.
const MIN_LANGUAGE_SHARE: f64 = 0.5;

/// Returns the language of a question that is not English. A question whose words give no language away takes that of most notes.
pub(super) fn question_language(store: &dyn Reader, text: &str) -> Result<Option<DetectedLanguages>, SearchError> {
    if let Some(detected) = detect_language(text) {
        return Ok(Some(detected));
    }
    if text.split(|c: char| !c.is_alphanumeric()).any(|word| is_stop_word(&word.to_lowercase())) {
        return Ok(None);
    }
    let shares: Option<LanguageShares> = store.meta(LanguageShares::KEY)?.and_then(|shares| shares.parse().ok());
    let first = shares.and_then(|shares| shares.shares().first().copied());
    let most = first.filter(|(code, share)| *code != "en" && *share >= MIN_LANGUAGE_SHARE);
    Ok(most.and_then(|(code, _)| by_code(code)).map(DetectedLanguages::of))
}

/// Finds the other forms of the words of `lexical`, rarest words first. A word that no note holds then gets the weight of its
/// forms: a form is the same word, not a guess.
pub(super) fn in_other_forms(
    store: &dyn Reader,
    detected: DetectedLanguages,
    lexical: &LexicalQuery,
    weights: &mut QueryWeights,
) -> Result<Vec<Alternative>, SearchError> {
    let mut words: Vec<(usize, &str, Forms)> = Vec::new();
    for (place, term) in lexical.terms.iter().enumerate() {
        if let Term::Word(word) = term
            && word.chars().count() <= limits::WORD_LETTERS
            && let Some(forms) = Forms::of(word, detected)
        {
            words.push((place, word, forms));
        }
    }
    words.sort_by_key(|(place, ..)| weights.terms[*place].chunks);
    let mut found = Vec::new();
    for (place, word, forms) in words.into_iter().take(limits::INFLECTED_WORDS) {
        let (start, most) = forms.bounds();
        let mut stems = store.vocabulary(start, start.chars().count()..=most.min(limits::WORD_LETTERS))?;
        stems.retain(|stem| forms.contains(stem));
        stems.sort_by_key(|stem| (stem.chars().count().abs_diff(word.chars().count()), stem.clone()));
        stems.truncate(limits::FORMS);
        if stems.is_empty() {
            continue;
        }
        let mut one = Alternative::any_of(store, word, stems)?;
        let own = weights.terms[place];
        match own.chunks {
            0 => weights.terms[place] = PartWeight { idf: one.idf(), ..own },
            _ => one.factor = ALTERNATIVE_FACTOR * (own.idf / one.idf()).min(1.0),
        }
        found.push(one);
    }
    Ok(found)
}
