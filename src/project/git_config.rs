//! The one thing that is wanted of a repository's configuration: where it was cloned from.
//!
//! A repository's configuration comes with whatever made the repository, so it is read as foreign text: up to a bound, one file,
//! and nothing in it is followed or run (`include`, `insteadOf`, commands). The syntax is that of `git help config`.

use std::io::Read;
use std::path::Path;

use crate::private;

/// So much of a configuration is read, in bytes: remotes stand near its beginning, branches below them.
const READ: u64 = 256 << 10;

/// Returns the address of `origin`, else of the first remote that has one; `None` if the file cannot be read or names none.
pub(super) fn remote_address(config: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    private::open_named(config).ok()?.take(READ).read_to_end(&mut bytes).ok()?;
    address_in(&String::from_utf8_lossy(&bytes))
}

fn address_in(text: &str) -> Option<String> {
    let mut first: Option<String> = None;
    let mut remote: Option<String> = None;
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim().to_owned();
        while is_continued(&line) {
            line.pop();
            let Some(next) = lines.next() else { break };
            line.push_str(next.trim_end());
        }
        let mut setting = line.as_str();
        if setting.starts_with('[') {
            let (section, rest) = header(setting)?;
            (remote, setting) = (section, rest.trim());
        }
        let Some((name, written)) = setting.split_once('=') else { continue };
        let (Some(remote), true) = (&remote, name.trim().eq_ignore_ascii_case("url")) else { continue };
        let address = value(written);
        match (remote.as_str(), address.is_empty()) {
            (_, true) => {}
            ("origin", _) => return Some(address),
            _ => first = first.or(Some(address)),
        }
    }
    first
}

/// Whether a line goes on in the next one: it ends with a backslash that is not escaped itself.
fn is_continued(line: &str) -> bool {
    (line.len() - line.trim_end_matches('\\').len()) % 2 == 1 && !line.starts_with(['#', ';'])
}

/// Returns the name of the remote whose section begins with this line, if it is one, and what follows the heading. `None` if it
/// is not a heading: what comes after it means nothing to git either.
fn header(line: &str) -> Option<(Option<String>, &str)> {
    let inside = line.strip_prefix('[')?;
    let end = inside.find(['"', ']'])?;
    if inside[end..].starts_with(']') {
        // The form that git wrote long ago: `[remote.origin]`.
        let name = inside[..end].split_once('.').filter(|(section, _)| is_remote(section));
        return Some((name.map(|(_, name)| name.to_owned()), &inside[end + 1..]));
    }
    let mut name = String::new();
    let mut characters = inside[end + 1..].char_indices();
    let close = loop {
        match characters.next()? {
            (_, '\\') => name.push(characters.next()?.1),
            (at, '"') => break end + 1 + at,
            (_, character) => name.push(character),
        }
    };
    let rest = inside[close + 1..].trim_start().strip_prefix(']')?;
    Some((is_remote(&inside[..end]).then_some(name), rest))
}

fn is_remote(section: &str) -> bool {
    section.trim().eq_ignore_ascii_case("remote")
}

/// Returns a value without its quotes, escapes and comment.
fn value(written: &str) -> String {
    let mut out = String::new();
    let mut is_quoted = false;
    let mut characters = written.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => is_quoted = !is_quoted,
            '\\' => out.extend(characters.next()),
            '#' | ';' if !is_quoted => break,
            character => out.push(character),
        }
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_comes_before_other_remotes() {
        let text = "[core]\n\turl = /not/this\n[remote \"backup\"]\n\turl = /srv/backup.git\n[branch \"main\"]\n\turl = no\n\
                    [remote \"origin\"]\n\tfetch = +refs/*\n\turl = git@example.org:acme/api.git\n\turl = second\n";
        assert_eq!(address_in(text).unwrap(), "git@example.org:acme/api.git");
        let without = text.replace("origin", "mirror");
        assert_eq!(address_in(&without).unwrap(), "/srv/backup.git");
        assert_eq!(address_in("[core]\n\tbare = false\n"), None);
        assert_eq!(address_in("[remote \"origin\"]\n\turl =\n"), None);
    }

    #[test]
    fn the_syntax_of_git_is_understood() {
        for text in [
            "[remote \"origin\"] url = https://x.org/a/b",
            "[REMOTE \"origin\"]\r\n  URL=\"https://x.org/a/b\" ; where it came from\r\n",
            "[remote.origin]\nurl = https://x.org/a/b # x\n",
            "\u{feff}; url = no\n[remote \"orig\\in\"]\nurl = https://x.org/\\\na/b\n",
            "[remote \"a]\\\"b\"]\nurl = https://x.org/a/b\n[include]\npath = ~/other\n",
        ] {
            assert_eq!(address_in(text).as_deref(), Some("https://x.org/a/b"), "{text}");
        }
    }

    #[test]
    fn a_configuration_that_is_no_small_file_names_no_remote() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        mknodat(CWD, at("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        std::fs::File::create(at("long")).unwrap().set_len(1 << 40).unwrap();
        std::fs::write(at("bytes"), b"[remote \"origin\"]\nurl = \xff\xfe\x00\n").unwrap();
        for name in ["pipe", "zero", "folder", "long", "gone"] {
            assert_eq!(remote_address(&at(name)), None, "{name}");
        }
        assert!(remote_address(&at("bytes")).is_some());
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_the_reader(text in "([\\[\\]\"\\\\=#; \n]|remote|origin|url|[ -~é]){0,60}") {
            address_in(&text);
        }
    }
}
