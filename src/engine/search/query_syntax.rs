//! The query language: phrases, exclusions and filters among plain words.
//!
//! | typed | means |
//! |---|---|
//! | `"strict mode"` | a hit holds these words in sequence; in a sentence the phrase only adds weight |
//! | `-draft`, `-"old plan"` | no hit holds it |
//! | `sourd*` | a word with this prefix |
//! | `tag:work`, `tags:work`, `#work`, `-tag:work`, `-#work` | the note has the tag or one below it; it has not |
//! | `path:Projects`, `folder:Projects`, `in:Projects`, `-path:Archive/**` | the note is in that folder; it is not |
//! | `type:daily` | the note is this kind of memory |
//! | `after:2023-05`, `before:yesterday` | the note's date is in that period or later; before it |
//! | `status:open`, `rating:>3`, `due:none` | a property that some note has (`search::property_filters`) |
//!
//! Values with blanks need quotes: `path:"My notes"`. A star needs at least three letters before it. Text that only looks
//! like an operator (`type:module`, `a -1`, `--flag`, `#include` where no note has such a tag) is plain text.

use std::cell::Cell;
use std::collections::HashSet;

use globset::Glob;
use jiff::civil::Date;

use super::limits::{self, truncated};
use super::property_filters::{TypedValue, named_value, property_condition};
use tars_base::domain::{DateRange, Filter, MemoryType, PropertyCondition, Query, QuerySyntax};
use tars_store::{MAX_PATTERN_BYTES, Reader};
use tars_text::analysis::{Term, detect_language, is_stop_word, is_unspaced, phrase};
use tars_text::languages::QUESTION_MARKS;
use tars_text::markdown::{named_period, tag_of_word};

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ParsedQuery {
    /// The text without operators; words of phrases stay.
    pub(super) text: String,
    /// Phrases that a hit must hold.
    pub(super) required: Vec<String>,
    /// Word prefixes, without their stars.
    pub(super) prefixes: Vec<String>,
    /// Phrases that only add weight, because they are part of a sentence.
    pub(super) optional_phrases: Vec<String>,
    /// Text that a hit must not hold.
    pub(super) excluded: Vec<String>,
    /// The filter of the query with the typed filters added.
    pub(super) filter: Filter,
    /// One remark per text that looks like an operator and is none.
    pub(super) remarks: Vec<String>,
}

/// Returns the text of a query without operators, which may be empty.
pub fn plain_text(query: &Query) -> String {
    parse_query(query).text
}

/// Parses the text of a query about the notes of a store: `#name` is a tag only if some note of the query's collections has it, because
/// colours, directives and issues look like tags too. A value that is no path pattern is taken if a note or folder has this name.
pub(super) fn parse_for(store: &dyn Reader, query: &Query) -> ParsedQuery {
    let may_ask = |tries: &Cell<usize>, most: usize| {
        tries.set(tries.get() + 1);
        tries.get() <= most
    };
    let (tags, names, properties) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let is_tag = |name: &str| {
        let collections = query.filter.collections.clone();
        let having = Filter { tags: vec![name.to_owned()], collections, ..Filter::default() };
        // If the index cannot be read, the search itself says so.
        may_ask(&tags, limits::FILTERS)
            && store.scope(&having).is_ok_and(|scope| scope.is_some_and(|scope| !scope.files.is_empty()))
    };
    let is_name = |value: &str| {
        let filter = Filter { paths: vec![value.to_owned()], ..Filter::default() };
        may_ask(&names, limits::UNKNOWN_PATTERNS) && store.scope(&filter).is_ok()
    };
    let is_property = |name: &str| {
        let collections = query.filter.collections.clone();
        let properties_of = PropertyCondition { name: name.to_owned(), test: None, is_excluded: false };
        let having = Filter { properties: vec![properties_of], collections, ..Filter::default() };
        may_ask(&properties, limits::FILTERS)
            && store.scope(&having).is_ok_and(|scope| scope.is_some_and(|scope| !scope.files.is_empty()))
    };
    parse(query, &KnownNames { is_tag: &is_tag, is_name: &is_name, is_property: &is_property })
}

/// Parses the text of a query, without knowing any names.
pub(super) fn parse_query(query: &Query) -> ParsedQuery {
    parse(query, &KnownNames { is_tag: &|_| true, is_name: &|_| false, is_property: &|_| false })
}

/// The tags, names and properties of a store's notes.
struct KnownNames<'a> {
    /// Whether the name in `#name` is a tag.
    is_tag: &'a dyn Fn(&str) -> bool,
    /// Whether a value that is no path pattern is the name of a note or folder.
    is_name: &'a dyn Fn(&str) -> bool,
    /// Whether a note has a property of this name.
    is_property: &'a dyn Fn(&str) -> bool,
}

/// Parses the text of a query. Prose has no operators.
fn parse(query: &Query, known: &KnownNames<'_>) -> ParsedQuery {
    let mut parsed = ParsedQuery { filter: query.filter.clone(), ..ParsedQuery::default() };
    let text = truncated(&query.text);
    if text.len() < query.text.len() {
        parsed.remarks.push(format!("only the first {} characters of the query are used", limits::TEXT));
    }
    if query.language == QuerySyntax::Prose {
        text.clone_into(&mut parsed.text);
        return parsed;
    }
    let (mut phrases, mut excluded) = (Vec::new(), Vec::new());
    let mut loose = String::new();
    for token in tokens(text, known.is_property) {
        if token.key.is_some_and(|key| add_filter(&mut parsed, &token, key, query.today, known)) {
            continue;
        }
        if token.is_exclusion() {
            excluded.push(token);
            continue;
        }
        push(&mut parsed.text, token.whole);
        if let Some(beginning) = token.prefix()
            && parsed.prefixes.len() < limits::PREFIXES
        {
            parsed.prefixes.push(beginning.to_owned());
        }
        match token.quoted && token.key.is_none() {
            true => phrases.push(token.value.to_owned()),
            false => push(&mut loose, token.whole),
        }
    }
    // In a sentence, quotes mark a name or a word that is talked about, and the answer may use other words.
    let mut words = loose.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_sentence = loose.contains(QUESTION_MARKS)
        || words.any(|word| is_stop_word(&word.to_lowercase()))
        || detect_language(&loose)
            .is_some_and(|detected| detected.languages().all(|language| language.function_sequences.is_empty()));
    phrases.retain(|text| !phrase(text).is_empty());
    for token in excluded {
        // In a sentence, `-xzf` belongs to the text; a quoted phrase after a dash is an exclusion.
        match is_sentence && !token.quoted {
            true => push(&mut parsed.text, token.whole),
            false => parsed.excluded.push(token.value.to_owned()),
        }
    }
    match is_sentence {
        true => parsed.optional_phrases = phrases,
        false => parsed.required = phrases,
    }
    for list in [&mut parsed.required, &mut parsed.optional_phrases, &mut parsed.excluded] {
        let mut seen = HashSet::new();
        list.retain(|text| seen.insert(text.to_lowercase()));
        let (different, mut room) = (list.len(), limits::PHRASE_TERMS);
        list.truncate(limits::PHRASES);
        list.retain(|text| {
            let rest = room.checked_sub(phrase(text).len());
            room = rest.unwrap_or(room);
            rest.is_some()
        });
        if list.len() < different {
            parsed.remarks.push(format!("only the first {} conditions are used", list.len()));
        }
    }
    parsed
}

/// Returns the terms that a text must all hold to contain each of `phrases`.
pub(super) fn phrase_terms(phrases: &[String]) -> Vec<Term> {
    phrases.iter().flat_map(|text| phrase(text)).collect()
}

/// Adds a filter; returns false if the token is none.
fn add_filter(parsed: &mut ParsedQuery, token: &Token<'_>, key: &str, today: Date, known: &KnownNames<'_>) -> bool {
    let value = token.value;
    let typed = TypedValue { text: value, is_quoted: token.quoted, is_excluded: token.negated };
    let (filter, remarks) = (&mut parsed.filter, &mut parsed.remarks);
    let mut refuse = |what: &str| {
        if remarks.len() < limits::REMARKS {
            remarks.push(format!("'{}' is read as words: {what}", token.whole));
        }
        false
    };
    let given = match (key, token.negated) {
        ("tag", false) => filter.tags.len(),
        ("tag", true) => filter.without_tags.len(),
        ("path", false) => filter.paths.len(),
        ("path", true) => filter.without_paths.len(),
        // Words that are no kind of memory may be a property.
        ("type", _) => filter.memory_types.len().max(filter.properties.len()),
        ("after" | "before", _) => 0,
        _ => filter.properties.len(),
    };
    if given >= limits::FILTERS {
        return refuse(&format!("a query takes at most {} filters of a kind", limits::FILTERS));
    }
    match (key, token.negated) {
        _ if token.is_property => match property_condition(key, typed, today) {
            Some(condition) => filter.properties.push(condition),
            None => return refuse("there is no value to compare with"),
        },
        (key, _) if UNKNOWN.contains(&key) => {
            return refuse("filters are tag:, path:, type:, after:, before: and properties that some note has");
        }
        ("tag", _) if value.trim_end_matches('/').trim().is_empty() => return refuse("the tag has no name"),
        ("tag", false) if token.is_hash && !(known.is_tag)(value) => return refuse("no note has this tag"),
        ("tag", false) => filter.tags.push(value.trim_end_matches('/').to_owned()),
        ("tag", true) => filter.without_tags.push(value.trim_end_matches('/').to_owned()),
        // The store refuses a pattern that is too long.
        ("path", _) if value.len() <= MAX_PATTERN_BYTES && Glob::new(value).is_err() && !(known.is_name)(value) => {
            return refuse("not a valid path pattern");
        }
        ("path", false) => filter.paths.push(value.to_owned()),
        ("path", true) => filter.without_paths.push(value.to_owned()),
        ("type", false) => match value.parse() {
            Ok(kind) => filter.memory_types.push(kind),
            Err(_) if (known.is_property)(key) => filter.properties.extend(property_condition(key, typed, today)),
            Err(_) => return refuse("types are fact, rule, day, session, chat and note"),
        },
        ("after" | "before", false) => {
            let Some(period) = named_period(value, today) else {
                return refuse("not a date that tars knows, such as 2023-05-08 or 2023-05");
            };
            let known = filter.dates.unwrap_or(DateRange { first: Date::MIN, last: Date::MAX });
            filter.dates = Some(match key {
                "after" => DateRange { first: known.first.max(period.first), ..known },
                _ => DateRange { last: known.last.min(period.first.yesterday().unwrap_or(Date::MIN)), ..known },
            });
        }
        ("type", true) if value.parse::<MemoryType>().is_err() && (known.is_property)(key) => {
            filter.properties.extend(property_condition(key, typed, today));
        }
        _ => return refuse("only tag: and path: can be excluded"),
    }
    true
}

fn push(text: &mut String, token: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(token);
}

/// A part of a query between blanks. A quoted part may hold blanks.
struct Token<'a> {
    whole: &'a str,
    negated: bool,
    key: Option<&'a str>,
    value: &'a str,
    quoted: bool,
    /// Whether it is a tag as notes write it: `#name`.
    is_hash: bool,
    /// Whether the key is a property that some note has.
    is_property: bool,
}

impl Token<'_> {
    /// Whether it is an exclusion: `-word`, but neither `-1`, `-v` nor `--flag`.
    fn is_exclusion(&self) -> bool {
        let mut letters = self.value.chars();
        let word =
            letters.next().is_some_and(char::is_alphabetic) && (letters.next().is_some() || !self.value.is_ascii());
        self.negated && self.key.is_none() && (word || (self.quoted && !phrase(self.value).is_empty()))
    }
}

impl<'a> Token<'a> {
    /// Returns the prefix of a token that ends in a star.
    fn prefix(&self) -> Option<&'a str> {
        const SHORTEST: usize = 3;
        let start = self.whole.strip_suffix('*')?;
        let is_word = start.chars().all(|letter| letter.is_alphanumeric() && !is_unspaced(letter));
        (is_word && start.chars().count() >= SHORTEST).then_some(start)
    }
}

/// Keys before a colon, and the filter that each stands for.
const KEYS: [(&str, &str); 8] = [
    ("tag", "tag"),
    ("tags", "tag"),
    ("path", "path"),
    ("folder", "path"),
    ("in", "path"),
    ("type", "type"),
    ("after", "after"),
    ("before", "before"),
];
/// Filters of other programs that do not exist here.
const UNKNOWN: [&str; 17] = [
    "file", "filename", "title", "heading", "section", "status", "author", "date", "created", "modified", "updated",
    "on", "since", "until", "lang", "is", "has",
];

/// Returns a query without the tokens that `takes` accepts: conditions of another kind than a search knows. A phrase in quotes is one token.
pub fn without_tokens(text: &str, mut takes: impl FnMut(&str) -> bool) -> String {
    let kept = tokens(text, &|_| false).into_iter().map(|token| token.whole).filter(|whole| !takes(whole));
    kept.collect::<Vec<_>>().join(" ")
}

fn tokens<'t>(text: &'t str, is_property: &dyn Fn(&str) -> bool) -> Vec<Token<'t>> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (negated, body) = rest.strip_prefix('-').map_or((false, rest), |body| (true, body));
        let word = rest.split(char::is_whitespace).next().unwrap_or_default();
        if let Some(value) = tag_of_word(word.strip_prefix('-').unwrap_or(word)) {
            out.push(Token {
                whole: word,
                negated,
                key: Some("tag"),
                value,
                quoted: false,
                is_hash: true,
                is_property: false,
            });
            rest = rest[word.len()..].trim_start();
            continue;
        }
        let value_of = |key: &str| {
            let value = body.strip_prefix(key)?.strip_prefix(':')?;
            value.starts_with(|c: char| !c.is_whitespace()).then_some(value)
        };
        let known = || KEYS.iter().find_map(|(typed, key)| Some((*key, value_of(typed)?)));
        // `-status:done` excludes these words; `file:///notes` and `is::alnum` are no filters.
        let unknown = || {
            let value = |key: &&'static str| value_of(key).filter(|value| !negated && !value.starts_with(['/', ':']));
            UNKNOWN.iter().find_map(|key| Some((*key, value(key)?)))
        };
        let property = || named_value(body).filter(|(name, _)| is_property(name));
        let known = known();
        let property = if known.is_some() { None } else { property() };
        let keyed = known.or(property).or_else(unknown);
        let (key, value) = keyed.map_or((None, body), |(key, value)| (Some(key), value));
        let start = rest.len() - value.len();
        let (value, length, quoted) = match quoted(value, key.is_some()) {
            Some((inside, length)) => (inside, length, true),
            None => {
                let length = value.find(char::is_whitespace).unwrap_or(value.len());
                (&value[..length], length, false)
            }
        };
        let end = start + length;
        out.push(Token {
            whole: &rest[..end],
            negated,
            key,
            value,
            quoted,
            is_hash: false,
            is_property: property.is_some(),
        });
        rest = rest[end..].trim_start();
    }
    out
}

/// Returns the text in quotes at the start of `text`, and the length including the quotes. Returns `None` unless a blank, a
/// punctuation mark or the end follows the closing quote.
fn quoted(text: &str, keyed: bool) -> Option<(&str, usize)> {
    let close = match text.chars().next()? {
        '"' => '"',
        '\'' if keyed => '\'',
        '“' => '”',
        _ => return None,
    };
    let open = text.chars().next()?.len_utf8();
    let (end, _) = text[open..].char_indices().take(limits::PHRASE_TEXT).find(|(_, letter)| *letter == close)?;
    let inside = &text[open..open + end];
    let length = open + inside.len() + close.len_utf8();
    let ends = text[length..].chars().next().is_none_or(|next| next.is_whitespace() || ",.;:!?)".contains(next));
    (ends && !inside.trim().is_empty()).then_some((inside, length))
}

#[cfg(test)]
mod tests;
