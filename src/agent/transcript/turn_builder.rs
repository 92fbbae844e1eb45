//! Assembles events into turns.

use super::foreign::is_foreign;
use tars_base::domain::{AgentAct, Reading, Turn, TurnEnd, TurnEvent, UserRequest};

/// Limits of a turn in bytes and numbers of entries. A longer turn is truncated, so that memory stays bounded.
const MAX_REQUEST: usize = 32 << 10;
const MAX_ANSWER: usize = 128 << 10;
const MAX_COMMAND: usize = 4 << 10;
const MAX_ENTRIES: usize = 500;
const MAX_ID: usize = 256;
const MAX_MODEL: usize = 100;

/// Collects events until a turn is complete.
pub(super) struct Builder {
    session: String,
    open: Option<OpenTurn>,
    /// Messages that the person typed while the agent worked and that no other event has shown yet.
    queued: Vec<String>,
    /// The origin of the text that the agent has read so far. It stays in the context of all later turns.
    reading: Reading,
}

struct OpenTurn {
    turn: Turn,
    is_command: bool,
    texts: Vec<String>,
    /// Total bytes of the texts.
    length: usize,
    /// Index of the first text of the closing.
    closing: usize,
    after_tool: bool,
    /// Whether something followed the request. A later message with the same id is then a new request.
    is_followed: bool,
    /// The calls that ran a command and have an id.
    calls: Vec<Call>,
    /// Whether the last tool ran a command that is in the list.
    ran: bool,
}

/// A call of a tool that ran a command.
struct Call {
    id: String,
    command: String,
    has_failed: bool,
}

impl Builder {
    /// Starts without a turn. Messages that do not name their session belong to `session`.
    pub(super) fn new(session: &str) -> Self {
        Self { session: session.to_owned(), open: None, queued: Vec::new(), reading: Reading::default() }
    }

    /// Adds an event, and returns the turn that it ends. An answer before the first request is ignored.
    pub(super) fn take(&mut self, event: TurnEvent) -> Option<Turn> {
        match (event, &mut self.open) {
            // In a fork of a session, all copied requests have the id of the fork's own first request.
            (TurnEvent::Requested(request), Some(open)) if open.turn.id == request.id && !open.is_followed => {
                open.add(&request.text);
                None
            }
            (TurnEvent::Requested(request), _) => {
                self.queued.retain(|text| !request.text.contains(text.trim()));
                let ended = self.end();
                self.open = Some(OpenTurn::new(request, &self.session));
                ended
            }
            (TurnEvent::Added(text), Some(open)) => {
                self.queued.retain(|queued| !text.contains(queued.trim()));
                open.is_followed = true;
                open.add(&text);
                None
            }
            (TurnEvent::Queued(text), _) => {
                if self.queued.len() < MAX_ENTRIES {
                    self.queued.push(truncate(text, MAX_COMMAND));
                }
                None
            }
            (TurnEvent::Unqueued, _) => {
                self.queued.clear();
                None
            }
            (TurnEvent::Resumed(id), Some(open)) => {
                open.is_followed = true;
                open.turn.is_complete = false;
                open.resume(id);
                None
            }
            (TurnEvent::Ended(end), Some(open)) => {
                open.is_followed = true;
                open.turn.end = end;
                None
            }
            (TurnEvent::CallsFailed(ids), Some(open)) => {
                open.fail(&ids);
                None
            }
            (TurnEvent::Acted(at, acts), Some(open)) => {
                open.is_followed = true;
                open.turn.ended = at.or(open.turn.ended);
                // The agent continued after all, for instance when the server was back.
                open.turn.end = TurnEnd::Answered;
                open.turn.is_complete = false;
                for act in acts {
                    if let AgentAct::Tool { name, command, .. } = &act
                        && is_foreign(name, command.as_deref())
                    {
                        self.reading = Reading::Foreign;
                    }
                    open.act(act);
                }
                None
            }
            (_, None) => None,
        }
    }

    /// Records that a line of the transcript could not be read.
    pub(super) fn miss_a_line(&mut self) {
        self.reading = self.reading.max(Reading::Unknown);
    }

    /// Returns the last turn.
    pub(super) fn finish(mut self) -> Option<Turn> {
        self.end()
    }

    /// Ends the open turn. Messages that were typed during it and that nothing else shows belong to it.
    fn end(&mut self) -> Option<Turn> {
        let mut open = self.open.take()?;
        std::mem::take(&mut self.queued).iter().for_each(|text| open.add(text));
        open.turn.reading = self.reading;
        open.finish()
    }
}

impl OpenTurn {
    fn new(request: UserRequest, session: &str) -> Self {
        let turn = Turn {
            session: request.session.unwrap_or_else(|| session.to_owned()),
            id: request.id,
            at: request.at,
            ended: request.at,
            directory: request.directory,
            branch: request.branch,
            is_abandoned: request.is_abandoned,
            request: truncate(request.text, MAX_REQUEST),
            ..Turn::default()
        };
        let is_command = request.is_command;
        Self {
            turn,
            is_command,
            texts: Vec::new(),
            length: 0,
            closing: 0,
            after_tool: false,
            is_followed: false,
            calls: Vec::new(),
            ran: false,
        }
    }

    fn add(&mut self, text: &str) {
        let request = &mut self.turn.request;
        if request.len() < MAX_REQUEST && !request.contains(text) {
            request.push_str("\n\n");
            request.push_str(text);
            *request = truncate(std::mem::take(request), MAX_REQUEST);
        }
    }

    /// Keeps the end of the answer at this stop.
    fn resume(&mut self, id: String) {
        let stops = &mut self.turn.earlier_stops;
        push_unique(&mut stops.resumed_by, id);
        if self.after_tool {
            // The agent was still working and had not stopped.
            return;
        }
        let closing = self.texts[self.closing..].join("\n\n");
        let kept = join_texts(&stops.closing, &closing);
        // The last words are the outcome, so the beginning is dropped.
        let first = kept.ceil_char_boundary(kept.len().saturating_sub(MAX_ANSWER / 2));
        stops.closing = kept[first..].to_owned();
        self.closing = self.texts.len();
    }

    fn act(&mut self, act: AgentAct) {
        match act {
            AgentAct::Text(text) => self.say(text.trim()),
            AgentAct::Model(model) => self.turn.model = Some(truncate(model, MAX_MODEL)),
            AgentAct::Ended => self.turn.is_complete = true,
            AgentAct::Tool { name, file, command } => {
                self.after_tool = true;
                let turn = &mut self.turn;
                push_unique(&mut turn.tools, name);
                file.into_iter().for_each(|file| push_unique(&mut turn.files, file));
                let command = command.map(|command| command.trim().to_owned()).filter(|command| !command.is_empty());
                self.ran = false;
                if let Some(command) = command
                    && turn.commands.len() < MAX_ENTRIES
                {
                    turn.commands.push(truncate(command, MAX_COMMAND));
                    self.ran = true;
                }
            }
            AgentAct::CallId(id) => {
                let ran = std::mem::take(&mut self.ran) && id.len() <= MAX_ID;
                let command = self.turn.commands.last().filter(|_| ran);
                self.calls.extend(command.map(|command| Call { id, command: command.clone(), has_failed: false }));
            }
        }
    }

    /// Marks the commands of these calls as failed.
    fn fail(&mut self, ids: &[String]) {
        for call in self.calls.iter_mut().filter(|call| ids.contains(&call.id)) {
            call.has_failed = true;
        }
    }

    /// Returns the commands whose last run failed, in the order of these runs.
    fn failed(&self) -> Vec<String> {
        let is_last = |at: usize| self.calls[at + 1..].iter().all(|later| later.command != self.calls[at].command);
        let failed = self.calls.iter().enumerate().filter(|(at, call)| call.has_failed && is_last(*at));
        failed.map(|(_, call)| call.command.clone()).collect()
    }

    fn say(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.after_tool) {
            self.closing = self.texts.len();
        }
        let text = truncate(text.to_owned(), MAX_ANSWER / 2);
        self.length += text.len();
        self.texts.push(text);
        // The last words are the outcome, so the first texts are dropped.
        let mut first = 0;
        while self.length > MAX_ANSWER && first + 1 < self.texts.len() {
            self.length -= self.texts[first].len();
            first += 1;
        }
        self.texts.drain(..first);
        self.closing = self.closing.saturating_sub(first);
    }

    /// Returns the turn. A client command counts as one only if the agent reacted to it.
    fn finish(mut self) -> Option<Turn> {
        self.turn.answer = self.texts.join("\n\n");
        self.turn.closing = join_texts(&self.turn.earlier_stops.closing, &self.texts[self.closing..].join("\n\n"));
        self.turn.failed = self.failed();
        (!self.is_command || self.turn.is_answered()).then_some(self.turn)
    }
}

/// Joins the non-empty texts with a blank line.
fn join_texts(first: &str, second: &str) -> String {
    let texts: Vec<&str> = [first, second].into_iter().filter(|text| !text.is_empty()).collect();
    texts.join("\n\n")
}

fn push_unique(list: &mut Vec<String>, entry: String) {
    if list.len() < MAX_ENTRIES && !list.contains(&entry) {
        list.push(truncate(entry, MAX_COMMAND));
    }
}

/// Truncates a text to about `max_bytes` bytes at a character boundary.
fn truncate(mut text: String, max_bytes: usize) -> String {
    if text.len() > max_bytes {
        text.truncate(text.floor_char_boundary(max_bytes));
        text.push_str(" …");
    }
    text
}
