//! `/conversations`: lists, shows and deletes conversations.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use tokio::task::spawn_blocking;

use super::super::Door;
use super::super::guard::Channel;
use super::super::problem::HttpProblem;
use super::turn::with_model;
use super::wire::{ConversationPage, Deleted, Listed, Role, SaidLine};
use super::{idle::Silent, problem};
use tars_assistant::Options;
use tars_assistant::conversation::{Conversations, Entry, Stamped, title};
use tars_service::{Reach, Service};

/// Runs work that waits for the disk or for a model on a blocking thread.
async fn run_blocking<T: Send + 'static>(
    door: Arc<Door>,
    work: impl FnOnce(&Door, &Conversations) -> anyhow::Result<T> + Send + 'static,
) -> Result<T, HttpProblem> {
    let work = move || work(&door, &Conversations::new(door.engine.app().data_dir()?));
    match spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| problem(&error)),
        Err(error) => Err(HttpProblem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())),
    }
}

/// Lists conversations, the newest first.
pub(in crate::http) async fn list(State(door): State<Arc<Door>>) -> Result<Json<Listed>, HttpProblem> {
    let conversations = run_blocking(door, |_, conversations| Ok(conversations.list()?)).await?;
    Ok(Json(Listed { conversations }))
}

/// Returns the entries of a conversation.
pub(in crate::http) async fn show(
    State(door): State<Arc<Door>>,
    Path(id): Path<String>,
) -> Result<Json<ConversationPage>, HttpProblem> {
    let page = run_blocking(door, move |_, conversations| {
        let entries = conversations.read(&id)?;
        let title = title(entries.iter().find_map(|stamped| stamped.entry.said()).unwrap_or_default());
        Ok(ConversationPage { id, title, entries: entries.into_iter().filter_map(line).collect() })
    });
    page.await.map(Json)
}

fn line(stamped: Stamped) -> Option<SaidLine> {
    let (role, text, tools, stopped) = match stamped.entry {
        Entry::User { text } => (Role::User, text, Vec::new(), false),
        Entry::Assistant { text, calls, stopped, .. } => {
            (Role::Assistant, text, calls.into_iter().map(|call| call.name).collect(), stopped)
        }
        Entry::Tool { text, failed, .. } => (Role::Tool, text, Vec::new(), failed),
        Entry::Summary { text, .. } => (Role::Summary, text, Vec::new(), false),
        Entry::Noted => return None,
    };
    Some(SaidLine { at: stamped.at, role, text, tools, stopped })
}

/// Notes the outcomes of a conversation, and then deletes it.
pub(in crate::http) async fn delete(
    State(door): State<Arc<Door>>,
    Extension(channel): Extension<Channel>,
    Path(id): Path<String>,
) -> Result<Json<Deleted>, HttpProblem> {
    let deleted = run_blocking(door, move |door, conversations| {
        let conversation = conversations.open_existing(&id)?;
        let service = Service::new(door.engine.app(), Reach::Local).beside(&*door.engine);
        service.speak_for(Some(&channel.0));
        let mut assistant = with_model(door, &service, conversation, Options { tools: false });
        let mut said = Silent::default();
        let ending = assistant.end(&mut said);
        if !assistant.is_noted() {
            anyhow::bail!("the conversation was not deleted, because it could not be noted: {}", said.0.join("; "));
        }
        conversations.remove(assistant.into_conversation())?;
        let mut open = door.chats.open();
        open.spoken.remove(&id);
        open.choices.remove(&id);
        let noted_in = ending.log.into_iter().collect();
        Ok(Deleted { noted_in, proposed: ending.proposed, applied: ending.applied })
    });
    deleted.await.map(Json)
}
