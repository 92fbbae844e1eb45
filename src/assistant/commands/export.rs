//! `/export`: the conversation as markdown, on the screen or in a file.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use super::super::{Assistant, Channel, ChatFrontend};
use super::Reply;
use tars_base::domain::{sanitize, sanitize_line};
use tars_base::private;
use tars_service::{Refusal, Result};

pub(super) fn run(assistant: &mut Assistant<'_, '_>, what: &str, _: &mut dyn ChatFrontend) -> Result<Reply> {
    if assistant.conversation.entries().is_empty() {
        let message = "nothing was said yet in this conversation".to_owned();
        return Err(Refusal { message, hint: "tars chat --continue /export".into() }.into());
    }
    let environment = &assistant.service.app().environment;
    let text = assistant.conversation.markdown(&environment.clock.zone());
    if what.is_empty() {
        return Reply::markdown(text);
    }
    let name = what.strip_prefix("--to").map(|name| name.strip_prefix('=').unwrap_or(name).trim());
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        let message = "/export takes --to FILE, or nothing".to_owned();
        return Err(Refusal { message, hint: "/export --to conversation.md".into() }.into());
    };
    // Other programs name no place for a file.
    if assistant.channel == Channel::Interactive {
        let message = "/export writes a file at a terminal only".to_owned();
        return Err(Refusal { message, hint: "tars chat --continue /export --to FILE".into() }.into());
    }
    let path = environment.resolve(Path::new(name), environment.directory.as_deref())?;
    write_new(&path, &sanitize(&text))?;
    Reply::markdown(format!("Written: {}", sanitize_line(&path.display().to_string())))
}

/// Writes a new file for the person alone. It overwrites nothing.
fn write_new(path: &Path, text: &str) -> Result<()> {
    let created = private::open(path, OpenOptions::new().write(true).create_new(true));
    let written = created.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.sync_all()
    });
    written.map_err(|error| {
        let place = sanitize_line(&path.display().to_string());
        let message = match error.kind() {
            ErrorKind::AlreadyExists => format!("{place} exists already: nothing was written"),
            _ => format!("the conversation cannot be written to {place}: {error}"),
        };
        Refusal { message, hint: "/export --to ANOTHER-FILE".into() }.into()
    })
}
