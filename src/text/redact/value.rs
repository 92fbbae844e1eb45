//! Classifies strings: random, chosen by a person, placeholder, code.

/// Whether a credential may start at `start`: not inside a word, except after an escape such as `\n` or `%3D`.
pub(super) fn opens_word(text: &[u8], start: usize) -> bool {
    match text[..start] {
        [.., b'\\', b'n' | b'r' | b't'] | [.., b'%', _, _] => true,
        [.., last] => !last.is_ascii_alphanumeric() && last != b'_',
        [] => true,
    }
}

/// The same for credentials whose prefix is so short that it occurs in any large piece of base64.
pub(super) fn opens_base64(text: &[u8], start: usize) -> bool {
    opens_word(text, start) && !matches!(text[..start], [.., b'+' | b'/'])
}

/// The same for URL-safe base64.
pub(super) fn opens_base64url(text: &[u8], start: usize) -> bool {
    opens_word(text, start) && !matches!(text[..start], [.., b'-'])
}

/// Returns the Shannon entropy of `value` in bits per byte, 0 if it is empty.
pub(super) fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    value.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let total = value.len() as f64;
    let share = |count: &u32| f64::from(*count) / total;
    counts.iter().filter(|count| **count > 0).map(|count| -share(count) * share(count).log2()).sum()
}

/// Whether `value` has a digit.
pub(super) fn has_digit(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
}

/// Whether `value` mixes upper and lower case in a way that words do not.
pub(super) fn has_mixed_case(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase) && disorder(value) >= 0.28
}

/// Whether `value` looks machine-generated: letters and digits without order, including hexadecimal strings and UUIDs.
pub(super) fn looks_random(value: &[u8]) -> bool {
    if !value.iter().all(u8::is_ascii_graphic) {
        return false;
    }
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let hexadecimal = value.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    // An account number before the secret makes the whole look less random.
    if value.split(|byte| *byte == b'-').any(|part| (20..value.len()).contains(&part.len()) && looks_random(part)) {
        return true;
    }
    match (letters, digits) {
        (1.., 2..) if hexadecimal => letters + digits >= 16 && entropy(value) >= 2.5,
        (2.., 2..) if disorder(value) >= 0.34 => entropy(value) >= 2.8,
        (14.., 3..) if unpronounceable(value) && numbers(value) >= 3 => entropy(value) >= 3.5,
        (20.., 1..) if unpronounceable(value) && has_mixed_case(value) => entropy(value) >= 3.5,
        (20.., _) => disorder(value) >= 0.5 && entropy(value) >= 3.5,
        _ => false,
    }
}

/// Whether `value` consists of letters and digits with too few vowels for words.
fn unpronounceable(value: &[u8]) -> bool {
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let vowels = value.iter().filter(|byte| b"aeiouAEIOU".contains(byte)).count();
    value.iter().all(u8::is_ascii_alphanumeric) && vowels * 10 < letters * 3
}

/// Returns the number of separate digit runs in `value`.
fn numbers(value: &[u8]) -> usize {
    value.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()).filter(|run| run[0].is_ascii_digit()).count()
}

/// Returns the number of runs (lower case, upper case, digits) per letter or digit of `value`: 1 if each differs from
/// the one before. `Word` counts as one run, so joined words have few. Random letters and digits reach about 0.6,
/// hexadecimal strings 0.45, names such as `retryCount2` stay below 0.3.
fn disorder(value: &[u8]) -> f64 {
    #[derive(Clone, Copy, PartialEq)]
    enum Class {
        Small,
        Capital,
        Digit,
        Other,
    }
    let (mut runs, mut counted, mut length, mut last) = (0, 0, 0, Class::Other);
    for byte in value {
        let class = match byte {
            b'a'..=b'z' => Class::Small,
            b'A'..=b'Z' => Class::Capital,
            b'0'..=b'9' => Class::Digit,
            _ => Class::Other,
        };
        let goes_on = class == last || (class == Class::Small && last == Class::Capital && length == 1);
        if class != Class::Other {
            counted += 1;
            runs += usize::from(!goes_on);
        }
        length = if class == last { length + 1 } else { 1 };
        last = class;
    }
    runs as f64 / counted.max(1) as f64
}

/// Fragments that mark a placeholder, wherever they stand in it.
#[rustfmt::skip]
const PLACEHOLDER_PARTS: &[&[u8]] = &[
    b"[redacted", b"example", b"your", b"placeholder", b"changeme", b"change_me", b"change-me", b"replace",
    b"redacted", b"insert", b"dummy", b"sample", b"foobar", b"xxxx", b"****", b"....", b"----", b"____", b"####",
    b"${", b"$(", b"{{", b"}}", b"<%", b"%(", b"#{", b"-here", b"_here", b"todo", b"fixme", b"\xe2\x80\xa6",
    b"\xe2\x80\xa2",
];

/// Whether `value` is a placeholder: `your-api-key`, `<token>`, `${TOKEN}`, `xxxx`, `12345678`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let contains = |word: &&[u8]| lower.windows(word.len()).any(|window| window == *word);
    let stands_in = || PLACEHOLDER_PARTS.iter().any(contains);
    let opens = || {
        let name = value.get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        match value.first() {
            Some(b'<' | b'{' | b'[' | b'(') | None => true,
            // A password may start with `$` or `%`; `$NAME`, `$1` and `%name%` are variables.
            Some(b'$') => {
                value[1..].iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.'))
            }
            Some(b'%') => name && (value.ends_with(b"%") || value.len() == 2),
            Some(_) => false,
        }
    };
    let counts = || {
        let step = |pair: &[u8]| pair[1] == pair[0].wrapping_add(1) || matches!(pair, b"90");
        lower.windows(8).any(|window| window.windows(2).all(step))
    };
    let repeats = || value.windows(6).any(|window| window.iter().all(|byte| *byte == window[0]));
    opens() || stands_in() || counts() || repeats()
}

/// Whether `value` points to something or is plain data: a path, an address, a digest, a date, a number.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let text = String::from_utf8_lossy(value).to_ascii_lowercase();
    const OPENINGS: &[&str] = &[
        "/", "./", "../", "~/", "@/", "#/", "arn:", "vault:", "op:", "env:", "file:", "ref:", "urn:", "did:", "sha1:",
        "sha256:", "sha512:", "sha1-", "sha256-", "sha384-", "sha512-", "md5:", "blake3:", "!", "\\",
    ];
    let drive = matches!(value, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    let address = text.contains("://") || text.starts_with("www.");
    // `name@host.tld`. A password with an `@` seldom ends in a dot and letters.
    let email = text.split_once('@').is_some_and(|(name, host)| {
        let top = host.rsplit_once('.').map_or("", |(_, top)| top);
        !name.is_empty() && top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_lowercase())
    });
    let numeric = value.iter().all(|byte| byte.is_ascii_digit() || b".-:/+,_tTzZ".contains(byte));
    let dated = numeric && value.iter().any(|byte| !byte.is_ascii_digit());
    let version = text.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
    let number = text.starts_with("0x") && value.len() <= 18;
    OPENINGS.iter().any(|opening| text.starts_with(opening)) || number || drive || address || email || dated || version
}

/// Whether `value` is code: a call, an index, a path of names. Most of these only count without quotes (`bare`).
pub(super) fn looks_like_code(value: &[u8], bare: bool) -> bool {
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let rest = value
        .iter()
        .position(|byte| !name(byte) && !matches!(byte, b'.' | b':' | b'?' | b'>' | b'-' | b'&' | b'*' | b'!'));
    let dotted = value.iter().all(|byte| name(byte) || *byte == b'.') && value.contains(&b'.');
    let path = value.windows(2).any(|pair| pair == b"::" || pair == b"->" || pair == b"?.");
    let opens = |at: usize| at > 0 && matches!(value[at], b'(' | b')' | b'[' | b'{' | b'<' | b'|');
    path || dotted && !looks_random(value) || bare && rest.is_some_and(opens)
}

/// Technical terms with digits that are no passwords: methods, types and encodings.
const TERMS: &[&str] = &[
    "2fa",
    "aes",
    "argon2",
    "argon2id",
    "ascii",
    "b64dec",
    "b64enc",
    "base32",
    "base58",
    "base64",
    "base64url",
    "bcrypt",
    "blake",
    "char",
    "ed25519",
    "float",
    "hs256",
    "hs512",
    "http2",
    "int",
    "iso",
    "k8s",
    "latin1",
    "md5",
    "nvarchar",
    "oauth",
    "pbkdf2",
    "pkcs",
    "rfc",
    "rs256",
    "rsa",
    "scrypt",
    "sha",
    "ssha",
    "string",
    "str",
    "totp",
    "uint",
    "utf",
    "utf8mb",
    "uuid",
    "varchar",
    "x509",
];

/// Whether `value` looks like a password. Letters alone do only in random order.
pub(super) fn looks_like_password(value: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| value.iter().filter(|byte| is(byte)).count();
    let digits = count(u8::is_ascii_digit);
    let letters = count(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    let symbols = inner_symbols(value);
    match (letters, digits) {
        _ if value.len() < 6 || value.len() > 256 => false,
        (0, _) => digits >= 6,
        (_, 0) if symbols > 0 => letters >= 5 && value.len() >= 8,
        (_, 0) => value.len() >= 10 && disorder(value) >= 0.45,
        _ => !holds_term(value) && (symbols > 0 || !names_itself(value)),
    }
}

/// Whether `value` looks like a password even in a sentence, unlike `8-character` or `base64`: it has an inner symbol. Or
/// it has no bracket, slash or comma, and is a number, mixes inner capitals with lower case and a digit, or is one
/// alphanumeric string that starts with a letter.
pub(super) fn is_unlike_word(value: &[u8]) -> bool {
    let single = value.iter().all(u8::is_ascii_alphanumeric);
    let starts_with_letter = value.first().is_some_and(u8::is_ascii_alphabetic);
    let capital_within = value.iter().skip(1).any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase);
    let joined = value.iter().any(|byte| matches!(byte, b'(' | b'/' | b'\\' | b','));
    let numeric = value.iter().all(u8::is_ascii_digit);
    inner_symbols(value) > 0
        || !joined && (numeric || capital_within && has_digit(value) || single && starts_with_letter)
}

/// Whether `value` is a password even right behind the word for one, unlike the name of a product or a method: ASCII
/// with a digit, and an inner symbol or a digit before a letter.
pub(super) fn mixes_digits(value: &[u8]) -> bool {
    let is_plain = value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"@#$%^&*!?+".contains(byte));
    let digit = value.iter().position(u8::is_ascii_digit);
    let letter_after = digit.is_some_and(|digit| value[digit..].iter().any(u8::is_ascii_alphabetic));
    value.len() >= 8
        && is_plain
        && looks_like_password(value)
        && digit.is_some()
        && (inner_symbols(value) > 0 || letter_after && value[0].is_ascii_alphabetic())
}

/// Whether it is one anywhere near: it also has a symbol or both cases.
pub(super) fn is_unlike_name(value: &[u8]) -> bool {
    let both = value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase);
    mixes_digits(value) && (both || inner_symbols(value) > 0)
}

/// Whether `value` is letters and then three digits or more that are no year: `qwert123`.
pub(super) fn ends_in_digits(value: &[u8]) -> bool {
    let letters = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let digits = &value[letters..];
    let is_year = digits.len() == 4 && (digits.starts_with(b"19") || digits.starts_with(b"20"));
    letters >= 4 && digits.len() >= 3 && digits.iter().all(u8::is_ascii_digit) && !is_year && looks_like_password(value)
}

/// Counts the symbols of `value` that prose does not put between letters.
fn inner_symbols(value: &[u8]) -> usize {
    let inner = value.get(1..value.len().saturating_sub(1)).unwrap_or_default();
    inner.iter().filter(|byte| b"@#$%^&*!".contains(byte)).count()
}

pub(super) fn holds_term(value: &[u8]) -> bool {
    let lower = String::from_utf8_lossy(value).to_ascii_lowercase();
    let is_term = |word: &str| {
        TERMS.iter().any(|term| word.strip_prefix(term).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit())))
    };
    lower.split(|c: char| !c.is_ascii_alphanumeric()).any(is_term)
}

/// Whether `value` is itself a name for a secret: `password2`.
fn names_itself(value: &[u8]) -> bool {
    let lower = String::from_utf8_lossy(value).to_ascii_lowercase();
    ["password", "passwd", "passphrase", "secret", "token", "apikey", "api_key", "user"]
        .iter()
        .any(|word| lower.contains(word))
}

/// Whether the password in a URL is more than a word for "password".
pub(super) fn url_password(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&[u8]] = &[
        b"pass", b"passwd", b"password", b"pwd", b"pw", b"secret", b"token", b"key", b"p", b"api_key", b"apikey",
        b"x-oauth-basic",
    ];
    let lower = value.to_ascii_lowercase();
    let masked = value.iter().all(|byte| b"*x.X_-".contains(byte));
    !masked
        && !WORDS.contains(&&lower[..])
        && !matches!(value[0], b'$' | b'%' if value.len() > 1 && value[1..].iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_'))
}
