//! The page: files that are part of the program, and how a browser gets its cookie.

mod files;

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::Door;
use super::keys::COOKIE_LIFE;
use super::problem::HttpProblem;
use files::ASSETS;

/// Where a one-time link leads.
pub(super) const OPEN: &str = "/open";

/// What an answer that is no page may load: nothing.
pub(super) const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";
/// What the page may load: its own files.
const OWN: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
    connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";

/// What a browser without a cookie is shown.
const SIGNED_OUT: &str = include_str!("signed-out.html");
/// What a browser is shown for a moment, until it asks for the page with its new cookie. A redirect would not do: coming from
/// another site, the browser would follow it without the cookie.
const SIGNED_IN: &str = include_str!("signed-in.html");

/// The page itself.
const INDEX: &str = include_str!("index.html");

/// Answers with the page.
pub(super) async fn index() -> Response {
    file(StatusCode::OK, HTML, INDEX.as_bytes())
}

/// Answers with one of its files.
pub(super) async fn asset(Path(name): Path<String>) -> Response {
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => file(StatusCode::OK, asset.kind, asset.content),
        None => HttpProblem::nothing_there().into_response(),
    }
}

/// Tells a browser without a cookie how it gets one.
pub(super) fn signed_out() -> Response {
    file(StatusCode::UNAUTHORIZED, HTML, SIGNED_OUT.as_bytes())
}

/// What a one-time link bears.
#[derive(Deserialize)]
pub(super) struct Link {
    #[serde(default)]
    code: String,
}

/// Takes the code of a one-time link for a cookie.
pub(super) async fn open(State(door): State<Arc<Door>>, Query(link): Query<Link>) -> Response {
    let secret = match door.keys.exchange(&link.code, door.engine.app().environment.clock.timestamp()) {
        Ok(Some(secret)) => secret,
        Ok(None) => return signed_out(),
        Err(error) => return HttpProblem::from(error).into_response(),
    };
    let (name, life) = (&door.cookie, COOKIE_LIFE.as_secs());
    let cookie = format!("{name}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age={life}");
    let mut response = file(StatusCode::OK, HTML, SIGNED_IN.as_bytes());
    // Digits and the cookie's name are a value of a header.
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

fn file(status: StatusCode, kind: &'static str, content: &'static [u8]) -> Response {
    (status, [(header::CONTENT_TYPE, kind), (header::CONTENT_SECURITY_POLICY, OWN)], content).into_response()
}
