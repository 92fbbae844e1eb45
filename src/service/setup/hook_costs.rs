//! When the hooks of each client last ran, and how long they took.
//!
//! `agents/CLIENT.log` in the data directory has a line for each call: the second since 1970, the event and the milliseconds. Hooks append
//! to it, so that it costs them next to nothing; a long file is cut to its second half.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use tars_agent::client::{AgentClient, HookEvent};
use tars_base::{data_files, private};

/// Largest log, in bytes: some thousand calls.
const MAX_BYTES: u64 = 32 << 10;

/// The calls of a client's hooks, as far as the log reaches back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HookCosts {
    /// When a hook last ran.
    pub last: Timestamp,
    /// The event of that call.
    pub event: String,
    /// Number of calls.
    pub calls: usize,
    /// Median of their durations, in milliseconds.
    pub median_ms: u64,
    /// The duration that one in twenty calls exceeds, in milliseconds.
    pub p95_ms: u64,
}

/// Records a call in the data directory `data`. A failure is logged, because a hook never fails.
pub fn record_hook(data: &Path, client: AgentClient, event: HookEvent, took: Duration) {
    if let Err(error) = append(data, client, event, took) {
        tracing::debug!("cannot record the hook: {error}");
    }
}

fn append(data: &Path, client: AgentClient, event: HookEvent, took: Duration) -> io::Result<()> {
    let file = log(data, client);
    private::create_folder(&data.join("agents"))?;
    let second = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let line = format!("{second} {} {}\n", event.argument(), took.as_millis());
    let mut open = private::open(&file, OpenOptions::new().append(true).create(true))?;
    if open.metadata()?.len() < MAX_BYTES {
        return open.write_all(line.as_bytes());
    }
    let text = read(&file)?;
    let half = text[text.len() / 2..].split_once('\n').map_or("", |(_, rest)| rest);
    data_files::replace(&file, format!("{half}{line}").as_bytes())
}

impl HookCosts {
    /// Returns the calls of a client; `None` if none is recorded.
    pub(super) fn of(data: &Path, client: AgentClient) -> Option<Self> {
        let text = read(&log(data, client)).ok()?;
        let call = |line: &str| {
            let mut fields = line.split(' ');
            let second = Timestamp::from_second(fields.next()?.parse().ok()?).ok()?;
            let event = fields.next().filter(|name| HookEvent::ALL.iter().any(|event| event.argument() == *name))?;
            Some((second, event.to_owned(), fields.next()?.parse::<u64>().ok()?))
        };
        let calls: Vec<_> = text.lines().filter_map(call).collect();
        let (last, event, _) = calls.last()?.clone();
        let mut times: Vec<u64> = calls.iter().map(|(_, _, took)| *took).collect();
        times.sort_unstable();
        let (median_ms, p95_ms) = (times[times.len() / 2], times[times.len() * 19 / 20]);
        Some(Self { last, event, calls: times.len(), median_ms, p95_ms })
    }
}

fn read(file: &Path) -> io::Result<String> {
    let mut text = Vec::new();
    private::open(file, OpenOptions::new().read(true))?.take(2 * MAX_BYTES).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn log(data: &Path, client: AgentClient) -> PathBuf {
    data.join("agents").join(format!("{}.log", client.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_and_a_long_log_is_cut() {
        let data = tempfile::tempdir().unwrap();
        assert_eq!(HookCosts::of(data.path(), AgentClient::Codex), None);
        for took in 1..=4_000 {
            append(data.path(), AgentClient::Codex, HookEvent::Stop, Duration::from_millis(took)).unwrap();
        }
        let costs = HookCosts::of(data.path(), AgentClient::Codex).unwrap();
        assert!(costs.event == "stop" && costs.calls < 2_500 && costs.calls > 500, "{costs:?}");
        assert!(costs.median_ms > 2_000 && costs.p95_ms > costs.median_ms, "{costs:?}");
        assert_eq!(HookCosts::of(data.path(), AgentClient::Cursor), None);
        std::fs::write(log(data.path(), AgentClient::Cursor), "x\n7 stop y\n\u{0} 1 2\n").unwrap();
        assert_eq!(HookCosts::of(data.path(), AgentClient::Cursor), None);
    }
}
