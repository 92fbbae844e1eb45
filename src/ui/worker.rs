//! The requests of the picker to the service, and the thread that answers.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::item::{Item, clean, clean_line};
use crate::names::Names;
use crate::request::{MOST_HITS, Reply, Request, Tab};
use crate::{CommandLine, present};
use tars_agent::project::Project;
use tars_service::memory::{
    DailyRequest, DailyResponse, DecideRequest, FeedbackRequest, ForgetRequest, LinesRequest, ProposalsRequest,
    RememberRequest, RememberStatus, Remove, ReviewRequest, SessionRequest, SessionsRequest, SettleRequest,
    UndoRequest, UndoableRequest, WeekRequest,
};
use tars_service::{
    App, Backend, Error, ExpandRequest, GetRequest, RecalledRequest, RelatedRequest, Result, SearchRequest, Service,
    StatusRequest, WhyRequest,
};

/// Most entries of a list.
pub(crate) const MOST: usize = 100;
/// Most requests that wait besides a question. Further ones are dropped.
const MOST_WAITING: usize = 64;

/// Requests that wait for the worker.
#[derive(Default)]
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

#[derive(Default)]
struct Waiting {
    question: Option<Request>,
    others: VecDeque<Request>,
    is_closed: bool,
}

impl Queue {
    /// Adds a request. A question replaces the one that waits. Returns whether the request has a place.
    pub(crate) fn add(&self, request: Request) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match request {
            Request::Search { .. } => waiting.question = Some(request),
            _ if waiting.others.len() < MOST_WAITING => waiting.others.push_back(request),
            _ => return false,
        }
        self.arrived.notify_one();
        true
    }

    /// Ends the worker once it has answered what waits: a write that the person asked for is made. Only a question is dropped.
    pub(crate) fn close(&self) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).is_closed = true;
        self.arrived.notify_one();
    }

    /// Waits for a request. Returns `None` once the queue is closed.
    fn next(&self) -> Option<Request> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let question = if waiting.is_closed { None } else { waiting.question.take() };
            if let Some(request) = waiting.others.pop_front() {
                waiting.question = question;
                return Some(request);
            }
            if question.is_some() || waiting.is_closed {
                return question;
            }
            waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Answers requests until the queue is closed, or until nobody receives the replies.
pub(crate) fn work(app: &App, line: &dyn CommandLine, queue: &Queue, replies: &Sender<Reply>) {
    let worker = Worker::new(app, line, Names::Keys);
    while let Some(request) = queue.next() {
        if replies.send(worker.answer(&request)).is_err() {
            return;
        }
    }
}

/// Answers requests through the service.
pub(crate) struct Worker<'a> {
    service: Service<'a>,
    line: &'a dyn CommandLine,
    names: Names,
    project: Option<String>,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(app: &'a App, line: &'a dyn CommandLine, names: Names) -> Self {
        let project = std::env::current_dir().ok().map(|here| Project::of(&here).name);
        Self { service: Service::new(app, Backend::Fallback), line, names, project }
    }

    /// Answers a request. An error becomes a message.
    pub(crate) fn answer(&self, request: &Request) -> Reply {
        let reply = self.reply(request);
        // The next question looks for changed notes again; the model stays loaded.
        self.service.mark_stale();
        match (reply, request) {
            (Ok(reply), _) => reply,
            (Err(error), Request::Search { number, .. }) => {
                Reply::Unanswered { number: *number, problem: message(&error) }
            }
            (Err(error), Request::Tab(tab)) => {
                Reply::Tab(*tab, vec![Item { text: message(&error), ..Item::default() }])
            }
            (Err(error), Request::Session(id) | Request::Recalled(id) | Request::Note { key: id, .. }) => {
                Reply::Text { id: id.clone(), text: message(&error), line: 0 }
            }
            (Err(error), _) => Reply::Said(message(&error)),
        }
    }

    fn reply(&self, request: &Request) -> Result<Reply> {
        let service = &self.service;
        Ok(match request {
            Request::Search { number, query, extra } => {
                let usual = service.app().settings.config.search.limit.clamp(5, MOST);
                let limit = usual.saturating_add(*extra).min(MOST_HITS);
                let asked = SearchRequest {
                    query: query.clone(),
                    limit: Some(limit),
                    project: self.project.clone(),
                    preview: true,
                    ..SearchRequest::default()
                };
                present::hits(*number, service.call(&asked)?, limit)
            }
            Request::Tab(tab) => Reply::Tab(*tab, self.tab(*tab)?),
            Request::Expand { id, line } => {
                let expansion = service.call(&ExpandRequest { id: id.clone(), ..ExpandRequest::default() })?;
                let line = line.saturating_sub(expansion.start_line);
                Reply::Text { id: id.clone(), text: clean(&expansion.content), line }
            }
            Request::Session(id) => {
                let file = service.call(&SessionRequest { id: id.clone() })?;
                Reply::Text { id: id.clone(), text: present::body(&file.content.unwrap_or_default()), line: 0 }
            }
            Request::Recalled(id) => {
                let shown = service.call(&WhyRequest { session: Some(id.clone()) })?;
                let zone = service.app().environment.clock.zone();
                Reply::Text { id: id.clone(), text: present::shown(&shown, &zone), line: 0 }
            }
            Request::Note { key, place } => {
                let first = place.line.max(1);
                let request = GetRequest {
                    names: vec![place.path.clone()],
                    lines: Some((first, first + MOST)),
                    collections: vec![place.collection.clone()],
                    ..GetRequest::default()
                };
                let note = service.call(&request)?.notes.into_iter().next();
                let text = note.map(|note| present::body(&note.text.content)).unwrap_or_default();
                Reply::Text { id: key.clone(), text, line: 0 }
            }
            Request::Related { name, collection } => {
                let collections = vec![collection.clone()];
                let request = RelatedRequest { name: name.clone(), limit: Some(MOST / 5), collections: Vec::new() };
                // A path may name notes of several collections.
                let of_one = RelatedRequest { collections, ..request.clone() };
                present::related(service.call(&request).or_else(|_| service.call(&of_one))?)
            }
            Request::Remember { text, replace, force } => self.remember(text, replace.clone(), *force)?,
            Request::Feedback { good, note } => {
                let response = service.call(&FeedbackRequest { good: *good, note: note.clone() })?;
                Reply::Done(format!("noted in {}", clean_line(&response.line.place())))
            }
            Request::FindLine { query, path, line } => self.find_line(query, path, *line)?,
            Request::Forget(line) => {
                let remove = Remove::Lines(vec![(**line).clone()]);
                let response = service.call(&ForgetRequest { query: line.id.clone(), remove })?;
                match response.removed.is_empty() {
                    true => Reply::Said("the line has changed since: nothing was removed".into()),
                    false => Reply::Done(format!("removed the line ({} brings it back)", self.names.of('u'))),
                }
            }
            Request::FindWrite => {
                let now = service.app().environment.clock.now();
                let writes = service.call(&UndoableRequest { count: 1, notes: false })?;
                let lines: Vec<String> = writes.iter().flatten().map(|write| self.line.write(write, &now)).collect();
                match lines.is_empty() {
                    true => Reply::Said("there is nothing to take back".into()),
                    false => Reply::Confirm {
                        question: "take this back?".into(),
                        line: clean_line(&lines.join("; ")),
                        then: Box::new(Request::Undo { redo: false }),
                    },
                }
            }
            Request::Undo { redo } => self.undo(*redo)?,
            Request::Decide { id, accept } => {
                let done = service.call(&DecideRequest { id: id.clone(), accept: *accept, text: None })?;
                Reply::Done(format!("{}: {}", done.status, clean_line(&done.proposal)))
            }
            Request::Settle { line, settlement } => {
                let (id, path) = (line.id.clone(), Some(line.path.clone()));
                let done = service.call(&SettleRequest { id, path, settlement: settlement.clone() })?;
                let line = done.line.map(|line| format!(": {}", clean_line(&line.text))).unwrap_or_default();
                Reply::Done(format!("{}{line}", done.status.as_str()))
            }
        })
    }

    fn tab(&self, tab: Tab) -> Result<Vec<Item>> {
        let (service, app) = (&self.service, self.service.app());
        let now = app.environment.clock.now();
        let mut items = match tab {
            Tab::Search => Vec::new(),
            Tab::Today => {
                let day = match service.call(&DailyRequest::default())? {
                    DailyResponse::Day(day) => present::day(&day),
                    DailyResponse::Added { .. } => Vec::new(),
                };
                let week = present::week(&service.call(&WeekRequest::default())?);
                day.into_iter().chain(week).collect()
            }
            Tab::Memory => present::memory(service.call(&LinesRequest::default())?),
            Tab::Sessions => {
                let asked = SessionsRequest { limit: Some(MOST), ..SessionsRequest::default() };
                present::sessions(&service.call(&asked)?, &now)
            }
            Tab::Review => {
                let proposals = service.call(&ProposalsRequest::default())?;
                let open = proposals.iter().filter(|proposal| proposal.word == "open");
                let waiting = service.call(&ReviewRequest::default())?;
                let open = open.map(|proposal| present::proposal(proposal, &self.line.proposal(proposal)));
                open.chain(waiting.into_iter().map(present::waiting)).collect()
            }
            Tab::Recalled => present::recalled(&service.call(&RecalledRequest { limit: Some(MOST) })?, &now),
            Tab::Status => {
                let text = self.line.status(&service.call(&StatusRequest::default())?, &now);
                vec![Item { text: clean(&text), ..Item::default() }]
            }
        };
        // All facts are worth a look; the other lists are cut.
        items.truncate(if tab == Tab::Memory { 10 * MOST } else { MOST });
        Ok(items)
    }

    fn remember(&self, text: &str, replace: Option<String>, force: bool) -> Result<Reply> {
        let request =
            RememberRequest { text: text.to_owned(), replace, force, ask: true, nearest: 0, ..Default::default() };
        let response = self.service.call(&request)?;
        let near = response.near.first().filter(|_| response.status == RememberStatus::Close);
        let taken = match response.removed.is_empty() {
            true => String::new(),
            false => format!("; taken out before writing: {}", response.removed.join(", ")),
        };
        Ok(match (&response.line, near) {
            (Some(line), _) => {
                let (status, place) = (response.status.as_str(), clean_line(&line.place()));
                Reply::Done(format!("{status} in {place}{taken}"))
            }
            (None, Some(near)) => {
                Reply::Near { text: text.to_owned(), id: near.line.id.clone(), line: clean_line(&near.line.text) }
            }
            (None, None) => Reply::Said("nothing was written".into()),
        })
    }

    /// Finds the one line of the memory folder at a place.
    fn find_line(&self, query: &str, path: &str, number: usize) -> Result<Reply> {
        let found = self.service.call(&ForgetRequest { query: query.to_owned(), remove: Remove::None })?.found;
        let at_place = found.into_iter().find(|line| line.path == path && line.line == number);
        Ok(match at_place {
            None => Reply::Said("this is no line of the memory folder; tars removes no other".into()),
            Some(line) => Reply::Confirm {
                question: "forget this line?".into(),
                line: format!("{}  {}", clean_line(&line.place()), clean_line(&line.text)),
                then: Box::new(Request::Forget(Box::new(line))),
            },
        })
    }

    fn undo(&self, redo: bool) -> Result<Reply> {
        let now = self.service.app().environment.clock.now();
        let response = self.service.call(&UndoRequest { count: 1, redo, notes: false })?;
        let (fate, to_do) = if redo { ("done again", "do again") } else { ("taken back", "take back") };
        if let Some(error) = response.failure {
            return Err(error);
        }
        Ok(match (response.described.first(), &response.refused) {
            (_, Some(refused)) => {
                let path = clean_line(&refused.path);
                Reply::Said(format!("not {fate}: {path} is not as this write left it (tars undo shows why)"))
            }
            (Some(write), None) => {
                Reply::Done(format!("{fate}: {}", without_age(&clean_line(&self.line.write(write, &now)))))
            }
            (None, None) => Reply::Said(format!("there is nothing to {to_do}")),
        })
    }
}

/// Returns the description of a write without its age, which is that of the first time.
fn without_age(described: &str) -> &str {
    described.split_once("  ").map_or(described, |(_age, write)| write)
}

/// Returns an error with its hint as one line.
pub(crate) fn message(error: &Error) -> String {
    let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
    clean_line(&format!("{error:#}{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_is_done_again_is_not_described_as_just_now() {
        let described = "just now  forget  tars/Memory.md  - The boiler is red.";
        assert_eq!(without_age(described), "forget  tars/Memory.md  - The boiler is red.");
    }

    #[test]
    fn the_newest_question_replaces_those_that_wait() {
        let queue = Queue::default();
        let question = |number| Request::Search { number, query: "pump".into(), extra: 0 };
        queue.add(question(1));
        queue.add(Request::FindWrite);
        queue.add(question(2));
        // A step of the person comes before a question.
        assert_eq!(queue.next(), Some(Request::FindWrite));
        assert_eq!(queue.next(), Some(question(2)));
        for _ in 0..1_000 {
            queue.add(Request::FindWrite);
        }
        assert_eq!(queue.waiting.lock().unwrap().others.len(), MOST_WAITING);
        queue.add(question(3));
        queue.close();
        assert_eq!((0..=MOST_WAITING).filter_map(|_| queue.next()).filter(|one| *one != Request::FindWrite).count(), 0);
        assert_eq!(queue.next(), None);
    }
}
