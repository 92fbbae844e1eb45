//! Maintains the person's section of Memory.md: finds statements about the person, and compares them with the section.
//!
//! Only the form of a text decides, in the languages of `languages`: it is about the person if it begins in the first person
//! (`I work at …`, `my dentist is …`, `from April on I …`) or with the person's name. Lines are compared without their subject, so
//! that `I work at the museum` contradicts `Anna works at the harbour office` in Anna's section.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::proposal::{Change, Destination, Line, Proposal};
use crate::{
    Bullet, LayerFile, MEMORY, MemoryError, Relation, Source, WaitingLine, bullets_of, log_lines, normalized,
    similar_bullets,
};
use tars_agent::digest::{PhraseMatcher, standing_statements};
use tars_base::domain::OutcomeKind;
use tars_text::analysis::is_unspaced;
use tars_text::languages::{self, FirstPerson, QUESTION_MARKS, phrase_languages};
use tars_vault::{Entry, MemoryFolder, line_written_at};

/// Default heading of the section.
const SECTION: &str = "Person";
/// Punctuation that ends a clause, besides question marks.
const CLAUSE_ENDS: [char; 12] = [',', ';', ':', '.', '!', '–', '—', '，', '、', '；', '：', '。'];
/// Replaces the person's name in compared texts.
const PERSON: &str = "person";
/// Minimum number of lines that begin with a name, and its minimum ratio to any other first word, to infer the person's name.
const MIN_NAMED_LINES: usize = 3;
const MIN_NAME_RATIO: usize = 2;

/// The person's section and the person's name, if it tells the name.
pub(super) struct Person {
    section: String,
    name: Option<String>,
    /// The lines of the section, and those that moved out of it, each with its comparable form.
    lines: Vec<(Form, Bullet)>,
}

/// How the section relates to a text.
pub(super) enum SectionMatch {
    /// It says the same, or something newer.
    Holds,
    /// This line contradicts the text.
    Contradicts(Bullet),
    /// It says nothing about the matter.
    Nothing,
}

impl Person {
    /// Reads the section, and its lines that moved to `context/personal.md`.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn of(folder: &MemoryFolder) -> Result<Self, MemoryError> {
        let is_own = |bullet: &Bullet| is_persons_heading(&bullet.heading);
        let mut lines: Vec<Bullet> = bullets_of(folder, MEMORY)?.into_iter().filter(is_own).collect();
        let section = lines.first().map_or_else(|| SECTION.to_owned(), |line| line.heading.clone());
        if let Some(file) = LayerFile::parse("context/personal") {
            lines.extend(bullets_of(folder, file.as_str())?.into_iter().filter(is_own));
        }
        lines.retain(|line| line.indent == 0);
        let name = name_of(&lines);
        let lines = lines.into_iter().map(|line| (form(&line.text, name.as_deref()), line)).collect();
        Ok(Self { section, name, lines })
    }

    /// Returns the place of new lines.
    pub(super) fn place(&self) -> Destination {
        Destination { file: MEMORY.into(), section: self.section.clone() }
    }

    /// Whether the person is the subject of a text.
    pub(super) fn is_about(&self, text: &str) -> bool {
        let is_named = self.name.as_ref().is_some_and(|name| words(text).first() == Some(name));
        is_named || is_own_voice(text)
    }

    /// Returns how the section relates to a text that was said on `day`. `entries` tell which of its lines are newer.
    pub(super) fn match_section(&self, text: &str, day: Option<Date>, entries: &[Entry]) -> SectionMatch {
        let new = form(text, self.name.as_deref());
        let mut otherwise = None;
        for (form, line) in &self.lines {
            match relation(&new, form) {
                Some(Relation::Conflict) if !is_newer(line, day, entries) => otherwise = otherwise.or(Some(line)),
                Some(_) => return SectionMatch::Holds,
                None => {}
            }
        }
        otherwise.map_or(SectionMatch::Nothing, |line| SectionMatch::Contradicts(line.clone()))
    }

    /// Whether two texts about the person say the same, or different things about one matter.
    pub(super) fn is_same_matter(&self, one: &str, other: &str) -> bool {
        let name = self.name.as_deref();
        relation(&form(one, name), &form(other, name)).is_some()
    }
}

/// Returns the heading of the person's section if a text is about the person; `None` otherwise.
///
/// # Errors
/// A file cannot be read.
pub fn persons_heading(folder: &MemoryFolder, text: &str) -> Result<Option<String>, MemoryError> {
    let person = Person::of(folder)?;
    Ok(person.is_about(text).then_some(person.section))
}

/// Returns the text and the last day of a proposal, if it adds a line about the person.
pub(super) fn personal_statement<'p>(person: &Person, proposal: &'p Proposal) -> Option<(&'p str, Option<Date>)> {
    let Change::Add { to, text } = &proposal.change else { return None };
    let is_own = to.file == MEMORY && (*to == person.place() || person.is_about(text));
    is_own.then(|| (text.as_str(), last_day(&proposal.sources)))
}

/// Returns the last day among the daily logs that hold these lines.
pub(super) fn last_day(lines: &[Line]) -> Option<Date> {
    lines.iter().filter_map(|line| day_of(&line.file)).max()
}

/// Returns the noted decisions that state a standing preference in the first person, as lines for a review. An agent's statement about
/// itself states no standing preference and is left out.
///
/// # Errors
/// A file cannot be read.
pub(super) fn own_decisions(folder: &MemoryFolder) -> Result<Vec<WaitingLine>, MemoryError> {
    let mut found = Vec::new();
    for file in folder.files()?.into_iter().filter(|file| day_of(file).is_some()) {
        let bytes = folder.read(&file)?.unwrap_or_default();
        let lines = log_lines(&bytes);
        let is_own = |line: &&crate::LogLine| {
            let said = line.text_without_request();
            line.kind == Some(OutcomeKind::Decided) && is_own_voice(said) && !standing_statements(said).is_empty()
        };
        let own: Vec<_> = lines.iter().filter(is_own).collect();
        if own.is_empty() {
            continue;
        }
        let bullets = bullets_of(folder, &file)?;
        for line in own {
            if let Some(bullet) = bullets.iter().find(|bullet| bullet.line() == line.number) {
                let (text, whole) = (line.text_without_request().to_owned(), bullet.text.clone());
                found.push(WaitingLine { source: Source::Extracted, bullet: bullet.clone(), text, whole });
            }
        }
    }
    Ok(found)
}

/// Whether a heading is that of a section about the person.
pub fn is_persons_heading(heading: &str) -> bool {
    let heading = normalized(heading);
    languages::ALL.iter().any(|language| language.first_person.headings.contains(&heading.as_str()))
}

fn day_of(file: &str) -> Option<Date> {
    file.strip_suffix(".md")?.parse().ok()
}

/// Whether the first clause of a text is in the first person.
fn is_own_voice(text: &str) -> bool {
    let ends = |c: char| CLAUSE_ENDS.contains(&c) || QUESTION_MARKS.contains(&c);
    let words = words(&text[..text.find(ends).unwrap_or(text.len())]);
    let said = PhraseMatcher::new(text);
    let is_lead = |word: &String| said.languages().iter().any(|one| is_one_of(word, one.first_person.lead));
    let begins = words.iter().position(|word| !is_lead(word)).unwrap_or(words.len());
    let is_later = |own: &FirstPerson| {
        words.first().is_some_and(|word| is_one_of(word, own.since))
            && words.iter().any(|word| is_one_of(word, own.subjects))
    };
    let clause = said.form(&words.join(" "));
    said.form(&words[begins..].join(" ")).begins(|language| language.first_person.begins)
        || clause.ends(|language| language.first_person.ends)
        || clause.holds(|language| language.first_person.anywhere)
        || said.languages().iter().any(|language| is_later(&language.first_person))
}

/// Returns the relation of two texts. Different subjects are different matters, however similar the rest is.
fn relation(one: &Form, other: &Form) -> Option<Relation> {
    let there = Bullet::of_text(&other.text);
    let near = if one.subject == other.subject { similar_bullets(&one.text, &[there], None).ok()? } else { Vec::new() };
    near.first().map(|like| like.relation)
}

/// Whether a line was written after `day`, as far as the journal knows.
pub(super) fn is_newer(line: &Bullet, day: Option<Date>, entries: &[Entry]) -> bool {
    day_written(line, entries).zip(day).is_some_and(|(written, day)| written > day)
}

/// Returns the day on which a line was written, as far as the journal knows.
pub(super) fn day_written(line: &Bullet, entries: &[Entry]) -> Option<Date> {
    let first = format!("- {}", line.text.lines().next().unwrap_or_default());
    line_written_at(entries, &line.file, &first).map(|at| at.to_zoned(jiff::tz::TimeZone::UTC).date())
}

/// The comparable form of a text.
struct Form {
    /// Its subject: the person, however named, else the first word.
    subject: String,
    /// The statement about the subject.
    text: String,
}

/// Returns the comparable form of a text: without leading words and articles, and without the verb ending if the person is the subject.
fn form(text: &str, name: Option<&str>) -> Form {
    let own: Vec<&FirstPerson> = phrase_languages(text).map(|language| &language.first_person).collect();
    let is_any = |word: &str, list: fn(&FirstPerson) -> &str| own.iter().any(|own| is_one_of(word, list(own)));
    let plain = in_full(&normalized(text).replace('\u{2019}', "'"), &own);
    let plain = without_joined_subject(&plain, &own).filter(|_| is_own_voice(text)).unwrap_or(&plain);
    let mut words: Vec<&str> = plain.split_whitespace().map(|word| word.trim_end_matches([',', ':'])).collect();
    let begins = words.iter().position(|word| !is_any(word, |own| own.lead)).unwrap_or(0);
    words.drain(..begins);
    words.retain(|word| !is_any(word, |own| own.fillers));
    let first = words.first().copied().unwrap_or_default();
    let is_named = is_any(first, |own| own.subjects) || Some(first) == name;
    if is_named || is_any(first, |own| own.possessives) {
        words.remove(0);
    }
    let verb = verb(&words, first, &own);
    let is_person = is_named || verb.is_some();
    let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    if let Some(verb) = words.get_mut(verb.unwrap_or_default()).filter(|_| is_person) {
        *verb = stem(verb, &own);
    }
    let subject = if is_person { PERSON.to_owned() } else { words.first().cloned().unwrap_or_default() };
    Form { subject, text: format!("{PERSON} {}", words.join(" ")) }
}

/// Expands a contraction at the start of a text. [`normalized`] removed the apostrophe of `I'm` and `j'habite`.
fn in_full(plain: &str, own: &[&FirstPerson]) -> String {
    let mut short = own.iter().flat_map(|own| own.contractions);
    let long = short.find_map(|(short, long)| plain.strip_prefix(short).map(|rest| format!("{long}{rest}")));
    long.unwrap_or_else(|| plain.to_owned())
}

/// Removes a subject that a script without spaces joins to the next word.
fn without_joined_subject<'a>(plain: &'a str, own: &[&FirstPerson]) -> Option<&'a str> {
    let subjects = own.iter().flat_map(|own| own.subjects.split_whitespace());
    subjects.filter(|subject| subject.ends_with(is_unspaced)).find_map(|subject| plain.strip_prefix(subject))
}

/// Returns the index of the verb that marks a line without a subject as one about the person: its first word, or its last one in
/// languages whose verb stands last.
fn verb(words: &[&str], first: &str, own: &[&FirstPerson]) -> Option<usize> {
    let is_own =
        |own: &FirstPerson, word: &str| own.own_verbs.iter().any(|(one, third)| [*one, *third].contains(&word));
    let is_known = |own: &&FirstPerson| is_one_of(first, own.verbs) || (own.ends.is_empty() && is_own(own, first));
    let last = words.len().checked_sub(1)?;
    let is_last = |own: &&FirstPerson| !own.ends.is_empty() && is_own(own, words[last]);
    match own.iter().any(is_known) {
        true => Some(0),
        false => own.iter().any(is_last).then_some(last),
    }
}

fn is_one_of(word: &str, list: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// Returns a verb without its personal ending: the same for `work` and `works`, `wohne` and `wohnt`, `mieszkam` and `mieszka`.
fn stem(verb: &str, own: &[&FirstPerson]) -> String {
    if own.iter().any(|own| is_one_of(verb, own.be)) {
        return "is".into();
    }
    let third = own.iter().flat_map(|own| own.own_verbs).find(|(first, _)| *first == verb).map(|(_, third)| *third);
    let strip = |text: &str, end: char| match text.strip_suffix(end) {
        Some(rest) if rest.chars().count() > 2 => rest.to_owned(),
        _ => text.to_owned(),
    };
    ['s', 't', 'e', 'o', 'a'].iter().fold(third.unwrap_or(verb).to_owned(), |verb, end| strip(&verb, *end))
}

/// Returns the name of the section's person, in lower case: from a line that states it, else from how most lines begin.
fn name_of(lines: &[Bullet]) -> Option<String> {
    let says = |line: &Bullet| {
        let said = words(&line.text).join(" ");
        let starts = phrase_languages(&line.text).flat_map(|language| language.first_person.named);
        let mut rest = starts.filter_map(|start| said.strip_prefix(start)?.strip_prefix(' '));
        rest.next()?.split_whitespace().next().map(str::to_owned)
    };
    if let Some(name) = lines.iter().find_map(says) {
        return Some(name);
    }
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines {
        let is_name = line.text.starts_with(char::is_uppercase);
        let first = words(&line.text).into_iter().next().filter(|_| is_name);
        let is_word =
            |word: &String| phrase_languages(&line.text).any(|language| is_no_name(word, &language.first_person));
        if let Some(first) = first.filter(|word| !is_word(word)) {
            *counted.entry(first).or_default() += 1;
        }
    }
    let mut counted: Vec<(usize, String)> = counted.into_iter().map(|(name, count)| (count, name)).collect();
    counted.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let next = counted.get(1).map_or(0, |(count, _)| *count);
    counted
        .into_iter()
        .next()
        .filter(|(count, _)| *count >= MIN_NAMED_LINES.max(MIN_NAME_RATIO * next))
        .map(|(_, name)| name)
}

/// Whether a lower-case word may begin a line about the person without being a name.
fn is_no_name(word: &str, own: &FirstPerson) -> bool {
    [own.subjects, own.possessives, own.fillers, own.verbs].iter().any(|list| is_one_of(word, list))
        || own.own_verbs.iter().any(|(first, _)| *first == word)
}

/// Returns the words of a text in lower case, without punctuation.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
