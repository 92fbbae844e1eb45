//! `/picture`: the pictures that the shown note embeds.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::super::ServerState;
use super::super::problem::HttpProblem;
use tars_service::{Picture, PictureForm, PictureRequest, Problem, Service};

/// Timeout of a picture: one that is named without its folder is looked for in the whole vault.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Content security policy of a picture: a drawing that is opened by itself runs nothing and loads nothing.
const CSP: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

/// The query of a picture.
#[derive(Deserialize)]
pub(in super::super) struct Place {
    /// The collection of the note.
    #[serde(rename = "in", default)]
    collection: String,
    /// The path of the note.
    #[serde(default)]
    note: String,
    /// The picture as the note names it.
    #[serde(default)]
    name: String,
}

/// Returns a picture.
pub(in super::super) async fn picture(
    State(server): State<Arc<ServerState>>,
    headers: HeaderMap,
    Query(Place { collection, note, name }): Query<Place>,
) -> Result<Response, HttpProblem> {
    let request = PictureRequest { collection, note, name };
    let (sender, receiver) = oneshot::channel();
    let job = move |service: &Service<'_>| {
        // The client may have disconnected while the request waited, or since.
        if !sender.is_closed() {
            let _ = sender.send(service.picture(&request).map_err(|error| Problem::from(&error)));
        }
    };
    server.short.submit(Box::new(job)).map_err(|_| HttpProblem::busy())?;
    let answered = timeout(TIMEOUT, receiver).await;
    let Picture { form, content } =
        answered.ok().and_then(Result::ok).ok_or_else(|| HttpProblem::fault("picture"))??;
    // Browsers name what they load a response for; a drawing is a document, so it is served as a picture alone.
    let is_picture = headers.get("sec-fetch-dest").is_none_or(|destination| destination == "image");
    if form == PictureForm::Svg && !is_picture {
        return Err(HttpProblem::new(StatusCode::FORBIDDEN, "a drawing is shown within its note only"));
    }
    let kind = [(header::CONTENT_TYPE, form.media_type()), (header::CONTENT_SECURITY_POLICY, CSP)];
    Ok((kind, content).into_response())
}
