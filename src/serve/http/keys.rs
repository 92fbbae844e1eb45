//! The keys of the server: tokens of programs, cookies of browsers, and codes of one-time links.
//!
//! A private file of the data directory stores their hashes. Commands and the server change it under a lock. The server reads the file
//! again whenever it changes, so that a revoked key stops working at once.

mod error;

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use tars_base::disk::{self, Folder};
use tars_base::domain::hex;
use tars_base::private;

pub use error::KeyError;

/// The folder in the data directory.
const FOLDER: &str = "http";
const FILE: &str = "tokens.json";
const LOCK: &str = "lock";
/// Largest key file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Most keys of one kind; a new cookie evicts the oldest one.
const MAX_KEYS: usize = 256;
/// Lifetime of a one-time link.
pub const CODE_LIFETIME: Duration = Duration::from_secs(5 * 60);
/// Lifetime of a browser's cookie.
pub(super) const COOKIE_LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Prefix of a token, by which `redact` recognizes it in the text of agents.
const PREFIX: &str = "tars_";
/// Longest name of a token, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// The kind of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyKind {
    /// Sent by a program with each request.
    Token,
    /// Obtained by a browser through a one-time link.
    Cookie,
}

/// A key, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// Short id, for people.
    pub id: String,
    /// The name that its owner chose.
    pub name: String,
    /// The kind.
    pub kind: KeyKind,
    /// Creation time.
    pub created: Timestamp,
    /// Expiry time; `None` if it does not expire.
    pub expires: Option<Timestamp>,
    hash: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Code {
    hash: String,
    expires: Timestamp,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Content {
    keys: Vec<Key>,
    codes: Vec<Code>,
}

/// The keys of a data directory.
#[derive(Debug, Clone)]
pub struct Keys {
    folder: PathBuf,
    /// The cached content, with the stamp of the file it was read from.
    cache: Arc<Mutex<Cache>>,
}

type Cache = Option<(Stamp, Arc<Content>)>;

/// Identifies a state of the file: each write replaces the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp(u64, i64, i64);

impl Keys {
    /// Returns the keys of the data directory `data`.
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join(FOLDER), cache: Arc::default() }
    }

    /// Returns the keys that are valid at `now`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn list(&self, now: Timestamp) -> Result<Vec<Key>, KeyError> {
        Ok(self.content()?.keys.iter().filter(|key| key.is_valid(now)).cloned().collect())
    }

    /// Creates a token and returns its secret, which is stored nowhere.
    ///
    /// # Errors
    /// A token of that name exists, or the file cannot be written.
    pub fn add(&self, name: &str, now: Timestamp) -> Result<String, KeyError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.chars().all(is_plain) {
            return Err(KeyError::Name { name: name.into() });
        }
        self.change(now, |content| {
            let mut tokens = content.keys.iter().filter(|key| key.kind == KeyKind::Token);
            if tokens.clone().count() >= MAX_KEYS {
                return Err(KeyError::Full);
            }
            if tokens.any(|key| key.name == name) {
                return Err(KeyError::Exists { name: name.into() });
            }
            let secret = self.secret(PREFIX)?;
            content.keys.push(Key::new(name, KeyKind::Token, &secret, now, None));
            Ok(secret)
        })
    }

    /// Replaces the secret of the token of that name and returns the new one.
    ///
    /// # Errors
    /// No token has that name, or the file cannot be written.
    pub fn rotate(&self, name: &str, now: Timestamp) -> Result<String, KeyError> {
        self.change(now, |content| {
            let is_meant = |key: &&mut Key| key.kind == KeyKind::Token && key.name == name;
            let Some(key) = content.keys.iter_mut().find(is_meant) else {
                return Err(KeyError::Unknown { name: name.into() });
            };
            let secret = self.secret(PREFIX)?;
            *key = Key::new(name, KeyKind::Token, &secret, now, None);
            Ok(secret)
        })
    }

    /// Removes the keys with that name or id, and returns them.
    ///
    /// # Errors
    /// No key matches, or the file cannot be written.
    pub fn revoke(&self, name: &str, now: Timestamp) -> Result<Vec<Key>, KeyError> {
        self.change(now, |content| {
            let (gone, kept) = content.keys.drain(..).partition::<Vec<_>, _>(|key| key.name == name || key.id == name);
            content.keys = kept;
            if gone.is_empty() { Err(KeyError::Unknown { name: name.into() }) } else { Ok(gone) }
        })
    }

    /// Creates the code of a one-time link.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create_code(&self, now: Timestamp) -> Result<String, KeyError> {
        self.change(now, |content| {
            let code = self.secret("")?;
            content.codes.push(Code { hash: hash(&code), expires: now + CODE_LIFETIME });
            Ok(code)
        })
    }

    /// Exchanges a code for a cookie; `None` if the code is invalid or expired.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn redeem_code(&self, code: &str, now: Timestamp) -> Result<Option<String>, KeyError> {
        let wanted = hash(code);
        // Checked before the lock, so that guesses cause no writes.
        if !self.content()?.codes.iter().any(|code| is_same(&code.hash, &wanted)) {
            return Ok(None);
        }
        self.change(now, |content| {
            let before = content.codes.len();
            content.codes.retain(|code| !is_same(&code.hash, &wanted));
            if content.codes.len() == before {
                return Ok(None);
            }
            let cookies = |key: &Key| key.kind == KeyKind::Cookie;
            if content.keys.iter().filter(|key| cookies(key)).count() >= MAX_KEYS
                && let Some(oldest) = content.keys.iter().position(cookies)
            {
                content.keys.remove(oldest);
            }
            let secret = self.secret("")?;
            content.keys.push(Key::new("page", KeyKind::Cookie, &secret, now, Some(now + COOKIE_LIFETIME)));
            Ok(Some(secret))
        })
    }

    /// Returns the key of this kind with this secret, if it is valid at `now`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn find(&self, kind: KeyKind, secret: &str, now: Timestamp) -> Result<Option<Key>, KeyError> {
        let wanted = hash(secret);
        let content = self.content()?;
        let is_meant = |key: &&Key| key.kind == kind && is_same(&key.hash, &wanted) && key.is_valid(now);
        Ok(content.keys.iter().find(is_meant).cloned())
    }

    fn content(&self) -> Result<Arc<Content>, KeyError> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = match fs::symlink_metadata(self.file()) {
            Ok(metadata) => Stamp(metadata.ino(), metadata.ctime(), metadata.ctime_nsec()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Arc::default()),
            Err(error) => return Err(self.failed(error)),
        };
        if let Some((_, content)) = cache.as_ref().filter(|(of, _)| *of == stamp) {
            return Ok(Arc::clone(content));
        }
        let content = Arc::new(self.read()?);
        *cache = Some((stamp, Arc::clone(&content)));
        Ok(content)
    }

    fn read(&self) -> Result<Content, KeyError> {
        let bytes = match private::read(&self.file(), MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Content::default()),
            Err(error) => return Err(self.failed(error)),
        };
        serde_json::from_slice(&bytes)
            .map_err(|error| KeyError::Damaged { path: self.file(), reason: error.to_string() })
    }

    fn change<T>(
        &self,
        now: Timestamp,
        change: impl FnOnce(&mut Content) -> Result<T, KeyError>,
    ) -> Result<T, KeyError> {
        private::create_folder(&self.folder).map_err(|error| self.failed(error))?;
        private::check_folder(&self.folder).map_err(|error| self.failed(error))?;
        let lock = private::open_lock(&self.folder.join(LOCK)).map_err(|error| self.failed(error))?;
        lock.lock().map_err(|error| self.failed(error))?;
        let mut content = self.read()?;
        content.keys.retain(|key| key.is_valid(now));
        content.codes.retain(|code| code.expires > now);
        let result = change(&mut content)?;
        let write =
            || disk::write_atomic(&Folder::open(&self.folder)?, FILE, &serde_json::to_vec_pretty(&content)?, 0o600);
        write().map_err(|error| self.failed(error))?;
        Ok(result)
    }

    fn secret(&self, prefix: &str) -> Result<String, KeyError> {
        let mut bytes = [0; 20];
        let filled = File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bytes));
        filled.map_err(|error| self.failed(error))?;
        Ok(format!("{prefix}{}", hex(&bytes)))
    }

    fn file(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    fn failed(&self, source: io::Error) -> KeyError {
        KeyError::File { path: self.file(), source }
    }
}

impl Key {
    fn new(name: &str, kind: KeyKind, secret: &str, created: Timestamp, expires: Option<Timestamp>) -> Self {
        let hash = hash(secret);
        Self { id: hash[..8].to_owned(), name: name.to_owned(), kind, created, expires, hash }
    }

    fn is_valid(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|end| end > now)
    }
}

fn hash(secret: &str) -> String {
    blake3::hash(secret.as_bytes()).to_hex().to_string()
}

/// Compares two hashes in constant time.
fn is_same(one: &str, other: &str) -> bool {
    match (blake3::Hash::from_hex(one), blake3::Hash::from_hex(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn later(seconds: u64) -> Timestamp {
        Timestamp::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn a_token_is_good_until_it_is_rotated_or_revoked() {
        let data = tempfile::tempdir().unwrap();
        let (keys, now) = (Keys::new(data.path()), later(0));
        let first = keys.add("phone", now).unwrap();
        // The server has its own view of the file.
        let server = Keys::new(data.path());
        let named = |secret: &str| server.find(KeyKind::Token, secret, now).unwrap().map(|key| key.name);
        assert_eq!(named(&first).as_deref(), Some("phone"));
        assert_eq!(server.find(KeyKind::Cookie, &first, now).unwrap(), None);
        assert!(matches!(keys.add("phone", now), Err(KeyError::Exists { .. })));
        let second = keys.rotate("phone", now).unwrap();
        assert_eq!((named(&first), named(&second).as_deref()), (None, Some("phone")));
        assert_eq!(keys.revoke("phone", now).unwrap().len(), 1);
        assert_eq!(named(&second), None);
        assert!(matches!(keys.revoke("phone", now), Err(KeyError::Unknown { .. })));
        let file = data.path().join("http/tokens.json");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        assert!(!fs::read_to_string(file).unwrap().contains(&second[PREFIX.len()..]));
    }

    #[test]
    fn a_code_is_good_once_and_for_five_minutes() {
        let data = tempfile::tempdir().unwrap();
        let keys = Keys::new(data.path());
        let [one, late] = [keys.create_code(later(0)).unwrap(), keys.create_code(later(0)).unwrap()];
        let cookie = keys.redeem_code(&one, later(299)).unwrap().unwrap();
        assert_eq!(keys.redeem_code(&one, later(299)).unwrap(), None);
        assert_eq!(keys.redeem_code(&late, later(301)).unwrap(), None);
        assert_eq!(keys.redeem_code("", later(0)).unwrap(), None);
        let month = COOKIE_LIFETIME.as_secs() + 298;
        assert!(keys.find(KeyKind::Cookie, &cookie, later(month)).unwrap().is_some());
        assert!(keys.find(KeyKind::Cookie, &cookie, later(month + 1)).unwrap().is_none());
    }

    #[test]
    fn odd_names_and_damaged_files_are_refused() {
        let data = tempfile::tempdir().unwrap();
        let keys = Keys::new(data.path());
        for name in ["", "a b", "a\u{1b}[2J", &"a".repeat(65)] {
            assert!(matches!(keys.add(name, later(0)), Err(KeyError::Name { .. })), "{name}");
        }
        keys.add("a", later(0)).unwrap();
        fs::write(data.path().join("http/tokens.json"), "{").unwrap();
        assert!(matches!(keys.list(later(0)), Err(KeyError::Damaged { .. })));
        assert!(matches!(keys.add("b", later(0)), Err(KeyError::Damaged { .. })));
    }
}
