//! Opens a note, or another file of the person, in the person's editor, at the line.
//!
//! The command comes from `$VISUAL` or `$EDITOR` alone. It is split into words as a shell does it, without a shell: nothing in it is
//! expanded, and no text of a note reaches it except the path of the file.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

use super::OpenNote;
use crate::Outcome;
use crate::args::shell_word;
use crate::terminal::sanitize_line;
use tars_config::Environment;
use tars_service::{App, Refusal, Result};

pub(super) fn open(app: &App, note: &OpenNote) -> Result<Outcome> {
    let place = Place { file: &note.file, line: note.line, column: note.column };
    edit(&app.environment, &place, ", or tars open --with obsidian").map(|()| Outcome::Done)
}

/// A file for the editor, and a place in it, from 1.
pub(crate) struct Place<'f> {
    pub(crate) file: &'f Path,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// Opens a file in the person's editor and waits until it ends. `otherwise` names another way for the hints.
///
/// # Errors
/// No editor is set, it cannot be started, or it fails.
pub(crate) fn edit(environment: &Environment, place: &Place<'_>, otherwise: &str) -> Result<()> {
    let set = ["VISUAL", "EDITOR"].into_iter().find_map(|name| Some((name, environment.variable(name)?)));
    let Some((variable, command)) = set else {
        let message = "no editor is set: neither $VISUAL nor $EDITOR".to_owned();
        return Err(Refusal { message, hint: format!("export EDITOR=nvim{otherwise}") }.into());
    };
    let words = command.to_str().and_then(shlex::split).filter(|words| !words.is_empty());
    let Some(words) = words else {
        let message = format!("${variable} is no command: a quote in it has no end, or it is not valid UTF-8");
        return Err(Refusal { message, hint: format!("export {variable}='code --wait'") }.into());
    };
    let (program, given) = (&words[0], &words[1..]);
    let arguments = arguments(program, place);
    let refused = |message: String, hint: String| Err(Refusal { message, hint }.into());
    match Command::new(program).args(given).args(&arguments).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            let message = format!("the editor '{program}' of ${variable} ended with {status}");
            refused(message, format!("start it yourself: {}", by_hand(&words, &arguments)))
        }
        Err(error) => {
            let why = if error.kind() == io::ErrorKind::NotFound {
                "there is no such program".into()
            } else {
                error.to_string()
            };
            let message = format!("cannot start the editor '{program}' of ${variable}: {why}");
            refused(message, format!("export {variable}=nvim{otherwise}"))
        }
    }
}

/// Returns a command line to copy into a shell, which finds nothing to run in the name of a note.
fn by_hand(command: &[String], arguments: &[OsString]) -> String {
    let command = command.iter().map(|word| Cow::Borrowed(word.as_str()));
    let words = command.chain(arguments.iter().map(|word| word.to_string_lossy()));
    words.map(|word| shell_word(&sanitize_line(&word))).collect::<Vec<_>>().join(" ")
}

/// Returns the arguments that open a file at a place, in the syntax of the editor. An unknown one gets the path alone.
fn arguments(program: &str, place: &Place<'_>) -> Vec<OsString> {
    let Place { file, line, column } = place;
    let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // `vim.basic`, `nvim.appimage`
    let name = name.split('.').next().unwrap_or_default();
    let path = || file.as_os_str().to_owned();
    let with_place = || {
        let mut place = path();
        place.push(format!(":{line}:{column}"));
        place
    };
    match name {
        "vim" | "nvim" | "vi" | "gvim" | "mvim" | "vimx" | "view" | "nvi" | "joe" | "mg" | "mcedit" | "gedit"
        | "less" => {
            vec![format!("+{line}").into(), path()]
        }
        "emacs" | "emacsclient" | "micro" | "kak" => vec![format!("+{line}:{column}").into(), path()],
        "nano" => vec![format!("+{line},{column}").into(), path()],
        "hx" | "helix" | "zed" | "zeditor" | "subl" | "sublime_text" => vec![with_place()],
        "code" | "codium" | "vscodium" | "code-insiders" | "code-oss" | "cursor" | "windsurf" => {
            vec!["--goto".into(), with_place()]
        }
        "kate" | "kwrite" => {
            vec!["--line".into(), line.to_string().into(), "--column".into(), column.to_string().into(), path()]
        }
        _ => vec![path()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_note_runs_nothing_when_the_command_is_copied() {
        let command = ["my editor".to_owned(), "-f".to_owned()];
        let arguments = ["+7", "/v/$(reboot) '1'.md"].map(OsString::from);
        assert_eq!(by_hand(&command, &arguments), r#""my editor" -f +7 '/v/$(reboot) '\''1'\''.md'"#);
    }

    #[test]
    fn each_editor_gets_the_line_in_its_own_syntax() {
        let place = Place { file: Path::new("/v/a b.md"), line: 7, column: 3 };
        let typed = |program: &str| {
            let words = arguments(program, &place).into_iter();
            words.map(|word| word.into_string().unwrap()).collect::<Vec<_>>()
        };
        for (programs, expected) in [
            (&["vim", "nvim", "vi", "/usr/bin/vim.basic", "joe", "less"][..], &["+7", "/v/a b.md"][..]),
            (&["emacs", "emacsclient", "micro"], &["+7:3", "/v/a b.md"]),
            (&["nano"], &["+7,3", "/v/a b.md"]),
            (&["hx", "helix", "zed", "subl"], &["/v/a b.md:7:3"]),
            (&["code", "codium"], &["--goto", "/v/a b.md:7:3"]),
            (&["kate"], &["--line", "7", "--column", "3", "/v/a b.md"]),
            (&["ed", "my-editor"], &["/v/a b.md"]),
        ] {
            for program in programs {
                assert_eq!(typed(program), expected, "{program}");
            }
        }
    }
}
