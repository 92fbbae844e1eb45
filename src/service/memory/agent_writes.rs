//! The daily limit of the writes that agents make over the Model Context Protocol.

use std::collections::HashSet;

use crate::{App, Refusal, Result};
use tars_vault::Entry;

/// Prefix of the channels of HTTP keys, whose writes are the person's own.
const OF_KEY: &str = "http:";
/// Channels of tars itself.
const OWN: [&str; 2] = ["chat", "schedule"];

/// Returns the channel of an agent that calls itself `name`: never one whose writes are not counted.
pub(crate) fn agent_channel(name: &str) -> String {
    match OWN.contains(&name) || name.starts_with(OF_KEY) {
        true => format!("mcp-{}", name.trim_start_matches(OF_KEY)),
        false => name.to_owned(),
    }
}

/// Fails if agents have made `most` writes today, so that `writes` more would exceed them. `entries` are those of the journal. Without the
/// lock of the memory folder, other agents may write in between.
///
/// # Errors
/// A [`Refusal`] that names the setting.
pub(crate) fn check_limit(app: &App, entries: &[Entry], most: usize, writes: usize) -> Result<()> {
    let clock = &app.environment.clock;
    let (today, zone) = (clock.today(), clock.zone());
    let is_today = |write: &&Entry| write.time.to_zoned(zone.clone()).date() == today;
    let of_agent = |channel: &str| !OWN.contains(&channel) && !channel.starts_with(OF_KEY);
    let of_agents =
        entries.iter().rev().take_while(is_today).filter(|write| write.channel.as_deref().is_some_and(of_agent));
    // A replaced fact and its successor are one write.
    let written = of_agents.map(|write| write.group).collect::<HashSet<_>>().len();
    if written.saturating_add(writes) <= most {
        return Ok(());
    }
    let message = format!(
        "nothing was written: agents have made {written} writes today, of {most} that they may make (the setting mcp.daily_writes)"
    );
    Err(Refusal { message, hint: "another day, and tell the user what was to be done".into() }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_cannot_take_the_name_of_an_uncounted_channel() {
        for (name, channel) in
            [("claude", "claude"), ("chat", "mcp-chat"), ("schedule", "mcp-schedule"), ("http:page", "mcp-page")]
        {
            assert_eq!(agent_channel(name), channel);
        }
    }
}
