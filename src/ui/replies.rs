//! How replies change the state.

use crate::item::Kind;
use crate::layout::{Regions, line_scroll};
use crate::place::Place;
use crate::request::{Answer, Reply, Request};
use crate::state::{Action, Bar, Focus, Page, State};

impl State {
    /// Applies a reply. May return a further step.
    pub(crate) fn apply(&mut self, reply: Reply) -> Option<Action> {
        match reply {
            // Answers to older questions are dropped.
            Reply::Hits(Answer { number, .. }) | Reply::Unanswered { number, .. } if number != self.number => {}
            Reply::Hits(answer) => return self.list(answer),
            // The question may be half typed, so the hits stay.
            Reply::Unanswered { problem, .. } => {
                (self.message, self.is_waiting, self.opens) = (problem, false, false);
            }
            Reply::Tab(tab, items) => self.pages[tab as usize].fill(items, true),
            Reply::Text { id, text, line } => {
                let text = if text.is_empty() { "(no text)".to_owned() } else { text };
                let region = Regions::of(self).text;
                // The person may be on another tab, or on the hits below the related notes.
                for page in self.pages.iter_mut().chain(&mut self.over) {
                    for (at, item) in page.items.iter_mut().enumerate() {
                        match item.kind {
                            Kind::Hit(_) if item.id() == Some(&id) => {
                                item.expanded = Some(text.clone());
                                if at == page.selected {
                                    page.scroll = line_scroll(item, line, region);
                                }
                            }
                            _ if item.key() == Some(&id) => item.text.clone_from(&text),
                            _ => {}
                        }
                    }
                }
            }
            Reply::Related { title, .. } if self.went_on(|asked| matches!(asked, Request::Related { .. })) => {
                self.message = format!("found late, so not shown: {title}");
            }
            Reply::Related { title, items, remark } => {
                self.message = remark.unwrap_or_default();
                if !items.is_empty() {
                    self.over = Some(Page { title, items, is_loaded: true, ..Page::default() });
                    self.focus = Focus::List;
                }
            }
            // A letter of a question that is being typed must decide nothing.
            Reply::Near { text, line, .. } if self.went_on(|asked| matches!(asked, Request::Remember { .. })) => {
                self.message = format!("not remembered yet, nearly the same is: {line} (m goes on)");
                self.undecided = Some(text);
            }
            Reply::Confirm { question, line, .. }
                if self.went_on(|asked| matches!(asked, Request::FindLine { .. } | Request::FindWrite)) =>
            {
                self.message = format!("not done, because you went on: {question} {line}");
            }
            Reply::Near { text, id, line } => self.bar = Some(Bar::Near { text, id, line }),
            Reply::Confirm { question, line, then } => {
                self.bar = Some(Bar::Confirm { question, line, then: *then });
            }
            Reply::Done(message) => {
                self.message = message;
                return self.reload();
            }
            Reply::Said(message) => self.message = message,
        }
        None
    }

    /// Lists the hits of an answer.
    fn list(&mut self, answer: Answer) -> Option<Action> {
        let Answer { mut hits, mut irrelevant, degraded, remarks, has_more, .. } = answer;
        let stays = self.is_answered();
        let seen = self.pages[0].item().and_then(|item| item.place.clone());
        self.query.text().clone_into(&mut self.answered);
        if self.lists_irrelevant {
            hits.append(&mut irrelevant);
        }
        (self.irrelevant, self.degraded, self.remarks) = (irrelevant, degraded, remarks);
        (self.is_waiting, self.has_more) = (false, has_more);
        match std::mem::take(&mut self.grows) {
            true => self.pages[0].grow(hits),
            false => self.pages[0].fill(hits, stays),
        }
        if std::mem::take(&mut self.opens) && self.shows_hits() { self.open_seen(seen) } else { None }
    }

    /// Opens the hit that the person chose among those of an older question, if the answer has it too. Another hit is not opened,
    /// because the person has not seen it.
    fn open_seen(&mut self, seen: Option<Place>) -> Option<Action> {
        let page = &mut self.pages[0];
        match page.items.iter().position(|item| seen.is_some() && item.place == seen) {
            Some(at) => page.select(at),
            None => {
                let is_empty = page.items.is_empty();
                self.message =
                    if is_empty { String::new() } else { "the answer is there: Enter opens this hit".into() };
                return None;
            }
        }
        self.open()
    }
}
