//! Reads from transcript lines the tasks that an agent gives its helpers (subagents).
//!
//! The event `SubagentStart` gives a helper's kind but not its task. At that time the transcript already holds the
//! agent's message that starts helpers: blocks of type `tool_use` named `Agent` (`Task` in older clients), with
//! `prompt` and `subagent_type` in their input. Each block of a message has a line of its own, and all of these lines
//! share the message's `id`.

use serde::Deserialize;

use crate::client::lenient::{Flag, Object, Text, TextOrList};
use crate::client::{HelperTask, HelperTasks};

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Entry {
    r#type: Text,
    is_sidechain: Flag,
    message: Object<Message>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Message {
    id: Text,
    content: TextOrList<Block>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Block {
    r#type: Text,
    name: Text,
    input: Object<Input>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Input {
    prompt: Text,
    subagent_type: Text,
}

/// Parses a line. Returns `None` if it starts no helper or is not JSON.
pub(super) fn read_helper_tasks(line: &[u8]) -> Option<HelperTasks> {
    let entry = serde_json::from_slice::<Object<Entry>>(line.trim_ascii()).ok()?.0?;
    if entry.r#type.0? != "assistant" || entry.is_sidechain.0 {
        return None;
    }
    let message = entry.message.0?;
    let TextOrList::List(blocks) = message.content else { return None };
    let tasks: Vec<HelperTask> = blocks.into_iter().filter_map(task).collect();
    (!tasks.is_empty()).then(|| HelperTasks { message: message.id.0.unwrap_or_default(), tasks })
}

fn task(block: Block) -> Option<HelperTask> {
    if block.r#type.0? != "tool_use" || !matches!(block.name.0?.as_str(), "Agent" | "Task") {
        return None;
    }
    let input = block.input.0?;
    let text = input.prompt.0.filter(|text| !text.trim().is_empty())?;
    Some(HelperTask { kind: input.subagent_type.0.unwrap_or_default(), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_that_start_helpers_hold_tasks() {
        let line = br#"{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"One moment."},
            {"type":"tool_use","name":"Agent","input":{"prompt":"Find the dry trees","subagent_type":"Explore"}},
            {"type":"tool_use","name":"Task","input":{"prompt":"Count them","subagent_type":7}},
            {"type":"tool_use","name":"Agent","input":{"prompt":" "}},
            {"type":"tool_use","name":"Bash","input":{"prompt":"No task"}}]}}"#;
        let read = read_helper_tasks(line).unwrap();
        let task = |kind: &str, text: &str| HelperTask { kind: kind.into(), text: text.into() };
        assert_eq!(read.message, "m1");
        assert_eq!(read.tasks, [task("Explore", "Find the dry trees"), task("", "Count them")]);
        let sidechain = String::from_utf8_lossy(line).replacen('{', r#"{"isSidechain":true,"#, 1);
        for none in [sidechain.as_str(), "", "{", "[]", r#"{"type":"user","message":{"content":[]}}"#] {
            assert_eq!(read_helper_tasks(none.as_bytes()), None, "{none}");
        }
    }
}
