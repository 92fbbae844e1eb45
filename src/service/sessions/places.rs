//! The transcripts of the clients on this machine.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::{App, Context, Refusal, Result};
use tars_agent::client::{AgentClient, ClientFolder};
use tars_agent::transcript::session_of;

/// Returns the transcripts of a client at `place`, sorted: `place` itself if it is a file, otherwise those in it. Without `place`, those in
/// the client's own folder. Transcripts of helper agents are skipped.
pub(super) fn transcripts(app: &App, client: AgentClient, place: Option<&Path>) -> Result<Vec<PathBuf>> {
    let unknown = |message: String| Refusal { message, hint: format!("tars import {} DIR", client.name()) };
    let folder = client
        .folder()
        .ok_or_else(|| unknown(format!("{} keeps no transcripts that tars can read", client.label())))?;
    let places = match place {
        Some(place) => vec![place.to_owned()],
        None => {
            let places = places(app, client);
            if places.is_empty() {
                return Err(unknown("there is no home directory to look for transcripts in".into()).into());
            }
            // A client makes a folder when it needs it.
            let found: Vec<PathBuf> = places.iter().filter(|place| place.exists()).cloned().collect();
            if found.is_empty() { places } else { found }
        }
    };
    let mut found = Vec::new();
    for place in places {
        let shown = || format!("cannot read {}", place.display());
        let path = std::path::absolute(&place).with_context(shown)?;
        if path.is_file() {
            found.push(path);
        } else {
            transcripts_in(&path, &folder, folder.depth, &mut found).with_context(shown)?;
        }
    }
    Ok(newest_of_sessions(found))
}

/// Returns the transcripts in the folders of all clients whose session's id begins with `id`.
pub(super) fn transcripts_of(app: &App, id: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for client in AgentClient::ALL {
        let Some(folder) = client.folder() else { continue };
        let before = found.len();
        for place in places(app, client) {
            // A client that is not installed has no folder.
            let _ = transcripts_in(&place, &folder, folder.depth, &mut found);
        }
        let is_meant = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            // The names of some transcripts hold the beginning of the id.
            name.and_then(folder.session).is_some_and(|session| session.starts_with(id) || id.starts_with(session))
        };
        let of_client = found.split_off(before);
        found.extend(of_client.into_iter().filter(is_meant));
    }
    newest_of_sessions(found)
}

/// Returns transcripts sorted, of each session only the newest file, which continues the others.
pub(super) fn newest_of_sessions(mut transcripts: Vec<PathBuf>) -> Vec<PathBuf> {
    transcripts.sort();
    transcripts.dedup();
    let mut newest: BTreeMap<String, usize> = BTreeMap::new();
    for (place, path) in transcripts.iter().enumerate() {
        let name = |path: &Path| path.file_name().map(OsStr::to_owned);
        newest
            .entry(session_of(path))
            .and_modify(|known| {
                if name(path) > name(&transcripts[*known]) {
                    *known = place;
                }
            })
            .or_insert(place);
    }
    let mut kept: Vec<usize> = newest.into_values().collect();
    kept.sort_unstable();
    kept.into_iter().map(|place| transcripts[place].clone()).collect()
}

/// Returns the folders in which a client keeps transcripts.
fn places(app: &App, client: AgentClient) -> Vec<PathBuf> {
    let found = app.client_folder(client).into_iter();
    found.flat_map(|(path, folder)| folder.transcripts.iter().map(move |inside| path.join(inside))).collect()
}

/// Adds the transcripts in a folder and in `depth` levels of its subfolders.
fn transcripts_in(place: &Path, folder: &ClientFolder, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(place)? {
        let path = entry?.path();
        if path.is_dir() {
            // An unreadable folder does not hide the others.
            let _ = if depth > 0 { transcripts_in(&path, folder, depth - 1, found) } else { Ok(()) };
        } else if path.file_name().and_then(|name| name.to_str()).and_then(folder.session).is_some() {
            found.push(path);
        }
    }
    Ok(())
}
