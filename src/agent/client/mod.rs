//! The formats of the clients that run agents: how they record events, and how they wrap a person's words.
//!
//! Each client has its own module. These formats belong to the clients and change without notice, so everything unknown
//! is skipped. This module opens no file and decides nothing about an event.

mod agent_client;
pub mod claude_code;
mod client_folder;
pub mod codex;
mod cursor;
pub mod gemini;
mod hook_answer;
mod hook_event;
mod hook_input;
mod instructions;
mod integration;
mod lenient;
mod mcp_config;
mod openclaw;
pub mod opencode;
mod repair;
mod rooms;
mod transcript_reader;

pub use agent_client::AgentClient;
pub use client_folder::{ClientFolder, ClientMemory};
pub use hook_answer::HookAnswer;
pub use hook_event::HookEvent;
pub use hook_input::{HookInput, HookInputError};
pub use integration::{IntegrationContent, IntegrationFile};
pub use mcp_config::{ConfigPlaces, McpClient, McpConfigError, ServerCommand};
use repair::repair_json_text;
pub use transcript_reader::{EntryLink, HelperTask, HelperTasks, TranscriptReader, Unreadable};
