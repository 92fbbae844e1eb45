//! The formats of OpenClaw: its folder, and messages in the form in which the plugin of tars hands them over. OpenClaw keeps sessions in a
//! database of its own, so tars keeps the transcripts.

use super::{ClientFolder, ClientMemory};

/// The environment variable with the session's id for commands that the agent runs; the plugin sets it.
pub(super) const SESSION_VARIABLE: &str = "TARS_OPENCLAW_SESSION";

/// The client's folder. In the agent's workspace lie `MEMORY.md`, which the client shows the agent at the start of a session, and `memory`
/// with notes of single days, which the agent opens on demand.
pub(super) const CLIENT_FOLDER: ClientFolder = ClientFolder {
    variable: "OPENCLAW_STATE_DIR",
    is_variable_home: false,
    name: ".openclaw",
    transcripts: &[],
    depth: 0,
    session: |_| None,
    memory: Some(ClientMemory {
        collection: "openclaw-memory",
        folder: "workspace",
        others: &["/*", "!/MEMORY.md", "!/memory/"],
    }),
};

#[cfg(test)]
mod tests {
    use crate::client::{AgentClient, HookInput};
    use tars_base::domain::{AgentAct, TurnEvent};

    /// The messages that the plugin handed over at the end of a turn in OpenClaw 2026.9.6.
    const STOP: &[u8] = include_bytes!("../../../tests/client/samples-openclaw/stop.json");

    #[test]
    fn recorded_messages_become_a_turn() {
        let input = HookInput::parse(AgentClient::OpenClaw, STOP).unwrap();
        assert_eq!(input.directory, "/home/anna/.openclaw/workspace");
        let mut reader = AgentClient::OpenClaw.transcript_reader();
        let events: Vec<_> = input.lines.iter().flat_map(|line| reader.read(line.json.as_bytes()).unwrap()).collect();
        let acts = events.iter().flat_map(|event| match event {
            TurnEvent::Acted(_, acts) => acts.as_slice(),
            _ => &[],
        });
        let acts: Vec<_> = acts.collect();
        let ran = |act: &&AgentAct| matches!(act, AgentAct::Tool { name, command: Some(command), .. } if name == "bash" && command.starts_with("echo"));
        let wrote = |act: &&AgentAct| matches!(act, AgentAct::Tool { name, file: Some(file), .. } if name == "write" && file == "list.txt");
        assert!(acts.iter().copied().any(|act| ran(&act)) && acts.iter().copied().any(|act| wrote(&act)), "{acts:?}");
        assert!(
            matches!(acts[..], [.., AgentAct::Text(said), AgentAct::Ended] if said == "It is written."),
            "{acts:?}"
        );
    }
}
