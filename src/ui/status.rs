//! The last rows of the screen: the message, or a remark on the hits.

use std::borrow::Cow;

use crate::state::State;

impl State {
    /// Returns what the last rows say: the last message, else that an answer is late, else the remarks on the hits in sight; and if
    /// those hits stay although they answer an older question, that question.
    pub(crate) fn said(&self) -> String {
        let mut parts: Vec<Cow<'_, str>> = Vec::new();
        if !self.message.is_empty() {
            parts.push(self.message.as_str().into());
        } else if self.is_late {
            parts.push(if self.is_waiting { "searching…" } else { "working…" }.into());
        } else if self.shows_hits() {
            let nearest = self.irrelevant.first().filter(|_| self.pages[0].items.is_empty()).map(|nearest| {
                let (name, score) = (&nearest.name, nearest.remark.split(' ').next().unwrap_or_default());
                format!("nothing relevant; nearest: {name} ({score}); {} lists it", self.names.of('a'))
            });
            parts.extend(nearest.map(Cow::from));
            parts.extend(self.unseen_reason().map(Cow::from));
            parts.extend(self.remarks.iter().map(Cow::from));
        }
        let has_older = !self.pages[0].items.is_empty() && !self.is_answered();
        if self.shows_hits() && has_older && (self.is_late || !self.is_waiting) {
            parts.push(format!("the hits answer: {}", self.answered.trim()).into());
        }
        parts.join("; ")
    }

    /// Returns why the answer is degraded, unless the person has seen that.
    fn unseen_reason(&self) -> Option<&str> {
        self.degraded.as_deref().filter(|reason| without_numbers(reason) != self.seen_reason)
    }

    /// Whether the last rows show why the answer is degraded.
    pub(crate) fn shows_reason(&self) -> bool {
        self.message.is_empty() && !self.is_late && self.shows_hits() && self.unseen_reason().is_some()
    }

    /// Notes that the person has seen why the answer is degraded.
    pub(crate) fn leave_reason(&mut self) {
        self.seen_reason = self.degraded.as_deref().map(without_numbers).unwrap_or_default();
    }
}

/// Returns a reason without its numbers, which change while an index grows.
fn without_numbers(reason: &str) -> String {
    reason.replace(|character: char| character.is_ascii_digit(), "")
}
