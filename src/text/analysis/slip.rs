//! Typing slips: which differences between two words are likely to be one.
//!
//! Fingers swap neighbouring letters, skip one, or type a double letter once. They rarely hit a letter far from the right
//! key, and rarely the wrong first or last one: such words are other words, names, or words of other languages. The shorter a
//! word, the more words resemble it by chance, so each kind of slip needs a minimum length.

/// The minimum length of the typed word, in letters, for each kind of slip.
#[derive(Debug, Clone, Copy)]
pub struct Slips {
    /// Two neighbouring letters swapped, including the first two: `recieve`.
    pub exchanged: usize,
    /// A double letter typed once: `adress`.
    pub undoubled: usize,
    /// A letter typed twice: `neccessary`.
    pub doubled: usize,
    /// A missing letter: `databse`.
    pub missing: usize,
    /// A vowel for another vowel, or a neighbouring key: `seperate`.
    pub near_key: usize,
    /// An extra letter.
    pub extra: usize,
    /// Any other wrong letter.
    pub replaced: usize,
    /// A missing, extra or wrong letter at the end of the word: usually another form, or another word.
    pub last: usize,
    /// Two slips in one word.
    pub two: usize,
}

impl Slips {
    /// Returns how many slips a word with this many letters may hold.
    pub fn max_slips(&self, letters: usize) -> usize {
        if letters >= self.two { 2 } else { 1 }
    }

    /// Returns the number of likely slips that turn `meant` into `typed`, both lower-case without diacritics; `None` if that
    /// is not possible. The first letter is never wrong, but it may be swapped with the second.
    pub fn count(&self, typed: &[char], meant: &[char]) -> Option<usize> {
        let max_slips = self.max_slips(typed.len());
        if typed.len().abs_diff(meant.len()) > max_slips {
            return None;
        }
        self.count_from(Place { typed, meant, at: (0, 0) }, max_slips)
    }

    fn count_from(&self, place: Place<'_>, max_slips: usize) -> Option<usize> {
        let Place { typed, meant, at: (mut i, mut j) } = place;
        while i < typed.len() && typed.get(i) == meant.get(j) {
            (i, j) = (i + 1, j + 1);
        }
        if i == typed.len() && j == meant.len() {
            return Some(0);
        }
        if max_slips == 0 {
            return None;
        }
        let place = Place { at: (i, j), ..place };
        let steps = [place.exchanged(self), place.missing(self), place.extra(self), place.replaced(self)];
        steps
            .into_iter()
            .flatten()
            .filter(|step| typed.len() >= step.shortest)
            .filter_map(|step| self.count_from(Place { at: step.to, ..place }, max_slips - 1))
            .min()
            .map(|further| further + 1)
    }
}

/// The position after the common part of two words.
#[derive(Clone, Copy)]
struct Place<'a> {
    typed: &'a [char],
    meant: &'a [char],
    at: (usize, usize),
}

/// One slip: the minimum word length, and the position after it.
struct Step {
    shortest: usize,
    to: (usize, usize),
}

impl Place<'_> {
    fn exchanged(&self, slips: &Slips) -> Option<Step> {
        let (i, j) = self.at;
        let (typed, meant) = (self.typed.get(i..i + 2)?, self.meant.get(j..j + 2)?);
        let exchanged = typed[0] == meant[1] && typed[1] == meant[0];
        exchanged.then_some(Step { shortest: slips.exchanged, to: (i + 2, j + 2) })
    }

    fn missing(&self, slips: &Slips) -> Option<Step> {
        let (i, j) = self.at;
        let letter = *self.meant.get(j)?;
        let shortest = match () {
            () if i == 0 => return None,
            () if self.typed[i - 1] == letter => slips.undoubled,
            () if i == self.typed.len() && j + 1 == self.meant.len() => slips.last,
            () => slips.missing,
        };
        Some(Step { shortest, to: (i, j + 1) })
    }

    fn extra(&self, slips: &Slips) -> Option<Step> {
        let (i, j) = self.at;
        let letter = *self.typed.get(i)?;
        let shortest = match () {
            () if i == 0 => return None,
            () if self.typed[i - 1] == letter => slips.doubled,
            () if i + 1 == self.typed.len() && j == self.meant.len() => slips.last,
            () => slips.extra,
        };
        Some(Step { shortest, to: (i + 1, j) })
    }

    fn replaced(&self, slips: &Slips) -> Option<Step> {
        let (i, j) = self.at;
        let (typed, meant) = (*self.typed.get(i)?, *self.meant.get(j)?);
        let shortest = match () {
            () if i == 0 => return None,
            () if i + 1 == self.typed.len() && j + 1 == self.meant.len() => slips.last,
            () if (is_vowel(typed) && is_vowel(meant)) || are_neighbours(typed, meant) => slips.near_key,
            () => slips.replaced,
        };
        Some(Step { shortest, to: (i + 1, j + 1) })
    }
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

/// Whether two letters are neighbours on a keyboard, by the rows of QWERTY; most other layouts differ in few keys.
fn are_neighbours(left: char, right: char) -> bool {
    const ROWS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
    let key = |letter: char| ROWS.iter().zip(0i8..).find_map(|(row, y)| Some((row.find(letter)? as i8, y)));
    let (Some((x, y)), Some((other_x, other_y))) = (key(left), key(right)) else { return false };
    match other_y - y {
        0 => (other_x - x).abs() == 1,
        // Each row is shifted right by half a key from the row above.
        1 => matches!(x - other_x, 0 | 1),
        -1 => matches!(other_x - x, 0 | 1),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLIPS: Slips = Slips {
        exchanged: 5,
        undoubled: 5,
        doubled: 7,
        missing: 7,
        near_key: 7,
        extra: 8,
        replaced: 9,
        last: 9,
        two: 8,
    };

    fn count(typed: &str, meant: &str) -> Option<usize> {
        let letters = |word: &str| word.chars().collect::<Vec<_>>();
        SLIPS.count(&letters(typed), &letters(meant))
    }

    #[test]
    fn kinds_of_slips_are_recognized() {
        for (typed, meant) in [
            ("recieve", "receive"),
            ("adtabase", "database"),
            ("adress", "address"),
            ("neccessary", "necessary"),
            ("kubernets", "kubernetes"),
            ("seperate", "separate"),
            ("chamgelog", "changelog"),
        ] {
            assert_eq!(count(typed, meant), Some(1), "{typed}");
        }
        assert_eq!(count("tommorow", "tomorrow"), Some(2));
        assert_eq!(count("same", "same"), Some(0));
    }

    #[test]
    fn slips_in_short_words_and_first_letters_are_other_words() {
        for (typed, meant) in [
            ("wifi", "wiki"),
            ("bake", "base"),
            ("wann", "wanna"),
            ("garten", "garden"),
            ("mutter", "butter"),
            ("marina", "martina"),
            ("jensen", "jansen"),
            ("kontakt", "contact"),
        ] {
            assert_eq!(count(typed, meant), None, "{typed}");
        }
        assert!(are_neighbours('s', 'w') && are_neighbours('x', 's') && are_neighbours('n', 'm'));
        assert!(!are_neighbours('k', 's') && !are_neighbours('q', 'z') && !are_neighbours('é', 'e'));
    }

    proptest::proptest! {
        #[test]
        fn likely_slips_are_no_more_than_the_distance(typed in "[a-c]{8,12}", meant in "[a-c]{8,12}") {
            let (typed, meant): (Vec<char>, Vec<char>) = (typed.chars().collect(), meant.chars().collect());
            if let Some(count) = SLIPS.count(&typed, &meant) {
                proptest::prop_assert!(crate::analysis::distance_within(&typed, &meant, 2).is_some_and(|least| least <= count));
            }
        }
    }
}
