//! All requests as one type, for doors that pass on any request.

use serde::{Deserialize, Serialize};

use crate::memory::{
    CompactRequest, DailyRequest, DecideRequest, FeedbackRequest, ForgetRequest, HistoryRequest, LayersRequest,
    LinesRequest, LogRequest, ProjectRequest, ProjectsRequest, ProposalsRequest, ProposeRequest, RememberRequest,
    ReviewRequest, SessionRequest, SessionsRequest, SettleProposalsRequest, SettleRequest, SkillsRequest, TidyRequest,
    TimelineRequest, UndoRequest, UpdateProjectRequest, WeekRequest,
};
use crate::sessions::{HandoffRequest, ImportChatsRequest, ImportRequest};
use crate::setup::{ModelsRequest, VerifyModelsRequest};
use crate::{
    AuditRequest, ContextRequest, DoctorRequest, EvalRequest, ExpandRequest, GetRequest, IndexRequest, MarkRequest,
    NotesRequest, PauseRequest, RecalledRequest, RelatedRequest, Result, ResumeRequest, SearchRequest, Service,
    StatsRequest, StatusRequest, TurnRequest, TurnsRequest, UseCase, WhyRequest,
};

macro_rules! requests {
    ($($name:ident($request:ty)),* $(,)?) => {
        /// A request by the name of its use case: `{"search":{"query":"…"}}`.
        ///
        /// Some use cases are no part of it: to set up a vault ([`InitRequest`](super::setup::InitRequest)), to choose a model
        /// ([`UseModelRequest`](super::setup::UseModelRequest)), to download one
        /// ([`PullModelRequest`](super::setup::PullModelRequest)) and to prepare one again
        /// ([`PrepareModelRequest`](super::setup::PrepareModelRequest)), and to forget what was learned from use
        /// ([`ResetRecallRequest`](super::ResetRecallRequest)). They change the person's configuration, fetch files
        /// from the network, or change which vectors the index needs. A program may have made its line of JSON from a text
        /// that it does not trust, so such a line must not be able to ask for them.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[expect(missing_docs, reason = "each variant is described by the request that it holds")]
        pub enum Request {
            $($name($request)),*
        }

        /// A response by the name of its use case: `{"search":{"query":"…","results":[…]}}`.
        #[derive(Debug, Serialize)]
        #[serde(rename_all = "snake_case")]
        #[expect(missing_docs, reason = "each variant is described by the response that it holds")]
        pub enum Response {
            $($name(<$request as UseCase>::Response)),*
        }

        impl UseCase for Request {
            type Response = Response;

            fn run(&self, service: &Service<'_>) -> Result<Response> {
                Ok(match self {
                    $(Self::$name(request) => Response::$name(request.run(service)?)),*
                })
            }
        }
    };
}

requests! {
    Search(SearchRequest),
    Expand(ExpandRequest),
    Get(GetRequest),
    Notes(NotesRequest),
    Related(RelatedRequest),
    Context(ContextRequest),
    Layers(LayersRequest),
    Lines(LinesRequest),
    Status(StatusRequest),
    Stats(StatsRequest),
    Pause(PauseRequest),
    Resume(ResumeRequest),
    Why(WhyRequest),
    Recalled(RecalledRequest),
    Mark(MarkRequest),
    Remember(RememberRequest),
    Daily(DailyRequest),
    Timeline(TimelineRequest),
    Sessions(SessionsRequest),
    Session(SessionRequest),
    Handoff(HandoffRequest),
    Turns(TurnsRequest),
    Turn(TurnRequest),
    Import(ImportRequest),
    ImportChats(ImportChatsRequest),
    Forget(ForgetRequest),
    Feedback(FeedbackRequest),
    Review(ReviewRequest),
    Settle(SettleRequest),
    Propose(ProposeRequest),
    Proposals(ProposalsRequest),
    SettleProposals(SettleProposalsRequest),
    Decide(DecideRequest),
    Skills(SkillsRequest),
    Projects(ProjectsRequest),
    Project(ProjectRequest),
    UpdateProject(UpdateProjectRequest),
    Tidy(TidyRequest),
    Compact(CompactRequest),
    Week(WeekRequest),
    Audit(AuditRequest),
    History(HistoryRequest),
    Undo(UndoRequest),
    Log(LogRequest),
    Index(IndexRequest),
    Doctor(DoctorRequest),
    Models(ModelsRequest),
    VerifyModels(VerifyModelsRequest),
    Eval(EvalRequest),
}
