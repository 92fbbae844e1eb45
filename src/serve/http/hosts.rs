//! The host names that this server answers to, and the origins it accepts.
//!
//! With DNS rebinding, a foreign page can point its own name at this machine, so that the browser treats tars as a part of that page. The
//! `Host` header then contains the foreign name, and this check refuses it.

use std::net::{IpAddr, SocketAddr};

/// The accepted hosts and origins, apart from the listening address.
#[derive(Debug, Clone)]
pub(super) struct Hosts {
    port: u16,
    /// Whether only this machine can connect.
    is_local: bool,
    /// Names with or without a port, in lower case.
    named: Vec<String>,
    /// Origins of other pages.
    origins: Vec<String>,
}

/// The origin of a request, according to its `Origin` header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestOrigin {
    /// A page of this server, or no page.
    Here,
    /// A page that the settings allow.
    Configured,
    /// Another page.
    Elsewhere,
}

impl Hosts {
    pub(super) fn new(address: SocketAddr, named: &[String], origins: &[String]) -> Self {
        let lower = |texts: &[String]| texts.iter().map(|text| text.to_ascii_lowercase()).collect();
        Self {
            port: address.port(),
            is_local: address.ip().is_loopback(),
            named: lower(named),
            origins: lower(origins),
        }
    }

    /// Returns whether the server answers to this host.
    pub(super) fn admits(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let Some((name, port)) = parts(&host) else { return false };
        if self.named.iter().any(|named| *named == host || named == name) {
            return true;
        }
        let address: Option<IpAddr> = name.trim_start_matches('[').trim_end_matches(']').parse().ok();
        // An IP address cannot be rebound by a foreign page: a request by address means this machine.
        let is_known = match address {
            Some(address) => address.is_loopback() || !self.is_local,
            None => name == "localhost",
        };
        is_known && port == self.port
    }

    /// Returns the origin of a request to `host` with this `Origin` header.
    pub(super) fn origin(&self, origin: Option<&str>, host: &str) -> RequestOrigin {
        let Some(origin) = origin.map(str::to_ascii_lowercase) else { return RequestOrigin::Here };
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if authority == Some(&host.to_ascii_lowercase()) {
            RequestOrigin::Here
        } else if self.origins.contains(&origin) {
            RequestOrigin::Configured
        } else {
            RequestOrigin::Elsewhere
        }
    }
}

/// Splits a host and its port; an IPv6 address keeps its brackets.
fn parts(host: &str) -> Option<(&str, u16)> {
    let end = if host.starts_with('[') { host.find(']')? + 1 } else { host.find(':').unwrap_or(host.len()) };
    let (name, port) = host.split_at(end);
    match port.strip_prefix(':') {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some((name, digits.parse().ok()?)),
        None if port.is_empty() => Some((name, 80)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(address: &str) -> Hosts {
        let named = ["notes.example.ts.net".to_owned(), "box:9000".to_owned()];
        Hosts::new(address.parse().unwrap(), &named, &["https://app.example".to_owned()])
    }

    #[test]
    fn only_names_of_this_machine_and_configured_ones_are_admitted() {
        let local = hosts("127.0.0.1:8746");
        for host in [
            "127.0.0.1:8746",
            "LOCALHOST:8746",
            "[::1]:8746",
            "127.9.9.9:8746",
            "notes.example.ts.net",
            "notes.example.ts.net:443",
            "box:9000",
        ] {
            assert!(local.admits(host), "{host}");
        }
        for host in [
            "",
            "localhost",
            "localhost:80",
            "localhost:8747",
            "localhost.:8746",
            "evil.example:8746",
            "localhost.evil.example:8746",
            "127.0.0.1.evil.example:8746",
            "192.168.1.5:8746",
            "box",
            "box:9001",
            "localhost:8746:8746",
            "localhost:+8746",
            "user@localhost:8746",
            "[::1",
        ] {
            assert!(!local.admits(host), "{host}");
        }
    }

    #[test]
    fn a_public_server_admits_addresses_but_no_foreign_names() {
        let open = hosts("0.0.0.0:8746");
        assert!(open.admits("192.168.1.5:8746") && open.admits("[fd00::5]:8746"));
        assert!(!open.admits("evil.example:8746") && !open.admits("192.168.1.5"));
    }

    #[test]
    fn origins_are_classified() {
        let local = hosts("127.0.0.1:8746");
        let of = |origin: &str| local.origin(Some(origin), "localhost:8746");
        assert_eq!(local.origin(None, "localhost:8746"), RequestOrigin::Here);
        assert_eq!(of("http://localhost:8746"), RequestOrigin::Here);
        assert_eq!(of("https://app.example"), RequestOrigin::Configured);
        for origin in ["null", "", "http://localhost:3000", "http://127.0.0.1:8746", "file://localhost:8746"] {
            assert_eq!(of(origin), RequestOrigin::Elsewhere, "{origin}");
        }
    }
}
