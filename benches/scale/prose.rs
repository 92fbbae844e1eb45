//! Generates notes that resemble a person's: sentences from a small grammar over common words and rare words of a
//! subject, in notes of realistic sizes. The same seed gives the same notes.

use std::fmt::Write as _;

/// Words of the grammar, by part of speech.
const NOUNS: &str = "meeting project server budget invoice garden kitchen recipe train ticket doctor contract deadline release \
    branch database index query cache model editor keyboard monitor cable battery printer backup folder vault note password \
    network router sensor cluster pipeline decision proposal draft chapter paper review report summary question answer idea \
    problem reason result change version feature test error log message customer team manager colleague friend family child \
    parent neighbour school teacher lesson course exam house room window door roof heater bike car road bridge city village \
    mountain river forest beach island market shop price order delivery package letter book story song film picture photo \
    camera plan list table form survey interview offer salary holiday flight hotel map route weather winter summer morning \
    evening week month year habit goal exercise sleep breakfast dinner coffee bread soup cheese";
const VERBS: &str = "changed fixed moved wrote read sent found lost bought sold planned started finished tested reviewed asked \
    answered called met visited built removed replaced measured compared checked cleaned repaired ordered paid cancelled \
    discussed explained noticed remembered forgot learned tried avoided accepted rejected delayed shipped deployed migrated \
    documented simplified split merged renamed copied restored";
const ADJECTIVES: &str = "old new small large quick slow quiet early late clear simple strange useful expensive cheap broken \
    clean heavy light local remote public private important urgent final first second missing correct wrong better worse";
const ADVERBS: &str =
    "again today yesterday already finally quickly slowly together alone carefully almost later twice";
const PLACES: &str = "in the office|at home|on the train|after lunch|before the weekend|for the first time|without any help|\
    in the second half of the year|during the call|with two colleagues|by hand|on the other machine";
const SYLLABLES: &str = "an be cor da el fi gan ha il jo ka lum mer no or pri qua ras sel tor ul ver wim xan yor zel";

/// A source of random numbers (splitmix64).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn chance(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// Returns a nearly normal number with standard deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }
}

/// Generates notes.
pub(crate) struct Author {
    numbers: Numbers,
    words: [Vec<&'static str>; 4],
    places: Vec<&'static str>,
    syllables: Vec<&'static str>,
    notes: usize,
}

impl Author {
    /// Returns an author of `notes` notes that link to each other.
    pub(crate) fn new(seed: u64, notes: usize) -> Self {
        let words = [NOUNS, VERBS, ADJECTIVES, ADVERBS].map(|list| list.split_whitespace().collect());
        let syllables = SYLLABLES.split(' ').collect();
        Self { numbers: Numbers(seed), words, places: PLACES.split('|').collect(), syllables, notes }
    }

    /// Returns path and text of a note. Half of the notes are larger than 1.5 kB, one in a hundred larger than 12 kB.
    pub(crate) fn note(&mut self, number: usize) -> (String, String) {
        let size = (1500.0 * (0.9 * self.numbers.normal()).exp()).clamp(150.0, 60_000.0) as usize;
        let subject: Vec<String> = (0..12).map(|_| self.rare()).collect();
        let title = self.title(&subject);
        let date = format!("20{:02}-{:02}-{:02}", 15 + number % 11, 1 + number / 11 % 12, 1 + self.numbers.below(28));
        let mut text = String::new();
        if self.numbers.chance(0.5) {
            let tags = [self.common(0), self.common(0)];
            let _ = write!(text, "---\ntitle: {title}\ndate: {date}\ntags: [{}, {}]\n---\n", tags[0], tags[1]);
        }
        let _ = writeln!(text, "# {title}\n");
        while text.len() < size {
            if text.len() > 400 && self.numbers.chance(0.3) {
                let heading = self.title(&subject);
                let _ = writeln!(text, "## {heading}\n");
            }
            self.block(&subject, &mut text);
        }
        let folder = ["Projects", "People", "Areas", "Journal", "Reading"][number % 5];
        (format!("{folder}/{:03}/{date} note {number}.md", number / 500), text)
    }

    /// Returns a question about something that some notes may contain.
    pub(crate) fn question(&mut self) -> String {
        let rare = self.rare();
        format!("{} {} {} {rare}", self.common(2), self.common(0), self.common(1))
    }

    fn block(&mut self, subject: &[String], text: &mut String) {
        if self.numbers.chance(0.25) {
            for _ in 0..2 + self.numbers.below(4) {
                let task = if self.numbers.chance(0.3) { "[ ] " } else { "" };
                let _ = writeln!(text, "- {task}{}", self.sentence(subject));
            }
        } else {
            let sentences: Vec<String> = (0..2 + self.numbers.below(5)).map(|_| self.sentence(subject)).collect();
            let _ = writeln!(text, "{}", sentences.join(" "));
        }
        if self.numbers.chance(0.2) {
            let _ = writeln!(text, "See [[note {}]]. #{}", self.numbers.below(self.notes), self.common(0));
        }
        text.push('\n');
    }

    fn sentence(&mut self, subject: &[String]) -> String {
        let object = if self.numbers.chance(0.3) {
            subject[self.numbers.below(subject.len())].clone()
        } else {
            self.common(0).to_owned()
        };
        let who = ["We", "I", "They", "Anna", "The team", "My brother", "Nobody", "The company"][self.numbers.below(8)];
        let (verb, adjective) = (self.common(1), self.common(2));
        let end = match self.numbers.below(4) {
            0 => format!(" {}", self.places[self.numbers.below(self.places.len())]),
            1 => format!(" because the {} was {}", self.common(0), self.common(2)),
            2 => format!(", and the {} {} {}", self.common(0), self.common(1), self.common(3)),
            _ => String::new(),
        };
        format!("{who} {verb} the {adjective} {object}{end}.")
    }

    fn title(&mut self, subject: &[String]) -> String {
        let rare = &subject[self.numbers.below(subject.len())];
        format!("The {} {} of {rare}", self.common(2), self.common(0))
    }

    fn common(&mut self, part: usize) -> &'static str {
        let words = &self.words[part];
        // The product of two shares makes some words much more frequent than others.
        let place = self.numbers.share() * self.numbers.share();
        words[(place * words.len() as f64) as usize]
    }

    /// Returns a name or technical term. A few occur in many notes, most in few.
    fn rare(&mut self) -> String {
        let rank = (self.numbers.share().powi(3) * 60_000.0) as u64;
        let mut name = Numbers(rank);
        (0..3).map(|_| self.syllables[name.below(self.syllables.len())]).collect()
    }
}
