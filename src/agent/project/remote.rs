//! Addresses of remotes: which of them mean the same repository, and its name.
//!
//! `git@host:owner/name.git`, `https://user:token@host/owner/name` and `ssh://git@host:22/owner/name/` are one
//! repository. Users, passwords, ports and queries are dropped first, so that none of them can be kept.

use std::path::{Path, PathBuf};

use super::{canonical, sanitize_name};
use tars_text::redact::find_in_path;

/// A parsed address of a remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remote {
    /// The same text for every address of the repository: lower-case `host/owner/name`, or a path.
    pub(super) identity: String,
    /// `owner/name`, or `name` without an owner. `None` if the parts of the address cannot form a name.
    pub(super) name: Option<String>,
}

/// Returns the identity of the repository at a path.
pub(super) fn identity_of(path: &Path) -> String {
    format!("path:{}", canonical(path).display())
}

impl Remote {
    /// Parses an address like git; a relative path starts at `root`. Returns `None` if it names no place, like the
    /// addresses of remote helpers (`ext::…`).
    pub(super) fn parse(address: &str, root: &Path) -> Option<Self> {
        if address.is_empty() {
            return None;
        }
        if let Some((scheme, rest)) = address.split_once("://") {
            let (authority, path) = rest.split_once('/')?;
            if scheme.eq_ignore_ascii_case("file") {
                return Self::at_path(Path::new("/").join(path));
            }
            return Self::at_host(authority, path);
        }
        let first = address.split('/').next().unwrap_or_default();
        if first.contains("::") && !first.contains('[') {
            return None;
        }
        // A colon before the first slash separates host and path, except inside an IPv6 address.
        let colon = first.find("]:").map(|at| at + 1).or_else(|| first.find(':'));
        match colon {
            Some(colon) => Self::at_host(&address[..colon], &address[colon + 1..]),
            None => Self::at_path(root.join(address)),
        }
    }

    fn at_host(authority: &str, path: &str) -> Option<Self> {
        let host = authority.rsplit('@').next()?;
        let host = match host.strip_prefix('[') {
            Some(bracketed) => bracketed.split(']').next()?,
            None => host.split(':').next()?,
        };
        let path = path.split(['?', '#']).next()?.trim_end_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        // A password with a slash in it looks like a path with an `@`.
        let is_odd = |part: &&str| part.contains(['@', ':']) || [".", ".."].contains(part);
        if host.is_empty() || parts.is_empty() || parts.iter().any(is_odd) {
            return None;
        }
        // Hosts hardly ever distinguish repositories by letter case, but people type either.
        let identity = format!("{host}/{}", parts.join("/")).to_lowercase();
        Some(Self { identity, name: name(&parts[parts.len().saturating_sub(2)..]) })
    }

    fn at_path(path: PathBuf) -> Option<Self> {
        let path = if path.file_name()? == ".git" { path.parent()?.to_owned() } else { path };
        let last = path.file_name()?.to_string_lossy().into_owned();
        // A bare repository has the same name as its worktrees.
        let last = last.strip_suffix(".git").filter(|bare| !bare.is_empty()).unwrap_or(&last);
        Some(Self { identity: identity_of(&path.with_file_name(last)), name: name(&[last]) })
    }
}

fn name(parts: &[&str]) -> Option<String> {
    let cleaned: Option<Vec<String>> = parts.iter().map(|part| sanitize_name(part)).collect();
    // A token may stand in the owner's place.
    cleaned.map(|parts| parts.join("/")).filter(|name| find_in_path(name).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(address: &str) -> Option<(String, Option<String>)> {
        Remote::parse(address, Path::new("/gone/api")).map(|remote| (remote.identity, remote.name))
    }

    #[test]
    fn all_addresses_of_a_repository_have_one_identity() {
        let expected = Some(("example.org/acme/api".to_owned(), "acme/api".to_owned()));
        for address in [
            "git@example.org:acme/api.git",
            "example.org:acme/api",
            "git@example.org:/acme/api/",
            "https://example.org/acme/api",
            "https://anna:s3cr3t@example.org/acme/api.git/",
            "https://anna:p@ss@Example.org:8443/acme//api.git?token=s3cr3t#x",
            "ssh://git@example.org:22/acme/api.git",
            "git://example.org/acme/api",
        ] {
            let found = parse(address).map(|(identity, name)| (identity, name.unwrap()));
            assert_eq!(found, expected, "{address}");
        }
        assert_eq!(parse("https://EXAMPLE.org/Acme/API").unwrap().0, "example.org/acme/api");
    }

    #[test]
    fn different_repositories_have_different_identities() {
        let name = |address: &str| parse(address).unwrap();
        assert_eq!(name("https://example.org/group/sub/api").0, "example.org/group/sub/api");
        assert_eq!(name("https://example.org/group/sub/api").1.unwrap(), "sub/api");
        assert_eq!(name("host:api.git"), ("host/api".into(), Some("api".into())));
        assert_eq!(name("ssh://[::1]:22/a/b"), ("::1/a/b".into(), Some("a/b".into())));
        assert_eq!(name("git@[::1]:a/b"), ("::1/a/b".into(), Some("a/b".into())));
    }

    #[test]
    fn all_spellings_of_a_path_have_one_identity() {
        let expected = ("path:/gone/base".to_owned(), Some("base".to_owned()));
        for address in ["/gone/base.git", "/gone/base/.git", "file:///gone/base", "../base.git/", "./../base"] {
            assert_eq!(parse(address).unwrap(), expected, "{address}");
        }
    }

    #[test]
    fn addresses_without_a_place_have_no_name() {
        for address in ["", "/", "ext::ssh -i key %S x", "https://", "https://example.org/", "host:", "https:///x/y"] {
            assert_eq!(parse(address).map(|(_, name)| name), None, "{address}");
        }
        assert_eq!(parse("https://host/%00/日本 語"), Some(("host/%00/日本 語".into(), Some("00/日本-語".into()))));
    }

    #[test]
    fn credentials_are_never_kept() {
        let token = format!("glpat-{}", "x7Kq2LmZ9vBt4RwY8sHd");
        for address in [
            format!("https://{token}@host/acme/api"),
            format!("https://anna:{token}@host/acme/api"),
            format!("https://anna:se/{token}@host/acme/api"),
            format!("https://host/acme/api?access_token={token}"),
        ] {
            let shown = format!("{:?}", parse(&address)).to_lowercase();
            assert!(!shown.contains("glpat") && !shown.contains("anna"), "{shown}");
        }
        let as_owner = parse(&format!("https://host/{token}/api")).unwrap();
        assert_eq!(as_owner.1, None, "only its hash is kept");
    }

    proptest::proptest! {
        #[test]
        fn any_address_gives_a_safe_name(address in "([/:@\\[\\]?#.]|git|https://|[ -~é]){0,40}") {
            if let Some(name) = parse(&address).and_then(|(_, name)| name) {
                proptest::prop_assert!(name.split('/').count() <= 2);
                for part in name.split('/') {
                    proptest::prop_assert_eq!(sanitize_name(part), Some(part.to_owned()));
                }
            }
        }
    }
}
