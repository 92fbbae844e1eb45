//! `/conversations`: lists, shows and deletes conversations.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::{Extension, Json};
use tokio::task::spawn_blocking;

use super::turn::with_model;
use super::wire::{ConversationEntry, ConversationList, ConversationPage, Deleted, Role};
use super::{idle::NoticeCollector, problem};
use crate::http::ServerState;
use crate::http::guard::Channel;
use crate::http::problem::HttpProblem;
use tars_assistant::Options;
use tars_assistant::conversation::{Conversations, Entry, Stamped, title};
use tars_service::{Backend, Service};

/// Runs work that waits for the disk or for a model on a blocking thread.
async fn run_blocking<T: Send + 'static>(
    server: Arc<ServerState>,
    work: impl FnOnce(&ServerState, &Conversations) -> tars_service::Result<T> + Send + 'static,
) -> Result<T, HttpProblem> {
    let work = move || work(&server, &Conversations::new(server.engine.app().data_dir()?));
    spawn_blocking(work).await?.map_err(|error| problem(&error))
}

/// Lists conversations, the newest first.
pub(in crate::http) async fn list(
    State(server): State<Arc<ServerState>>,
) -> Result<Json<ConversationList>, HttpProblem> {
    let conversations = run_blocking(server, |_, conversations| Ok(conversations.list()?)).await?;
    Ok(Json(ConversationList { conversations }))
}

/// Returns the entries of a conversation.
pub(in crate::http) async fn show(
    State(server): State<Arc<ServerState>>,
    Path(id): Path<String>,
) -> Result<Json<ConversationPage>, HttpProblem> {
    let page = run_blocking(server, move |_, conversations| {
        let entries = conversations.read(&id)?;
        let title = title(entries.iter().find_map(|stamped| stamped.entry.user_text()).unwrap_or_default());
        Ok(ConversationPage { id, title, entries: entries.into_iter().filter_map(line).collect() })
    });
    page.await.map(Json)
}

fn line(stamped: Stamped) -> Option<ConversationEntry> {
    let (role, text, tools, stopped) = match stamped.entry {
        Entry::User { text } => (Role::User, text, Vec::new(), false),
        Entry::Assistant { text, calls, stopped, .. } => {
            (Role::Assistant, text, calls.into_iter().map(|call| call.name).collect(), stopped)
        }
        Entry::Tool { text, failed, .. } => (Role::Tool, text, Vec::new(), failed),
        Entry::Summary { text, .. } => (Role::Summary, text, Vec::new(), false),
        Entry::Noted | Entry::TooLong | Entry::WithoutTools { .. } => return None,
    };
    Some(ConversationEntry { at: stamped.at, role, text, tools, stopped })
}

/// Notes the outcomes of a conversation, and then deletes it.
pub(in crate::http) async fn delete(
    State(server): State<Arc<ServerState>>,
    Extension(channel): Extension<Channel>,
    Path(id): Path<String>,
) -> Result<Json<Deleted>, HttpProblem> {
    let deleted = run_blocking(server, move |server, conversations| {
        let conversation = conversations.open_existing(&id)?;
        let service = Service::new(server.engine.app(), Backend::Local).with_daemon(&*server.engine);
        service.set_client(Some(&channel.0));
        let mut assistant = with_model(server, &service, conversation, Options { tools: false });
        let mut said = NoticeCollector::default();
        let ending = assistant.end(&mut said);
        if !assistant.is_noted() {
            tars_service::bail!(
                "the conversation was not deleted, because it could not be noted: {}",
                said.0.join("; ")
            );
        }
        conversations.remove(assistant.into_conversation())?;
        let mut open = server.chats.lock();
        open.unnoted.remove(&id);
        open.choices.remove(&id);
        let noted_in = ending.log.into_iter().collect();
        Ok(Deleted { noted_in, proposed: ending.proposed, applied: ending.applied })
    });
    deleted.await.map(Json)
}
