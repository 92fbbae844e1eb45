use proptest::prelude::*;

use super::*;

/// As documented at [`redact`].
const MAX_MARKER: usize = 33;

#[test]
fn longest_marker_has_the_documented_length() {
    let longest = formats::FORMATS.iter().map(|token| token.kind.len()).max();
    assert_eq!(longest, Some(MAX_MARKER - "[redacted:]".len()));
}

/// Generates fragments that rules react to: halves of secrets, names, punctuation, line ends.
fn fragment() -> impl Strategy<Value = String> {
    let pieces = [
        "<private>",
        "</private>",
        "[redacted:",
        "[redacted:token]",
        "]",
        "password",
        "token",
        "api_key",
        "secret",
        "_",
        "-",
        ": ",
        " = ",
        "=",
        " is ",
        " for ",
        "\"",
        "'",
        "`",
        "\n",
        "\r\n",
        " ",
        "|",
        "(",
        ")",
        "<",
        ">",
        "&x=",
        ";",
        "\\n",
        "%3D",
        "https://",
        "me:",
        "@host",
        "Authorization: ",
        "Bearer ",
        "Basic ",
        "dXNlcjpwYXNz",
        "curl ",
        " -u ",
        "discord ",
        "é",
        "日本",
        "sk-",
        "ghp_",
        "AKIA",
        "eyJhbGciOiJub25lIn0.",
        "eyJhIjoxfQ.",
        "hunter2!x9",
        "Xy7kLm2q",
        "q8W3e7R2t6Y1u5I9",
        "84736251",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        ":AA",
        "-us1",
        "Q~",
        ".",
        ",",
        "--",
        "**",
        "xxxx",
        "$",
        "{{",
        "< private >",
        "< / private >",
        "<Private>",
        "\u{200b}",
        "\u{ad}",
        "&nbsp;",
        "\u{a0}",
        "&zwj;",
        "|\n  ",
        ":\n",
        "## ",
        "```\n",
        "\", \"",
        "value: ",
        "machine a.b login me password ",
        "\"auth\": \"",
        "otpauth://totp/a?secret=",
        "docker login -p ",
        "htpasswd -b a b ",
        "7z a -p",
        "echo x1 | sudo -S ",
        "a:b1 | chpasswd ",
        "<<< ",
        "Kennwort ",
        "пароль для ",
        "パスワードは",
        " — ",
        "IDENTIFIED BY '",
        "create user a password '",
        "Private-Lines: 2\n",
        "LS0tLS1CRUdJTi",
        "MTk4NjIyNDgzNDcxOTI1MjQ4.",
        "AZDO",
        "AAAAAAAAAAAAAAAAAAAAA",
    ];
    let long =
        (1usize..80, prop::bool::ANY).prop_map(|(length, hex)| drawn(if hex { HEX } else { ALPHANUMERIC }, length));
    prop_oneof![4 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned), 1 => long, 1 => "\\PC{0,6}"]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(fragment(), 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn lines_are_kept(text in text()) {
        let redacted = redacted(&text);
        prop_assert_eq!(redacted.matches('\n').count(), text.matches('\n').count());
        prop_assert_eq!(redacted.matches("\r\n").count(), text.matches("\r\n").count());
    }

    #[test]
    fn redaction_is_idempotent(text in text()) {
        let once = redacted(&text);
        prop_assert_eq!(redacted(&once), once);
    }

    #[test]
    fn a_finding_adds_at_most_its_marker(text in text()) {
        let redacted = redact(&text);
        let marker = |finding: &Finding| "[redacted:]".len() + finding.kind.len();
        let shown = |finding: &Finding| text[finding.span.clone()].replace(['\r', '\n'], "").len();
        let longer: usize =
            redacted.findings.iter().map(|finding| marker(finding).saturating_sub(shown(finding).max(1))).sum();
        prop_assert!(redacted.text.len() <= text.len() + longer);
        prop_assert!(redacted.findings.iter().all(|finding| marker(finding) <= MAX_MARKER));
    }

    #[test]
    fn invisible_characters_hide_no_token(
        places in prop::collection::vec(0usize..40, 1..6),
        hidden in prop::sample::select(hidden::INVISIBLE.as_slice()),
    ) {
        let mut token = format!("ghp_{}", drawn(ALPHANUMERIC, 36));
        let mut places = places;
        places.sort_unstable();
        places.dedup();
        for place in places.iter().rev() {
            token.insert_str(*place, &hidden);
        }
        let redacted = redacted(&format!("a {token} b"));
        prop_assert_eq!(redacted.replace(&hidden, ""), "a [redacted:github-token] b");
    }

    #[test]
    fn findings_are_ordered_disjoint_and_have_line_numbers(text in text()) {
        let found = find(&text);
        prop_assert!(found.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
        for one in &found {
            prop_assert!(!text[one.span.clone()].is_empty());
            prop_assert_eq!(one.line, text[..one.span.start].matches('\n').count() + 1);
        }
    }

    #[test]
    fn any_text_is_accepted(text in "(?s).{0,200}") {
        let redacted = redacted(&text);
        prop_assert_eq!(redacted.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn words_are_untouched(text in "([a-z]{1,12}[ ,.\n]){0,40}") {
        prop_assert_eq!(redacted(&text), text);
    }

    #[test]
    fn private_spans_are_removed(before in "[a-z \n]{0,20}", inside in "[a-z\n]{3,20}", after in "[A-Z \n]{0,20}") {
        let redacted = redacted(&format!("{before}<private>ÄÖÜ{inside}</private>{after}"));
        prop_assert!(!redacted.contains("ÄÖÜ") && redacted.starts_with(&before) && redacted.ends_with(&after));
    }
}

/// Each text would take minutes if a rule scanned the rest of the text at each of its keywords.
#[test]
fn hostile_texts_take_linear_time() {
    let pieces = [
        "<private",
        "<private>",
        "</private>",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "-eyJ",
        "eyJhbGciOiJub25lIn0.",
        "password=",
        "password: \"",
        "token for ",
        "://a:",
        "://",
        "[redacted:",
        "sk-",
        "-us1",
        "curl ",
        "discord ",
        "bearer ",
        "a",
        "\u{1F600}",
        "\n",
        "-----BEGIN PRIVATE KEY-----\nabcdefghijklmnopqrstuvwx\n",
        "Q~",
        "authorization=",
        "api key (a) for x",
        "%",
        "\\",
        "\u{200b}",
        "token\u{200b}",
        "&nbsp;token=",
        "< private >",
        "<Private>",
        "Private-Lines: 9\n",
        "password:\n",
        "password\n\n",
        "# token\n",
        "token\nvalue:",
        "token\",",
        "machine a login ",
        "login a ",
        "auth=",
        "otpauth://",
        "LS0tLS1CRUdJTi",
        "ZXlK",
        "MTk",
        "AAAA",
        "azure ",
        "AZDO",
        "docker login -p ",
        "docker login -p \\\n",
        "htpasswd -b ",
        "'7z ",
        "zip \"",
        "chpasswd",
        "| chpasswd",
        "echo a | chpasswd ",
        "sudo -S ",
        "grant ",
        "create user ",
        "IDENTIFIED ",
        "Kennwort ",
        "Kennwort für ",
        "пароль для ",
        "パスワードは",
        "pass is ",
    ];
    for piece in pieces {
        let text = piece.repeat(400_000 / piece.len());
        assert_eq!(redacted(&text).matches('\n').count(), text.matches('\n').count());
    }
}
