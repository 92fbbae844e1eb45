//! The OpenAPI 3.1 description of this interface, generated from the types.

mod chat;

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::api::VERSIONED;
use super::problem::HttpProblem;
use super::query::{FieldType, Fields, fields};
use tars_service::operations::{OPERATIONS, Operation, Schemas};

/// Returns the description as JSON.
pub fn openapi() -> Value {
    let schemas = Schemas::new();
    let all_fields = fields(&schemas);
    let mut paths = Map::new();
    for (operation, (request, response)) in OPERATIONS.iter().zip(&schemas.operations) {
        let summary = summary(request.as_value(), &schemas.types);
        let answer = operation_responses(operation, response.as_value());
        let described = |more: Value| {
            let mut described = json!({"summary": summary, "tags": [tag(operation)], "responses": answer});
            merge(&mut described, more);
            described
        };
        let mut parameters = Vec::new();
        if operation.writes {
            parameters.push(json!({"name": "If-Match", "in": "header", "schema": {"type": "string"},
                "description": "The ETag of the answer that the write rests on; 412 if the memory folder has changed since."}));
        }
        let body = json!({"required": false, "content": {"application/json": {"schema": request}}});
        let mut methods = json!({"post": described(json!({
            "operationId": operation.name, "requestBody": body, "parameters": parameters,
        }))});
        if let Some(fields) = all_fields.get(operation.name) {
            let more = json!({"operationId": format!("get_{}", operation.name), "parameters": in_query(fields)});
            merge(&mut methods, json!({"get": described(more)}));
        }
        paths.insert(format!("/v1/{}", operation.name), methods);
    }
    paths.extend(chat::paths().map(|(path, methods)| (path.to_owned(), methods)));
    paths.insert("/events".into(), events());
    paths.insert("/health".into(), health());
    let mut types = schemas.types;
    types.insert("HttpProblem".into(), problem());
    json!({
        "openapi": "3.1.0",
        "info": {"title": "tars", "version": env!("CARGO_PKG_VERSION"), "description": DESCRIPTION},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": types,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    })
}

const DESCRIPTION: &str =
    "The memory of one person, on this machine. The settings supply the fields that a request leaves out.";

fn merge(into: &mut Value, more: Value) {
    if let (Value::Object(into), Value::Object(more)) = (into, more) {
        into.extend(more);
    }
}

fn tag(operation: &Operation) -> &'static str {
    match (operation.writes, operation.is_long) {
        (false, _) => "reads",
        (true, false) => "writes",
        (true, true) => "works long",
    }
}

/// Returns the description of the request's type.
fn summary(request: &Value, types: &Map<String, Value>) -> Value {
    let name = request.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    let described = name.and_then(|name| types.get(name)).unwrap_or(request);
    described.get("description").cloned().unwrap_or_default()
}

fn operation_responses(operation: &Operation, response: &Value) -> Value {
    let mut responses = responses(response);
    if VERSIONED.contains(&operation.name) {
        let tag = json!({"ETag": {"schema": {"type": "string"}, "description": "The version of the memory folder."}});
        merge(&mut responses["200"], json!({"headers": tag}));
    }
    responses
}

/// Returns the responses of a request: an answer with this schema, or a problem.
fn responses(schema: &Value) -> Value {
    let answer = json!({"description": "The answer.", "content": {"application/json": {"schema": schema}}});
    json!({"200": answer, "default": problem_response()})
}

fn problem_response() -> Value {
    json!({"description": "The problem (RFC 9457).",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/HttpProblem"}}}})
}

fn in_query(fields: &Fields) -> Vec<Value> {
    let mut names: Vec<_> = fields.iter().collect();
    names.sort_by_key(|(name, _)| *name);
    let parameter = |(name, kind): (&String, &FieldType)| {
        let schema = match kind {
            FieldType::Text => json!({"type": "string"}),
            FieldType::Integer => json!({"type": "integer"}),
            FieldType::Number => json!({"type": "number"}),
            FieldType::Boolean => json!({"type": "boolean"}),
            FieldType::TextList => json!({"type": "array", "items": {"type": "string"}}),
        };
        json!({"name": name, "in": "query", "schema": schema})
    };
    names.into_iter().map(parameter).collect()
}

fn events() -> Value {
    json!({"get": {
        "operationId": "events", "tags": ["reads"],
        "summary": "Streams changes as server-sent events: `indexed`, `written`, `recalled`.",
        "responses": {"200": {"description": "An endless stream of events.", "content": {"text/event-stream": {}}}},
    }})
}

fn health() -> Value {
    json!({"get": {
        "operationId": "health", "tags": ["reads"], "security": [], "summary": "Checks that the server answers.",
        "responses": {"200": {"description": "The server answers.", "content": {"application/json": {"schema": {"type": "object"}}}}},
    }})
}

/// Returns the schema of a problem. It refers to `ProblemKind`, which is among the types of the service.
fn problem() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.for_serialize().into_generator();
    HttpProblem::json_schema(&mut generator).to_value()
}
