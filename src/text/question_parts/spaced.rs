//! The parts of a question in a script with blanks between words.

use std::ops::Range;

use super::QuestionPart;
use super::tokens::{Kind, Token, Words, tokens};
use crate::languages::Language;

/// Maximum number of content words of one of several things.
const MAX_ITEM: usize = 4;
/// Number of items from which commas alone show an enumeration.
const ENUMERATION: usize = 3;
/// Minimum number of content words of a question that stands without the names of the question before it.
const WHOLE_QUESTION: usize = 3;

/// Returns the parts, or nothing.
pub(super) fn parts(question: &str, languages: &[&'static Language]) -> Vec<QuestionPart> {
    let words = Words::new(languages, question);
    let tokens = tokens(question, &words);
    let sentences: Vec<&[Token<'_>]> =
        tokens.split_inclusive(|token| token.ends_sentence).filter(|sentence| content(sentence) > 0).collect();
    if let [sentence] = sentences[..] {
        return Sentence { tokens: sentence, words: &words }.parts();
    }
    // Sentences before the first one that asks tell the background of a question.
    let Some(first) = sentences.iter().position(|sentence| asks(sentence)) else { return Vec::new() };
    let (background, asking) = sentences.split_at(first);
    let mut parts = match asking {
        [sentence] => Sentence { tokens: sentence, words: &words }.parts(),
        _ if asking.iter().all(|sentence| asks(sentence)) => questions(asking),
        _ => Vec::new(),
    };
    let background = text(background.iter().copied().flatten());
    for part in parts.iter_mut().filter(|_| !background.is_empty()) {
        part.text = format!("{background} {}", part.text);
    }
    parts
}

fn content(tokens: &[Token<'_>]) -> usize {
    tokens.iter().filter(|token| token.kind == Kind::Content).count()
}

/// Whether a sentence ends or begins like a question, or asks for something.
fn asks(tokens: &[Token<'_>]) -> bool {
    let opening = || tokens.iter().skip_while(|token| token.kind == Kind::Conjunction);
    tokens.last().is_some_and(|token| token.is_question)
        || opening().take(2).any(|token| token.kind == Kind::Asking)
        || opening().next().is_some_and(|token| token.is_requesting)
}

fn text<'t>(tokens: impl Iterator<Item = &'t Token<'t>>) -> String {
    tokens.map(|token| token.text).collect::<Vec<_>>().join(" ")
}

/// Returns one part for each question. A short one gets the names of the first one, to which its pronouns refer.
fn questions(clauses: &[&[Token<'_>]]) -> Vec<QuestionPart> {
    let names: Vec<&Token<'_>> = clauses.first().map_or_else(Vec::new, |first| {
        first.iter().skip(1).filter(|token| token.is_capital && token.kind == Kind::Content).collect()
    });
    let part = |(at, clause): (usize, &&[Token<'_>])| {
        let clause: Vec<&Token<'_>> = clause.iter().skip_while(|token| token.kind == Kind::Conjunction).collect();
        let content: Vec<&Token<'_>> = clause.iter().copied().filter(|token| token.kind == Kind::Content).collect();
        let needs_names = at > 0 && content.len() < WHOLE_QUESTION;
        let names = names.iter().copied().filter(|_| needs_names);
        QuestionPart { text: text(names.chain(clause)), own: text(content.into_iter()) }
    };
    clauses.iter().enumerate().map(part).collect()
}

/// A sentence.
struct Sentence<'t> {
    tokens: &'t [Token<'t>],
    words: &'t Words,
}

impl<'t> Sentence<'t> {
    fn parts(&self) -> Vec<QuestionPart> {
        // "Between when I ordered it and when it came" holds words that open questions, but asks about two events.
        let opening = self.tokens.iter().position(|token| token.is_pairing);
        let paired = opening.and_then(|opening| self.paired(opening));
        let is_preposition = opening.is_some_and(|opening| self.tokens[opening].kind == Kind::Stop);
        let clauses = if is_preposition && paired.is_some() { Vec::new() } else { self.clauses() };
        match clauses.len() {
            0 | 1 => self.with_each(&paired.or_else(|| self.coordinated()).unwrap_or_default()),
            _ => questions(&clauses),
        }
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// Whether the words at a place open a question of their own.
    fn opens(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        let next = self.kind(at + 1);
        token.kind == Kind::Asking
            || (token.is_inverted && next == Some(Kind::Stop) && self.asks_before(at))
            || (token.kind == Kind::Stop && next == Some(Kind::Asking))
    }

    /// Whether the words at a place open a request: "then give me".
    fn requests(&self, at: usize) -> bool {
        let words = &self.tokens[at..(at + 2).min(self.tokens.len())];
        words.iter().any(|token| token.is_requesting && token.kind != Kind::Conjunction)
    }

    /// Whether the words before a place ask, so that a verb behind a conjunction may open a second question.
    fn asks_before(&self, at: usize) -> bool {
        self.tokens[..at].iter().any(|token| token.kind == Kind::Asking || token.is_requesting)
            || self.tokens.first().is_some_and(|token| token.is_inverted)
    }

    /// Returns the questions that conjunctions join. The second one asks at its beginning, or wherever the first one does.
    fn clauses(&self) -> Vec<&'t [Token<'t>]> {
        let asking = |range: Range<usize>| self.tokens[range].iter().position(|token| token.kind == Kind::Asking);
        let (mut clauses, mut start) = (Vec::new(), 0);
        for at in 1..self.tokens.len().saturating_sub(1) {
            let end = match self.tokens[at].kind {
                Kind::Conjunction => at,
                _ if self.tokens[at].joins_clauses => at + 1,
                _ if self.tokens[at].has_comma && self.requests(at + 1) => at + 1,
                _ => continue,
            };
            let next = at + 1;
            let (before, after) = (start..end, next..self.tokens.len());
            let asks_anywhere = asking(before.clone())
                .is_some_and(|first| self.tokens[start..start + first].iter().any(|token| token.kind == Kind::Content));
            let is_question =
                self.opens(next) || self.requests(next) || (asks_anywhere && asking(after.clone()).is_some());
            // A quoted phrase is a condition of the search.
            let says = |range: Range<usize>| {
                self.tokens[range].iter().any(|token| token.kind == Kind::Content && !token.is_quoted)
            };
            if is_question && says(before.clone()) && says(after) {
                clauses.push(&self.tokens[before]);
                start = next;
            }
        }
        clauses.push(&self.tokens[start..]);
        clauses
    }

    /// Returns the two things after a word such as "between" or "both", or on both sides of one such as "differs".
    fn paired(&self, opening: usize) -> Option<Vec<Range<usize>>> {
        let mut first = opening + 1..opening + 1;
        if !self.tokens.get(first.start).is_some_and(|token| token.is_separating) {
            first.end = self.separator(opening)?;
        } else if let Some(begin) = (0..opening).find(|at| self.kind(*at) == Some(Kind::Content)) {
            first = begin..opening;
        }
        let begin = if first.end <= opening { opening + 2 } else { first.end + 1 };
        let names = |range: Range<usize>| {
            let mut content = self.tokens[range].iter().filter(|token| token.kind == Kind::Content).peekable();
            content.peek().is_some() && content.all(|token| token.is_capital)
        };
        // After "both Marta and Jonas", the rest of the question is about both.
        let end = match names(first.clone()) && self.tokens.get(begin).is_some_and(|token| token.is_capital) {
            true => (begin..self.tokens.len()).find(|at| !self.tokens[*at].is_capital).unwrap_or(self.tokens.len()),
            false => self.tokens.len(),
        };
        let items = vec![first, begin..end.max(begin)];
        self.are_things(&items).then_some(items)
    }

    /// Returns the place of the word between the two things after a word at `opening`: after a preposition a conjunction, best one that
    /// opens like the first thing ("between when … and when …") and ends no enumeration; after a verb also a word such as "with".
    fn separator(&self, opening: usize) -> Option<usize> {
        let begin = opening + 1;
        let found: Vec<usize> = (begin..self.tokens.len())
            .filter(|at| {
                let is_verb = self.tokens[opening].kind != Kind::Stop;
                self.kind(*at) == Some(Kind::Conjunction) || (is_verb && self.tokens[*at].is_separating)
            })
            .filter(|at| content(&self.tokens[begin..*at]) > 0)
            .collect();
        let asks = self.kind(begin) == Some(Kind::Asking);
        let opens_alike = |at: &&usize| asks && self.kind(**at + 1) == Some(Kind::Asking);
        let ends_no_list = |at: &&usize| !self.tokens[**at - 1].has_comma;
        found.iter().find(opens_alike).or_else(|| found.iter().find(ends_no_list)).or(found.first()).copied()
    }

    /// Returns the things that a conjunction joins, if the form shows that they are several.
    fn coordinated(&self) -> Option<Vec<Range<usize>>> {
        (1..self.tokens.len()).filter(|at| self.tokens[*at].kind == Kind::Conjunction).find_map(|at| self.joined_at(at))
    }

    fn joined_at(&self, at: usize) -> Option<Vec<Range<usize>>> {
        if self.tokens[at - 1].is_cut || self.tokens.get(at + 1)?.is_cut {
            return None;
        }
        let mut left = self.group_before(at);
        let (stops, mut right) = self.group_after(at + 1);
        if left.is_empty() || right.is_empty() {
            return None;
        }
        let follows = |end: usize| self.tokens.get(end).map(|token| token.kind);
        let has_end = self.tokens[right.end - 1].ends_group || follows(right.end).is_none();
        if self.words.bare_nouns && stops == 0 && left.len() > right.len() {
            // The word before may be what the question asks for: "numer hydraulika i elektryka".
            left.start = left.end - right.len();
        }
        let stops_before = self.stops_before(left.start);
        let mut items = self.enumerated_before(left.start, stops);
        if items.is_empty() && self.tokens[at - 1].has_comma {
            return None;
        }
        let first = &self.tokens[left.start];
        let second = &self.tokens[right.start];
        let is_enumeration = items.len() + 2 >= ENUMERATION;
        let asks = asks(self.tokens) || self.tokens.iter().any(|token| token.kind == Kind::Asking);
        let is_parallel = stops > 0
            && stops_before > 0
            && (asks || self.is_same_word(left.start - stops.min(stops_before), at + 1))
            && (self.words.capital_nouns || first.is_capital == second.is_capital)
            && !self.is_relative(left.start - stops_before);
        let is_alike = stops == 0
            && left.len() > 1
            && left.len() == right.len()
            && has_end
            && first.is_capital
            && second.is_capital;
        let are_names = asks
            && stops == 0
            && first.is_capital
            && second.is_capital
            && !self.words.capital_nouns
            && self.are_names(&left, &right);
        let is_bare =
            asks && self.words.bare_nouns && stops == 0 && left.len() == right.len() && self.ends_bare(&right, has_end);
        if !(is_enumeration || is_parallel || is_alike || are_names || is_bare) {
            return None;
        }
        if are_names && !is_alike && !is_enumeration {
            right.end = (right.start..right.end).find(|at| !self.tokens[*at].is_capital).unwrap_or(right.end);
        } else if is_parallel && !has_end {
            right.end = right.end.min(right.start + left.len());
        }
        items.push(left.start - stops.min(stops_before)..left.end);
        items.push(at + 1..right.end);
        self.are_things(&items).then_some(items)
    }

    fn is_same_word(&self, left: usize, right: usize) -> bool {
        self.tokens[left].text.to_lowercase() == self.tokens[right].text.to_lowercase()
    }

    /// Whether a word that asks stands right before a place within the question, where it opens a relative clause.
    fn is_relative(&self, place: usize) -> bool {
        place > 2 && self.tokens[place - 1].kind == Kind::Asking
    }

    /// Whether names are those of two, not a name of one thing such as "the Tom and Jerry notes".
    fn are_names(&self, left: &Range<usize>, right: &Range<usize>) -> bool {
        let run = (right.start..right.end).take_while(|at| self.tokens[*at].is_capital).count();
        let after = right.start + run;
        let ends = after == right.end;
        let is_subject = left.start <= 2 && self.tokens[..left.start].iter().any(|token| token.kind == Kind::Asking);
        (is_subject || ends) && (left.start > 0 || self.tokens[after..].iter().any(|token| token.kind != Kind::Content))
    }

    /// Whether nothing but function words follows the second of two bare nouns, or in a language with capital nouns no noun.
    fn ends_bare(&self, right: &Range<usize>, has_end: bool) -> bool {
        match self.words.capital_nouns {
            true => has_end && self.tokens[right.clone()].iter().all(|token| token.is_capital),
            false => {
                has_end
                    || self.tokens.get(right.end).is_some_and(|token| token.kind == Kind::Asking || token.is_pairing)
            }
        }
    }

    /// Returns the content words right before a place: capitalised ones if the last one is.
    fn group_before(&self, end: usize) -> Range<usize> {
        let capital = self.tokens[end - 1].is_capital;
        let belongs = |at: &usize| {
            let token = &self.tokens[*at];
            token.kind == Kind::Content
                && !token.is_pairing
                && token.is_capital >= capital
                && (*at + 1 == end || !(token.has_comma || token.ends_group))
        };
        let length = (0..end).rev().take_while(belongs).take(MAX_ITEM).count();
        end - length..end
    }

    /// Returns the number of function words after a place, and the content words behind them.
    fn group_after(&self, start: usize) -> (usize, Range<usize>) {
        let stops =
            self.tokens[start..].iter().take_while(|token| token.kind == Kind::Stop && !token.is_pairing).count();
        let begin = start + stops;
        let mut end = begin;
        while end < self.tokens.len()
            && end - begin < MAX_ITEM
            && self.kind(end) == Some(Kind::Content)
            && !self.tokens[end].is_pairing
        {
            end += 1;
            if self.tokens[end - 1].has_comma || self.tokens[end - 1].ends_group {
                break;
            }
        }
        (stops, begin..end)
    }

    fn stops_before(&self, start: usize) -> usize {
        self.tokens[..start].iter().rev().take_while(|token| token.kind == Kind::Stop && !token.has_comma).count()
    }

    /// Returns the items of an enumeration before the one that begins at `start`.
    fn enumerated_before(&self, start: usize, stops: usize) -> Vec<Range<usize>> {
        let (mut items, mut start) = (Vec::new(), start);
        loop {
            let end = start - self.stops_before(start);
            if end == 0 || !self.tokens[end - 1].has_comma {
                break;
            }
            let group = self.group_before(end);
            if group.is_empty() || start - end != stops {
                break;
            }
            start = group.start;
            items.insert(0, group.start - stops.min(self.stops_before(start))..group.end);
        }
        items
    }

    /// Whether each item holds a content word that is no number and no name of a month or a day, and a noun where capitals tell.
    fn are_things(&self, items: &[Range<usize>]) -> bool {
        let is_noun = |token: &Token<'_>| token.is_capital || !self.words.capital_nouns;
        let is_thing = |token: &Token<'_>| token.kind == Kind::Content && !token.is_time && is_noun(token);
        items.iter().all(|item| self.tokens[item.clone()].iter().any(is_thing))
    }

    /// Returns the question once with each item, without the others and the words between them.
    fn with_each(&self, items: &[Range<usize>]) -> Vec<QuestionPart> {
        let (Some(first), Some(last)) = (items.first(), items.last()) else { return Vec::new() };
        let all = first.start..last.end;
        let part = |item: &Range<usize>| {
            let kept = (0..self.tokens.len()).filter(|at| item.contains(at) || !all.contains(at));
            let own = self.tokens[item.clone()].iter().filter(|token| token.kind == Kind::Content);
            QuestionPart { text: text(kept.map(|at| &self.tokens[at])), own: text(own) }
        };
        items.iter().map(part).collect()
    }
}
