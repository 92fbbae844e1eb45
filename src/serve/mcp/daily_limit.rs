//! The daily limit of clients' writes.

use super::ServerOptions;
use super::failure::Failure;
use tars_service::{Result, Service};

/// Prefix of the channels of HTTP tokens, which are the person's own writes.
const OWN: &str = "http:";

/// Checks that a client may write this many more times today.
///
/// # Errors
/// The limit is reached, or the journal cannot be read.
pub(super) fn check(service: &Service<'_>, options: &ServerOptions, writes: usize) -> Result<(), Failure> {
    let app = service.app();
    let clock = &app.environment.clock;
    let today = clock.today();
    let is_today = |time: jiff::Timestamp| time.to_zoned(clock.zone()).date() == today;
    let entries = app.journal(&app.memory_folder()?)?.entries().map_err(tars_service::Error::from)?;
    let written = entries
        .iter()
        .rev()
        .take_while(|write| is_today(write.time))
        .filter(|write| write.channel.as_deref().is_some_and(|channel| !channel.starts_with(OWN)))
        .count();
    let most = options.daily_writes;
    if written.saturating_add(writes) <= most {
        return Ok(());
    }
    Err(Failure::invalid(format!(
        "nothing was written: agents have made {written} writes today, of {most} that they may make (the setting \
         mcp.daily_writes). Tell the user what was to be done"
    )))
}
