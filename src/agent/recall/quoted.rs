//! Decides whether an agent's answer contains the information of a line that it was shown.
//!
//! A line counts as quoted if one place of the answer holds information that the person did not give themselves: most
//! of the line's content words, and one of its numbers if it has any. Words are compared by their stems, so that their
//! other forms match.

use std::collections::{BTreeSet, HashMap, HashSet};

use tars_text::analysis::{is_foreign_stop_word, is_stop_word, is_unspaced, normalize_word};

/// Length of a place in an answer, in content words: two or three sentences.
const PLACE_WORDS: usize = 40;
/// The share of a line's content words that a place must hold, in general and if they include a long number.
const SHARE: f64 = 0.6;
const SHARE_WITH_NUMBER: f64 = 0.5;
/// Minimum length of a word, and of a number, that is significant on its own.
const LONG_WORD: usize = 5;
const LONG_NUMBER: usize = 3;
/// Number of bigrams in a script without blanks that count as a word.
const BIGRAMS: usize = 3;
/// Length of a stem. The endings of two forms may differ by `TAIL` letters, or by one if one form has no ending.
const STEM: usize = 4;
const TAIL: usize = 3;
/// Maximum number of words of a line, and of a person's words in a session.
const MAX_LINE_WORDS: usize = 64;
const MAX_PERSON_WORDS: usize = 20_000;

/// A content word, that is no stop word: lower-case, without diacritics.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Word(String);

impl Word {
    /// Whether it is a number, or a name with a digit.
    fn is_number(&self) -> bool {
        self.0.bytes().any(|byte| byte.is_ascii_digit())
    }

    /// Whether it is a bigram of a script without blanks.
    fn is_bigram(&self) -> bool {
        self.0.chars().all(is_unspaced)
    }

    /// Returns its lookup key: a whole number, or the beginning of a word.
    fn stem(&self) -> &str {
        match self.0.char_indices().nth(STEM) {
            Some((end, _)) if !self.is_number() => &self.0[..end],
            _ => &self.0,
        }
    }

    /// Whether both are forms of one word, given equal stems.
    fn is_form_of(&self, other: &Self) -> bool {
        let (one, other) = (&self.0[self.stem().len()..], &other.0[other.stem().len()..]);
        let common = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
        let longest = one.chars().count().max(other.chars().count());
        longest - common <= if one.is_empty() || other.is_empty() { 1 } else { TAIL }
    }
}

/// Returns the content words of a text in order.
fn words(text: &str) -> impl Iterator<Item = Word> {
    let is_part = |c: char| c.is_alphanumeric() || ".:-_,'’".contains(c);
    let tokens = text.split(move |c: char| !is_part(c));
    tokens.flat_map(|token| {
        let token = token.trim_matches(|c: char| !c.is_alphanumeric());
        // An address, a date or a version is one number; other joined words are separate.
        let is_number = token.bytes().any(|byte| byte.is_ascii_digit());
        let parts: Vec<&str> =
            if is_number { vec![token] } else { token.split(|c: char| !c.is_alphanumeric()).collect() };
        parts.into_iter().flat_map(parted).collect::<Vec<_>>()
    })
}

/// Splits a token into content words: a word, the bigrams of a script without blanks, or nothing.
fn parted(token: &str) -> Vec<Word> {
    if token.chars().any(is_unspaced) {
        let letters: Vec<char> = token.chars().collect();
        let pairs = letters.windows(2).filter(|pair| pair.iter().all(|letter| is_unspaced(*letter)));
        let spaced = token.split(is_unspaced).filter(|word| !word.is_empty()).flat_map(parted);
        return pairs.map(|pair| Word(pair.iter().collect())).chain(spaced).collect();
    }
    let word = Word(normalize_word(token));
    let is_telling = match word.is_number() {
        true => word.0.len() > 1,
        false => word.0.chars().count() > 2 && !is_stop_word(&word.0) && !is_foreign_stop_word(&word.0),
    };
    if is_telling { vec![word] } else { Vec::new() }
}

/// The words of a person in a session so far.
#[derive(Debug, Clone, Default)]
pub struct PersonWords {
    words: HashMap<String, Vec<Word>>,
    count: usize,
}

impl PersonWords {
    /// Adds a text of the person.
    pub fn add(&mut self, text: &str) {
        for word in words(text) {
            let known = self.words.entry(word.stem().to_owned()).or_default();
            if self.count < MAX_PERSON_WORDS && !known.contains(&word) {
                known.push(word);
                self.count += 1;
            }
        }
    }

    fn holds(&self, word: &Word) -> bool {
        self.words.get(word.stem()).is_some_and(|known| known.iter().any(|one| one.is_form_of(word)))
    }
}

/// An agent's answer in a turn.
#[derive(Debug, Clone)]
pub struct AnswerIndex {
    words: Vec<Word>,
    /// The positions of each stem in it.
    places: HashMap<String, Vec<usize>>,
}

impl AnswerIndex {
    /// Indexes the text of an answer.
    pub fn new(text: &str) -> Self {
        let words: Vec<Word> = words(text).collect();
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, word) in words.iter().enumerate() {
            places.entry(word.stem().to_owned()).or_default().push(place);
        }
        Self { words, places }
    }

    fn places(&self, word: &Word) -> impl Iterator<Item = usize> {
        let places = self.places.get(word.stem()).map_or(&[][..], Vec::as_slice);
        places.iter().copied().filter(|place| self.words[*place].is_form_of(word))
    }
}

/// Whether the answer contains the information of `line` beyond the person's own words.
pub fn is_quoted(line: &str, asked: &PersonWords, answer: &AnswerIndex) -> bool {
    let label: Vec<Word> = words(label(line)).collect();
    let line: Vec<Word> = words(line).collect::<BTreeSet<_>>().into_iter().take(MAX_LINE_WORDS).collect();
    let is_new = |word: &Word| !label.contains(word) && !asked.holds(word);
    let new: HashSet<usize> = (0..line.len()).filter(|index| is_new(&line[*index])).collect();
    if new.is_empty() {
        return false;
    }
    let mut met: Vec<(usize, usize)> = line
        .iter()
        .enumerate()
        .flat_map(|(index, word)| answer.places(word).map(move |place| (place, index)))
        .collect();
    met.sort_unstable();
    (0..met.len()).any(|first| {
        let near = met[first..].iter().take_while(|(place, _)| place - met[first].0 < PLACE_WORDS);
        let all: HashSet<usize> = near.map(|(_, index)| *index).collect();
        says(&line, &new, &all)
    })
}

/// Returns the prefix of a line that an answer need not repeat: the box of a task, a time, and a word before a colon
/// (`- [x] 09:41 Decided: …`, `2026-03-01: …`).
fn label(line: &str) -> &str {
    let is_mark = |token: &str| !token.chars().any(char::is_alphanumeric) || token == "[x]";
    let is_time = |token: &str| token.contains(':') && token.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let mut end = 0;
    for token in line.split_inclusive(char::is_whitespace) {
        let word = token.trim();
        let is_named = word.ends_with([':', '：']);
        if !(is_mark(word) || is_time(word) || is_named) {
            break;
        }
        end += token.len();
        if is_named && !is_mark(word) {
            break;
        }
    }
    // A line without anything else has no label.
    if end < line.len() { &line[..end] } else { "" }
}

/// Whether the words `met` in one place cover the information in the `new` words of the line.
fn says(line: &[Word], new: &HashSet<usize>, met: &HashSet<usize>) -> bool {
    let held: Vec<&Word> = met.intersection(new).map(|index| &line[*index]).collect();
    let is_long = |word: &&Word| word.is_number() && word.0.chars().count() >= LONG_NUMBER;
    let has_long_number = held.iter().any(is_long);
    if !held.iter().any(|word| word.is_number()) && new.iter().any(|index| line[*index].is_number()) {
        return false;
    }
    let share = if has_long_number { SHARE_WITH_NUMBER } else { SHARE };
    if (held.len() as f64) < share * new.len() as f64 {
        return false;
    }
    let has_subject = met.len() > held.len();
    let bigrams = held.iter().filter(|word| word.is_bigram()).count();
    match held.len() {
        0 => false,
        _ if has_long_number => true,
        // A single word, or its equivalent in a script without blanks, needs its subject next to it.
        1 => has_subject && (bigrams > 0 || held[0].0.chars().count() >= LONG_WORD),
        count if bigrams == count && count < BIGRAMS => has_subject,
        _ => true,
    }
}

/// Whether a text mentions the note at `path`: by its path, its file name, or a link.
pub fn mentions_note(text: &str, path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let is_bounded = |(at, found): (usize, &str)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + found.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !behind.is_some_and(char::is_alphanumeric)
    };
    let is_file = file.len() > stem.len() && !stem.is_empty();
    (is_file && text.match_indices(file).any(is_bounded))
        || [']', '|', '#'].iter().any(|end| text.contains(&format!("[[{stem}{end}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(line: &str, asked: &str, answer: &str) -> bool {
        let mut said = PersonWords::default();
        said.add(asked);
        is_quoted(line, &said, &AnswerIndex::new(answer))
    }

    #[test]
    fn a_new_number_is_a_quote() {
        let line = "- The photo service listens on port 2283";
        let asked = "which port does the photo service use?";
        assert!(quoted(line, asked, "It is 2283."));
        assert!(quoted(line, asked, "The service listens on port **2283**, behind the proxy."));
        assert!(!quoted(line, asked, "The photo service listens on port 8080."), "another number");
        assert!(!quoted(line, "the photo service listens on port 2283, why?", "It listens on 2283."), "it was said");
        let dated = "- 2026-03-01: the router is at 192.168.1.1, reset by a pin";
        assert!(quoted(dated, "where is the router?", "The router is at 192.168.1.1, and a pin resets it."));
        assert!(!quoted(dated, "where is the router?", "The router is at 192.168.1.254; a pin resets it."));
    }

    #[test]
    fn most_new_words_close_together_are_a_quote() {
        let line = "Backups are encrypted every night by restic and go to the Pi in the cellar";
        let asked = "where do the backups go?";
        assert!(quoted(line, asked, "Each night restic encrypts them and sends them to the cellar."));
        assert!(!quoted(line, asked, "They could be encrypted, and run at night."));
        let far =
            format!("Restic encrypts. {} At night it is dark in the cellar.", "Other words say nothing. ".repeat(40));
        assert!(!quoted(line, asked, &far), "they stand far apart");
    }

    #[test]
    fn a_single_word_is_a_quote_only_next_to_its_subject() {
        let line = "Sourdough rests overnight in the refrigerator before baking.";
        let asked = "how long does sourdough rest in the refrigerator before baking?";
        assert!(quoted(line, asked, "Let the sourdough rest overnight."));
        assert!(!quoted(line, asked, "The tests ran overnight."));
        assert!(
            !quoted(line, asked, "Let the sourdough rest in the refrigerator before baking."),
            "that was the question"
        );
    }

    #[test]
    fn the_label_of_an_outcome_need_not_be_repeated() {
        let line = "- Decided: a SQLite table holds the upload queue";
        let asked = "which store did we settle on for the upload queue?";
        assert!(quoted(line, asked, "You settled on a table in SQLite."));
        assert!(!quoted(line, asked, "That was not decided."));
        let noted = "- [x] 16:03 Found: the cellar pump trips the breaker";
        assert!(quoted(noted, "why was it dark?", "The pump in the cellar trips the breaker."));
        assert_eq!(
            (label(noted), label("- [x] 16:03 a b"), label("a: b")),
            ("- [x] 16:03 Found: ", "- [x] 16:03 ", "a: ")
        );
        assert_eq!((label("a b: c"), label("a:"), label("")), ("", "", ""));
        assert!(quoted("- Port: 2283", "where does it listen?", "On port 2283."));
    }

    #[test]
    fn quotes_are_recognized_in_other_languages() {
        let german = "- Der Ersatzschlüssel liegt bei der Nachbarin im zweiten Stock";
        assert!(quoted(german, "wo liegt der Ersatzschlüssel?", "Bei der Nachbarin im zweiten Stock."));
        assert!(!quoted(german, "wo liegt der Ersatzschlüssel?", "Das weiß ich nicht, vielleicht im Stock darüber."));
        let french = "- La chaudière est révisée chaque automne par Monsieur Lefèvre";
        assert!(quoted(french, "qui révise la chaudière ?", "C'est Monsieur Lefevre, en automne."));
        assert!(!quoted(french, "qui révise la chaudière ?", "Je ne sais pas qui la révise."));
        let spanish = "- La contraseña del router está en el cajón de la cocina";
        assert!(quoted(spanish, "¿dónde está la contraseña del router?", "En el cajón de la cocina."));
        let japanese = "- 予備の鍵は二階の隣人が持っている";
        assert!(quoted(japanese, "予備の鍵はどこ？", "鍵は二階の隣人が持っています。"));
        assert!(!quoted(japanese, "予備の鍵はどこ？", "予備の鍵はどこにあるか分かりません。"));
        let russian = "- Запасной ключ лежит у соседки на втором этаже";
        assert!(quoted(russian, "где запасной ключ?", "Ключ у соседки, на втором этаже."));
        assert!(!quoted(russian, "где запасной ключ?", "Запасной ключ не найден."));
    }

    #[test]
    fn lines_without_content_are_never_quoted() {
        for line in ["", "…", "---", "- the of and", "<>"] {
            assert!(!quoted(line, "", "the of and … ---"), "{line}");
        }
        assert!(!quoted(&"word ".repeat(100_000), "word", &"word ".repeat(100_000)));
        assert!(quoted("a <Button> needs an aria-label", "", "Give the <Button> an aria-label, it needs one."));
    }

    #[test]
    fn a_note_is_named_by_its_file_or_a_link() {
        let path = "Projects/Rain logger.md";
        for text in ["see Projects/Rain logger.md:3", "(Rain logger.md)", "[[Rain logger]]", "[[Rain logger#Radio|it]]"]
        {
            assert!(mentions_note(text, path), "{text}");
        }
        for text in ["the rain logger", "[[Rain]]", "Terrain logger.md5", "Brain logger.md"] {
            assert!(!mentions_note(text, path), "{text}");
        }
        assert!(!mentions_note("anything .md", ".md") && !mentions_note("anything", ""));
    }
}
