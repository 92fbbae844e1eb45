//! Function words of questions in scripts without blanks: question words, particles, politeness endings.
//!
//! A run of characters becomes bigrams, and those of `いつですか` match every note with a question. Bigrams of such stretches are
//! left out if the text next to them has at least two characters of its own; a single character is only found by its bigrams.

use std::sync::LazyLock;

use super::index_text::bigrams;
use super::term::Term;
use crate::languages::{self, Script, detect_language, fold_letters};

/// Returns the terms of a run of unspaced characters, and whether each belongs to a stretch without content.
pub(super) fn unspaced_terms(run: &str) -> Vec<(Term, bool)> {
    let letters: Vec<char> = run.chars().collect();
    let words = of_run(run);
    if let [only] = letters[..] {
        return vec![(Term::Prefix(only.to_string()), false)];
    }
    let mut dropped = words.map_or_else(|| vec![false; letters.len()], |words| words.dropped(&letters));
    let months = words.map_or_else(Vec::new, |words| words.take_months(&letters, &mut dropped));
    let pieces = pieces(&dropped);
    let is_stop_word = |at: usize| match (dropped[at], dropped[at + 1]) {
        (true, true) => true,
        (true, false) => pieces[at + 1] > 1,
        (false, true) => pieces[at] > 1,
        (false, false) => false,
    };
    let grams = bigrams(run).enumerate().map(|(at, gram)| (Term::Word(gram.to_owned()), is_stop_word(at)));
    grams.chain(months.into_iter().map(|month| (month, false))).collect()
}

/// Returns for each kept character the length of its piece, and 0 for the others.
fn pieces(dropped: &[bool]) -> Vec<usize> {
    let mut lengths = vec![0; dropped.len()];
    let mut start = 0;
    while start < dropped.len() {
        let end = (start..dropped.len()).find(|at| dropped[*at]).unwrap_or(dropped.len());
        lengths[start..end].fill(end - start);
        start = end + 1;
    }
    lengths
}

/// The function words of one language.
struct FunctionWords {
    script: Script,
    /// As the index holds them, longest first.
    stretches: Vec<Vec<char>>,
    particles: Vec<Vec<char>>,
    /// Month names, which are searched whole because their bigrams occur in many words.
    months: Vec<Vec<char>>,
}

static FUNCTION_WORDS: LazyLock<Vec<FunctionWords>> = LazyLock::new(|| {
    let longest_first = |list: &[&str]| {
        let mut all: Vec<Vec<char>> = list.iter().map(|text| fold_letters(text).chars().collect()).collect();
        all.sort_by_key(|letters| std::cmp::Reverse(letters.len()));
        all
    };
    let known = languages::ALL.iter().filter(|language| !language.function_sequences.is_empty());
    known
        .map(|language| FunctionWords {
            script: language.script,
            stretches: longest_first(language.function_sequences),
            particles: longest_first(language.particles),
            months: longest_first(&language.dates.months.concat()),
        })
        .collect()
});

fn of_run(run: &str) -> Option<&'static FunctionWords> {
    let language = detect_language(run)?.languages().next()?;
    FUNCTION_WORDS.iter().find(|words| words.script == language.script)
}

impl FunctionWords {
    fn dropped(&self, letters: &[char]) -> Vec<bool> {
        match self.script {
            Script::Hangul => self.of_spaced_word(letters),
            _ => self.of_run(letters),
        }
    }

    /// Marks the names of months as dropped and returns them as phrases.
    fn take_months(&self, letters: &[char], dropped: &mut [bool]) -> Vec<Term> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < letters.len() {
            let length = self.months.iter().find(|month| letters[at..].starts_with(month)).map_or(0, Vec::len);
            if length > 1 {
                dropped[at..at + length].fill(true);
                let name: String = letters[at..at + length].iter().collect();
                found.push(Term::Phrase(bigrams(&name).collect::<Vec<_>>().join(" ")));
            }
            at += length.max(1);
        }
        found
    }

    /// Korean has blanks: a word consists of its stem and the particles after it.
    fn of_spaced_word(&self, letters: &[char]) -> Vec<bool> {
        const STEM: usize = 2;
        let asks = |stretch: &Vec<char>| letters.starts_with(stretch) && (stretch.len() > 1 || letters.len() == 1);
        if self.stretches.iter().any(asks) {
            return vec![true; letters.len()];
        }
        let particle = self.particles.iter().find(|particle| letters.ends_with(particle));
        let stem = particle.map_or(letters.len(), |particle| letters.len() - particle.len());
        let stem = if stem < STEM { letters.len() } else { stem };
        (0..letters.len()).map(|at| at >= stem).collect()
    }

    fn of_run(&self, letters: &[char]) -> Vec<bool> {
        let mut dropped = vec![false; letters.len()];
        let mut at = 0;
        while at < letters.len() {
            let stretch = self.stretches.iter().find(|stretch| letters[at..].starts_with(stretch));
            let length = match stretch {
                Some(stretch) => stretch.len(),
                None => usize::from(at > 0 && self.is_particle(letters[at - 1], dropped[at - 1], letters[at])),
            };
            dropped[at..at + length].fill(true);
            at += length.max(1);
        }
        dropped
    }

    /// Whether a syllable is a particle: only after Chinese characters, foreign words and question words, because other words
    /// contain the syllable too.
    fn is_particle(&self, before: char, asks: bool, letter: char) -> bool {
        let is_one = || self.particles.iter().any(|particle| particle[..] == [letter]);
        match asks {
            true => is_one() || (self.script == Script::Kana && matches!(letter, 'か' | 'ね' | 'よ')),
            false => !matches!(before, 'ぁ'..='ゖ') && is_one(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(run: &str) -> String {
        let kept = unspaced_terms(run).into_iter().filter(|(_, is_stop_word)| !is_stop_word);
        kept.map(|(term, _)| term.text().to_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn function_words_are_separated_from_content() {
        assert_eq!(kept("会議はいつですか"), "会議");
        assert_eq!(kept("歯医者の予約"), "歯医 医者 予約");
        assert_eq!(kept("どこで自転車を修理しましたか"), "自転 転車 修理");
        assert_eq!(kept("研究目的是什么"), "研究 究目 目的");
        assert_eq!(kept(&fold_letters("นัดหมอฟันเมื่อไหร่")), kept(&fold_letters("นัดหมอฟัน")));
    }

    #[test]
    fn a_month_is_searched_whole() {
        assert_eq!(unspaced_terms(&fold_letters("กันยายน")).pop(), Some((Term::Phrase("กน นย ยา าย ยน".into()), false)));
        assert_eq!(kept(&fold_letters("เดือนกันยายน")), kept(&fold_letters("เดือน")) + " กน นย ยา าย ยน");
    }

    #[test]
    fn korean_words_lose_their_particles() {
        assert_eq!(kept("보일러를"), "보일 일러");
        assert_eq!(kept("회의에서는"), "회의");
        assert_eq!(kept("언제였지"), "");
        assert_eq!(kept("가을"), "가을", "one syllable is too short for a stem");
    }

    #[test]
    fn single_characters_keep_their_neighbours() {
        assert_eq!(kept("木の実"), "木の の実");
        assert_eq!(kept("水"), "水");
        assert_eq!(kept("きのこ"), "きの のこ", "a syllable within a word");
    }
}
