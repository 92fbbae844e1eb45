//! The chat's part of the OpenAPI description.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Value, json};

use super::{problem_response, responses};
use crate::http::chat::wire::{
    AnswerRequest, ChatRequest, ChatResponse, CommandLine, ConversationList, ConversationPage, Deleted,
};

const EVENTS: &str = "With `Accept: text/event-stream` the answer streams the events of the turn: `conversation` {conversation_id}, `text` {text}, \
    `withdrawn` {} (drop the text since the last tool: it was reasoning), `tool` {name, about}, `tool_done` {name, result, failed}, `notice` {text}, `question` {question, tool, what}, and at the end `done` \
    (as the JSON answer, without tools and notices) or `problem`. Closing the connection stops the turn. A question waits five minutes \
    for POST /chat/answer; without such a stream, a proposal replaces the question.";

/// Returns the paths with their requests and responses.
pub(super) fn paths() -> [(&'static str, Value); 5] {
    let id = json!([{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]);
    [
        (
            "/chat",
            json!({"post": {
                "operationId": "chat", "tags": ["chat"], "description": EVENTS,
                "summary": "Sends a message in a conversation, or executes a command that begins with `/`.",
                "requestBody": body::<ChatRequest>(), "responses": answers::<ChatResponse>(),
            }}),
        ),
        (
            "/chat/answer",
            json!({"post": {
                "operationId": "chat_answer", "tags": ["chat"], "summary": "Answers a permission question of a model.",
                "requestBody": body::<AnswerRequest>(), "responses": {"204": {"description": "The answer was accepted."}, "default": problem_response()},
            }}),
        ),
        (
            "/chat/commands",
            json!({"get": {
                "operationId": "chat_commands", "tags": ["chat"], "summary": "Lists the available commands.",
                "responses": answers::<Vec<CommandLine>>(),
            }}),
        ),
        (
            "/conversations",
            json!({"get": {
                "operationId": "conversations", "tags": ["chat"], "summary": "Lists conversations, the newest first.",
                "responses": answers::<ConversationList>(),
            }}),
        ),
        (
            "/conversations/{id}",
            json!({
                "get": {
                    "operationId": "conversation", "tags": ["chat"], "summary": "Returns the entries of a conversation.",
                    "parameters": id, "responses": answers::<ConversationPage>(),
                },
                "delete": {
                    "operationId": "delete_conversation", "tags": ["chat"],
                    "summary": "Notes the outcomes of a conversation in the memory, and deletes the conversation.",
                    "parameters": id, "responses": answers::<Deleted>(),
                },
            }),
        ),
    ]
}

fn body<T: JsonSchema>() -> Value {
    json!({"required": true, "content": {"application/json": {"schema": schema::<T>(true)}}})
}

fn answers<T: JsonSchema>() -> Value {
    responses(&schema::<T>(false))
}

/// Returns the schema of a type with inlined subschemas.
fn schema<T: JsonSchema>(is_read: bool) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let settings = if is_read { settings.for_deserialize() } else { settings.for_serialize() };
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
