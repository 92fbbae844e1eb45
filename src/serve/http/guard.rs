//! Checks every request before its handler: host, origin and key.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::hosts::RequestOrigin;
use super::keys::KeyKind;
use super::problem::HttpProblem;
use super::{ServerState, page};

/// Header that the page sends with each write: another page's form or link cannot set it.
const OWN_HEADER: &str = "x-tars";

/// Most cookies of one name that are compared with the keys.
const MAX_COOKIES: usize = 16;

/// Headers of every response.
const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
];

/// The caller, as the journal names it.
#[derive(Debug, Clone)]
pub(super) struct Channel(pub(super) String);

/// Passes a request on, or refuses it.
pub(super) async fn guard(State(server): State<Arc<ServerState>>, mut request: Request, next: Next) -> Response {
    let origin = request.headers().get(header::ORIGIN).cloned();
    let (mut response, from) = match request_origin(&server, request.headers()) {
        Err(problem) => (problem.into_response(), RequestOrigin::Elsewhere),
        Ok(RequestOrigin::Configured) if request.method() == Method::OPTIONS => {
            (StatusCode::NO_CONTENT.into_response(), RequestOrigin::Configured)
        }
        Ok(from) => match authenticate(&server, &request, from) {
            Ok(channel) => {
                if let Some(channel) = channel {
                    request.extensions_mut().insert(Channel(channel));
                }
                (next.run(request).await, from)
            }
            // A person sees this response, so it is a page.
            Err(problem) if problem.is_unauthorized() && request.uri().path() == "/" => (page::signed_out(), from),
            Err(problem) => (problem.into_response(), from),
        },
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, value);
    }
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(page::CSP_NONE));
    }
    if let (RequestOrigin::Configured, Some(origin)) = (from, origin) {
        add_cors_headers(headers, origin);
    }
    response
}

/// Adds the CORS headers for a page that the settings allow. They exclude cookies: such a page sends a token.
fn add_cors_headers(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::VARY, HeaderValue::from_static("Origin"));
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, Content-Type, If-Match"),
        (header::ACCESS_CONTROL_EXPOSE_HEADERS, "ETag, Retry-After"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// Returns the origin of a request, if its host is this server.
fn request_origin(server: &ServerState, headers: &HeaderMap) -> Result<RequestOrigin, HttpProblem> {
    let host = single_value(headers, header::HOST).filter(|host| server.hosts.admits(host)).ok_or_else(|| {
        HttpProblem::new(StatusCode::MISDIRECTED_REQUEST, "this server does not answer to the Host of the request")
            .with_hint("tars config set http.hosts NAME, if that name is meant to reach it")
    })?;
    let origin = single_value(headers, header::ORIGIN);
    let is_odd = origin.is_none() && headers.contains_key(header::ORIGIN);
    match server.hosts.origin(origin, host) {
        RequestOrigin::Elsewhere => Err(foreign_page()),
        _ if is_odd => Err(foreign_page()),
        from => Ok(from),
    }
}

fn foreign_page() -> HttpProblem {
    HttpProblem::new(StatusCode::FORBIDDEN, "the request comes from a foreign page")
        .with_hint("tars config set http.origins ORIGIN, if that page is allowed")
}

/// Returns the caller; `None` for paths that need no key.
fn authenticate(server: &ServerState, request: &Request, from: RequestOrigin) -> Result<Option<String>, HttpProblem> {
    let path = request.uri().path();
    if matches!(path, "/health" | page::LINK_PATH) {
        return Ok(None);
    }
    let now = server.engine.app().environment.clock.timestamp();
    let headers = request.headers();
    let found = match (bearer(headers), from) {
        (Some(token), _) => server.keys.find(KeyKind::Token, token, now),
        (None, RequestOrigin::Here) => cookies(headers, &server.cookie)
            .take(MAX_COOKIES)
            .find_map(|cookie| server.keys.find(KeyKind::Cookie, cookie, now).transpose())
            .transpose(),
        _ => Ok(None),
    };
    let key = found?.ok_or_else(no_valid_key)?;
    if key.kind == KeyKind::Cookie {
        check_page_request(request.method(), headers)?;
    }
    Ok(Some(format!("http:{}", key.name)))
}

fn no_valid_key() -> HttpProblem {
    HttpProblem::new(StatusCode::UNAUTHORIZED, "the request has no valid token")
        .with_hint("tars serve token add NAME, and send 'Authorization: Bearer TOKEN'; in a browser: tars open")
}

/// Fails unless a request with the page's cookie was sent by that page.
fn check_page_request(method: &Method, headers: &HeaderMap) -> Result<(), HttpProblem> {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
    let is_write = !matches!(*method, Method::GET | Method::HEAD);
    let is_own = is(OWN_HEADER, "1") && headers.contains_key(header::ORIGIN);
    if is_write && !is_own {
        let message = "a write with the page's cookie needs the header 'X-Tars: 1' and the page's Origin";
        return Err(HttpProblem::new(StatusCode::FORBIDDEN, message).with_hint("send a token instead"));
    }
    // Pages on other ports count as the same site, so their requests carry the cookie. Links from there stay allowed.
    let is_other = is("sec-fetch-site", "same-site") || is("sec-fetch-site", "cross-site");
    if is_other && !is("sec-fetch-dest", "document") { Err(foreign_page()) } else { Ok(()) }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = single_value(headers, header::AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Returns the values of all cookies of this name. Several pages can set one for this host, and a browser sends all of them.
fn cookies<'h>(headers: &'h HeaderMap, name: &str) -> impl Iterator<Item = &'h str> {
    let pairs =
        headers.get_all(header::COOKIE).into_iter().flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
    // Another page's cookie may hold any bytes.
    let pairs = pairs.filter_map(|pair| std::str::from_utf8(pair).ok());
    pairs.filter_map(move |pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

/// Returns the value of a header that occurs exactly once.
fn single_value(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).into_iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
