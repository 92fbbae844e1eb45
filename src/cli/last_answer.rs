//! The places in the last answer of a terminal, so that `tars open 2` and `tars get 2` need no id.
//!
//! `last-answers/` in the data directory holds a file for each terminal, readable by its owner alone: places without questions and
//! texts. Files are removed after a day. A terminal is known by its session and its device, so that another window, or a later one with
//! the same number, has its own. Programs without a terminal leave nothing.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tars_base::data_files;
use tars_base::private::short_hash;
use tars_service::{App, Context, Refusal, Result};
pub(super) use tars_ui::Place;
use tars_ui::roots;

const FOLDER: &str = "last-answers";
/// How long an answer is kept.
const KEPT_FOR: Duration = Duration::from_secs(24 * 3600);
/// Places of an answer that are kept: those with one or two digits.
const MOST: usize = 99;
/// Maximum size of a file in bytes.
const LARGEST: u64 = 1 << 20;

/// Keeps the places of an answer for this terminal, also that it has none: a number must not mean an earlier answer. A failure only costs
/// the numbers.
pub(super) fn keep(app: &App, places: impl Iterator<Item = Place>) {
    let Some(file) = file(app) else { return };
    let places: Vec<Place> = places.take(MOST).collect();
    let kept = serde_json::to_vec(&places).map_err(io::Error::from).and_then(|text| data_files::replace(&file, &text));
    if let Err(error) = kept {
        tracing::debug!(%error, "the places of this answer are not kept");
    }
    if let Some(folder) = file.parent() {
        data_files::sweep(folder, app.environment.clock.timestamp(), |_| Some(KEPT_FOR));
    }
}

/// Returns a place by its number; `None` if `text` is no number of one or two digits.
///
/// # Errors
/// The last answer of this terminal has no such place.
pub(super) fn numbered(app: &App, text: &str) -> Result<Option<Place>> {
    if !(1..=2).contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    let hint = "tars search QUESTION, then its results by their places; a note with this name: '[[NAME]]'";
    let refused = |message: String| Refusal { message, hint: hint.into() };
    let Some(file) = file(app) else {
        return Err(
            refused(format!("'{text}' is the place of a result, and there is no terminal with an answer")).into()
        );
    };
    let known = data_files::read_json::<Vec<Place>>(&file, LARGEST);
    let known = known.with_context(|| format!("cannot read {}", file.display()))?;
    let Some(mut known) = known.filter(|known| !known.is_empty()) else {
        return Err(
            refused(format!("'{text}' is the place of a result, and this terminal has no answer with places")).into()
        );
    };
    match text.parse::<usize>() {
        Ok(number) if (1..=known.len()).contains(&number) => Ok(Some(known.swap_remove(number - 1))),
        _ => {
            Err(refused(format!("the last answer of this terminal has the places 1 to {}, not {text}", known.len()))
                .into())
        }
    }
}

/// Returns the absolute path of a place by its number, with its line if `to_line`; any other name as it is. An absolute path means this
/// note, even if another collection has one of the same name.
///
/// # Errors
/// The last answer of this terminal has no such place, or a collection's folder cannot be resolved.
pub(super) fn note_name(app: &App, name: &str, to_line: bool) -> Result<String> {
    let Some(Place { collection, path, line, column, .. }) = numbered(app, name)? else {
        return Ok(name.to_owned());
    };
    let note = roots(app)?.remove(&collection).unwrap_or_default().join(path);
    let note = note.to_string_lossy();
    Ok(match (line, column) {
        (0, _) => note.into_owned(),
        _ if !to_line => note.into_owned(),
        (_, 0 | 1) => format!("{note}:{line}"),
        _ => format!("{note}:{line}:{column}"),
    })
}

/// Returns the id of a result by its number; any other id as it is.
///
/// # Errors
/// The last answer of this terminal has no such place, or this place is no result of a search.
pub(super) fn result_id(app: &App, id: &str) -> Result<String> {
    match numbered(app, id)? {
        None => Ok(id.to_owned()),
        Some(Place { id: Some(id), .. }) => Ok(id),
        Some(Place { path, .. }) => Err(Refusal {
            message: format!("the place {id} of the last answer is the note {path}, not a result of a search"),
            hint: format!("tars get {id}"),
        }
        .into()),
    }
}

/// Returns the file of this terminal; `None` without one.
fn file(app: &App) -> Option<PathBuf> {
    let device = device(io::stdin()).or_else(|| device(io::stdout())).or_else(|| device(io::stderr()))?;
    // Zero in a container that was entered from outside, which the type of rustix cannot hold.
    let session = nix::unistd::getsid(None).ok()?;
    let name = short_hash(format!("{session} {device}").as_bytes());
    Some(app.settings.config.data.dir.join(FOLDER).join(format!("{name}.json")))
}

/// Returns the number of a terminal's device.
fn device(stream: impl std::os::fd::AsFd) -> Option<String> {
    if !rustix::termios::isatty(&stream) {
        return None;
    }
    rustix::fs::fstat(stream).ok().map(|stat| stat.st_rdev.to_string())
}
