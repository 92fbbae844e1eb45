//! Records which lines of each month were summarized, so that no work is done or paid for twice.
//!
//! One small JSON file in the data directory, `upkeep/compact.json`. It cannot be rebuilt. Without it, only the days that a
//! summary names show what an edited month covers, and a model is asked again.
//!
//! - `months`: by month. `read`: a hash over all lines that the summary is based on. `lines`: a short hash of each. `answers`:
//!   the model's answers, by a hash of the lines that it was sent and of its instructions.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Refusal, Result};
use tars_base::disk::{Folder, write_atomic};
use tars_base::domain::{ContentHash, hex};
use tars_base::private;
use tars_chat::tasks::SourceLine;
use tars_memory::upkeep::MonthClaims;

/// Name of the folder in the data directory.
const FOLDER: &str = "upkeep";
const FILE: &str = "compact.json";
const LOCK: &str = "compact.lock";
const MODE: u32 = 0o600;
/// Maximum number of bytes to read: a month with a model's answers takes about 50 KB.
const LARGEST: u64 = 64 << 20;

/// The months that were summarized.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct SummaryRecord {
    pub(super) months: BTreeMap<String, SummedMonth>,
}

/// The record of one month.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct SummedMonth {
    pub(super) read: String,
    pub(super) lines: Vec<String>,
    pub(super) answers: BTreeMap<String, MonthClaims>,
}

/// The file, with its lock while this process summarizes.
pub(super) struct SummedUpFile {
    folder: PathBuf,
    _lock: Option<File>,
}

impl SummedUpFile {
    /// Opens the file in the data directory `data` for reading.
    pub(super) fn of(data: &Path) -> Self {
        Self { folder: data.join(FOLDER), _lock: None }
    }

    /// Takes the lock for summarizing.
    ///
    /// # Errors
    /// Another process holds it; or the folder cannot be created.
    pub(super) fn locked(data: &Path) -> Result<Self> {
        let folder = data.join(FOLDER);
        private::create_folder(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let path = folder.join(LOCK);
        let lock = private::open_lock(&path).with_context(|| format!("cannot open {}", path.display()))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { folder, _lock: Some(lock) }),
            Err(TryLockError::WouldBlock) => Err(Refusal {
                message: "another tars compact is at work".into(),
                hint: "wait until it has ended".into(),
            }
            .into()),
            Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("cannot lock {}", path.display())),
        }
    }

    /// Reads the file. A missing file is empty. An unparsable file counts as empty, with a warning in the log.
    pub(super) fn read(&self) -> Result<SummaryRecord> {
        let path = self.folder.join(FILE);
        let bytes = match Folder::open(&self.folder).and_then(|folder| folder.read(FILE, LARGEST)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            read => read.with_context(|| format!("cannot read {}", path.display()))?,
        };
        let Some(bytes) = bytes else { return Ok(SummaryRecord::default()) };
        Ok(serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!(%error, "{} is not used", path.display());
            SummaryRecord::default()
        }))
    }

    /// Writes the file.
    pub(super) fn write(&self, known: &SummaryRecord) -> Result<()> {
        let path = self.folder.join(FILE);
        let bytes = serde_json::to_vec(known)?;
        let written = Folder::open(&self.folder).and_then(|folder| write_atomic(&folder, FILE, &bytes, MODE));
        written.with_context(|| format!("cannot write {}", path.display()))
    }
}

/// Returns the key of an answer: a hash of the lines that were sent and of the instructions.
pub(super) fn answer_key(lines: &[SourceLine], instructions: &str) -> String {
    let texts = lines.iter().flat_map(|line| [line.of.as_bytes(), line.text.as_bytes()]);
    hex(&ContentHash::of_parts(texts.chain([instructions.as_bytes()])).as_bytes()[..16])
}
