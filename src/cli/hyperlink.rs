//! Links in a terminal that can show them (OSC 8).

use std::io::IsTerminal;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tars_config::Environment;
pub(super) use tars_ui::encoded;

/// Terminals by the start of `TERM`.
const BY_TERM: [&str; 7] = ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour", "rio"];
/// Terminals by `TERM_PROGRAM`.
const BY_PROGRAM: [&str; 8] = ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "zed"];
/// The first version of the library VTE (GNOME Terminal and others) that shows links without a flaw.
const VTE: u32 = 5000;

/// Whether standard output is a terminal that shows links. `FORCE_HYPERLINK` decides if it is set.
pub(super) fn are_shown(environment: &Environment) -> bool {
    let variable = |name: &str| environment.variable(name).and_then(|value| value.to_str()).unwrap_or_default();
    match variable("FORCE_HYPERLINK") {
        "" => {}
        forced => return forced != "0",
    }
    let version = variable("VTE_VERSION").parse::<u32>();
    std::io::stdout().is_terminal()
        && (BY_TERM.iter().any(|name| variable("TERM").starts_with(name))
            || BY_PROGRAM.contains(&variable("TERM_PROGRAM"))
            || version.is_ok_and(|version| version >= VTE)
            || ["KONSOLE_VERSION", "WT_SESSION", "DOMTERM"].iter().any(|name| !variable(name).is_empty()))
}

/// Returns `text` as a link to a file.
pub(super) fn to_file(text: &str, file: &Path) -> String {
    format!("\x1b]8;;file://{}\x1b\\{text}\x1b]8;;\x1b\\", encoded(file.as_os_str().as_bytes(), b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_end_the_link_that_it_is_in() {
        let link = to_file("a", Path::new("/v/a b\x1b\\é.md"));
        assert_eq!(link, "\x1b]8;;file:///v/a%20b%1B%5C%C3%A9.md\x1b\\a\x1b]8;;\x1b\\");
    }
}
