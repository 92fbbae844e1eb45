//! All servers of the configuration, and their current states.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::{CallResult, Connection, McpClientError, RemoteTool, Runtime, ServerSpec, tool_cache};
use tars_base::clock::Clock;

/// Number of exits or failed starts before a server is paused.
const MAX_FAILURES: u32 = 2;
/// How long a failing server is paused.
const PAUSE: Duration = Duration::from_secs(10 * 60);
/// How long an idle server keeps running.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// The servers of the configuration. Dropping this value ends all of them.
pub struct Servers {
    slots: Vec<Slot>,
    data_dir: PathBuf,
    clock: Clock,
    runtime: Mutex<Option<Arc<Runtime>>>,
    /// Pending messages for the person.
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
    /// When the server was paused, and why.
    paused: Option<(Instant, String)>,
}

/// The result of connecting to a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Connected {
    /// Its own name and version (untrusted text).
    pub about: String,
    /// Its tools.
    pub tools: Vec<RemoteTool>,
}

/// The current state of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerState {
    /// The person's name for it.
    pub name: String,
    /// Whether it is connected.
    pub is_running: bool,
    /// Why it is paused, if it is; partly untrusted text.
    pub paused: Option<String>,
    /// The names of its tools; `None` if they are unknown without contacting it.
    pub tools: Option<Vec<String>>,
}

impl fmt::Debug for Servers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.slots.iter().map(|slot| &slot.spec)).finish()
    }
}

impl Servers {
    /// Returns the servers without contacting any. Their tool lists are cached in `data_dir`.
    pub fn new(specs: Vec<ServerSpec>, data_dir: PathBuf, clock: Clock) -> Self {
        let slots = specs.into_iter().map(|spec| Slot { spec, state: Mutex::default() }).collect();
        Self { slots, data_dir, clock, runtime: Mutex::default(), notices: Mutex::default() }
    }

    /// Whether the configuration has no servers.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the URL of a server; `None` if it is a program.
    pub fn address(&self, server: &str) -> Option<&str> {
        match &self.slot(server)?.spec.transport {
            super::ServerTransport::Address { url, .. } => Some(url),
            super::ServerTransport::Program { .. } => None,
        }
    }

    /// Returns the tools of all servers in their order, and the errors of servers that have none. Servers with unknown
    /// tools are started, all in parallel.
    pub fn tools(&self, cancelled: &(dyn Fn() -> bool + Sync)) -> (Vec<RemoteTool>, Vec<McpClientError>) {
        let asked: Vec<Result<Vec<RemoteTool>, McpClientError>> = std::thread::scope(|scope| {
            let asking: Vec<_> = self.slots.iter().map(|slot| scope.spawn(|| self.tools_of(slot, cancelled))).collect();
            let lost = || McpClientError::Runtime("a thread has panicked".into());
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

    /// Calls a tool, and starts its server if necessary. A call is never retried, because an interrupted one may have been completed.
    ///
    /// # Errors
    /// The server is unusable, refuses the call, exits or takes too long, or `cancelled` returns true.
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
        // The state is unlocked here, so other threads can use the same server during the call.
        let runtime = self.runtime()?;
        let answer = connection.call(&runtime, &slot.spec, (&tool.name, arguments), cancelled);
        let mut state = slot.state();
        state.used = Some(Instant::now());
        match answer {
            Err(McpClientError::Ended { server, reason, .. }) => {
                // Another call may have noticed the exit already.
                if state.connection.as_ref().is_some_and(|held| Arc::ptr_eq(held, &connection)) {
                    state.connection = None;
                    self.count_end(slot, &mut state, &reason);
                }
                Err(McpClientError::Ended { server, reason, again: state.paused.is_none() })
            }
            answer => answer,
        }
    }

    /// Restarts a server, even a paused one, and lists its tools.
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

    /// Returns the state of each server without starting any.
    pub fn states(&self) -> Vec<ServerState> {
        let state = |slot: &Slot| {
            let mut state = slot.state();
            let tools = self.known(slot, &mut state);
            ServerState {
                name: slot.spec.name.clone(),
                is_running: state.connection.as_ref().is_some_and(|connection| !connection.has_ended()),
                paused: state.pause_reason().map(str::to_owned),
                tools: tools.map(|tools| tools.into_iter().map(|tool| tool.name).collect()),
            }
        };
        self.slots.iter().map(state).collect()
    }

    /// Takes the messages about servers that have exited: clean lines for the person.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends servers that were idle for ten minutes.
    pub fn end_idle(&self) {
        for slot in &self.slots {
            // A locked server is starting or being called, so it is not idle.
            let Ok(mut state) = slot.state.try_lock() else { continue };
            if state.used.is_some_and(|used| used.elapsed() > IDLE_TIMEOUT) {
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
            state.tools = tool_cache::read(&self.data_dir, &slot.spec, self.clock.timestamp());
        }
        state.tools.clone()
    }

    /// Returns the connection, opened if necessary, after listing the server's tools.
    fn connection(
        &self,
        slot: &Slot,
        state: &mut State,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Arc<Connection>, McpClientError> {
        let spec = &slot.spec;
        if let Some(gone) = state.connection.take_if(|connection| connection.has_ended()) {
            self.count_end(slot, state, &gone.error_line());
        }
        let runtime = self.runtime()?;
        let (connection, is_new) = match &state.connection {
            Some(open) => (open.clone(), false),
            None => {
                if let Some(reason) = state.pause_reason() {
                    return Err(McpClientError::Paused { server: spec.name.clone(), reason: reason.to_owned() });
                }
                let opened = Connection::open(&runtime, spec, cancelled);
                (Arc::new(opened.inspect_err(|error| state.count_failure(error))?), true)
            }
        };
        if is_new || connection.tools_have_changed() {
            let tools = connection.tools(&runtime, spec, cancelled);
            let tools = tools.inspect_err(|error| state.count_failure(error))?;
            if let Err(error) = tool_cache::write(&self.data_dir, spec, self.clock.timestamp(), &tools) {
                tracing::warn!(server = spec.name, %error, "cannot cache the tools of a server");
            }
            state.tools = Some(tools);
        }
        state.connection = Some(connection.clone());
        state.used = Some(Instant::now());
        Ok(connection)
    }

    /// Records that a server exited by itself, and adds a message for the person.
    fn count_end(&self, slot: &Slot, state: &mut State, reason: &str) {
        let server = slot.spec.name.clone();
        state.fail(if reason.is_empty() { "it exited by itself" } else { reason });
        let error = McpClientError::Ended { server, reason: reason.to_owned(), again: state.paused.is_none() };
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
    /// Records a failure of the server. Cancelling by the person is not one.
    fn count_failure(&mut self, error: &McpClientError) {
        if !matches!(error, McpClientError::Cancelled | McpClientError::NotBuilt) {
            self.fail(&error.to_string());
        }
    }

    fn fail(&mut self, reason: &str) {
        self.failures += 1;
        if self.failures >= MAX_FAILURES {
            self.paused = Some((Instant::now(), reason.to_owned()));
        }
    }

    /// Returns the reason for the pause while it lasts.
    fn pause_reason(&mut self) -> Option<&str> {
        if self.paused.as_ref().is_some_and(|(since, _)| since.elapsed() > PAUSE) {
            self.paused = None;
            self.failures = 0;
        }
        self.paused.as_ref().map(|(_, reason)| reason.as_str())
    }
}
