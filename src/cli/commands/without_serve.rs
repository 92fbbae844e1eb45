//! `tars serve` and `tars open` in a build without them.

use crate::Outcome;
use crate::args::{Open, Serve};
use tars_service::{App, Refusal, Result};

pub(crate) fn run(_app: App, _args: &Serve) -> Result<Outcome> {
    Err(lacking().into())
}

/// `tars open`
pub(crate) fn open(_app: &App, _args: &Open) -> Result<Outcome> {
    Err(lacking().into())
}

fn lacking() -> Refusal {
    Refusal {
        message: "this build of tars does not answer over HTTP".into(),
        hint: "build it with the feature 'serve', which is on by default".into(),
    }
}
