use super::*;

#[test]
fn private_spans_are_redacted_and_line_ends_kept() {
    let cases = [
        ("a <private>b</private> c", "a [redacted:private] c"),
        ("a\n<PRIVATE>\nb\n\nc\n</Private>\nd", "a\n[redacted:private]\n\n\n\n\nd"),
        ("a\r\n<private>\r\nb</private>\r\nc\n", "a\r\n[redacted:private]\r\n\r\nc\n"),
        ("a <private> b\nc\n", "a [redacted:private]\n\n"),
        ("`<private>x</private>`", "`[redacted:private]`"),
        ("a<private reason=\"x\">b</private >c", "a[redacted:private]c"),
        ("<private>a<private>b</private>c</private>d", "[redacted:private]d"),
        ("<private>a</private><private>b</private>", "[redacted:private][redacted:private]"),
        ("<private>", "[redacted:private]"),
        ("a\n<Private>\nb\n", "a\n[redacted:private]\n\n"),
        ("- <Private> b", "- [redacted:private]"),
        ("a < private >b</ private >c", "a [redacted:private]c"),
        ("a < private> b < / PRIVATE > c", "a [redacted:private] c"),
        ("<\tprivate >b", "[redacted:private]"),
        ("<pri\u{200b}vate>b</private\u{feff}>c", "[redacted:private]c"),
        ("<&nbsp;private>b</private>c", "[redacted:private]c"),
        ("<private at=\"/x\">b<private>c</private>d</private>e", "[redacted:private]e"),
    ];
    for (text, expected) in cases {
        assert_eq!(redacted(text), expected);
    }
    for text in [
        "a </private> b",
        "<private/> a",
        "<privateer>a</privateer>",
        "<private-key>",
        "Local<Private> name",
        "Vec::<Private>::new()",
        "a < private and b > c",
        "the private part > 5",
        "private>",
    ] {
        assert_eq!(redacted(text), text);
    }
}

/// Returns a PEM key of `lines` lines without its end line.
fn open_key(label: &str, lines: usize, line_end: &str) -> String {
    let body: String = (0..lines).map(|line| format!("{}{line_end}", drawn(ALPHANUMERIC, 60 + line))).collect();
    format!("-----BEGIN {label}-----{line_end}{body}")
}

#[test]
fn private_keys_are_redacted_and_line_ends_kept() {
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let key = open_key(label, 3, "\n") + &format!("-----END {label}-----");
        assert_eq!(redacted(&format!("a\n{key}\nb")), "a\n[redacted:private-key]\n\n\n\n\nb");
        let key = open_key(label, 3, "\r\n") + &format!("-----END {label}-----");
        assert_eq!(redacted(&format!("a\r\n{key}\r\nb")), "a\r\n[redacted:private-key]\r\n\r\n\r\n\r\n\r\nb");
        let key = open_key(label, 2, "\\n") + &format!("-----END {label}-----\\n");
        assert_eq!(redacted(&format!("\"private_key\": \"{key}\"")), "\"private_key\": \"[redacted:private-key]\\n\"");
    }
}

#[test]
fn unclosed_private_keys_are_redacted_as_far_as_lines_look_like_a_key() {
    let key = open_key("PRIVATE KEY", 2, "\n");
    assert_eq!(redacted(&format!("{key}\nThen some text.\n")), "[redacted:private-key]\n\n\n\nThen some text.\n");
    assert_eq!(redacted(&format!("> {}", key.replace('\n', "\n> "))), "> [redacted:private-key]\n\n\n> ");
    let key = open_key("PRIVATE KEY", 2, "\\n");
    assert_eq!(redacted(&format!("\"k\": \"{key}\",\n\"l\": 1")), "\"k\": \"[redacted:private-key]\",\n\"l\": 1");
}

#[test]
fn text_about_keys_is_kept() {
    for text in [
        "A file with `-----BEGIN PRIVATE KEY-----` and `-----END PRIVATE KEY-----` holds a key.",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n",
        "It starts with -----BEGIN RSA PRIVATE KEY-----.\n\nThe rest is base64.",
    ] {
        assert_eq!(redacted(text), text);
    }
    let public = open_key("PRIVATE KEY", 2, "\n").replace("PRIVATE", "PUBLIC");
    assert_eq!(redacted(&public), public);
}

#[test]
fn private_lines_of_a_putty_key_are_redacted() {
    let lines = |count: usize| (0..count).map(|at| drawn(ALPHANUMERIC, 64 - at) + "\n").collect::<String>();
    let key = |end: &str| {
        format!(
            "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 2\n{}Private-Lines: 3\n{}aB3=\n{end}",
            lines(2),
            lines(2)
        )
    };
    let expected = key("Private-MAC: 0f1e")
        .replace(&format!("Private-Lines: 3\n{}aB3=", lines(2)), "Private-Lines: 3\n[redacted:private-key]\n\n");
    assert_eq!(redacted(&key("Private-MAC: 0f1e")), expected);
    assert_eq!(redacted(&key("Private-MAC: 0f1e").replace('\n', "\r\n")), expected.replace('\n', "\r\n"));
    for text in ["Private-Lines: 3\n", "Private-Lines: many\nabc", "Private-Lines: 1\nThe next line is text.\n"] {
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn redaction_before_a_private_tag_does_not_change_how_the_tag_is_read() {
    let key = drawn(ALPHANUMERIC, 20);
    for (text, expected) in [
        (format!("-----BEGIN PRIVATE KEY-----{key}<Private>"), "[redacted:private-key][redacted:private]"),
        ("<private>\n</private><Private>".to_owned(), "[redacted:private]\n[redacted:private]"),
        (format!("sk-{key}<Private>"), "[redacted:openai-key]<Private>"),
    ] {
        let once = redacted(&text);
        assert_eq!((redacted(&once), once), (expected.to_owned(), expected.to_owned()));
    }
}
