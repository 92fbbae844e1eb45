//! Finds a standing statement in a part of a longer sentence: "I prefer few libraries, how do I add a login?"
//!
//! People state preferences on the way to a question or a task. A sentence is split after its commas and semicolons. A part counts if it
//! opens in the first person with a word of preference, habit or diet ("I usually", "I'm vegan"), because people say much else about
//! themselves that is over tomorrow; and the part that opens the sentence counts if it is very probably a standing statement. A part takes in
//! those after it as long as they open neither a clause nor a question and do not make the statement less probable: a reason stays.

use super::{StandingStatement, is_sayable};
use crate::digest::phrase_matcher::PhraseMatcher;
use tars_base::domain::capitalize;
use tars_text::analysis::is_unspaced;
use tars_text::classifier::is_standing;
use tars_text::languages::{ALL, Language, QUESTION_MARKS};

/// The least probability of a part with a word of preference, and that of a part that opens a sentence otherwise.
const SURE: f32 = 0.2;
const VERY_SURE: f32 = 0.85;
/// A part that lowers the probability by more than this is no part of the statement.
const TOLERANCE: f32 = 0.15;
/// Maximum number of parts and of characters of a sentence to examine. Longer ones are lists or pastes.
const MAX_PARTS: usize = 16;
const MAX_SENTENCE: usize = 2_000;
/// Maximum number of words before the subject.
const MAX_BEFORE: usize = 3;

/// Words that join a clause to the one before it.
#[rustfmt::skip]
const JOINING: &[&str] = &[
    "and", "but", "because", "since", "so", "also", "plus", "though", "und", "aber", "denn", "weil", "da", "also", "mais", "car", "donc", "et",
    "y", "pero", "porque", "así", "ma", "e", "perché", "quindi", "mas", "então", "en", "maar", "want", "dus", "a", "ale", "bo", "więc", "и", "но",
    "а", "ve", "ama", "çünkü",
];

/// Words that begin a question or a condition after a comma.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "can", "could", "would", "will", "should", "is", "are", "do", "does", "help", "show", "tell", "please", "considering", "given", "kannst", "könntest",
    "können", "hilf", "zeig", "bitte", "peux", "pouvez", "pourrais", "comment", "puedes", "podrías", "puoi", "potresti", "pode", "poderia", "kun", "kan",
    "możesz", "можешь", "можете", "помоги",
];

/// Words of preference, habit and diet.
#[rustfmt::skip]
const PREFERENCE: &[&str] = &[
    "prefer", "rather", "favour", "favor", "hate", "dislike", "avoid", "always", "usually", "generally", "vegan", "vegetarian",
    "allergic", "intolerant", "bevorzuge", "lieber", "liebsten", "mag", "hasse", "vermeide", "immer", "meistens", "grundsätzlich", "veganer",
    "veganerin", "vegetarier", "vegetarierin", "allergisch", "préfère", "déteste", "évite", "toujours", "végétarien", "végétarienne",
    "allergique", "prefiero", "odio", "evito", "siempre", "vegano", "vegana", "vegetariano", "vegetariana", "alérgico", "alérgica",
    "preferisco", "sempre", "allergico", "allergica", "prefiro", "detesto", "liever", "altijd", "meestal", "vegetariër", "wolę",
    "zawsze", "zwykle", "предпочитаю", "всегда", "обычно", "вегетарианец", "вегетарианка",
];
/// Place of the last word at which one of them may stand.
const PREFERENCE_WITHIN: usize = 5;
/// The same for scripts without blanks.
const UNSPACED_PREFERENCE: &[&str] = &[
    "が好き",
    "のほうが好き",
    "アレルギー",
    "ベジタリアン",
    "喜欢",
    "偏好",
    "吃素",
    "过敏",
    "总是",
    "通常",
    "ชอบ",
    "แพ้",
];

/// Returns the standing statements in parts of a sentence of `request`.
pub(super) fn standing_clauses(sentence: &str, request: &str) -> Vec<StandingStatement> {
    let ends = part_ends(sentence);
    if ends.len() < 2 || ends.len() > MAX_PARTS || sentence.len() > MAX_SENTENCE {
        return Vec::new();
    }
    let matcher = PhraseMatcher::new(sentence);
    let starts: Vec<usize> = [0].into_iter().chain(ends[..ends.len() - 1].iter().copied()).collect();
    let own: Vec<Option<&str>> = starts.iter().map(|start| own_voice(&sentence[*start..], &matcher)).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < starts.len() {
        let (said, least) = match own[at] {
            Some(said) if prefers(said) => (said, SURE),
            // "Always answer in tables, how tall is the tower?"
            None if at == 0 => (sentence, VERY_SURE),
            _ => {
                at += 1;
                continue;
            }
        };
        let from = sentence.len() - said.len();
        let mut best: Option<(usize, StandingStatement)> = None;
        for (last, end) in ends.iter().enumerate().skip(at) {
            let is_clause = last > at && (own[last].is_some() || asks(&sentence[starts[last]..*end], &matcher));
            let Some(part) = sentence.get(from..*end).filter(|_| !is_clause) else { break };
            let part = part.trim().trim_end_matches([',', ';', '.', '，', '；', '。', '、']);
            // The whole sentence is no part of it.
            let is_whole = from == 0 && last + 1 == ends.len();
            if is_whole || part.ends_with(QUESTION_MARKS) || part.is_empty() {
                break;
            }
            let text = capitalize(part);
            if !is_sayable(&text) {
                continue;
            }
            let probability = is_standing(&text, request);
            let floor = best.as_ref().map_or(least, |(_, best)| least.max(best.probability - TOLERANCE));
            if probability >= floor {
                best = Some((last, StandingStatement { text, probability, is_preference: own[at].is_some() }));
            }
        }
        at = best.as_ref().map_or(at, |(last, _)| *last) + 1;
        found.extend(best.map(|(_, statement)| statement));
    }
    found
}

/// Whether a text says in the first person what the person prefers, avoids or usually does.
pub(super) fn states_preference(text: &str) -> bool {
    own_voice(text, &PhraseMatcher::new(text)).is_some_and(prefers)
}

/// Whether a statement is about the person who says it, wherever they work: it names them, and no project at hand.
pub fn concerns_person(text: &str) -> bool {
    let matcher = PhraseMatcher::new(text);
    // English is always among the languages, and its "i" is a word of others.
    let languages = match matcher.languages() {
        [_, own @ ..] if !own.is_empty() && own.len() + 1 < ALL.len() => own,
        all => all,
    };
    let form = matcher.form(&all_words(text).join(" "));
    let names = |language: &&'static Language| {
        let own = &language.first_person;
        let words = own.subjects.split_whitespace().chain(own.possessives.split_whitespace());
        own.begins.iter().chain(own.anywhere).chain(own.ends).copied().chain(words).any(|phrase| form.says(phrase))
    };
    languages.iter().any(names) && !matcher.holds(|language| language.questions.current_project)
}

/// Returns the ends of the parts of a sentence: after each comma and semicolon that does not stand within a number, and its end.
fn part_ends(sentence: &str) -> Vec<usize> {
    let ends = |(at, mark): (usize, char)| {
        let rest = &sentence[at + mark.len_utf8()..];
        let is_end = match mark {
            ',' | ';' => rest.starts_with(char::is_whitespace),
            '，' | '；' => true,
            _ => false,
        };
        (is_end && !rest.trim().is_empty()).then_some(at + mark.len_utf8())
    };
    sentence.char_indices().filter_map(ends).chain([sentence.len()]).collect()
}

/// Returns a text from its subject on, if it opens in the first person, maybe after words that join it to the clause before it.
fn own_voice<'a>(text: &'a str, matcher: &PhraseMatcher) -> Option<&'a str> {
    let mut said = text.trim_start();
    for _ in 0..=MAX_BEFORE {
        // Phrases have no punctuation: "j'habite" is "j habite".
        let words = words(said);
        let is_own = matcher.form(&words.join(" ")).begins(|language| language.first_person.begins);
        if is_own {
            return Some(said);
        }
        let first = words.first().filter(|word| is_joining(word, matcher))?;
        let after = said.to_lowercase().find(first.as_str()).map(|at| at + first.len())?;
        said = said.get(after..)?.trim_start_matches(|c: char| !c.is_alphanumeric());
    }
    None
}

fn is_joining(word: &str, matcher: &PhraseMatcher) -> bool {
    let leads = |lead: &str| lead.split_whitespace().any(|one| one == word);
    JOINING.contains(&word) || matcher.languages().iter().any(|language| leads(language.first_person.lead))
}

/// Whether a part opens a question.
fn asks(part: &str, matcher: &PhraseMatcher) -> bool {
    let part = part.trim_start();
    let opens = |text: &str| {
        matcher.form(text).begins(|language| language.questions.question_words)
            || words(text).first().is_some_and(|word| ASKING.contains(&word.as_str()))
    };
    part.ends_with(QUESTION_MARKS)
        || opens(part)
        || part
            .split_once(char::is_whitespace)
            .is_some_and(|(first, rest)| is_joining(&first.to_lowercase(), matcher) && opens(rest))
}

/// Whether a clause in the first person says what the person prefers, avoids or usually does.
fn prefers(said: &str) -> bool {
    let clause = said.split(['，', '；', '。']).next().unwrap_or(said);
    words(said).iter().take(PREFERENCE_WITHIN).any(|word| PREFERENCE.contains(&word.as_str()))
        || UNSPACED_PREFERENCE.iter().any(|word| clause.contains(word))
}

/// Returns the words of the beginning of a text in lower case, without punctuation.
fn words(text: &str) -> Vec<String> {
    all_words(text).into_iter().take(2 * MAX_BEFORE).map(str::to_lowercase).collect()
}

fn all_words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && !is_unspaced(c)).filter(|word| !word.is_empty()).collect()
}
