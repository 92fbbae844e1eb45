//! Finds the place of each message in a conversation, so that messages behind which the person went back are known.
//!
//! The lines of a transcript follow each other. The client records `/rewind` as a line `{"$rewindTo":ID}`, which takes the message with
//! this id and all later ones out of the conversation.

use std::collections::HashSet;

use serde::Deserialize;

use crate::client::EntryLink;
use crate::client::lenient::Text;

/// Follows the messages of one transcript.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// The ids of the messages in the conversation, the oldest first.
    messages: Vec<String>,
    /// The same ids, so that a rewind to an unknown message searches nothing.
    known: HashSet<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Fields {
    id: Text,
    #[serde(rename = "$rewindTo")]
    rewind_to: Text,
}

impl Links {
    /// Returns the place of the message in a line; `None` for a line that changes nothing.
    pub(super) fn read(&mut self, line: &[u8]) -> Option<EntryLink> {
        let fields: Fields = serde_json::from_slice(line).ok()?;
        if let Some(to) = fields.rewind_to.0 {
            // Compressions give messages other ids, so some are unknown.
            if !self.known.contains(&to) {
                return None;
            }
            let at = self.messages.iter().rposition(|id| *id == to)?;
            for id in self.messages.drain(at..) {
                self.known.remove(&id);
            }
            return Some(EntryLink { leaf: self.messages.last().cloned(), ..EntryLink::default() });
        }
        let id = fields.id.0.filter(|id| !id.trim().is_empty())?;
        // The client writes a message again when it has called the message's tools.
        if !self.known.insert(id.clone()) {
            return None;
        }
        let before = self.messages.last().cloned();
        self.messages.push(id.clone());
        Some(EntryLink { id: Some(id), before, ..EntryLink::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_follows_the_one_before_the_rewind() {
        let mut links = Links::default();
        let mut read = |line: &str| links.read(line.as_bytes());
        let link = |id: &str, before: Option<&str>| {
            Some(EntryLink { id: Some(id.into()), before: before.map(str::to_owned), ..EntryLink::default() })
        };
        assert_eq!(read(r#"{"sessionId":"s","projectHash":"h"}"#), None);
        assert_eq!(read(r#"{"id":"a"}"#), link("a", None));
        assert_eq!(read(r#"{"id":"b"}"#), link("b", Some("a")));
        assert_eq!(read(r#"{"id":"b","toolCalls":[]}"#), None);
        assert_eq!(read(r#"{"id":"c"}"#), link("c", Some("b")));
        assert_eq!(read(r#"{"$rewindTo":"unknown"}"#), None);
        assert_eq!(read(r#"{"$rewindTo":"b"}"#).unwrap().leaf.as_deref(), Some("a"));
        assert_eq!(read(r#"{"id":"d"}"#), link("d", Some("a")));
        assert_eq!(read("[1]"), None);
    }
}
