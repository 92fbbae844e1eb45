//! Splits texts into words, and matches the terms of queries.

use tars_text::analysis::{Term, is_attached_mark, normalize_word, stem};

/// Columns of the full text.
pub(super) const TITLE: usize = 0;
pub(super) const META: usize = 2;

/// The stems of one chunk in sequence, by column: title, text, meta.
pub(super) type Columns = [Vec<String>; 3];

/// Returns the words of a text in lower case and without diacritics.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let is_mark = |letter: char| ('\u{300}'..='\u{36f}').contains(&letter) || is_attached_mark(letter);
    text.split(move |letter: char| !letter.is_alphanumeric() && !is_mark(letter))
        .map(normalize_word)
        .filter(|word| !word.is_empty())
}

/// Returns the stems of a text.
pub(super) fn stems(text: &str) -> Vec<String> {
    words(text).map(|word| stem(&word)).collect()
}

/// Adjacent stems; the last one may be a prefix.
pub(super) struct Sequence {
    stems: Vec<String>,
    is_beginning: bool,
    /// The only column to search, if not all.
    column: Option<usize>,
}

impl Sequence {
    pub(super) fn of(text: &str) -> Self {
        Self { stems: stems(text), is_beginning: false, column: None }
    }

    fn beginning(text: &str) -> Self {
        Self { is_beginning: true, ..Self::of(text) }
    }

    fn stands_at(&self, column: &[String], at: usize) -> bool {
        let last = self.stems.len() - 1;
        let fits = |(index, stem): (usize, &String)| {
            column.get(at + index).is_some_and(|found| match self.is_beginning && index == last {
                true => found.starts_with(stem.as_str()),
                false => found == stem,
            })
        };
        self.stems.iter().enumerate().all(fits)
    }

    /// Returns the number of occurrences in each column.
    pub(super) fn count(&self, columns: &Columns) -> [usize; 3] {
        let mut counts = [0; 3];
        if self.stems.is_empty() {
            return counts;
        }
        for (index, column) in
            columns.iter().enumerate().filter(|(index, _)| self.column.is_none_or(|one| one == *index))
        {
            counts[index] = (0..column.len()).filter(|at| self.stands_at(column, *at)).count();
        }
        counts
    }

    pub(super) fn is_in(&self, columns: &Columns) -> bool {
        self.count(columns) != [0; 3]
    }
}

/// Returns the alternatives of a term, any of which matches.
pub(super) fn of_term(term: &Term) -> Vec<Sequence> {
    match term {
        Term::Word(text) | Term::Phrase(text) => vec![Sequence::of(text)],
        Term::Prefix(text) => vec![Sequence::beginning(text)],
        Term::TypedPrefix { start, others } => {
            std::iter::once(Sequence::beginning(start)).chain(others.iter().map(|word| Sequence::of(word))).collect()
        }
    }
}

/// Returns the alternatives of a date.
pub(super) fn of_date(tokens: &[String]) -> Vec<Sequence> {
    tokens.iter().map(|token| Sequence { column: Some(META), ..Sequence::of(token) }).collect()
}

/// Whether one of the alternatives occurs in a chunk.
pub(super) fn any(alternatives: &[Sequence], columns: &Columns) -> bool {
    alternatives.iter().any(|one| one.is_in(columns))
}
