//! The words by which sentences are told apart without a model: what settles something, names a cause, leaves something open.

use super::Statements;

/// The cues of one language. A cue is a phrase of whole words in small letters with plain apostrophes; in scripts without blanks it
/// is a stretch of characters. A sentence is not asked which language it is in: people mix them, and a cue of one language is
/// rarely a word of another.
#[derive(Debug)]
pub struct Cues {
    /// What somebody says who settles something, no matter who speaks.
    pub decision: &'static [&'static str],
    /// What settles something if a person says it. An agent says the same when it describes the code, or its next step.
    pub persons_decision: &'static [&'static str],
    /// Words with which an imperative of a person begins that may settle something, such as "Use 5432 for staging".
    pub imperative: &'static [&'static str],
    /// What makes of such an imperative a rule rather than a task.
    pub binding: &'static [&'static str],
    /// What makes of a sentence a possibility, a wish, an announcement or a report that nothing is settled.
    pub hedge: &'static [&'static str],
    /// Words with which a sentence begins that holds under a condition alone.
    pub condition: &'static [&'static str],
    /// What names a cause, or what something turned out to be.
    pub finding: &'static [&'static str],
    /// How a sentence speaks of what is left to do.
    pub open: &'static [&'static str],
    /// What takes back what was said before.
    pub refutation: &'static [&'static str],
    /// How an agent offers something.
    pub offer: &'static [&'static str],
    /// How an agent asks the person to choose.
    pub choice: &'static [&'static str],
    /// How an agent lays out several ways.
    pub alternatives: &'static [&'static str],
    /// How a person takes one of several ways, or sets a limit.
    pub taken: &'static [&'static str],
    /// Words that a task begins with, which settles nothing.
    pub task: &'static [&'static str],
    /// How something is put off.
    pub postponed: &'static [&'static str],
    /// What is good enough for now, and nothing is left to do about it.
    pub enough: &'static [&'static str],
    /// How a person asks what is wrong, or how something is.
    pub diagnosis: &'static [&'static str],
    /// How an agent says what it would choose.
    pub advice: &'static [&'static str],
    /// Words with which somebody agrees.
    pub consent: &'static [&'static str],
    /// What an agent proposes to look at or to run: its next step, which settles nothing.
    pub process: &'static [&'static str],
    /// How people take leave. Its time of day is no task.
    pub farewell: &'static [&'static str],
    /// How a person takes back what was just settled or done.
    pub retraction: &'static [&'static str],
    /// How somebody says what something is not. It rules a finding out that it speaks of; by itself it says nothing.
    pub denial: &'static [&'static str],
    /// How a standing preference begins.
    pub standing: &'static [&'static str],
    /// What a person begins with who is polite, and which is no part of what is said.
    pub polite: &'static [&'static str],
    /// What begins like a preference and tells of what was or is so.
    pub telling: &'static [&'static str],
    /// How a person begins to say what is used for what.
    pub uses: &'static [&'static str],
    /// What must follow it.
    pub used_for: &'static [&'static str],
    /// How a correction begins.
    pub corrections: &'static [&'static str],
    /// What must follow it: what is not to be used.
    pub contrast: &'static [&'static str],
    /// What holds for now alone, or points at something that only the session shows.
    pub passing: &'static [&'static str],
    /// Words that name something which lasts, so that a decision about it is worth knowing later.
    pub lasting: &'static [&'static str],
    /// How a person speaks of their own ways within a sentence.
    pub own_ways: &'static [&'static str],
    /// What was agreed, and what is no choice.
    pub agreed: &'static [&'static str],
    /// How something is called, and what somebody says of themselves: who they are with, where they live, what they do not eat.
    pub names: &'static [&'static str],
    /// Words that deny, also without their apostrophe. Where a language denies within its words, there are none.
    pub negations: &'static [&'static str],
    /// What a person's plain statements are told by.
    pub statements: Statements,
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
        taken: &[],
        task: &[],
        postponed: &[],
        enough: &[],
        diagnosis: &[],
        advice: &[],
        consent: &[],
        process: &[],
        farewell: &[],
        retraction: &[],
        denial: &[],
        standing: &[],
        polite: &[],
        telling: &[],
        uses: &[],
        used_for: &[],
        corrections: &[],
        contrast: &[],
        passing: &[],
        lasting: &[],
        own_ways: &[],
        agreed: &[],
        names: &[],
        negations: &[],
        statements: Statements::NONE,
    };
}
