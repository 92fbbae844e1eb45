//! Separates a model's reasoning from its answer if both arrive as one text.
//!
//! Local reasoning models write `<think>…</think>` before they answer, and not every server removes it. An opening mark counts only at the
//! very beginning, so an answer that mentions the mark stays whole. Many chat templates write the opening mark themselves, so that the
//! answer contains only the closing one: then everything before it was reasoning, although it has been passed on as text.

/// The marks around the reasoning of the models that are known to write any.
const MARKS: [(&str, &str); 8] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
];
/// Marks around a word that is quoted.
const QUOTES: [char; 8] = ['`', '"', '“', '”', '‘', '’', '«', '»'];

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Reasoning.
    Thought(String),
    /// Text of the answer.
    Text(String),
    /// All text so far was reasoning.
    Withdrawn,
}

/// Splits a text that arrives in pieces of any size.
#[derive(Debug)]
pub(super) enum ReasoningSplitter {
    /// The text so far may still begin with an opening mark.
    Beginning(String),
    /// Inside the reasoning. Holds the last characters if they may begin the closing mark.
    Inside { close: &'static str, held: String },
    /// Text that is passed on up to `given`. A closing mark without its opening one makes all of it reasoning.
    Open { text: String, given: usize },
    /// Text that is held until its closing mark, because this model writes only that. No mark is before `from`.
    Held { text: String, from: usize },
    /// Past the reasoning: all further text is the answer.
    Over,
}

impl ReasoningSplitter {
    pub(super) fn new() -> Self {
        Self::Beginning(String::new())
    }

    /// Returns a splitter for a model that has ended its reasoning without having opened it: it passes on no text before that end.
    pub(super) fn holding() -> Self {
        Self::Held { text: String::new(), from: 0 }
    }

    /// Whether no text has arrived.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Beginning(held) | Self::Held { text: held, .. } => held.is_empty(),
            _ => false,
        }
    }

    /// Returns the parts that `piece` adds.
    pub(super) fn split(&mut self, piece: &str) -> Vec<Part> {
        let mut parts = Vec::new();
        self.add(piece, &mut parts);
        parts
    }

    fn add(&mut self, piece: &str, parts: &mut Vec<Part>) {
        match self {
            Self::Over => push(parts, Part::Text, piece),
            Self::Beginning(held) => {
                held.push_str(piece);
                let begun = held.trim_start();
                let opened =
                    MARKS.iter().find_map(|(open, close)| Some((*close, begun.strip_prefix(open)?.to_owned())));
                if let Some((close, inside)) = opened {
                    *self = Self::Inside { close, held: String::new() };
                    return self.add(&inside, parts);
                }
                if MARKS.iter().any(|(open, _)| open.starts_with(begun)) {
                    return;
                }
                let text = std::mem::take(held);
                *self = Self::Open { text: String::new(), given: 0 };
                self.add(&text, parts);
            }
            Self::Inside { close, held } => {
                held.push_str(piece);
                if let Some((thought, rest)) = held.split_once(*close) {
                    push(parts, Part::Thought, thought);
                    let rest = rest.to_owned();
                    *self = Self::new();
                    return self.add(&rest, parts);
                }
                let rest = held.split_off(held.len() - begun_mark(held, &[*close]));
                push(parts, Part::Thought, &std::mem::replace(held, rest));
            }
            Self::Open { text, given } => {
                text.push_str(piece);
                match closing(text, *given) {
                    None => {
                        let until = text.len() - begun_mark(&text[*given..], &MARKS.map(|(_, close)| close));
                        push(parts, Part::Text, &text[*given..until]);
                        *given = until;
                    }
                    // The character after the mark decides whether the mark is quoted.
                    Some((at, mark)) if at + mark.1.len() == text.len() => {
                        push(parts, Part::Text, &text[*given..at]);
                        *given = at;
                    }
                    Some((at, mark)) => self.end_unopened(at, mark, parts),
                }
            }
            Self::Held { text, from } => {
                text.push_str(piece);
                match closing(text, *from) {
                    None => *from = text.len() - begun_mark(&text[*from..], &MARKS.map(|(_, close)| close)),
                    Some((at, mark)) if at + mark.1.len() == text.len() => *from = at,
                    Some((at, mark)) => self.end_unopened(at, mark, parts),
                }
            }
        }
    }

    /// Ends the reasoning at a closing mark that was not opened, unless the answer only mentions the mark.
    fn end_unopened(&mut self, at: usize, mark: (&str, &str), parts: &mut Vec<Part>) {
        let (text, given) = match std::mem::replace(self, Self::Over) {
            Self::Open { text, given } => (text, given),
            Self::Held { text, .. } => (text, 0),
            _ => return,
        };
        let rest = &text[at + mark.1.len()..];
        if !ends_reasoning(&text[..at], mark, rest.chars().next()) {
            return push(parts, Part::Text, &text[given..]);
        }
        if given > 0 {
            parts.push(Part::Withdrawn);
        }
        push(parts, Part::Thought, &text[given..at]);
        *self = Self::new();
        self.add(rest, parts);
    }

    /// Returns the held parts at the end.
    pub(super) fn finish(mut self) -> Vec<Part> {
        let mut parts = Vec::new();
        let unopened = match &self {
            Self::Open { text, given: from } | Self::Held { text, from } => closing(text, *from),
            _ => None,
        };
        if let Some((at, mark)) = unopened {
            self.end_unopened(at, mark, &mut parts);
        }
        match self {
            Self::Beginning(held) => push(&mut parts, Part::Text, &held),
            Self::Inside { held, .. } => push(&mut parts, Part::Thought, &held),
            Self::Open { text, given } => push(&mut parts, Part::Text, &text[given..]),
            Self::Held { text, .. } => push(&mut parts, Part::Text, &text),
            Self::Over => {}
        }
        parts
    }
}

fn push(parts: &mut Vec<Part>, kind: fn(String) -> Part, text: &str) {
    if !text.is_empty() {
        parts.push(kind(text.to_owned()));
    }
}

/// Returns the first closing mark at or after `from`, and its place.
fn closing(text: &str, from: usize) -> Option<(usize, (&'static str, &'static str))> {
    let found = MARKS.iter().filter_map(|mark| Some((from + text[from..].find(mark.1)?, *mark)));
    found.min_by_key(|(at, _)| *at)
}

/// Returns the length of the end of `text` that may begin one of the marks.
fn begun_mark(text: &str, marks: &[&str]) -> usize {
    let begun = |mark: &&str| {
        let lengths = (1..mark.len()).rev().filter(|length| mark.is_char_boundary(*length));
        lengths.into_iter().find(|length| text.ends_with(&mark[..*length]))
    };
    marks.iter().filter_map(begun).max().unwrap_or(0)
}

/// Whether a closing mark between `before` and the character `next` ends reasoning. It does not if it was opened within the text, stands
/// in quotes or in code, or is a word of a sentence.
fn ends_reasoning(before: &str, (open, _): (&str, &str), next: Option<char>) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_quoted = before.ends_with(QUOTES) && next.is_some_and(|next| QUOTES.contains(&next));
    let is_code = line.matches('`').count() % 2 == 1 || before.matches("```").count() % 2 == 1;
    let is_word = line.ends_with(' ') && next == Some(' ');
    !(before.contains(open) || is_quoted || is_code || is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the reasoning and the answer of a text in these pieces.
    fn parts_of(mut reasoning: ReasoningSplitter, pieces: &[&str]) -> (String, String) {
        let mut parts: Vec<Part> = pieces.iter().flat_map(|piece| reasoning.split(piece)).collect();
        parts.extend(reasoning.finish());
        let mut all = (String::new(), String::new());
        for part in parts {
            match part {
                Part::Thought(thought) => all.0.push_str(&thought),
                Part::Text(text) => all.1.push_str(&text),
                Part::Withdrawn => all.0.push_str(&std::mem::take(&mut all.1)),
            }
        }
        all
    }

    fn parts(pieces: &[&str]) -> (String, String) {
        parts_of(ReasoningSplitter::new(), pieces)
    }

    fn split(text: &str) -> (String, String) {
        parts(&[text])
    }

    #[test]
    fn only_a_mark_at_the_beginning_opens_reasoning() {
        assert_eq!(split("\n<think>a < b</think>\nYes"), ("a < b".into(), "\nYes".into()));
        assert_eq!(split("Use <think>x</think>."), (String::new(), "Use <think>x</think>.".into()));
        assert_eq!(split("<think>cut off </th"), ("cut off </th".into(), String::new()));
        assert_eq!(split("<thin"), (String::new(), "<thin".into()));
        assert_eq!(split("[THINK]hm[/THINK]Yes"), ("hm".into(), "Yes".into()));
        assert_eq!(split("<think></think>\n<think>hm</think>Yes"), ("hm".into(), "Yes".into()));
    }

    #[test]
    fn reasoning_that_the_template_opened_ends_at_its_closing_mark() {
        assert_eq!(split("a, so b\n</think>\n\nYes"), ("a, so b\n".into(), "\n\nYes".into()));
        assert_eq!(split("hm</think>Yes"), ("hm".into(), "Yes".into()));
        assert_eq!(split("</think>\nYes"), (String::new(), "\nYes".into()));
        assert_eq!(split("only thought\n</think>"), ("only thought\n".into(), String::new()));
        assert_eq!(split("◁nothing◁/think▷Yes"), ("◁nothing".into(), "Yes".into()));
        assert_eq!(parts(&["I th", "ink so.\n</th", "ink>", "\nYes"]), ("I think so.\n".into(), "\nYes".into()));
    }

    #[test]
    fn an_answer_that_mentions_a_closing_mark_stays_whole() {
        for text in [
            "It ends with `</think>` each time.",
            "It ends with \"</think>\".",
            "The tag </think> closes it.",
            "```\na\n</think>\nb\n```",
            "Write <think>, then </think>\n",
        ] {
            assert_eq!(split(text), (String::new(), text.into()));
        }
    }

    #[test]
    fn a_model_that_never_opens_its_reasoning_shows_none_of_it() {
        let mut held = ReasoningSplitter::holding();
        assert_eq!(held.split("hm "), []);
        assert_eq!(held.split("so</think>"), []);
        assert_eq!(held.split("Yes"), [Part::Thought("hm so".into()), Part::Text("Yes".into())]);
        assert_eq!(parts_of(ReasoningSplitter::holding(), &["Plain ", "text"]), (String::new(), "Plain text".into()));
    }

    proptest::proptest! {
        #[test]
        fn splitting_the_text_does_not_change_its_parts(text in "\n?(<think>)?([a<>/é`\" \n]|</think|</think>|<think>|\\[/THINK\\]){0,8}", cuts in proptest::collection::vec(0..60usize, 0..6)) {
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| text.is_char_boundary(*at)).collect();
            cuts.push(text.len());
            cuts.sort_unstable();
            let mut start = 0;
            let pieces: Vec<&str> = cuts.iter().map(|end| { let piece = &text[start..*end]; start = *end; piece }).collect();
            proptest::prop_assert_eq!(parts(&pieces), parts(&[&text]));
            proptest::prop_assert_eq!(parts_of(ReasoningSplitter::holding(), &pieces), parts_of(ReasoningSplitter::holding(), &[&text]));
        }
    }
}
