//! Proposes statements of a person in chats with other programs that hold beyond them: standing instructions, preferences, facts about
//! themself.
//!
//! A chat has no project, so an instruction goes to the rules, and a statement of the person about themself to the person's section. A
//! statement counts once, in its newest form, however many chats say it; of statements that contradict each other the newest counts, and
//! a remembered line that is newer, or of unknown age, stands. The surest and most frequent come first.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::civil::Date;

use super::job::JobResult;
use super::list::PastProposals;
use super::person::{Person, day_written};
use super::proposal::{Change, Destination, Job, Line, Proposal};
use super::support::is_known;
use crate::remember::sanitize_note;
use crate::said_again::Saying;
use crate::{
    Bullet, MEMORY, MemoryError, PROCEDURAL, Relation, Source, dropped_lines, durable_bullets, fact_text,
    similar_bullets, waiting_lines,
};
use tars_agent::digest::{own_words, weighed_statements};
use tars_text::languages::phrase_languages;
use tars_text::markdown::list_item;
use tars_vault::{Entry, MemoryFolder};

/// The least probability of a statement. People tell much of themselves in chats that is over tomorrow.
const SURE: f32 = 0.75;
/// Maximum number of statements to keep. The chats of many years hold fewer.
const MAX_STATEMENTS: usize = 20_000;
/// Minimum length of text after a colon that is a paste, in bytes.
const MIN_PASTE: usize = 200;
/// Length of a message above which only its first and last paragraph are the person's own words: in between stands a paste.
const MAX_OWN: usize = 2_000;
/// Number of earlier statements, those that share most words, that a statement is compared with.
const MAX_COMPARED: usize = 16;
/// Maximum number of statements that share a word. A word of more says nothing about the subject.
const MAX_SHARING: usize = 400;
/// Maximum number of matters that are compared with the memory. The others are far below the limit of any import.
const MAX_CHECKED: usize = 2_000;
/// Adverbs that open an instruction.
#[rustfmt::skip]
const STANDING: &[&str] = &[
    "always", "never", "only", "please", "generally", "immer", "nie", "niemals", "nur", "bitte", "grundsätzlich", "toujours", "jamais", "siempre",
    "nunca", "solo", "sólo", "sempre", "mai", "altijd", "nooit", "zawsze", "nigdy", "всегда", "никогда", "her", "zaman", "asla",
];
/// Place of the last word at which a statement of a fact has its verb.
const VERB_WITHIN: usize = 4;

/// The statements of a person in chats.
#[derive(Debug, Default)]
pub struct ChatStatements {
    said: Vec<Said>,
    /// Number of statements beyond the limit.
    beyond_limit: usize,
}

/// A statement in a chat.
#[derive(Debug)]
struct Said {
    text: String,
    probability: f32,
    /// The chat's note, and the day if it is known.
    file: String,
    day: Option<Date>,
}

/// Statements that say the same, newest first.
struct Matter {
    /// The place of the newest among all statements.
    newest: usize,
    bullet: Bullet,
    saying: Saying,
    said: Vec<usize>,
}

/// Proposals of what was said in chats.
#[derive(Debug, Default)]
pub struct ChatProposals {
    /// The proposals, the surest and most frequent first. The sources of each are the chats, newest first.
    pub proposals: Vec<Proposal>,
    /// Number of further ones, which are less sure or were said less often.
    pub left_out: usize,
}

impl ChatStatements {
    /// Adds the standing statements of a person's message in the chat of the note `file`.
    pub fn add(&mut self, file: &str, day: Option<Date>, message: &str) {
        // The whole message, because a private span may begin and end in other sentences than the one that it hides.
        let message = sanitize_note(message).0;
        for statement in weighed_statements(&own_prose(&own_words(&message))) {
            // A word of preference makes up for a doubt of the classifier.
            let least = if statement.is_preference { SURE } else { 0.0 };
            let probability = statement.probability.max(least);
            if probability < SURE {
                continue;
            }
            if self.said.len() >= MAX_STATEMENTS {
                self.beyond_limit += 1;
                continue;
            }
            // Statements with a secret are left out.
            if let Some(text) = fact_text(&statement.text) {
                self.said.push(Said { text, probability, file: file.to_owned(), day });
            }
        }
    }

    /// Returns at most `most` proposals of statements that the memory does not know, and that nobody has decided on. `entries` are the
    /// journal's writes, `today` is the day of the import.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn proposals(
        mut self,
        folder: &MemoryFolder,
        entries: &[Entry],
        (today, most): (Date, usize),
    ) -> Result<ChatProposals, MemoryError> {
        if self.said.is_empty() || most == 0 {
            return Ok(ChatProposals::default());
        }
        // A sort that keeps the order of equal days: the later message is the newer one.
        self.said.reverse();
        self.said.sort_by_key(|said| std::cmp::Reverse(said.day));
        let known = Known::read(folder, entries)?;
        let mut ranked: Vec<(f32, Matter)> =
            self.matters().into_iter().map(|matter| (self.weight(&matter), matter)).collect();
        ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let mut result = JobResult::default();
        let mut left_out = self.beyond_limit + ranked.len().saturating_sub(MAX_CHECKED);
        for (_, matter) in ranked.into_iter().take(MAX_CHECKED) {
            let Some(change) = known.change(&self.said[matter.newest]) else { continue };
            let sources = matter.said.iter().map(|said| self.said[*said].source()).collect();
            let proposal = Proposal { job: Job::ImportedChats(today), change, sources };
            if result.proposals.len() < most {
                result.filter(proposal, &known.durable, &known.before);
            } else if !known.before.was_proposed(&proposal.change) {
                left_out += 1;
            }
        }
        Ok(ChatProposals { proposals: result.proposals, left_out })
    }

    /// Returns the matters that the statements, ordered from the newest to the oldest, speak of.
    fn matters(&self) -> Vec<Matter> {
        let mut matters: Vec<Matter> = Vec::new();
        let mut sharing: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, said) in self.said.iter().enumerate() {
            let words = crate::content_words(&said.text);
            let mut shared: HashMap<usize, usize> = HashMap::new();
            for matter in words.iter().filter_map(|word| sharing.get(word)).flatten() {
                *shared.entry(*matter).or_default() += 1;
            }
            let mut near: Vec<(usize, usize)> = shared.into_iter().map(|(matter, count)| (count, matter)).collect();
            near.sort_unstable_by(|one, other| other.cmp(one));
            let saying = Saying::of(&said.text);
            let relation = near.iter().take(MAX_COMPARED).find_map(|(_, matter)| {
                let known = &matters[*matter];
                let near = similar_bullets(&said.text, std::slice::from_ref(&known.bullet), None).ok()?;
                let relation = near.first().map(|near| near.relation);
                let is_said = saying.is_in(&known.saying) || known.saying.is_in(&saying);
                relation.or_else(|| is_said.then_some(Relation::Close)).map(|relation| (*matter, relation))
            });
            match relation {
                // A newer statement has taken its place.
                Some((_, Relation::Conflict)) => {}
                Some((matter, _)) => matters[matter].said.push(at),
                None => {
                    for word in words {
                        let of_word = sharing.entry(word).or_default();
                        if of_word.len() < MAX_SHARING {
                            of_word.push(matters.len());
                        }
                    }
                    let bullet = Bullet::of_text(&said.text);
                    matters.push(Matter { newest: at, bullet, saying, said: vec![at] });
                }
            }
        }
        matters
    }

    /// Returns the probability that a person meant at least one of the statements of a matter to stand, one of each chat.
    fn weight(&self, matter: &Matter) -> f32 {
        let mut surest: BTreeMap<&str, f32> = BTreeMap::new();
        for said in matter.said.iter().map(|said| &self.said[*said]) {
            let of_chat = surest.entry(&said.file).or_default();
            *of_chat = of_chat.max(said.probability);
        }
        1.0 - surest.values().map(|probability| 1.0 - probability).product::<f32>()
    }
}

impl Said {
    fn source(&self) -> Line {
        let day = self.day.map(|day| format!("{day} ")).unwrap_or_default();
        Line { file: self.file.clone(), text: format!("{day}{}", self.text), ..Line::default() }
    }
}

/// The memory, as far as statements are compared with it.
struct Known<'e> {
    durable: Vec<Bullet>,
    sayings: Vec<Saying>,
    /// Extracted lines that wait for their review, or were dropped in it.
    extracted: Vec<Bullet>,
    before: PastProposals,
    person: Person,
    entries: &'e [Entry],
}

impl<'e> Known<'e> {
    fn read(folder: &MemoryFolder, entries: &'e [Entry]) -> Result<Self, MemoryError> {
        let waiting = waiting_lines(folder)?.into_iter().filter(|line| line.source == Source::Extracted);
        let mut extracted: Vec<Bullet> = waiting.map(|line| Bullet::of_text(&line.text)).collect();
        extracted.extend(dropped_lines(folder)?);
        let durable = durable_bullets(folder)?;
        Ok(Self {
            sayings: durable.iter().map(|line| Saying::of(&line.text)).collect(),
            durable,
            extracted,
            before: PastProposals::read(folder, entries)?,
            person: Person::of(folder)?,
            entries,
        })
    }

    /// Returns the change that remembers a statement; `None` if the memory says the same, or something else that may be newer.
    fn change(&self, said: &Said) -> Option<Change> {
        let text = said.text.clone();
        if is_known(&text, &self.extracted) {
            return None;
        }
        let saying = Saying::of(&text);
        let near = similar_bullets(&text, &self.durable, None).unwrap_or_default();
        let is_said = self.sayings.iter().any(|line| saying.is_in(line));
        match near.first() {
            Some(near) if near.relation == Relation::Conflict => {
                let is_older =
                    day_written(&near.bullet, self.entries).zip(said.day).is_some_and(|(old, new)| old < new);
                is_older.then(|| Change::Replace { old: (&near.bullet).into(), text })
            }
            Some(_) => None,
            None if is_said => None,
            None => Some(Change::Add { to: self.place(&text), text }),
        }
    }

    /// Returns the place of a statement: the person's section, the rules, or the facts.
    fn place(&self, text: &str) -> Destination {
        if self.person.is_about(text) {
            return self.person.place();
        }
        let (file, section) = if states_a_fact(text) { (MEMORY, "Facts") } else { (PROCEDURAL, "Rules") };
        Destination { file: file.into(), section: section.into() }
    }
}

/// Whether a text has a subject with a verb after it, as "Our API uses snake_case"; an instruction begins with its verb.
fn states_a_fact(text: &str) -> bool {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .skip_while(|word| STANDING.contains(&word.as_str()))
        .take(VERB_WITHIN + 1)
        .collect();
    let verbs: BTreeSet<&str> = phrase_languages(text).flat_map(|language| language.facts.copulas).copied().collect();
    words.iter().skip(1).any(|word| verbs.contains(word.as_str()))
}

/// Returns a message without prose that the person has probably pasted: what follows a line that ends with a colon, unless it is a list,
/// and the middle of a long message.
fn own_prose(message: &str) -> String {
    let lines: Vec<&str> = message.lines().map(str::trim).collect();
    let introduces = |index: &usize| {
        if !lines[*index].ends_with([':', '：']) {
            return false;
        }
        let mut rest = lines[index + 1..].iter().filter(|line| !line.is_empty()).peekable();
        let is_list = rest.peek().is_some_and(|next| list_item(next).is_some());
        !is_list && rest.map(|line| line.len()).sum::<usize>() >= MIN_PASTE
    };
    let end = (0..lines.len()).find(introduces).map_or(lines.len(), |index| index + 1);
    let own = lines[..end].join("\n");
    if own.len() <= MAX_OWN {
        return own;
    }
    let paragraphs: Vec<&str> = own.split("\n\n").map(str::trim).filter(|text| !text.is_empty()).collect();
    let (first, last) = (paragraphs.first(), paragraphs.last().filter(|_| paragraphs.len() > 1));
    let ends = first.into_iter().chain(last).filter(|text| text.len() <= MAX_OWN).copied();
    ends.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests;
