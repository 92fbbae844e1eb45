//! The cues of a person's plain statements that are worth remembering.

/// The words of one language: phrases as in [`super::Cues`], unless a field says otherwise.
#[derive(Debug)]
pub struct StatementCues {
    /// "By the way": a person mentions something that an agent cannot know.
    pub aside: &'static [&'static str],
    /// Phrases for something that ends for good.
    pub over: &'static [&'static str],
    /// Words that say that a state stays as it is. Empty where the state stands before its verb, and in scripts without
    /// blanks.
    pub stays: &'static [&'static str],
    /// Words after an entry of `stays` that show that it is no decision.
    pub no_state: &'static [&'static str],
    /// Phrases for limits that a person sets. The sentence must hold a number as well.
    pub limit: &'static [&'static str],
    /// Places and machines that have a name.
    pub place: &'static [&'static str],
    /// Verbs of a report: somebody measured the value rather than set it.
    pub report: &'static [&'static str],
    /// Phrases that open a request for the next time.
    pub next_time: &'static [&'static str],
    /// Phrases with which a person says what they will do themselves next time.
    pub plan: &'static [&'static str],
    /// Phrases that open what is no longer wanted.
    pub no_further: &'static [&'static str],
    /// Words before the number that a new one replaces.
    pub instead: &'static [&'static str],
    /// Pairs of words before the old and the new number. They must not be the words of a range, such as from one time
    /// to another.
    pub changes: &'static [(&'static str, &'static str)],
    /// Words before the day of the week to which something moves.
    pub moves_to: &'static [&'static str],
    /// Pairs of words: one follows what goes, the other what comes.
    pub out_and_in: &'static [(&'static str, &'static str)],
    /// Words that open a short choice.
    pub then: &'static [&'static str],
    /// Words that end a short choice.
    pub chosen: &'static [&'static str],
    /// Words that are no choice although they stand where one would.
    pub no_choice: &'static [&'static str],
}

impl StatementCues {
    /// No words.
    pub const NONE: Self = Self {
        aside: &[],
        over: &[],
        stays: &[],
        no_state: &[],
        limit: &[],
        place: &[],
        report: &[],
        next_time: &[],
        plan: &[],
        no_further: &[],
        instead: &[],
        changes: &[],
        moves_to: &[],
        out_and_in: &[],
        then: &[],
        chosen: &[],
        no_choice: &[],
    };
}
