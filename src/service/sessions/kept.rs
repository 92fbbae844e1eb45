//! The transcripts that tars keeps for clients that have no file for each session: JSON lines in `transcripts/CLIENT/SESSION.jsonl` of the
//! data directory, without secrets, without outputs of tools, and without the times at which the person had paused tars.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::{App, PausedTimes, Result};
use tars_agent::client::AgentClient;
use tars_agent::client::opencode::{KeptLine, session_line};
use tars_base::data_files;
use tars_base::domain::Turn;
use tars_base::private::{self, short_hash};

/// How long a transcript is kept after its last message.
const RETENTION: Duration = Duration::from_secs(180 * 24 * 3600);
/// The longest transcript, in bytes.
const MAX_FILE: u64 = 64 << 20;
const MAX_NAME: usize = 100;
const EXTENSION: &str = "jsonl";

/// The kept transcripts of a client.
#[derive(Debug)]
pub struct KeptTranscripts {
    client: AgentClient,
    folder: PathBuf,
}

impl KeptTranscripts {
    /// Returns those of `client`.
    pub fn of(app: &App, client: AgentClient) -> Self {
        Self::in_folder(client, app.settings.config.data.dir.join("transcripts").join(client.name()))
    }

    pub(super) fn in_folder(client: AgentClient, folder: PathBuf) -> Self {
        Self { client, folder }
    }

    /// Returns the path of a session's transcript, which may not exist.
    pub fn path(&self, session: &str) -> PathBuf {
        // The id comes from the client.
        let is_plain = session.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let is_name = !session.is_empty() && session.len() <= MAX_NAME && is_plain;
        let name = if is_name { session.to_owned() } else { short_hash(session.as_bytes()) };
        self.folder.join(name).with_extension(EXTENSION)
    }

    /// Appends messages to the transcript of a session, except those of a time at which tars was paused. Does not sync: the client has
    /// the messages.
    ///
    /// # Errors
    /// The pauses or the data directory cannot be used, or the transcript is longer than 64 MiB.
    pub fn append(&self, app: &App, session: &str, directory: &str, lines: &[KeptLine]) -> Result<()> {
        let text = joined(lines, &app.pauses().times(session)?);
        if text.is_empty() {
            return Ok(());
        }
        private::create_folder(&self.folder)?;
        let path = self.path(session);
        let mut file = private::open(&path, OpenOptions::new().read(true).append(true).create(true))?;
        let length = file.metadata()?.len();
        if length + text.len() as u64 > MAX_FILE {
            let said = format!("{} is full ({} MiB)", path.display(), MAX_FILE >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, said).into());
        }
        let mut last = [b'\n'];
        if length > 0 {
            file.read_exact_at(&mut last, length - 1)?;
        }
        let beginning = match (length, last) {
            (0, _) => session_line(self.client.name(), session, directory) + "\n",
            // A full disk has torn the last line.
            (_, last) if last != [b'\n'] => "\n".to_owned(),
            _ => String::new(),
        };
        // One write, because another hook may append at the same time.
        Ok(file.write_all((beginning + &text).as_bytes())?)
    }

    /// Writes the whole transcript of a session.
    ///
    /// # Errors
    /// The pauses or the folder cannot be used.
    pub(super) fn write(&self, app: &App, session: &str, directory: &str, lines: &[KeptLine]) -> Result<()> {
        let text = joined(lines, &app.pauses().times(session)?);
        let whole = session_line(self.client.name(), session, directory) + "\n" + &text;
        Ok(data_files::replace(&self.path(session), whole.as_bytes())?)
    }

    /// Removes the transcript of a session, if there is one.
    pub fn remove(&self, session: &str) {
        let _ = fs::remove_file(self.path(session));
    }

    /// Removes transcripts without a message for half a year at `now`.
    fn sweep(&self, now: Timestamp) {
        data_files::sweep(&self.folder, now, |_| Some(RETENTION));
    }

    /// Returns the transcripts of sessions whose id begins with `id`.
    fn beginning_with(&self, id: &str) -> Vec<PathBuf> {
        let is_meant =
            |name: &str| name.starts_with(id) && Path::new(name).extension().is_some_and(|end| end == EXTENSION);
        data_files::names(&self.folder, is_meant).into_iter().map(|name| self.folder.join(name)).collect()
    }
}

/// Returns the kept transcripts of all clients whose session's id begins with `id`.
pub(super) fn kept_transcripts_of(app: &App, id: &str) -> Vec<PathBuf> {
    all(app).flat_map(|kept| kept.beginning_with(id)).collect()
}

/// Removes kept transcripts that are too old at `now`.
pub(super) fn sweep_kept_transcripts(app: &App, now: Timestamp) {
    all(app).for_each(|kept| kept.sweep(now));
}

fn all(app: &App) -> impl Iterator<Item = KeptTranscripts> {
    let clients = AgentClient::ALL.into_iter().filter(|client| client.hands_over_messages());
    clients.map(move |client| KeptTranscripts::of(app, client))
}

/// Returns the lines of times at which tars was not paused, each with a line end.
fn joined(lines: &[KeptLine], paused: &PausedTimes) -> String {
    let is_kept = |line: &&KeptLine| !paused.overlaps(&Turn { at: line.at, ..Turn::default() });
    lines.iter().filter(is_kept).fold(String::new(), |text, line| text + &line.json + "\n")
}
