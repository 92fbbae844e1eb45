//! Passwords on command lines, told by program and option, because the options are short and mean something else to
//! another program: `docker login -p …` but `docker run -p 80:80`.
//!
//! A command line is read as a shell reads it, up to [`MAX_COMMAND`] bytes: words in quotes, a backslash at the end of a
//! line, and `;`, `|` or `&` behind the last word. Any value counts except one that stands for another (`$PW`, `<pw>`).

use std::ops::Range;

use super::value;

/// Where the password stands.
#[derive(Clone, Copy)]
enum Place {
    /// In the word after the option, or behind `=`: `-p X`, `--password=X`.
    Next(&'static str),
    /// In the option's own word: `-pX`.
    Joined(&'static str),
    /// Behind a sign in the word after the option: `-U me%X`.
    After(&'static str, u8),
    /// Behind these characters anywhere, up to a comma: `-o user=me,password=X`.
    Within(&'static str),
    /// In a word of its own, counted from the word after this one, without options: `add_user me X`.
    Word(&'static str, usize),
    /// In the words that are no option, no share and no drive: `net use Z: \\\\host\\share X /user:me`.
    Share,
    /// In the last word, if an option with this letter is given: `htpasswd -b FILE me X`.
    Last(u8),
}

use Place::{After, Joined, Last, Next, Share, Within, Word};

/// Programs and their options.
struct Program {
    /// The names, each with the blank behind it.
    names: &'static [&'static str],
    /// One of these words comes before the option; none if the list is empty.
    verbs: &'static [&'static str],
    places: &'static [Place],
}

const fn of(names: &'static [&'static str], verbs: &'static [&'static str], places: &'static [Place]) -> Program {
    Program { names, verbs, places }
}

/// The programs, from their manuals.
#[rustfmt::skip]
const PROGRAMS: &[Program] = &[
    of(&["docker ", "podman ", "nerdctl ", "buildah ", "skopeo ", "crane ", "helm ", "oc ", "cf ", "argocd "],
        &["login"], &[Next("-p"), Next("--password")]),
    of(&["az "], &["login"], &[Next("-p"), Next("--password"), Next("--admin-password")]),
    of(&["aws "], &[], &[Next("--master-user-password"), Next("--secret-string"), Next("--password")]),
    of(&["gcloud ", "wget ", "svn ", "clickhouse-client ", "nats "], &[], &[Next("--password"), Next("--http-password"), Next("--ftp-password")]),
    of(&["twine "], &["upload"], &[Next("-p"), Next("--password")]),
    of(&["kubectl ", "vault ", "psql ", "pg_dump ", "mount ", "ansible ", "ansible-playbook "], &[],
        &[Within("password="), Within("_pass="), Within("passwd=")]),
    // Databases and brokers
    of(&["redis-cli ", "valkey-cli "], &[], &[Next("-a"), Next("--pass")]),
    of(&["mongosh ", "mongo ", "mongodump ", "mongorestore ", "mongoexport ", "mongoimport ", "cqlsh ", "cypher-shell "], &[],
        &[Next("-p"), Next("--password")]),
    of(&["mysql ", "mysqldump ", "mysqladmin ", "mysqlimport ", "mysqlcheck ", "mariadb ", "mariadb-dump ", "mariadb-admin "], &[],
        &[Joined("-p"), Next("--password"), Word("password", 0)]),
    of(&["sqlcmd ", "bcp ", "osql "], &[], &[Next("-P"), Joined("-P")]),
    of(&["influx "], &[], &[Next("-password"), Next("--password")]),
    of(&["sqlplus ", "rman ", "expdp ", "impdp "], &[], &[After("", b'/')]),
    of(&["rabbitmqctl "], &[], &[Word("add_user", 1), Word("change_password", 1), Word("authenticate_user", 1)]),
    of(&["mosquitto_pub ", "mosquitto_sub ", "mosquitto_rr "], &[], &[Next("-P"), Next("--pw")]),
    of(&["htpasswd ", "mosquitto_passwd "], &[], &[Last(b'b')]),
    // Directories, networks, machines
    of(&["ldapsearch ", "ldapmodify ", "ldapadd ", "ldapdelete ", "ldappasswd ", "ldapwhoami ", "ldapcompare ", "kadmin "], &[],
        &[Next("-w"), Joined("-w"), Next("-pw")]),
    of(&["ldappasswd "], &[], &[Next("-s"), Next("-a")]),
    of(&["skopeo "], &[], &[After("--src-creds", b':'), After("--dest-creds", b':'), After("--creds", b':')]),
    of(&["http ", "https "], &[], &[After("-a", b':'), After("--auth", b':')]),
    of(&["rdesktop "], &[], &[Next("-p")]),
    of(&["x11vnc "], &[], &[Next("-passwd")]),
    of(&["schtasks "], &[], &[Next("/rp")]),
    of(&["nmcli "], &[], &[Next("password"), Next("wifi-sec.psk"), Next("802-11-wireless-security.psk"), Next("802-1x.password")]),
    of(&["wpa_passphrase "], &[], &[Word("", 1)]),
    of(&["smbclient ", "rpcclient ", "smbget "], &[], &[After("-U", b'%'), After("--user", b'%')]),
    of(&["lftp "], &[], &[After("-u", b',')]),
    of(&["etcdctl "], &[], &[After("--user", b':')]),
    of(&["xfreerdp ", "xfreerdp3 ", "wfreerdp "], &[], &[Joined("/p:")]),
    of(&["ipmitool "], &[], &[Next("-P")]),
    of(&["sshpass "], &[], &[Next("-p"), Joined("-p")]),
    of(&["plink ", "plink.exe ", "pscp ", "psftp "], &[], &[Next("-pw")]),
    of(&["psexec "], &[], &[Next("-p")]),
    of(&["net user "], &["/add"], &[Word("user", 1)]),
    of(&["net use "], &[], &[Share]),
    of(&["snmpget ", "snmpwalk ", "snmpset "], &[], &[Next("-A"), Next("-X")]),
    of(&["swaks ", "imapsync "], &[], &[Next("--auth-password"), Next("-ap"), Next("--password1"), Next("--password2")]),
    // Archives and keys
    of(&["7z ", "7za ", "7zz ", "7zr ", "rar ", "unrar "], &[], &[Joined("-p"), Joined("-hp")]),
    of(&["zip ", "unzip ", "zipcloak "], &[], &[Next("-P"), Joined("-P")]),
    of(&["keytool ", "jarsigner ", "apksigner "], &[],
        &[Next("-storepass"), Next("-keypass"), Next("-srcstorepass"), Next("-deststorepass"), Next("-srckeypass"), Next("-destkeypass")]),
    of(&["openssl "], &[], &[Joined("pass:")]),
    of(&["openssl "], &["enc"], &[Next("-k")]),
    of(&["gpg ", "gpg2 "], &[], &[Next("--passphrase")]),
    of(&["ssh-keygen "], &[], &[Next("-N"), Next("-P")]),
    of(&["pdftk "], &[], &[Next("user_pw"), Next("owner_pw"), Next("input_pw")]),
    of(&["rclone "], &[], &[Word("obscure", 0), Next("pass")]),
    of(&["ConvertTo-SecureString "], &[], &[Word("", 0), Next("-String")]),
];

/// Long options that people write with one hyphen: `-port` is no password `ort`.
const LONG_OPTIONS: &[&[u8]] =
    &[b"-pager", b"-password", b"-pipe", b"-plugin-dir", b"-port", b"-print", b"-progress", b"-prompt", b"-protocol"];

/// The keywords and their programs.
pub(super) fn keywords() -> impl Iterator<Item = (&'static str, usize)> {
    let of = |(index, program): (usize, &'static Program)| program.names.iter().map(move |name| (*name, index));
    PROGRAMS.iter().enumerate().flat_map(of)
}

/// Most bytes of a command that are read.
const MAX_COMMAND: usize = 400;

/// A word of a command, without its quotes.
pub(super) struct ShellWord {
    pub(super) span: Range<usize>,
    is_quoted: bool,
}

/// Returns the passwords of the command whose program starts at `at`.
pub(super) fn find(index: usize, text: &[u8], at: usize) -> Vec<Range<usize>> {
    if !opens_program(text, at) {
        return Vec::new();
    }
    let program = &PROGRAMS[index];
    let words = words(text, at);
    let is = |word: &ShellWord, name: &str| &text[word.span.clone()] == name.as_bytes();
    let has_verb = |before: &[ShellWord]| {
        program.verbs.is_empty() || before.iter().any(|word| program.verbs.iter().any(|verb| is(word, verb)))
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    for place in program.places {
        // A short option means something else to another verb.
        let needs_verb = !matches!(*place, Next(name) | Joined(name) if name.starts_with("--"));
        match *place {
            Last(letter) => found.extend(last(text, &words, letter)),
            Share => {
                found.extend(words.iter().skip(2).filter(|word| is_bare(text, word)).map(|word| word.span.clone()))
            }
            // A subcommand's words; `/add` comes behind them.
            Word(name, number) => {
                let after = words.iter().skip(1).position(|word| is(word, name)).map_or(1, |at| at + 2);
                let named = name.is_empty() || after > 1;
                let mut plain = words.get(after..).unwrap_or_default().iter().filter(|word| !is_option(text, word));
                found.extend(plain.nth(number).filter(|_| named && has_verb(&words)).map(|word| word.span.clone()));
            }
            _ => {
                for (number, word) in words.iter().enumerate().skip(1) {
                    if !needs_verb || has_verb(&words[..number]) {
                        found.extend(at_word(text, *place, word, words.get(number + 1)));
                    }
                }
            }
        }
    }
    found.iter_mut().for_each(|span| *span = without_marks(text, span));
    found.retain(|span| is_value(&text[span.clone()]));
    found
}

/// Leaves out the marks that a sentence puts behind a command.
pub(super) fn without_marks(text: &[u8], span: &Range<usize>) -> Range<usize> {
    let length = text[span.clone()].iter().rposition(|byte| !b",.:)]}>".contains(byte)).map_or(0, |last| last + 1);
    span.start..span.start + length
}

/// Returns the password that an option at `word` gives.
fn at_word(text: &[u8], place: Place, word: &ShellWord, next: Option<&ShellWord>) -> Option<Range<usize>> {
    let bytes = &text[word.span.clone()];
    let within = |from: usize| word.span.start + from..word.span.end;
    // An option is no value, unless it is in quotes.
    let value = |next: &ShellWord| (next.is_quoted || !is_option(text, next)).then(|| next.span.clone());
    match place {
        Next(name) => match bytes.strip_prefix(name.as_bytes())? {
            [] => value(next?),
            [b'='] => value(next.filter(|next| next.is_quoted)?),
            [b'=', ..] => Some(within(name.len() + 1)),
            _ => None,
        },
        Joined(name) => match bytes.strip_prefix(name.as_bytes())? {
            [] => {
                next.filter(|next| next.is_quoted && next.span.start == word.span.end + 1).map(|next| next.span.clone())
            }
            [b'-', ..] => None,
            _ if LONG_OPTIONS.contains(&bytes.split(|byte| *byte == b'=').next().unwrap_or_default()) => None,
            _ => Some(within(name.len())),
        },
        After(name, sign) => {
            let word = match bytes == name.as_bytes() {
                true => next?,
                false if name.is_empty() => word,
                false => return None,
            };
            let bytes = &text[word.span.clone()];
            let from = bytes.iter().position(|byte| *byte == sign)?;
            let rest = &bytes[from + 1..];
            // Behind the password of a database stands its name. A path is none: `scripts/all.sql`.
            let end = rest.iter().position(|byte| sign == b'/' && matches!(byte, b'@' | b'/' | b'.'));
            let end = end.unwrap_or(rest.len());
            let is_path = matches!(rest.get(end), Some(b'/' | b'.'));
            let is_user = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-\\".contains(byte);
            let start = word.span.start + from + 1;
            (from > 0 && !is_path && bytes[..from].iter().all(is_user)).then_some(start..start + end)
        }
        Within(key) => {
            let from = bytes.windows(key.len()).position(|part| part.eq_ignore_ascii_case(key.as_bytes()))? + key.len();
            let rest = &bytes[from..];
            let end = rest.iter().position(|byte| matches!(byte, b',' | b' ' | b'&')).unwrap_or(rest.len());
            match end {
                0 => next.filter(|next| next.is_quoted && rest.is_empty()).map(|next| next.span.clone()),
                _ if value::is_reference(&rest[..end]) => None,
                _ => Some(word.span.start + from..word.span.start + from + end),
            }
        }
        Word(..) | Share | Last(_) => None,
    }
}

/// Returns the last word of a command with the option `letter`: behind a file and a user, or a user alone with `-n`.
fn last(text: &[u8], words: &[ShellWord], letter: u8) -> Option<Range<usize>> {
    let options = || words.iter().skip(1).filter(|word| is_option(text, word)).map(|word| &text[word.span.clone()]);
    let has = |letter: u8| options().any(|option| !option.starts_with(b"--") && option.contains(&letter));
    let plain: Vec<&ShellWord> = words.iter().skip(1).filter(|word| !is_option(text, word)).collect();
    let needed = if has(b'n') { 2 } else { 3 };
    (has(letter) && plain.len() >= needed).then(|| plain[needed - 1].span.clone())
}

/// Whether a word of `net use` is no option, share, drive or `*`.
fn is_bare(text: &[u8], word: &ShellWord) -> bool {
    !matches!(text[word.span.clone()], [b'/' | b'\\' | b'*' | b'-', ..] | [_, b':'])
}

fn is_option(text: &[u8], word: &ShellWord) -> bool {
    !word.is_quoted && text[word.span.start] == b'-'
}

/// Whether a program may be named at `at`: not within a word, the name of a file or an option.
pub(super) fn opens_program(text: &[u8], at: usize) -> bool {
    match text[..at] {
        [.., b'\\', b'n' | b't'] => true,
        [.., last] => last.is_ascii() && !last.is_ascii_alphanumeric() && !b"._-".contains(&last),
        [] => true,
    }
}

/// Whether a word of a command is a password rather than something that stands for one.
pub(super) fn is_value(value: &[u8]) -> bool {
    let has_words = value.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    has_words && !value::is_placeholder(value) && value::url_password(value) && !value.contains(&b'\n')
}

/// Splits the command at `at` into words.
pub(super) fn words(text: &[u8], at: usize) -> Vec<ShellWord> {
    let text = &text[..text.len().min(at + MAX_COMMAND)];
    let mut words = Vec::new();
    let mut from = at;
    while from < text.len() {
        match text[from..] {
            [b' ' | b'\t', ..] => from += 1,
            [b'\\', b'\n', ..] => from += 2,
            [b'\\', b'\r', b'\n', ..] => from += 3,
            [b'\n' | b'\r' | b';' | b'|' | b'&' | b'`', ..] | [b'\\', b'n', ..] => break,
            [b'"' | b'\'', ..] | [b'\\', b'"' | b'\'', ..] => {
                let Some((inside, end)) = quoted(text, from) else { break };
                words.push(ShellWord { span: inside, is_quoted: true });
                from = end;
            }
            _ => {
                let end = word_end(text, from);
                words.push(ShellWord { span: from..end, is_quoted: false });
                from = end;
            }
        }
    }
    words.retain(|word| !word.span.is_empty());
    words
}

/// Returns the end of the word without quotes that starts at `from`.
fn word_end(text: &[u8], from: usize) -> usize {
    let mut end = from + 1;
    while end < text.len() {
        match text[end..] {
            [b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'`' | b';' | b'|' | b'&', ..] => break,
            [b'\\', b'"' | b'\'' | b'n' | b'\n' | b'\r', ..] => break,
            _ => end += 1,
        }
    }
    end
}

/// Returns the place between two quotes, of which the first is at `from`, and the end of the second. Both stand on one
/// line, and both are escaped or neither is.
fn quoted(text: &[u8], from: usize) -> Option<(Range<usize>, usize)> {
    let escaped = usize::from(text[from] == b'\\');
    let (quote, start) = (text[from + escaped], from + escaped + 1);
    let line = text[start..].split(|byte| *byte == b'\n').next()?;
    let length = line.iter().position(|byte| *byte == quote)?;
    if escaped == 1 && !line[..length].ends_with(b"\\") {
        return None;
    }
    Some((start..start + length - escaped, start + length + 1))
}
