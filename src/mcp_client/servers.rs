//! All servers of the configuration, and how they are at the moment.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::{CallResult, Connection, McpClientError, RemoteTool, Runtime, ServerSpec, kept};
use crate::clock::Clock;

/// How often a server may end or fail to start before it rests.
const MOST_FAILURES: u32 = 2;
/// How long it rests, and how long one that nobody uses stays.
const REST: Duration = Duration::from_secs(10 * 60);

/// The servers of the configuration. All of them end with this value.
pub struct Servers {
    slots: Vec<Slot>,
    data_dir: PathBuf,
    clock: Clock,
    runtime: Mutex<Option<Arc<Runtime>>>,
    /// What a person has not been told yet.
    notices: Mutex<Vec<String>>,
}

struct Slot {
    spec: ServerSpec,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    tools: Option<Vec<RemoteTool>>,
    used: Option<Instant>,
    failures: u32,
    /// Since when it rests, and why.
    resting: Option<(Instant, String)>,
}

/// A server that has just been asked for its tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Connected {
    /// Its own name and version; foreign text.
    pub about: String,
    /// Its tools.
    pub tools: Vec<RemoteTool>,
}

/// How a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerState {
    /// The person's name for it.
    pub name: String,
    /// Whether it is spoken with.
    pub is_running: bool,
    /// Why it rests, if it does; foreign text in part.
    pub resting: Option<String>,
    /// The names of its tools, as far as they are known without asking it.
    pub tools: Option<Vec<String>>,
}

impl fmt::Debug for Servers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.slots.iter().map(|slot| &slot.spec)).finish()
    }
}

impl Servers {
    /// Returns the servers, none of which is spoken with yet. What is kept of them lies in `data_dir`.
    pub fn new(specs: Vec<ServerSpec>, data_dir: PathBuf, clock: Clock) -> Self {
        let slots = specs.into_iter().map(|spec| Slot { spec, state: Mutex::default() }).collect();
        Self { slots, data_dir, clock, runtime: Mutex::default(), notices: Mutex::default() }
    }

    /// Whether the configuration names none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the address of a server that is not a program.
    pub fn address(&self, server: &str) -> Option<&str> {
        match &self.slot(server)?.spec.place {
            super::ServerPlace::Address { url, .. } => Some(url),
            super::ServerPlace::Program { .. } => None,
        }
    }

    /// Returns the tools of all servers, in their order, and why some have none. Servers of which the tools are not known are
    /// started, all at once.
    pub fn tools(&self, cancelled: &(dyn Fn() -> bool + Sync)) -> (Vec<RemoteTool>, Vec<McpClientError>) {
        let asked: Vec<Result<Vec<RemoteTool>, McpClientError>> = std::thread::scope(|scope| {
            let asking: Vec<_> = self.slots.iter().map(|slot| scope.spawn(|| self.tools_of(slot, cancelled))).collect();
            let lost = || McpClientError::Runtime("a thread has ended".into());
            asking.into_iter().map(|asking| asking.join().unwrap_or_else(|_| Err(lost()))).collect()
        });
        let (mut tools, mut errors) = (Vec::new(), Vec::new());
        for answer in asked {
            match answer {
                Ok(some) => tools.extend(some),
                Err(error) => errors.push(error),
            }
        }
        (tools, errors)
    }

    /// Calls a tool, and starts its server if need be. A call is made once: whether one that was broken off was carried out is not
    /// known.
    ///
    /// # Errors
    /// The server cannot be used, refuses, ends or takes too long, or `cancelled` says that nobody waits any more.
    pub fn call(
        &self,
        tool: &RemoteTool,
        arguments: Map<String, Value>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<CallResult, McpClientError> {
        let slot = self.slot(&tool.server).ok_or_else(|| McpClientError::Unknown(tool.server.clone()))?;
        let connection = {
            let mut state = slot.state();
            let connection = self.connection(slot, &mut state, cancelled)?;
            if !state.tools.iter().flatten().any(|known| known.name == tool.name) {
                let reason = format!("it has no tool '{}' any more", tool.name);
                return Err(McpClientError::Refused { server: slot.spec.name.clone(), reason });
            }
            connection
        };
        // Others may ask the same server meanwhile.
        let runtime = self.runtime()?;
        let answer = connection.call(&runtime, &slot.spec, (&tool.name, arguments), cancelled);
        let mut state = slot.state();
        state.used = Some(Instant::now());
        match answer {
            Err(McpClientError::Ended { server, reason, .. }) => {
                // Another call may have found that out already.
                if state.connection.as_ref().is_some_and(|held| Arc::ptr_eq(held, &connection)) {
                    state.connection = None;
                    self.count_end(slot, &mut state, &reason);
                }
                Err(McpClientError::Ended { server, reason, again: state.resting.is_none() })
            }
            answer => answer,
        }
    }

    /// Starts a server anew, also one that rests, and asks it for its tools.
    ///
    /// # Errors
    /// As [`Servers::call`].
    pub fn test(&self, server: &str, cancelled: &dyn Fn() -> bool) -> Result<Connected, McpClientError> {
        let slot = self.slot(server).ok_or_else(|| McpClientError::Unknown(server.to_owned()))?;
        let mut state = slot.state();
        *state = State::default();
        let connection = self.connection(slot, &mut state, cancelled)?;
        Ok(Connected { about: connection.about(), tools: state.tools.clone().unwrap_or_default() })
    }

    /// Returns how each server is. None is started.
    pub fn states(&self) -> Vec<ServerState> {
        let state = |slot: &Slot| {
            let mut state = slot.state();
            let tools = self.known(slot, &mut state);
            ServerState {
                name: slot.spec.name.clone(),
                is_running: state.connection.as_ref().is_some_and(|connection| !connection.has_ended()),
                resting: state.is_resting().map(str::to_owned),
                tools: tools.map(|tools| tools.into_iter().map(|tool| tool.name).collect()),
            }
        };
        self.slots.iter().map(state).collect()
    }

    /// Takes what a person should be told of servers that have ended: clean lines.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends servers that nobody has used for ten minutes.
    pub fn end_idle(&self) {
        for slot in &self.slots {
            // One that is being started or asked is not idle.
            let Ok(mut state) = slot.state.try_lock() else { continue };
            if state.used.is_some_and(|used| used.elapsed() > REST) {
                self.end(&mut state);
            }
        }
    }

    fn tools_of(&self, slot: &Slot, cancelled: &dyn Fn() -> bool) -> Result<Vec<RemoteTool>, McpClientError> {
        let mut state = slot.state();
        if let Some(known) = self.known(slot, &mut state) {
            return Ok(known);
        }
        self.connection(slot, &mut state, cancelled)?;
        Ok(state.tools.clone().unwrap_or_default())
    }

    /// Returns the tools that are known without starting the server.
    fn known(&self, slot: &Slot, state: &mut State) -> Option<Vec<RemoteTool>> {
        if state.connection.as_ref().is_some_and(|connection| connection.tools_have_changed()) {
            return None;
        }
        if state.tools.is_none() {
            state.tools = kept::read(&self.data_dir, &slot.spec, self.clock.timestamp());
        }
        state.tools.clone()
    }

    /// Returns the connection, opened if need be, with the tools of the server known.
    fn connection(
        &self,
        slot: &Slot,
        state: &mut State,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Arc<Connection>, McpClientError> {
        let spec = &slot.spec;
        if let Some(gone) = state.connection.take_if(|connection| connection.has_ended()) {
            self.count_end(slot, state, &gone.complaint());
        }
        let runtime = self.runtime()?;
        let (connection, is_new) = match &state.connection {
            Some(open) => (open.clone(), false),
            None => {
                if let Some(reason) = state.is_resting() {
                    return Err(McpClientError::Resting { server: spec.name.clone(), reason: reason.to_owned() });
                }
                let opened = Connection::open(&runtime, spec, cancelled);
                (Arc::new(opened.inspect_err(|error| state.count_failure(error))?), true)
            }
        };
        if is_new || connection.tools_have_changed() {
            let tools = connection.tools(&runtime, spec, cancelled);
            let tools = tools.inspect_err(|error| state.count_failure(error))?;
            if let Err(error) = kept::write(&self.data_dir, spec, self.clock.timestamp(), &tools) {
                tracing::warn!(server = spec.name, %error, "the tools of a server are not kept");
            }
            state.tools = Some(tools);
        }
        state.connection = Some(connection.clone());
        state.used = Some(Instant::now());
        Ok(connection)
    }

    /// Notes that a server has ended by itself, for the person too.
    fn count_end(&self, slot: &Slot, state: &mut State, reason: &str) {
        let server = slot.spec.name.clone();
        state.fail(if reason.is_empty() { "it ended by itself" } else { reason });
        let error = McpClientError::Ended { server, reason: reason.to_owned(), again: state.resting.is_none() };
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(error.to_string());
    }

    fn end(&self, state: &mut State) {
        state.used = None;
        if let Some(connection) = state.connection.take().and_then(Arc::into_inner)
            && let Ok(runtime) = self.runtime()
        {
            connection.end(&runtime);
        }
    }

    fn runtime(&self) -> Result<Arc<Runtime>, McpClientError> {
        let mut runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        match &*runtime {
            Some(runtime) => Ok(runtime.clone()),
            None => Ok(runtime.insert(Arc::new(Runtime::start()?)).clone()),
        }
    }

    fn slot(&self, server: &str) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.spec.name == server)
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for slot in &self.slots {
            self.end(&mut slot.state());
        }
    }
}

impl Slot {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A person who stops waiting says nothing about the server.
    fn count_failure(&mut self, error: &McpClientError) {
        if !matches!(error, McpClientError::Cancelled | McpClientError::NotBuilt) {
            self.fail(&error.to_string());
        }
    }

    fn fail(&mut self, reason: &str) {
        self.failures += 1;
        if self.failures >= MOST_FAILURES {
            self.resting = Some((Instant::now(), reason.to_owned()));
        }
    }

    /// Returns why it rests, as long as it does.
    fn is_resting(&mut self) -> Option<&str> {
        if self.resting.as_ref().is_some_and(|(since, _)| since.elapsed() > REST) {
            self.resting = None;
            self.failures = 0;
        }
        self.resting.as_ref().map(|(_, reason)| reason.as_str())
    }
}
