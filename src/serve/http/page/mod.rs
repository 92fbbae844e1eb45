//! The page: embedded files, the pictures of notes, and the exchange of a one-time link for a cookie.

mod files;
mod picture;

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::ServerState;
use super::keys::COOKIE_LIFETIME;
use super::problem::HttpProblem;
use files::ASSETS;
pub(super) use picture::picture;

/// Path of a one-time link.
pub(super) const LINK_PATH: &str = "/open";

/// Content security policy of a response that is not a page: loads nothing.
pub(super) const CSP_NONE: &str = "default-src 'none'; frame-ancestors 'none'";
/// Content security policy of the page: loads only its own files.
const CSP_PAGE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
    connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";

/// The page for a browser without a cookie.
const SIGNED_OUT: &str = include_str!("signed-out.html");
/// The intermediate page after signing in, which reloads the main page with the new cookie. A redirect would not work: when it comes from
/// another site, the browser follows it without the cookie.
const SIGNED_IN: &str = include_str!("signed-in.html");

/// The main page.
const INDEX: &str = include_str!("index.html");

/// Returns the page.
pub(super) async fn index() -> Response {
    file(StatusCode::OK, HTML, INDEX.as_bytes())
}

/// Returns an asset.
pub(super) async fn asset(Path(name): Path<String>) -> Response {
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => file(StatusCode::OK, asset.kind, asset.content),
        None => HttpProblem::not_found().into_response(),
    }
}

/// Returns the page that explains to a browser without a cookie how to get one.
pub(super) fn signed_out() -> Response {
    file(StatusCode::UNAUTHORIZED, HTML, SIGNED_OUT.as_bytes())
}

/// The query of a one-time link.
#[derive(Deserialize)]
pub(super) struct Link {
    #[serde(default)]
    code: String,
}

/// Exchanges the code of a one-time link for a cookie.
pub(super) async fn open(State(server): State<Arc<ServerState>>, Query(link): Query<Link>) -> Response {
    let secret = match server.keys.redeem_code(&link.code, server.engine.app().environment.clock.timestamp()) {
        Ok(Some(secret)) => secret,
        Ok(None) => return signed_out(),
        Err(error) => return HttpProblem::from(error).into_response(),
    };
    let (name, life) = (&server.cookie, COOKIE_LIFETIME.as_secs());
    let cookie = format!("{name}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age={life}");
    let mut response = file(StatusCode::OK, HTML, SIGNED_IN.as_bytes());
    // Hex digits and the cookie's name form a valid header value.
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

fn file(status: StatusCode, kind: &'static str, content: &'static [u8]) -> Response {
    (status, [(header::CONTENT_TYPE, kind), (header::CONTENT_SECURITY_POLICY, CSP_PAGE)], content).into_response()
}
