//! The stems of English words (M. F. Porter, An algorithm for suffix stripping, 1980), as the index computes them.

/// Returns the stem of a lower-case word. Short words, and words with letters other than a to z, are their own stems.
pub fn stem(word: &str) -> String {
    if word.len() <= 2 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let mut word = Word(word.as_bytes().to_vec());
    word.plurals();
    word.participles();
    word.final_y();
    word.replace(0, DOUBLE_SUFFIXES);
    word.replace(0, FULL_SUFFIXES);
    word.drop_suffix();
    word.tidy_up();
    String::from_utf8(word.0).expect("endings are cut off at letters")
}

const DOUBLE_SUFFIXES: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
];

const FULL_SUFFIXES: &[(&str, &str)] =
    &[("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")];

const LAST_SUFFIXES: &[&str] = &[
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive", "ize",
    "al", "er", "ic", "ou",
];

struct Word(Vec<u8>);

impl Word {
    fn is_consonant(&self, at: usize) -> bool {
        match self.0[at] {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => at == 0 || !self.is_consonant(at - 1),
            _ => true,
        }
    }

    /// Counts the vowel-consonant sequences in the first `end` letters: Porter's `m`.
    fn measure(&self, end: usize) -> usize {
        (1..end).filter(|at| self.is_consonant(*at) && !self.is_consonant(at - 1)).count()
    }

    fn has_vowel(&self, end: usize) -> bool {
        (0..end).any(|at| !self.is_consonant(at))
    }

    /// Returns the position of a suffix, if the word ends with it.
    fn before(&self, suffix: &str) -> Option<usize> {
        self.0.ends_with(suffix.as_bytes()).then(|| self.0.len() - suffix.len())
    }

    fn ends_in_double_consonant(&self) -> bool {
        let [.., before, last] = self.0[..] else { return false };
        before == last && self.is_consonant(self.0.len() - 1)
    }

    /// Whether the first `end` letters end in consonant, vowel, consonant, where the last is not w, x or y.
    fn is_short(&self, end: usize) -> bool {
        end >= 3
            && self.is_consonant(end - 3)
            && !self.is_consonant(end - 2)
            && self.is_consonant(end - 1)
            && !matches!(self.0[end - 1], b'w' | b'x' | b'y')
    }

    fn put(&mut self, at: usize, ending: &str) {
        self.0.truncate(at);
        self.0.extend(ending.bytes());
    }

    fn plurals(&mut self) {
        if self.before("sses").or_else(|| self.before("ies")).is_some() {
            self.0.truncate(self.0.len() - 2);
        } else if self.before("ss").is_none() && self.before("s").is_some() {
            self.0.pop();
        }
    }

    fn participles(&mut self) {
        if let Some(at) = self.before("eed") {
            if self.measure(at) > 0 {
                self.0.pop();
            }
            return;
        }
        let ending = ["ed", "ing"].into_iter().find_map(|suffix| self.before(suffix));
        let Some(at) = ending.filter(|at| self.has_vowel(*at)) else { return };
        self.0.truncate(at);
        if ["at", "bl", "iz"].iter().any(|suffix| self.before(suffix).is_some()) {
            self.0.push(b'e');
        } else if self.ends_in_double_consonant() && !matches!(self.0.last(), Some(b'l' | b's' | b'z')) {
            self.0.pop();
        } else if self.measure(self.0.len()) == 1 && self.is_short(self.0.len()) {
            self.0.push(b'e');
        }
    }

    fn final_y(&mut self) {
        if let Some(at) = self.before("y").filter(|at| self.has_vowel(*at)) {
            self.put(at, "i");
        }
    }

    /// Replaces the longest matching suffix if the measure of the rest exceeds `least`.
    fn replace(&mut self, least: usize, suffixes: &[(&str, &str)]) {
        let longest =
            suffixes.iter().filter(|(suffix, _)| self.before(suffix).is_some()).max_by_key(|(one, _)| one.len());
        if let Some((suffix, ending)) = longest {
            let at = self.0.len() - suffix.len();
            if self.measure(at) > least {
                self.put(at, ending);
            }
        }
    }

    fn drop_suffix(&mut self) {
        let Some(suffix) = LAST_SUFFIXES.iter().find(|suffix| self.before(suffix).is_some()) else { return };
        let at = self.0.len() - suffix.len();
        let fits = *suffix != "ion" || matches!(self.0[..at].last(), Some(b's' | b't'));
        if fits && self.measure(at) > 1 {
            self.0.truncate(at);
        }
    }

    fn tidy_up(&mut self) {
        if let Some(at) = self.before("e") {
            let measure = self.measure(at);
            if measure > 1 || (measure == 1 && !self.is_short(at)) {
                self.0.pop();
            }
        }
        if self.before("ll").is_some() && self.measure(self.0.len()) > 1 {
            self.0.pop();
        }
    }
}

#[test]
fn stems_match_porters_algorithm() {
    let stems = [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("cats", "cat"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("motoring", "motor"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("happy", "happi"),
        ("relational", "relat"),
        ("organization", "organ"),
        ("electrical", "electr"),
        ("adjustment", "adjust"),
        ("adoption", "adopt"),
        ("controll", "control"),
        ("baking", "bake"),
        ("sky", "sky"),
        ("is", "is"),
    ];
    for (word, expected) in stems {
        assert_eq!(stem(word), expected, "{word}");
    }
}
