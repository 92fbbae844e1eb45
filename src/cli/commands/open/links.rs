//! Opens a note through a link: in Obsidian, or on the page in a browser. The system's own program opens links.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::OpenNote;
use crate::Outcome;
use crate::commands::serve;
use crate::hyperlink::encoded;
use crate::last_answer::Place;
use crate::terminal::{print_note, sanitize_line};
use tars_service::{App, Refusal, Result};

/// The program that opens links.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
/// How long it may take to report a failure. Some openers live as long as the program that they start.
const OPEN_TIMEOUT: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Folder of the plugin that opens a note at a line.
const ADVANCED_URI: &str = "plugins/obsidian-advanced-uri";

pub(super) fn open_obsidian(note: &OpenNote) -> Result<Outcome> {
    let vault = note.file.ancestors().skip(1).find(|folder| folder.join(".obsidian").is_dir());
    let Some(vault) = vault else {
        let shown = |path: &Path| sanitize_line(&path.display().to_string());
        let message = format!("{} is in no vault of Obsidian: no folder around it has .obsidian", shown(&note.file));
        let hint = format!("open {} as a vault in Obsidian once, or leave --with out", shown(&note.root));
        return Err(Refusal { message, hint }.into());
    };
    open_link(&obsidian_link(vault, note))
}

/// Returns the link to a note: at its line if the plugin Advanced URI is installed, because Obsidian itself only opens files.
fn obsidian_link(vault: &Path, note: &OpenNote) -> String {
    let all = |path: &Path| encoded(path.as_os_str().as_bytes(), b"");
    let inside = note.file.strip_prefix(vault).ok();
    let name = vault.file_name().map(Path::new);
    match (inside, name) {
        (Some(inside), Some(name)) if vault.join(".obsidian").join(ADVANCED_URI).is_dir() => {
            format!("obsidian://advanced-uri?vault={}&filepath={}&line={}", all(name), all(inside), note.line)
        }
        _ => format!("obsidian://open?path={}", all(&note.file)),
    }
}

/// Opens the page at a note. The link holds no code that signs a browser in, because other users can read the arguments of programs.
pub(super) fn open_page(app: &App, place: &Place) -> Result<Outcome> {
    let base = serve::page_address(app, false)?;
    let all = |text: &str| encoded(text.as_bytes(), b"");
    let Place { collection, path, line, .. } = place;
    let link = format!("{base}/#/search?note={}&in={}&line={line}", all(path), all(collection));
    let opened = open_link(&link)?;
    print_note("a browser that is not signed in needs the link of 'tars open' once");
    Ok(opened)
}

/// Opens a file in the program that the system has for its kind.
pub(super) fn open_file(note: &OpenNote) -> Result<Outcome> {
    open_link(&format!("file://{}", encoded(note.file.as_os_str().as_bytes(), b"/")))
}

fn open_link(link: &str) -> Result<Outcome> {
    let refused = |why: String| {
        let message = format!("{OPENER} cannot open {link}: {why}");
        Err(Refusal { message, hint: "open the link by hand, or leave --with out for your editor".into() }.into())
    };
    let mut command = Command::new(OPENER);
    command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return refused(error.to_string()),
    };
    let started = Instant::now();
    while started.elapsed() < OPEN_TIMEOUT {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(Outcome::Done),
            Ok(Some(status)) => return refused(status.to_string()),
            Ok(None) => std::thread::sleep(POLL_INTERVAL),
            Err(error) => return refused(error.to_string()),
        }
    }
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obsidian_opens_a_line_where_the_plugin_is_installed() {
        let home = tempfile::tempdir().unwrap();
        let vault = home.path().join("My notes");
        std::fs::create_dir_all(vault.join(".obsidian")).unwrap();
        let note = OpenNote { root: vault.clone(), file: vault.join("Home/a&b.md"), line: 7, column: 1 };
        let plain = obsidian_link(&vault, &note);
        assert!(
            plain.starts_with("obsidian://open?path=%2F") && plain.ends_with("%2FMy%20notes%2FHome%2Fa%26b.md"),
            "{plain}"
        );
        std::fs::create_dir_all(vault.join(".obsidian").join(ADVANCED_URI)).unwrap();
        let expected = "obsidian://advanced-uri?vault=My%20notes&filepath=Home%2Fa%26b.md&line=7";
        assert_eq!(obsidian_link(&vault, &note), expected);
    }
}
