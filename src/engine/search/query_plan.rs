//! Works out what a question asks for, without a model.

use std::ops::Range;

use jiff::civil::Date;

use super::SearchError;
use super::alternative::Alternative;
use super::compounds::{CompoundMatches, compound_matches};
use super::forms::{in_other_forms, question_language};
use super::input::Search;
use super::limits;
use super::prefixes::expand_prefixes;
use super::query_syntax::{ParsedQuery, phrase_terms};
use super::rare_names::missing_terms;
use super::spelling::{Correction, corrections};
use tars_base::domain::TermExplanation;
use tars_base::embedding::ModelScale;
use tars_rank::Signals;
use tars_store::{LexicalQuery, PartWeight, QueryWeights};
use tars_text::analysis::{self, Term, WordPair, is_stop_word, is_unspaced, mention_tokens, range_tokens};
use tars_text::markdown::{DateMention, Period, periods_with_ranges};

/// A question as the retrievers need it.
pub(super) struct QueryPlan {
    /// The text with corrected words.
    pub(super) text: String,
    pub(super) lexical: LexicalQuery,
    /// The weights of its parts.
    pub(super) weights: QueryWeights,
    /// The alternatives for its words.
    pub(super) alternatives: Vec<Alternative>,
    pub(super) signals: Signals,
    /// Its adjacent words, and the weight of each pair.
    pub(super) pairs: Vec<(WordPair, f64)>,
    /// Remarks for the person who asked.
    pub(super) remarks: Vec<String>,
}

impl QueryPlan {
    /// Returns the searched words and their weights.
    pub(super) fn terms(&self) -> Vec<TermExplanation> {
        let text = |term: &Term| match term {
            Term::TypedPrefix { start, .. } => format!("{start}*"),
            term => analysis::shown(term.text()),
        };
        let words = self.lexical.terms.iter().map(text).zip(&self.weights.terms);
        let dates = self.lexical.dates.iter().map(|tokens| tokens.join(" | ")).zip(&self.weights.dates);
        let explained = words.chain(dates).map(|(text, weight)| (text, *weight));
        let beside = self.alternatives.iter().flat_map(|one| {
            let weigh = |weight: &PartWeight| PartWeight { idf: one.factor * weight.idf, ..*weight };
            one.terms
                .iter()
                .zip(&one.weights)
                .map(move |(term, weight)| (format!("{} for {}", term.text(), one.typed), weigh(weight)))
        });
        explained
            .chain(beside)
            .map(|(text, weight)| TermExplanation { text, chunks: weight.chunks, weight: weight.idf })
            .collect()
    }
}

/// Share of the weight of missing words by which matches of their alternatives lose confidence.
const MISSING_WORD_DOUBT: f64 = 0.25;

/// Works out the words, dates, weights and signals of a question.
pub(super) fn plan_query(search: &Search<'_>, parsed: &ParsedQuery) -> Result<QueryPlan, SearchError> {
    let Search { store, query, options, .. } = *search;
    let mut dates = dates(&parsed.text, query.today);
    let mut lexical = LexicalQuery {
        terms: analysis::terms(&parsed.text),
        dates: dates.iter().map(|date| date.tokens.clone()).collect(),
        required: phrase_terms(&parsed.required),
        excluded: phrase_terms(&parsed.excluded),
        columns: options.columns,
    };
    expand_prefixes(store, &mut lexical.terms, &parsed.prefixes)?;
    let mentioned = phrase_terms(&parsed.optional_phrases).into_iter().filter(|term| matches!(term, Term::Phrase(_)));
    lexical.terms.extend(mentioned);
    let mut weights = store.weights(&lexical)?;
    // "Today" in a question rarely refers to notes of today, except when there are some.
    let mut known: Vec<bool> = Vec::new();
    known.extend(dates.iter().zip(&weights.dates).map(|(date, weight)| !date.relative || weight.chunks > 0));
    retain(&mut dates, &known);
    retain(&mut lexical.dates, &known);
    retain(&mut weights.dates, &known);
    remove_date_words(&parsed.text, &dates, &mut lexical, &mut weights);

    let mut remarks = parsed.remarks.clone();
    let mut text = parsed.text.clone();
    let detected = question_language(store, &parsed.text)?;
    let inflected = match detected {
        Some(detected) => in_other_forms(store, detected, &lexical, &mut weights)?,
        None => Vec::new(),
    };
    let CompoundMatches { mut alternatives, missing_weights: mut misspelt, remarks: sought } =
        compound_matches(search, detected, &lexical, &mut weights)?;
    alternatives.extend(inflected);
    remarks.extend(sought);
    let missing: Vec<String> = lexical
        .terms
        .iter()
        .zip(&weights.terms)
        .filter(|(term, weight)| weight.chunks == 0 && matches!(term, Term::Word(_)))
        .map(|(term, _)| term.text().to_owned())
        .filter(|word| alternatives.iter().all(|one| one.typed != *word))
        .collect();
    for Correction { typed, intended } in corrections(search, &parsed.text, &missing)? {
        remarks.push(format!("no note holds '{typed}': looked for '{intended}'"));
        text = replaced(&text, &typed, &intended);
        let place = lexical.terms.iter().position(|term| *term == Term::Word(typed.clone()));
        let also = LexicalQuery { terms: vec![Term::Word(intended)], ..LexicalQuery::default() };
        let found = store.weights(&also)?.terms;
        for ((place, term), weight) in place.into_iter().zip(also.terms).zip(found) {
            misspelt.terms.push(std::mem::replace(&mut weights.terms[place], weight));
            lexical.terms[place] = term;
        }
    }
    let scale = search.vectors.model_scale();
    let signals = Signals {
        guessed_weight: MISSING_WORD_DOUBT * misspelt.ceiling(),
        missing_common_weight: missing_terms(&lexical, &weights, search.vectors.model()),
        ..signals(&parsed.text, &lexical, &weights, &dates, scale)
    };
    let pairs = pairs(&text, &lexical, &weights, !dates.is_empty());
    let mut plan = QueryPlan { text, lexical, weights, alternatives, signals, pairs, remarks };
    plan.signals.unknown_share = plan.unknown_share();
    Ok(plan)
}

fn signals(
    text: &str,
    lexical: &LexicalQuery,
    weights: &QueryWeights,
    dates: &[QueryDate],
    scale: ModelScale,
) -> Signals {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let foreign = text.chars().filter(|c| is_unspaced(*c)).count();
    let words = lexical.terms.iter().filter(|term| matches!(term, Term::Word(_) | Term::TypedPrefix { .. })).count();
    let names_things = names_things(text, &lexical.terms);
    Signals {
        words,
        names_things,
        is_single_name: names_things && text.split_whitespace().count() == 1,
        unsupported_script_share: if letters == 0 || scale.every_script {
            0.0
        } else {
            foreign as f64 / letters as f64
        },
        // An explicit date is the subject of the question; "yesterday" may occur in any question.
        has_date: dates.iter().any(|date| !date.relative || words <= 4),
        lexical_ceiling: ceiling(lexical, weights),
        information: information(lexical, weights),
        text_count: weights.chunks,
        unembedded_share: 0.0,
        guessed_weight: 0.0,
        missing_common_weight: 0.0,
        unknown_share: 0.0,
        scale,
    }
}

/// Returns the highest score that a text can have. A stop word that no text holds counts nothing. In a small vault, or one in another
/// language than the question, it would otherwise count as the rarest word, and the right note would seem to lack most of the question.
fn ceiling(lexical: &LexicalQuery, weights: &QueryWeights) -> f64 {
    let terms = lexical.terms.iter().zip(&weights.terms);
    let absent = terms.filter(|(term, weight)| weight.chunks == 0 && is_stop_word(term.text()));
    let spare: f64 = absent.map(|(_, weight)| weight.idf * weights.saturation).sum();
    weights.ceiling() - spare
}

/// Leaves out the words of a relative date such as "last Friday": the day itself is searched, and its notes need not hold the
/// words. The other words of the question stay.
fn remove_date_words(text: &str, dates: &[QueryDate], lexical: &mut LexicalQuery, weights: &mut QueryWeights) {
    let (mut said, mut rest, mut from) = (Vec::new(), String::new(), 0);
    for QueryDate { place, .. } in dates.iter().filter(|date| date.relative) {
        said.extend(text[place.clone()].split_whitespace().flat_map(analysis::terms));
        rest.push_str(&text[from..place.start]);
        rest.push(' ');
        from = place.end;
    }
    rest.push_str(&text[from..]);
    let rest = analysis::terms(&rest);
    let keep: Vec<bool> = lexical.terms.iter().map(|term| !said.contains(term) || rest.contains(term)).collect();
    retain(&mut lexical.terms, &keep);
    retain(&mut weights.terms, &keep);
}

/// Assumed share of texts with a content word, and with a stop word.
const ASSUMED_SHARES: (f64, f64) = (0.002, 0.5);

/// Returns how much information all parts of a question carry together, about texts that they could single out.
fn information(lexical: &LexicalQuery, weights: &QueryWeights) -> f64 {
    let elsewhere = |term: &Term| if is_stop_word(term.text()) { ASSUMED_SHARES.1 } else { ASSUMED_SHARES.0 };
    let terms = lexical.terms.iter().map(elsewhere).zip(&weights.terms);
    let dates = weights.dates.iter().map(|date| (ASSUMED_SHARES.0, date));
    terms.chain(dates).map(|(elsewhere, part)| part.information_share(weights.chunks, elsewhere)).sum()
}

/// Returns the adjacent words of a question, each pair with the weight of its content words. Numbers of a date are searched
/// as a date instead.
fn pairs(text: &str, lexical: &LexicalQuery, weights: &QueryWeights, dated: bool) -> Vec<(WordPair, f64)> {
    let of_date =
        |pair: &WordPair| dated && pair.content_words().any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let weight_of = |word: &str| {
        let found = lexical.terms.iter().zip(&weights.terms).find(|(term, _)| term.text() == word);
        found.map_or(0.0, |(_, weight)| weight.idf)
    };
    analysis::word_pairs(text)
        .into_iter()
        .filter(|pair| !of_date(pair))
        .map(|pair| {
            let worth = pair.content_words().map(weight_of).sum();
            (pair, worth)
        })
        .collect()
}

/// A date in a question.
struct QueryDate {
    /// Index tokens of the date; any of them matches.
    tokens: Vec<String>,
    /// Whether it is relative to today.
    relative: bool,
    /// Its byte range in the question.
    place: Range<usize>,
}

/// Returns the distinct dates of a text, within the limits.
fn dates(text: &str, today: Date) -> Vec<QueryDate> {
    let asked = |period: Period, place: Range<usize>| {
        let (tokens, relative) = match period {
            Period::Date(mention) => (token(mention).into_iter().collect(), false),
            Period::Range(range) => (range_tokens(range.first, range.last), false),
            Period::Relative(range) => (range_tokens(range.first, range.last), true),
        };
        QueryDate { tokens, relative, place }
    };
    let (mut seen, mut found, mut room) = (Vec::new(), Vec::new(), limits::DATE_TOKENS);
    for (period, place) in periods_with_ranges(text, today) {
        if seen.len() == limits::DATES {
            break;
        }
        if seen.contains(&period) {
            continue;
        }
        seen.push(period);
        let asked = asked(period, place);
        if let Some(rest) = room.checked_sub(asked.tokens.len())
            && !asked.tokens.is_empty()
        {
            room = rest;
            found.push(asked);
        }
    }
    found
}

fn token(mention: DateMention) -> Option<String> {
    match mention {
        DateMention::Day { year, month, day } => mention_tokens(year, Some(month), Some(day)),
        DateMention::Month { year, month } => mention_tokens(year, Some(month), None),
        DateMention::Year(year) => mention_tokens(Some(year), None, None),
    }
}

fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    list.retain(|_| *keep.next().unwrap_or(&true));
}

/// Replaces a whole word, ignoring case.
fn replaced(text: &str, word: &str, by: &str) -> String {
    let mut out = String::with_capacity(text.len() + by.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first.is_alphanumeric() {
            true => rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let piece = &rest[..length];
        out.push_str(if piece.to_lowercase() == word { by } else { piece });
        rest = &rest[length..];
    }
    out
}

/// Whether identifiers, paths or quoted words make up at least a third of the question.
fn names_things(text: &str, terms: &[Term]) -> bool {
    let pieces = text.split_whitespace().count().max(1);
    let is_name = |term: &&Term| matches!(term, Term::Phrase(_)) || term.text().contains(analysis::is_attached_mark);
    let joined = terms.iter().filter(is_name).count();
    let quoted = text.matches(['"', '`']).count() / 2;
    let humps = text
        .split_whitespace()
        .filter(|piece| {
            piece.chars().zip(piece.chars().skip(1)).any(|(left, right)| left.is_lowercase() && right.is_uppercase())
        })
        .count();
    3 * (joined + quoted + humps) >= pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_store::PartWeight;

    const TODAY: Date = Date::constant(2023, 5, 10);

    fn names(text: &str) -> bool {
        names_things(text, &analysis::terms(text))
    }

    #[test]
    fn identifiers_are_distinguished_from_questions() {
        for text in [
            "no-unused-vars",
            "src/main.rs",
            "getUserName",
            "the `allowKeywords` option",
            "see error_code",
            "learn C++",
        ] {
            assert!(names(text), "{text}");
        }
        assert!(!names("What did we decide about the storage layer of the watcher?"));
    }

    #[test]
    fn the_information_of_words_does_not_depend_on_the_number_of_notes() {
        let told = |text: &str, all: usize, chunks: usize| {
            let terms = analysis::terms(text);
            let terms_weights = terms.iter().map(|_| PartWeight { chunks, idf: 1e-6 }).collect();
            let weights = QueryWeights { chunks: all, terms: terms_weights, ..QueryWeights::default() };
            information(&LexicalQuery { terms, ..LexicalQuery::default() }, &weights)
        };
        assert!(told("hedgehog", 1, 1) > 0.8, "the only note of a vault");
        assert!(told("hedgehog", 1000, 1) > 0.8);
        assert!(told("vault", 1000, 900) < 0.1);
        assert!(told("the of", 1000, 900) < 0.2 && told("the of", 1, 1) < 0.4);
    }

    #[test]
    fn dates_become_tokens_of_their_precision() {
        let tokens = |text: &str| dates(text, TODAY).into_iter().map(|asked| asked.tokens).collect::<Vec<_>>();
        assert_eq!(tokens("notes of 8 May 2023"), [["xd20230508"]]);
        assert_eq!(tokens("what happened in May 2023"), [["xm202305"]]);
        assert_eq!(tokens("2023-05-08..2023-05-09"), [["xd20230508", "xd20230509"]]);
        assert_eq!(tokens("last month"), [["xm202304"]]);
        assert!(tokens("what may happen").is_empty());
        assert!(dates("yesterday", TODAY)[0].relative);
    }

    #[test]
    fn a_missing_stop_word_does_not_count() {
        let terms = vec![Term::Word("what".into()), Term::Word("retries".into())];
        let lexical = LexicalQuery { terms, ..LexicalQuery::default() };
        let of = |chunks: usize| {
            let terms = vec![PartWeight { chunks, idf: 4.0 }, PartWeight { chunks: 1, idf: 3.0 }];
            ceiling(&lexical, &QueryWeights { terms, saturation: 2.0, ..QueryWeights::default() })
        };
        assert_eq!((of(0), of(1)), (6.0, 14.0));
    }

    #[test]
    fn words_of_a_relative_date_are_not_searched() {
        let left = |text: &str| {
            let mut lexical = LexicalQuery { terms: analysis::terms(text), ..LexicalQuery::default() };
            let terms = lexical.terms.iter().map(|_| PartWeight { chunks: 1, idf: 1.0 }).collect();
            let mut weights = QueryWeights { terms, ..QueryWeights::default() };
            remove_date_words(text, &dates(text, TODAY), &mut lexical, &mut weights);
            assert_eq!(lexical.terms.len(), weights.terms.len());
            lexical.terms.iter().map(|term| term.text().to_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(left("what did I do last Friday"), "");
        assert_eq!(left("what did Ilse say last Friday about the boat"), "ilse say boat");
        assert_eq!(left("was habe ich gestern am Boot gemacht"), "boot gemacht");
        assert_eq!(left("the Friday list of last Friday"), "friday list", "it also occurs apart from the day");
        assert_eq!(left("notes of 8 May 2023"), left("notes of 8 May 2023 "));
    }

    #[test]
    fn words_are_replaced_whole() {
        assert_eq!(replaced("Databse, databses (databse)", "databse", "database"), "database, databses (database)");
    }
}
