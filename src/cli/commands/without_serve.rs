//! `tars serve` and `tars open` in a build without them.

use crate::Outcome;
use crate::args::Serve;
use tars_service::{App, Refusal, Result};

pub(crate) fn run(_app: App, _args: &Serve) -> Result<Outcome> {
    Err(lacking().into())
}

/// `tars open` without a note
pub(crate) fn open(_app: &App, _qr: bool) -> Result<Outcome> {
    Err(lacking().into())
}

pub(super) fn page_address(_app: &App, _from_phone: bool) -> Result<String> {
    Err(lacking().into())
}

fn lacking() -> Refusal {
    Refusal {
        message: "this build of tars does not answer over HTTP".into(),
        hint: "build it with the feature 'serve', which is on by default".into(),
    }
}
