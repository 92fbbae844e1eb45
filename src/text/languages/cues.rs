//! The cues that classify sentences without a model: decisions, causes, open tasks.

use super::StatementCues;

/// The cues of one language. A cue is a phrase of whole lower-case words with plain apostrophes; in scripts without
/// blanks it is a stretch of characters. The cues of all languages apply to every sentence: people mix languages, and a
/// cue of one language is rarely a word of another.
#[derive(Debug)]
pub struct Cues {
    /// Phrases that settle something, no matter who says them.
    pub decision: &'static [&'static str],
    /// Phrases that settle something only if a person says them. An agent uses them to describe the code or its next
    /// step.
    pub persons_decision: &'static [&'static str],
    /// Words that open a person's imperative which may settle something, such as "Use 5432 for staging".
    pub imperative: &'static [&'static str],
    /// Words that make such an imperative a rule rather than a task.
    pub binding: &'static [&'static str],
    /// Words that mark a possibility, a wish, an announcement or a report: nothing is settled.
    pub hedge: &'static [&'static str],
    /// Words that open a sentence which holds only under a condition.
    pub condition: &'static [&'static str],
    /// Phrases that name a cause, or what something turned out to be.
    pub finding: &'static [&'static str],
    /// Phrases for work that is left to do.
    pub open: &'static [&'static str],
    /// Phrases that refute an earlier statement.
    pub refutation: &'static [&'static str],
    /// Phrases with which an agent offers something.
    pub offer: &'static [&'static str],
    /// Phrases with which an agent asks the person to choose.
    pub choice: &'static [&'static str],
    /// Phrases with which an agent presents alternatives.
    pub alternatives: &'static [&'static str],
    /// Phrases with which a person picks an alternative or sets a limit.
    pub picks: &'static [&'static str],
    /// Words that open a task. A task settles nothing.
    pub task: &'static [&'static str],
    /// Phrases that postpone something.
    pub postponed: &'static [&'static str],
    /// Phrases for something good enough for now, which leaves nothing to do.
    pub enough: &'static [&'static str],
    /// Phrases with which a person asks what is wrong or how something is going.
    pub diagnosis: &'static [&'static str],
    /// Phrases with which an agent recommends one alternative.
    pub advice: &'static [&'static str],
    /// Words of agreement.
    pub consent: &'static [&'static str],
    /// Phrases for what an agent is going to look at or run. Its next step settles nothing.
    pub next_steps: &'static [&'static str],
    /// Farewells. A time of day in one is no task.
    pub farewell: &'static [&'static str],
    /// Phrases with which a person takes back what was just settled or done.
    pub retraction: &'static [&'static str],
    /// Phrases that say what something is not. They refute an earlier finding and are no finding themselves.
    pub denial: &'static [&'static str],
    /// Phrases that open a standing preference.
    pub preferences: &'static [&'static str],
    /// Polite openings, which are dropped from the statement.
    pub polite: &'static [&'static str],
    /// Phrases that open like a preference but describe what was or is the case.
    pub descriptions: &'static [&'static str],
    /// Phrases that open a statement about what is used for what.
    pub uses: &'static [&'static str],
    /// Words that must follow an entry of `uses`.
    pub used_for: &'static [&'static str],
    /// Phrases that open a correction.
    pub corrections: &'static [&'static str],
    /// Words that must follow an entry of `corrections`: they introduce what must not be used.
    pub contrast: &'static [&'static str],
    /// Words for what holds only now, or that refer to something only this session shows.
    pub temporary: &'static [&'static str],
    /// Words for lasting things. A decision about one of them is worth remembering.
    pub lasting: &'static [&'static str],
    /// Phrases with which a person describes their habits within a sentence.
    pub habits: &'static [&'static str],
    /// Phrases for agreements and obligations.
    pub agreed: &'static [&'static str],
    /// Phrases that name something, or with which people describe themselves: family, home, diet.
    pub names: &'static [&'static str],
    /// Negations, also without their apostrophe. Empty where the language negates inside its words.
    pub negations: &'static [&'static str],
    /// Cues of a person's plain statements.
    pub statements: StatementCues,
}

impl Cues {
    /// No cues.
    pub const NONE: Self = Self {
        decision: &[],
        persons_decision: &[],
        imperative: &[],
        binding: &[],
        hedge: &[],
        condition: &[],
        finding: &[],
        open: &[],
        refutation: &[],
        offer: &[],
        choice: &[],
        alternatives: &[],
        picks: &[],
        task: &[],
        postponed: &[],
        enough: &[],
        diagnosis: &[],
        advice: &[],
        consent: &[],
        next_steps: &[],
        farewell: &[],
        retraction: &[],
        denial: &[],
        preferences: &[],
        polite: &[],
        descriptions: &[],
        uses: &[],
        used_for: &[],
        corrections: &[],
        contrast: &[],
        temporary: &[],
        lasting: &[],
        habits: &[],
        agreed: &[],
        names: &[],
        negations: &[],
        statements: StatementCues::NONE,
    };
}
