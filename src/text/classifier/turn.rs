//! The kind of a sentence in its turn: who said it, where, and what the turn did tell more than the words alone.
//!
//! Four of five turns hold nothing that lasts, so this model learned from whole turns at their real share (`tests/classifier/turns`), and its
//! probabilities are those of real turns. It also learned the language of the lines of [`Model::Kinds`], which were written in equal shares:
//! a mark tells them apart, so that they do not change the share of what lasts.

use super::{Guess, Intent, Label, Model, REQUEST_WORDS, Reply, SentenceKind, features, first_words, intent, reply};

/// Weight of a mark of the sentence's place.
const MARK_WEIGHT: f32 = 0.5;
/// Weight of the mark of a line that stands by itself: large, so that the mark takes up the whole difference of the shares.
const ALONE_WEIGHT: f32 = 3.0;

/// A sentence of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnSentence<'a> {
    /// The sentence.
    pub text: &'a str,
    /// Whether the person said it, in the request; otherwise the agent, in its closing words.
    pub is_persons: bool,
    /// Its place among the sentences of the same speaker, from 0.
    pub place: usize,
    /// Their number.
    pub count: usize,
}

/// A turn, as far as the kinds of its sentences depend on it.
#[derive(Debug, Clone)]
pub struct TurnContext {
    /// The first words of the request.
    request: String,
    /// Whether the agent used a tool.
    acts: bool,
    /// The aims of the request, and its effects as a reply, each with its probability.
    probabilities: Vec<(&'static str, f32)>,
    is_reply: bool,
}

impl TurnContext {
    /// Looks at a request, the agent's words `before` it, and at whether the agent then used a tool.
    pub fn new(request: &str, before: &str, acts: bool) -> Self {
        let is_reply = !before.trim().is_empty();
        let aims = intent(request);
        let effects = reply(request, before);
        let aims = Intent::ALL.iter().map(|label| (label.name(), aims.any_of(&[*label])));
        let effects = Reply::ALL.iter().filter(|_| is_reply).map(|label| (label.name(), effects.any_of(&[*label])));
        let probabilities = aims.chain(effects).collect();
        Self { request: first_words(request, REQUEST_WORDS), acts, probabilities, is_reply }
    }

    /// Whether the agent used a tool.
    pub fn acts(&self) -> bool {
        self.acts
    }

    /// Returns the kind of a sentence of the turn.
    pub fn kind_of(&self, sentence: TurnSentence<'_>) -> Guess<SentenceKind> {
        Guess::of_features(Model::Turns, &self.features(sentence))
    }

    /// Returns the features of a line of [`Model::Kinds`], from which this model learns too.
    pub fn features_alone(text: &str, request: &str) -> Vec<(u32, f32)> {
        features::features(text, &first_words(request, REQUEST_WORDS), &[("alone".to_owned(), ALONE_WEIGHT)])
    }

    /// Returns the features of a sentence of the turn, as [`Model::features`] does.
    pub fn features(&self, sentence: TurnSentence<'_>) -> Vec<(u32, f32)> {
        let TurnSentence { text, is_persons, place, count } = sentence;
        let (is_first, is_last) = (place == 0, place + 1 == count);
        let marks = [
            (is_persons, "person"),
            (self.acts, "turn acts"),
            (!self.acts, "turn answers"),
            (self.is_reply, "reply"),
            (is_persons && self.acts, "person, turn acts"),
            (is_persons && !self.acts, "person, turn answers"),
            (is_persons && is_first, "person, first"),
            (is_persons && is_last, "person, last"),
            (is_persons && count > 2, "person, above 2"),
            (!is_persons && is_first, "agent, first"),
            (!is_persons && is_last, "agent, last"),
            (!is_persons && place == 1, "agent, second"),
            (!is_persons && count == 1, "agent, only"),
            (!is_persons && count > 4, "agent, above 4"),
        ];
        let mut named: Vec<(String, f32)> =
            marks.into_iter().filter(|(bears, _)| *bears).map(|(_, name)| (name.to_owned(), MARK_WEIGHT)).collect();
        for (name, probability) in &self.probabilities {
            let speaker = if is_persons { "person" } else { "agent" };
            named.push((format!("request: {name}"), *probability));
            named.push((format!("{speaker}, request: {name}"), *probability));
        }
        features::features(text, &self.request, &named)
    }
}
