//! The use cases for other programs: by name, with JSON in both directions and the schemas of both.
//!
//! The list leaves out use cases that open a path named by the request (a transcript, a file of questions), that only a person's
//! own terminal should start (an import), and that measure. An index run takes no paths for the same reason.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::memory::{
    CompactRequest, DailyRequest, DecideRequest, DoneRequest, FeedbackRequest, ForgetRequest, HistoryRequest,
    LayersRequest, LinesRequest, LogRequest, ProjectRequest, ProjectsRequest, ProposalsRequest, ProposeRequest,
    RememberRequest, ReviewRequest, SessionRequest, SessionsRequest, SettleProposalsRequest, SettleRequest,
    SkillsRequest, TidyRequest, TimelineRequest, UndoRequest, UpdateProjectRequest, WeekRequest,
};
use crate::redacted_json::redacted_json;
use crate::setup::AgentsRequest;
use crate::{
    AuditRequest, ContextRequest, DoctorRequest, GetRequest, IndexRequest, IndexResponse, LinksRequest, ListRequest,
    MarkRequest, NotesRequest, PauseRequest, RecalledRequest, Refusal, RelatedRequest, Result, ResumeRequest,
    SearchRequest, Service, StatsRequest, StatusRequest, TagTreeRequest, TasksRequest, UseCase, WhyRequest,
};

/// A use case for other programs.
pub struct Operation {
    /// Its name, as in `tars ask`.
    pub name: &'static str,
    /// Whether it may change the memory folder, the index or the data of tars. Some change something only if the request says so.
    pub writes: bool,
    /// Whether it may take long: a run over all notes, or a call of a language model.
    pub is_long: bool,
    request: fn(&mut SchemaGenerator) -> Schema,
    response: fn(&mut SchemaGenerator) -> Schema,
    call: fn(&Service<'_>, Value) -> Result<Vec<u8>>,
}

macro_rules! operations {
    ($($kind:ident $name:literal: $request:ty),* $(,)?) => {
        /// All operations.
        pub const OPERATIONS: &[Operation] = &[$(Operation {
            name: $name,
            writes: matches!(Kind::$kind, Kind::Writes | Kind::Works),
            is_long: matches!(Kind::$kind, Kind::Works),
            request: |schemas| schemas.subschema_for::<$request>(),
            response: |schemas| schemas.subschema_for::<<$request as UseCase>::Response>(),
            call: answer::<$request>,
        }),*];
    };
}

enum Kind {
    Reads,
    Writes,
    /// Writes and takes long.
    Works,
}

operations! {
    Reads "search": SearchRequest,
    Reads "get": GetRequest,
    Reads "notes": NotesRequest,
    Reads "related": RelatedRequest,
    Reads "list": ListRequest,
    Reads "tags": TagTreeRequest,
    Reads "links": LinksRequest,
    Reads "tasks": TasksRequest,
    Reads "context": ContextRequest,
    Reads "layers": LayersRequest,
    Reads "lines": LinesRequest,
    Reads "status": StatusRequest,
    Reads "stats": StatsRequest,
    Reads "doctor": DoctorRequest,
    Reads "agents": AgentsRequest,
    Reads "why": WhyRequest,
    Reads "recalled": RecalledRequest,
    Writes "mark": MarkRequest,
    Writes "remember": RememberRequest,
    Writes "daily": DailyRequest,
    Reads "timeline": TimelineRequest,
    Reads "sessions": SessionsRequest,
    Reads "session": SessionRequest,
    Writes "forget": ForgetRequest,
    Writes "done": DoneRequest,
    Reads "history": HistoryRequest,
    Writes "feedback": FeedbackRequest,
    Reads "review": ReviewRequest,
    Writes "settle": SettleRequest,
    Works "propose": ProposeRequest,
    Reads "proposals": ProposalsRequest,
    Writes "settle_proposals": SettleProposalsRequest,
    Writes "decide": DecideRequest,
    Reads "skills": SkillsRequest,
    Reads "projects": ProjectsRequest,
    Reads "project": ProjectRequest,
    Works "update_project": UpdateProjectRequest,
    Writes "tidy": TidyRequest,
    Works "compact": CompactRequest,
    Writes "week": WeekRequest,
    Reads "audit": AuditRequest,
    Writes "undo": UndoRequest,
    Reads "log": LogRequest,
    Works "index": IndexAllRequest,
    Writes "pause": PauseRequest,
    Writes "resume": ResumeRequest,
}

/// Updates the index with all notes.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IndexAllRequest {
    /// Whether to read and embed everything again.
    pub full: bool,
}

impl UseCase for IndexAllRequest {
    type Response = IndexResponse;

    fn run(&self, service: &Service<'_>) -> Result<IndexResponse> {
        IndexRequest { full: self.full, ..IndexRequest::default() }.run(service)
    }
}

/// The schemas of all operations, with their shared types.
pub struct Schemas {
    /// The schemas of the request and the response of each, in the order of [`OPERATIONS`].
    pub operations: Vec<(Schema, Schema)>,
    /// The types that these reference, as `#/components/schemas/NAME`.
    pub types: Map<String, Value>,
}

impl Operation {
    /// Returns the operation with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|operation| operation.name == name)
    }

    /// Answers a request with JSON. Secrets in it are redacted: memory files may hold secrets that a person typed into them.
    ///
    /// # Errors
    /// The JSON does not fit this operation, or the request cannot be answered.
    pub fn call(&self, service: &Service<'_>, request: Value) -> Result<Vec<u8>> {
        (self.call)(service, request)
    }
}

impl Schemas {
    /// Returns the schemas in the form for OpenAPI 3.1.
    pub fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        let mut requests = settings.clone().for_deserialize().into_generator();
        let mut responses = settings.for_serialize().into_generator();
        let mut operations = Vec::new();
        for operation in OPERATIONS {
            operations.push(((operation.request)(&mut requests), (operation.response)(&mut responses)));
        }
        responses.subschema_for::<super::Problem>();
        let mut types = requests.take_definitions(true);
        types.extend(responses.take_definitions(true));
        Self { operations, types }
    }
}

impl Default for Schemas {
    fn default() -> Self {
        Self::new()
    }
}

fn answer<U: UseCase + DeserializeOwned + JsonSchema>(service: &Service<'_>, request: Value) -> Result<Vec<u8>>
where
    U::Response: Serialize,
{
    let request: U = serde_json::from_value(request).map_err(|error| Refusal {
        message: format!("not a request: {error}"),
        hint: "see its schema in /v1/openapi.json, or docs/json.md".into(),
    })?;
    Ok(redacted_json(&service.call(&request)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_define_every_type_that_they_reference() {
        let schemas = Schemas::new();
        assert_eq!(schemas.operations.len(), OPERATIONS.len());
        let mut all = serde_json::to_string(&schemas.types).unwrap();
        for (request, response) in &schemas.operations {
            all.push_str(&serde_json::to_string(&(request, response)).unwrap());
        }
        let referred: Vec<&str> = all
            .split("\"#/components/schemas/")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .filter(|name| !schemas.types.contains_key(*name))
            .collect();
        assert!(referred.is_empty(), "{referred:?}");
        assert!(schemas.types["SearchRequest"]["properties"]["query"]["description"].is_string());
    }
}
