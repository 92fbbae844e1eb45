//! Small linear models that tell kinds of sentences and messages, learned from labelled lines.
//!
//! A model needs nothing installed and answers in about 25 microseconds. `tests/classifier` has the lines it learned from and, apart, lines
//! by other authors that judge it; `scripts/quality/train` makes the models.

mod features;
mod labels;
mod linear;
#[cfg(test)]
mod tests;
mod turn;

use std::sync::LazyLock;

use linear::Linear;

pub use features::BITS;
use labels::Standing;
pub use labels::{Intent, Label, QuestionShape, Reply, SentenceKind};
pub use turn::{TurnContext, TurnSentence};

/// First words of a request that a sentence's kind depends on.
const REQUEST_WORDS: usize = 12;
/// Last words of an answer that the meaning of a reply depends on.
const BEFORE_WORDS: usize = 24;

/// A model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// The kind of a sentence by itself; its context is the request of the turn.
    Kinds,
    /// The kind of a sentence in its turn: see [`TurnContext::features`].
    Turns,
    /// The aim of a message; it has no context.
    Intents,
    /// The effect of a reply; its context is the agent's words before it.
    Replies,
    /// Whether a person's sentence holds beyond the session; its context is the request.
    Standing,
    /// The form of the answer that a question asks for; it has no context.
    Shapes,
}

impl Model {
    /// Every model.
    pub const ALL: [Self; 6] = [Self::Kinds, Self::Turns, Self::Intents, Self::Replies, Self::Standing, Self::Shapes];

    /// Returns the name of its file and of its labelled lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kinds => "kinds",
            Self::Turns => "turns",
            Self::Intents => "intents",
            Self::Replies => "replies",
            Self::Standing => "standing",
            Self::Shapes => "shapes",
        }
    }

    /// Returns the features of a text for this model as (index below 2^[`BITS`], value), ordered by index.
    pub fn features(self, text: &str, context: &str) -> Vec<(u32, f32)> {
        let context = match self {
            Self::Kinds | Self::Turns | Self::Standing => first_words(context, REQUEST_WORDS),
            Self::Intents | Self::Shapes => String::new(),
            Self::Replies => {
                let words: Vec<&str> = context.split_whitespace().collect();
                words[words.len().saturating_sub(BEFORE_WORDS)..].join(" ")
            }
        };
        features::features(text, &context, &[])
    }

    fn weights(self) -> &'static Linear {
        static TURNS: LazyLock<Linear> = LazyLock::new(|| Linear::of(include_bytes!("turns.model")));
        static KINDS: LazyLock<Linear> = LazyLock::new(|| Linear::of(include_bytes!("kinds.model")));
        static INTENTS: LazyLock<Linear> = LazyLock::new(|| Linear::of(include_bytes!("intents.model")));
        static REPLIES: LazyLock<Linear> = LazyLock::new(|| Linear::of(include_bytes!("replies.model")));
        static STANDING: LazyLock<Linear> = LazyLock::new(|| Linear::of(include_bytes!("standing.model")));
        static SHAPES: LazyLock<Linear> = LazyLock::new(|| Linear::of(include_bytes!("shapes.model")));
        match self {
            Self::Shapes => &SHAPES,
            Self::Standing => &STANDING,
            Self::Kinds => &KINDS,
            Self::Turns => &TURNS,
            Self::Intents => &INTENTS,
            Self::Replies => &REPLIES,
        }
    }
}

fn first_words(text: &str, most: usize) -> String {
    text.split_whitespace().take(most).collect::<Vec<_>>().join(" ")
}

/// The probability of each label.
#[derive(Debug, Clone)]
pub struct Guess<L> {
    probabilities: Vec<(L, f32)>,
}

impl<L: Label> Guess<L> {
    fn of(model: Model, text: &str, context: &str) -> Self {
        Self::of_features(model, &model.features(text, context))
    }

    fn of_features(model: Model, features: &[(u32, f32)]) -> Self {
        let weights = model.weights();
        let label = |name: &String| L::ALL.iter().copied().find(|label| label.name() == name);
        let labels = weights.labels().iter().filter_map(label);
        Self { probabilities: labels.zip(weights.probabilities(features)).collect() }
    }

    /// Returns the most probable label, and its probability.
    pub fn best(&self) -> (L, f32) {
        self.best_of(L::ALL)
    }

    /// Returns the most probable one of `labels`, and its probability.
    pub fn best_of(&self, labels: &[L]) -> (L, f32) {
        let of_labels = self.probabilities.iter().copied().filter(|(label, _)| labels.contains(label));
        of_labels.max_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or((L::ALL[0], 0.0))
    }

    /// Returns the sum of the probabilities of `labels`.
    pub fn any_of(&self, labels: &[L]) -> f32 {
        self.probabilities.iter().filter(|(label, _)| labels.contains(label)).map(|(_, probability)| probability).sum()
    }
}

/// Returns the kind of a sentence that was said in answer to `request`, or in it.
pub fn sentence_kind(sentence: &str, request: &str) -> Guess<SentenceKind> {
    Guess::of(Model::Kinds, sentence, request)
}

/// Returns the probability that a person's sentence in `request` is a standing rule or a statement about themself.
pub fn is_standing(sentence: &str, request: &str) -> f32 {
    Guess::of(Model::Standing, sentence, request).any_of(&[Standing::Standing])
}

/// Returns the aim of a person's message.
pub fn intent(message: &str) -> Guess<Intent> {
    Guess::of(Model::Intents, message, "")
}

/// Returns the form of the answer that a question asks for.
pub fn question_shape(question: &str) -> Guess<QuestionShape> {
    Guess::of(Model::Shapes, question, "")
}

/// Returns the effect of a person's reply to an agent's words `before`.
pub fn reply(reply: &str, before: &str) -> Guess<Reply> {
    Guess::of(Model::Replies, reply, before)
}
