//! Common parts of all HTTP clients, whether for models, embeddings or downloads: addresses, timeouts, readable
//! failures.
//!
//! This module never follows redirects: a key must not travel to another origin, and only the caller knows which origin
//! is meant. Requests to a loopback address bypass any proxy of the environment.

mod retry;

use std::io::Read;
use std::net::IpAddr;
use std::time::Duration;

use ureq::http::{Response, Uri};
use ureq::{Agent, Body};

pub use retry::{backoff, retry_after};

/// Maximum length of an excerpt from a server's response, in characters.
const MAX_EXCERPT: usize = 300;
/// Maximum number of bytes to read of an error response.
pub const MAX_ERROR_BODY: usize = 64 << 10;

/// Why no request is sent to an address.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The address is invalid.
    #[error("invalid address '{url}': {reason}")]
    Address {
        /// The address as given, without a password.
        url: String,
        /// The reason.
        reason: String,
    },
    /// The key would travel unencrypted.
    #[error("refusing to send a key over plain http to {url}")]
    InsecureKey {
        /// The address.
        url: String,
    },
}

/// Timeouts of a request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timeouts {
    /// For the connection.
    pub connect: Option<Duration>,
    /// Between two pieces of an answer.
    pub stall: Option<Duration>,
    /// For the whole request.
    pub total: Option<Duration>,
}

/// Returns a client for `origin` that returns every status as an answer and follows no redirect.
pub fn agent(origin: &Uri, patience: Timeouts) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("tars/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(patience.connect)
        .timeout_connect(patience.connect)
        .timeout_per_read(patience.stall)
        .timeout_per_write(patience.stall)
        .timeout_global(patience.total);
    if is_loopback(origin) { config.proxy(None).build() } else { config.build() }.into()
}

/// Parses `url` as an http or https address with a host and without a user or password.
pub fn parse_url(url: &str) -> Result<Uri, EndpointError> {
    let invalid = |reason: &str| {
        let shown = url.rsplit_once('@').map_or(url.to_owned(), |(_, rest)| format!("...@{rest}"));
        EndpointError::Address { url: shown, reason: reason.into() }
    };
    let uri: Uri = url.parse().map_err(|_| invalid("it cannot be parsed"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(invalid("it does not start with http:// or https://"));
    }
    match uri.authority() {
        Some(authority) if authority.as_str().contains('@') => Err(invalid("it holds a user or password")),
        Some(authority) if !authority.host().is_empty() => Ok(uri),
        _ => Err(invalid("it has no host")),
    }
}

/// Whether the host is this machine.
pub fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Refuses an address to which a key would travel unencrypted.
pub fn require_https_for_key(uri: &Uri) -> Result<(), EndpointError> {
    if uri.scheme_str() == Some("https") || is_loopback(uri) {
        return Ok(());
    }
    Err(EndpointError::InsecureKey { url: without_query(uri) })
}

/// Whether both addresses have the same scheme, host and port.
pub fn same_origin(one: &Uri, other: &Uri) -> bool {
    let origin = |uri: &Uri| {
        let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
        (uri.scheme_str().map(str::to_owned), uri.host().map(str::to_ascii_lowercase), port)
    };
    origin(one) == origin(other)
}

/// Returns the target of a redirect from `from`. Fails unless it is http or https, and if it downgrades from https.
pub fn redirect_target(from: &Uri, location: &str) -> Result<Uri, EndpointError> {
    let scheme = from.scheme_str().unwrap_or("https");
    let authority = from.authority().map_or("", |authority| authority.as_str());
    let location = location.split('#').next().unwrap_or_default();
    let absolute = if location.contains("://") {
        location.to_owned()
    } else if location.starts_with("//") {
        format!("{scheme}:{location}")
    } else if location.starts_with('/') {
        format!("{scheme}://{authority}{location}")
    } else {
        let folder = from.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{scheme}://{authority}{folder}/{location}")
    };
    let target = parse_url(&absolute)?;
    if scheme == "https" && target.scheme_str() != Some("https") {
        let reason = format!("{} redirects to it, away from https", without_query(from));
        return Err(EndpointError::Address { url: without_query(&target), reason });
    }
    Ok(target)
}

/// Returns the address without its query, because signed addresses carry secrets there.
pub fn without_query(uri: &Uri) -> String {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    format!("{}://{authority}{}", uri.scheme_str().unwrap_or("https"), uri.path())
}

/// Returns the [`excerpt`] of an error response, or the target of a redirect.
pub fn error_excerpt(response: &mut Response<Body>, secret: Option<&str>) -> String {
    let location = response.headers().get("location").and_then(|location| location.to_str().ok());
    if let Some(location) = location.filter(|_| response.status().is_redirection()) {
        return excerpt(format!("it redirects to {location}").as_bytes(), secret);
    }
    let mut body = Vec::new();
    // A partial error response is still worth showing, so a broken connection is ignored here.
    let _ = response.body_mut().as_reader().take(MAX_ERROR_BODY as u64).read_to_end(&mut body);
    excerpt(&body, secret)
}

/// Returns the message in a server's response `body`: that of a JSON error or the text itself, on one line of at most
/// 300 characters. `secret` is masked wherever the server echoes it.
pub fn excerpt(body: &[u8], secret: Option<&str>) -> String {
    let json: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let message = json.as_ref().and_then(|json| {
        ["/error/message", "/error", "/message", "/detail"].iter().find_map(|path| json.pointer(path)?.as_str())
    });
    let mut text = message.map_or_else(|| String::from_utf8_lossy(body).into_owned(), str::to_owned);
    if let Some(secret) = secret.filter(|secret| !secret.is_empty()) {
        text = text.replace(secret, "[key]");
    }
    let printable: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words = printable.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MAX_EXCERPT) {
        Some((end, _)) => words[..end].to_owned(),
        None if words.is_empty() => "no message".into(),
        None => words,
    }
}

/// Describes why a request failed.
pub fn describe_error(error: &ureq::Error) -> String {
    match error {
        ureq::Error::HostNotFound => "host not found; is this machine offline?".into(),
        ureq::Error::Timeout(phase) => format!("timed out ({phase})"),
        ureq::Error::Io(error) => error.to_string(),
        error => error.to_string(),
    }
}

/// Whether the failure is transient, so that a retry may succeed.
pub fn is_transient(error: &ureq::Error) -> bool {
    use ureq::Error::{ConnectionFailed, HostNotFound, Io, Protocol, Timeout};
    matches!(error, Io(_) | Timeout(_) | HostNotFound | ConnectionFailed | Protocol(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(url: &str) -> Uri {
        url.parse().unwrap()
    }

    #[test]
    fn only_server_addresses_are_accepted() {
        for url in ["ftp://host/x", "localhost:11434", "/v1", "", "file:///etc/passwd", "http://"] {
            assert!(parse_url(url).is_err(), "{url}");
        }
        let error = parse_url("https://me:secret@host/v1").unwrap_err().to_string();
        assert!(error.contains("host/v1") && !error.contains("secret"), "{error}");
    }

    #[test]
    fn loopback_addresses_are_recognized_in_any_spelling() {
        for url in
            ["http://localhost:1/", "http://LOCALHOST", "http://127.0.0.1", "http://127.8.9.1", "http://[::1]:80/"]
        {
            assert!(is_loopback(&uri(url)), "{url}");
        }
        for url in ["http://localhost.evil.com", "http://127.0.0.1.evil.com", "http://10.0.0.1", "http://0.0.0.0"] {
            assert!(!is_loopback(&uri(url)), "{url}");
        }
    }

    #[test]
    fn keys_are_never_sent_unencrypted() {
        assert!(matches!(require_https_for_key(&uri("http://host/v1")), Err(EndpointError::InsecureKey { .. })));
        require_https_for_key(&uri("https://host/v1")).unwrap();
        require_https_for_key(&uri("http://localhost:11434/v1")).unwrap();
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        assert!(same_origin(&uri("https://Host/a"), &uri("https://host:443/b")));
        for other in ["http://host/", "https://host:444/", "https://cdn.host/", "https://host.evil/"] {
            assert!(!same_origin(&uri("https://host/"), &uri(other)), "{other}");
        }
    }

    #[test]
    fn redirects_are_resolved_and_never_leave_https() {
        let from = uri("https://hub/a/b?x=1");
        let target = |location| redirect_target(&from, location).map(|uri| uri.to_string()).ok();
        assert_eq!(target("/c?y=2#z").as_deref(), Some("https://hub/c?y=2"));
        assert_eq!(target("//cdn/c").as_deref(), Some("https://cdn/c"));
        assert_eq!(target("c").as_deref(), Some("https://hub/a/c"));
        assert_eq!(target("https://cdn/c").as_deref(), Some("https://cdn/c"));
        assert_eq!(target("http://cdn/c"), None);
        assert_eq!(target("file:///etc/passwd"), None);
    }

    #[test]
    fn excerpts_are_short_clean_and_without_the_key() {
        assert_eq!(excerpt(br#"{"error": {"message": "bad \u001b[31mmodel\n\nx"}}"#, None), "bad [31mmodel x");
        assert_eq!(excerpt(br#"{"error": "nope"}"#, None), "nope");
        assert_eq!(excerpt(br#"{"detail": "nope"}"#, None), "nope");
        assert_eq!(excerpt(b"key sk-1 is wrong", Some("sk-1")), "key [key] is wrong");
        assert_eq!(excerpt(b"", Some("")), "no message");
        assert_eq!(excerpt("ä".repeat(900).as_bytes(), None).chars().count(), 300);
        assert!(!excerpt(b"\xff\xfe<html>", None).is_empty());
    }
}
