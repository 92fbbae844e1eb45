//! Fuzzes the reading of exports.

use super::*;
use tars_testing::fuzz::fuzz;

/// Any file is read within bounds, every chat of it has an id, and no message is empty.
#[test]
fn fuzz_chat_export() {
    fuzz("chat_export", |bytes| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("conversations.json");
        std::fs::write(&path, bytes).unwrap();
        for client in [ChatClient::ChatGpt, ChatClient::Claude] {
            let Ok(export) = ChatExport::open(&path, client) else { continue };
            let mut count = 0;
            let read = export.chats::<ChatExportError>(&mut |_, chat| {
                count += 1;
                if let Ok(chat) = chat {
                    assert!(!chat.id.is_empty());
                    assert!(
                        chat.messages
                            .iter()
                            .all(|message| !message.text.trim().is_empty() || !message.files.is_empty())
                    );
                }
                Ok(ControlFlow::Continue(()))
            });
            assert!(read.is_ok() && count == export.count());
        }
    });
}
