//! Shows a result as a desktop notification, with the desktop's own program.

use std::io;

use anyhow::{Result, anyhow};

use super::{DeliveryContext, command};
use tars_base::domain::sanitize_line;

/// Maximum length of the shown text, in characters and lines.
const MAX_LENGTH: usize = 400;
const MAX_LINES: usize = 8;

/// Shows a result on the desktop.
///
/// # Errors
/// The program is missing or fails, for example without a desktop.
pub(super) fn notify(context: &DeliveryContext<'_>) -> Result<()> {
    let title = sanitize_line(&format!("tars: {}", context.schedule.name));
    let words = words(cfg!(target_os = "macos"), &title, &body(context.text));
    command::send_to_program(&words, context).map_err(|error| {
        match error.downcast_ref::<io::Error>().map(io::Error::kind) {
            Some(io::ErrorKind::NotFound) => anyhow!("there is no {} here to show the notification", words[0]),
            _ => error,
        }
    })
}

/// Returns the program and its arguments.
fn words(is_macos: bool, title: &str, body: &str) -> Vec<String> {
    let words: Vec<&str> = if is_macos {
        // The text is passed as arguments of the script, so that no part of it runs as script code.
        let show = "display notification (item 2 of argv) with title (item 1 of argv)";
        vec!["osascript", "-e", "on run argv", "-e", show, "-e", "end run", title, body]
    } else {
        vec!["notify-send", "--app-name=tars", "--", title, body]
    };
    // Linux desktops interpret markup, including links and images, in the body.
    let escaped = |word: &str| word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let last = words.len() - 1;
    let plain = words.iter().enumerate();
    plain.map(|(at, word)| if at == last && !is_macos { escaped(word) } else { (*word).to_owned() }).collect()
}

/// Returns the shortened text of a notification.
fn body(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut body: String = lines[..lines.len().min(MAX_LINES)].join("\n").chars().take(MAX_LENGTH).collect();
    if lines.len() > MAX_LINES || text.chars().count() > MAX_LENGTH {
        body.push('…');
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_passed_as_an_argument_without_markup() {
        let hostile = "--help <img src=\"http://x\"> & \"; do shell script \"id\"";
        let linux = words(false, "tars: a", hostile);
        assert_eq!(linux[..4], ["notify-send", "--app-name=tars", "--", "tars: a"]);
        assert!(
            !linux[4].contains(['<', '>']) && linux[4].contains("&lt;img") && linux[4].contains("&amp;"),
            "{linux:?}"
        );
        let mac = words(true, "tars: a", hostile);
        assert_eq!((mac[0].as_str(), mac[7].as_str(), mac[8].as_str()), ("osascript", "tars: a", hostile));
    }

    #[test]
    fn a_notification_is_short() {
        assert_eq!(body("one\n\n two"), "one\n two");
        assert_eq!(body(&"a\n".repeat(20)), "a\n".repeat(7) + "a…");
        assert_eq!(body(&"ä".repeat(900)).chars().count(), MAX_LENGTH + 1);
    }
}
