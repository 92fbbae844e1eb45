//! The words by which a person's plain statements are told that are worth knowing later.

/// The words of one language: phrases as in [`super::Cues`], unless it is said otherwise.
#[derive(Debug)]
pub struct Statements {
    /// By the way: a person tells of what an agent cannot know.
    pub aside: &'static [&'static str],
    /// What ends for good.
    pub over: &'static [&'static str],
    /// Words that say that something stays as it is. Where the state stands before its verb, and in scripts without blanks, there
    /// are none.
    pub stays: &'static [&'static str],
    /// Words that follow such a word and do not speak of a decision.
    pub no_state: &'static [&'static str],
    /// Limits that a person sets. A number stands in the sentence, too.
    pub limit: &'static [&'static str],
    /// Places and machines that have a name.
    pub place: &'static [&'static str],
    /// Verbs of a report: something was measured, and nobody set it.
    pub report: &'static [&'static str],
    /// How what is asked for the next time begins.
    pub next_time: &'static [&'static str],
    /// How a person says what they will do themselves the next time.
    pub plan: &'static [&'static str],
    /// How what is wanted no more begins.
    pub no_further: &'static [&'static str],
    /// What stands before the number that another takes the place of.
    pub instead: &'static [&'static str],
    /// Pairs of words before the old and the new number. They must not be those of a range, such as times from one to the other.
    pub changes: &'static [(&'static str, &'static str)],
    /// What stands before the day of the week to which something moves.
    pub moves_to: &'static [&'static str],
    /// Pairs of words of which one follows what goes and the other what comes.
    pub out_and_in: &'static [(&'static str, &'static str)],
    /// Words that a short choice begins with.
    pub then: &'static [&'static str],
    /// Words that a short choice ends with.
    pub chosen: &'static [&'static str],
    /// Words that are no choice where they stand in one's place.
    pub no_choice: &'static [&'static str],
}

impl Statements {
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
