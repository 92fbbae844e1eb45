//! Reads the remote's address from a repository's configuration.
//!
//! Repositories and their configuration may come from others, so the file is untrusted: only the one file is read, up
//! to a limit, and nothing in it is followed or executed (`include`, `insteadOf`, commands). The syntax is that of `git
//! help config`.

use std::io::Read;
use std::path::Path;

use tars_base::private;

/// Maximum number of bytes read: remotes come near the beginning, branches after them.
const MAX_READ: u64 = 256 << 10;

/// Returns the address of `origin`, otherwise of the first remote with one. Returns `None` if the file cannot be read
/// or has no remote.
pub(super) fn remote_address(config: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    private::open_untrusted_path(config).ok()?.take(MAX_READ).read_to_end(&mut bytes).ok()?;
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

/// Whether a line continues on the next one: it ends with an unescaped backslash.
fn is_continued(line: &str) -> bool {
    (line.len() - line.trim_end_matches('\\').len()) % 2 == 1 && !line.starts_with(['#', ';'])
}

/// Parses a section header. Returns the remote's name if it is the section of a remote, and the text after the header.
/// Returns `None` if the line is no header: then the rest of the file means nothing to git either.
fn header(line: &str) -> Option<(Option<String>, &str)> {
    let inside = line.strip_prefix('[')?;
    let end = inside.find(['"', ']'])?;
    if inside[end..].starts_with(']') {
        // The old syntax of git: `[remote.origin]`.
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

/// Returns a value without quotes, escapes and comment.
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
    fn git_configuration_syntax_is_parsed() {
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
    fn special_and_huge_configurations_give_no_remote() {
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
        fn any_text_is_accepted(text in "([\\[\\]\"\\\\=#; \n]|remote|origin|url|[ -~é]){0,60}") {
            address_in(&text);
        }
    }
}
