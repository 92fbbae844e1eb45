//! Stub for builds without tokio (without the feature `serve`): connecting always fails.

use std::convert::Infallible;
use std::io;

use serde_json::{Map, Value};

use super::{CallResult, McpClientError, RemoteTool, ServerSpec};

/// Stub of the asynchronous runtime.
pub(super) struct Runtime;

impl Runtime {
    pub(super) fn start() -> io::Result<Self> {
        Ok(Self)
    }
}

/// Stub of a connection; no value can exist.
pub(super) struct Connection(Infallible);

impl Connection {
    pub(super) fn open(_: &Runtime, _: &ServerSpec, _: &dyn Fn() -> bool) -> Result<Self, McpClientError> {
        Err(McpClientError::NotBuilt)
    }

    pub(super) fn end(self, _: &Runtime) {
        match self.0 {}
    }

    pub(super) fn about(&self) -> String {
        match self.0 {}
    }

    pub(super) fn has_ended(&self) -> bool {
        match self.0 {}
    }

    pub(super) fn error_line(&self) -> String {
        match self.0 {}
    }

    pub(super) fn tools_have_changed(&self) -> bool {
        match self.0 {}
    }

    pub(super) fn tools(
        &self,
        _: &Runtime,
        _: &ServerSpec,
        _: &dyn Fn() -> bool,
    ) -> Result<Vec<RemoteTool>, McpClientError> {
        match self.0 {}
    }

    pub(super) fn call(
        &self,
        _: &Runtime,
        _: &ServerSpec,
        _: (&str, Map<String, Value>),
        _: &dyn Fn() -> bool,
    ) -> Result<CallResult, McpClientError> {
        match self.0 {}
    }
}
