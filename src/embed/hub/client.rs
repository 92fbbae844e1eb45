//! Client of a hub: listings, small files, downloads.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};
use ureq::Body;
use ureq::http::{Response, Uri};

use super::super::manifest::is_sha256;
use super::super::{EmbedError, ModelFile};
use super::Hub;
use super::listing::{Listing, RepositoryFile};
use tars_base::domain::{Progress, hex};
use tars_base::endpoint::{
    Timeouts, agent, describe_error, error_excerpt, parse_url, redirect_target, require_https_for_key, same_origin,
    without_query,
};

const MAX_LISTING: u64 = 16 << 20;
const MAX_JSON: u64 = 4 << 20;
const MAX_REDIRECTS: usize = 8;

/// A connection to a hub.
pub(super) struct Client<'a> {
    base: &'a str,
    origin: Uri,
    token: Option<&'a str>,
    patience: Timeouts,
}

/// A file to download.
pub(super) struct Download<'a> {
    pub(super) file: &'a RepositoryFile,
    /// Local path.
    pub(super) to: &'a Path,
    /// Maximum size in bytes.
    pub(super) limit: u64,
}

impl<'a> Client<'a> {
    pub(super) fn new(hub: &'a Hub) -> Result<Self, EmbedError> {
        let base = hub.base_url.trim_end_matches('/');
        let origin = parse_url(base)?;
        let token = hub.token.as_deref().map(str::trim).filter(|token| !token.is_empty());
        if token.is_some() {
            require_https_for_key(&origin)?;
        }
        let patience = Timeouts { connect: Some(hub.connect_timeout), stall: Some(hub.stall_timeout), total: None };
        Ok(Self { base, origin, token, patience })
    }

    /// Returns the listing of `repository` at `revision`.
    pub(super) fn listing(&self, repository: &str, revision: &str) -> Result<Listing, EmbedError> {
        let url = format!("{}/api/models/{repository}/revision/{}?blobs=true", self.base, encoded(revision, false));
        let (body, url) = self.small(repository, &format!("revision {revision}"), &url, MAX_LISTING)?;
        let unusable = |reason: String| EmbedError::Answer { url: url.clone(), reason };
        let mut listing: Listing = serde_json::from_slice(&body).map_err(|error| unusable(error.to_string()))?;
        if !listing.has_valid_commit() {
            return Err(unusable("it names no commit".into()));
        }
        listing.repository = repository.to_owned();
        Ok(listing)
    }

    /// Returns a small JSON file; `None` if the repository does not have it.
    pub(super) fn json(&self, listing: &Listing, path: &str) -> Result<Option<Value>, EmbedError> {
        if listing.file(path).is_none() {
            return Ok(None);
        }
        let (body, _) = self.small(&listing.repository, path, &self.file_url(listing, path), MAX_JSON)?;
        let value = serde_json::from_slice(&body);
        value.map(Some).map_err(|error| listing.unusable(format!("{path} is not JSON: {error}")))
    }

    /// Downloads a file, checks the announced size and hash, and returns the actual ones.
    pub(super) fn download(
        &self,
        listing: &Listing,
        download: &Download<'_>,
        progress: &dyn Progress,
    ) -> Result<ModelFile, EmbedError> {
        let Download { file, to, limit } = *download;
        let path = &file.rfilename;
        let too_large = || EmbedError::TooLarge { what: format!("{}/{path}", listing.repository), limit };
        if file.bytes() > limit {
            return Err(too_large());
        }
        let (mut response, uri) = self.get(&listing.repository, path, &self.file_url(listing, path))?;
        let mut body = response.body_mut().as_reader();
        let mut out = File::create(to).map_err(EmbedError::io("write", to))?;
        let mut hasher = Sha256::new();
        let mut size = 0u64;
        let mut buffer = vec![0; 128 << 10];
        loop {
            if progress.cancelled() {
                return Err(EmbedError::Cancelled);
            }
            let count = match body.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) => return Err(network(&uri, &ureq::Error::from(error))),
            };
            size += count as u64;
            if size > limit {
                return Err(too_large());
            }
            hasher.update(&buffer[..count]);
            out.write_all(&buffer[..count]).map_err(EmbedError::io("write", to))?;
            progress.advance(count);
        }
        out.sync_all().map_err(EmbedError::io("write", to))?;
        let sha256 = hex(&hasher.finalize());
        let differs = |reason| Err(EmbedError::Answer { url: without_query(&uri), reason });
        match (file.size(), file.sha256()) {
            (Some(announced), _) if announced != size => {
                differs(format!("{path} has {size} bytes, {announced} were announced"))
            }
            (_, Some(announced)) if !is_sha256(announced) || announced != sha256 => {
                differs(format!("{path} has sha256 {sha256}, {} was announced", announced.escape_debug()))
            }
            _ => Ok(ModelFile { sha256, size }),
        }
    }

    fn file_url(&self, listing: &Listing, path: &str) -> String {
        format!("{}/{}/resolve/{}/{}", self.base, listing.repository, listing.sha, encoded(path, true))
    }

    /// Returns a body of at most `limit` bytes and the address that sent it.
    fn small(&self, repository: &str, what: &str, url: &str, limit: u64) -> Result<(Vec<u8>, String), EmbedError> {
        let (mut response, uri) = self.get(repository, what, url)?;
        match response.body_mut().with_config().limit(limit).read_to_vec() {
            Ok(body) => Ok((body, without_query(&uri))),
            Err(ureq::Error::BodyExceedsLimit(_)) => Err(EmbedError::TooLarge { what: without_query(&uri), limit }),
            Err(error) => Err(network(&uri, &error)),
        }
    }

    /// Returns a successful response and the address that sent it. Redirects are followed; the token goes only to the hub's own origin.
    fn get(&self, repository: &str, what: &str, url: &str) -> Result<(Response<Body>, Uri), EmbedError> {
        let mut uri = parse_url(url)?;
        for _ in 0..=MAX_REDIRECTS {
            // No compression: the announced size and hash are those of the plain bytes.
            let mut request = agent(&uri, self.patience).get(&uri).header("accept-encoding", "identity");
            if let Some(token) = self.token.filter(|_| same_origin(&uri, &self.origin)) {
                request = request.header("authorization", format!("Bearer {token}"));
            }
            let response = request.call().map_err(|error| network(&uri, &error))?;
            if response.status().is_success() {
                return Ok((response, uri));
            }
            let location = response.headers().get("location").and_then(|location| location.to_str().ok());
            match location.filter(|_| response.status().is_redirection()) {
                Some(location) => uri = redirect_target(&uri, location)?,
                None => return Err(self.refusal(response, &uri, repository, what)),
            }
        }
        Err(EmbedError::Network { url: without_query(&uri), reason: format!("more than {MAX_REDIRECTS} redirects") })
    }

    fn refusal(&self, mut response: Response<Body>, uri: &Uri, repository: &str, what: &str) -> EmbedError {
        let (status, url, repository) = (response.status().as_u16(), without_query(uri), repository.to_owned());
        let excerpt = error_excerpt(&mut response, self.token);
        match status {
            401 | 403 if same_origin(uri, &self.origin) => EmbedError::Gated { repository, status },
            404 => EmbedError::NotFound { repository, what: what.to_owned() },
            429 => EmbedError::RateLimited { url, tries: 1, excerpt },
            _ => EmbedError::Remote { url, status, excerpt },
        }
    }
}

fn network(uri: &Uri, error: &ureq::Error) -> EmbedError {
    EmbedError::Network { url: without_query(uri), reason: describe_error(error) }
}

/// Percent-encodes everything except the unreserved characters of RFC 3986, and the slash if `path`.
fn encoded(text: &str, path: bool) -> String {
    use std::fmt::Write;
    text.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || (path && byte == b'/') {
            encoded.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}
