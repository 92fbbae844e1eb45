use super::*;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const CAPITAL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const WIDE: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

/// The kind, the start of the credential, and the alphabet and length of the rest.
const DRAWN: &[(&str, &str, &str, usize)] = &[
    ("aws-access-key", "AKIA", CAPITAL, 16),
    ("aws-access-key", "ASIA", CAPITAL, 16),
    ("gcp-key", "AIza", WIDE, 35),
    ("gcp-token", "ya29.", WIDE, 60),
    ("gcp-client-secret", "GOCSPX-", WIDE, 28),
    ("azure-client-secret", "aB38Q~", ALPHANUMERIC, 34),
    ("digitalocean-token", "dop_v1_", HEX, 64),
    ("alibaba-key", "LTAI", ALPHANUMERIC, 20),
    ("databricks-token", "dapi", HEX, 32),
    ("fly-token", "fm2_", ALPHANUMERIC, 100),
    ("heroku-key", "HRKU-", WIDE, 36),
    ("planetscale-token", "pscale_tkn_", WIDE, 43),
    ("supabase-key", "sbp_", HEX, 40),
    ("vault-token", "hvs.", WIDE, 90),
    ("doppler-token", "dp.pt.", ALPHANUMERIC, 43),
    ("tailscale-key", "tskey-auth-", ALPHANUMERIC, 30),
    ("pulumi-token", "pul-", HEX, 40),
    ("github-token", "ghp_", ALPHANUMERIC, 36),
    ("github-token", "gho_", ALPHANUMERIC, 36),
    ("github-token", "github_pat_", ALPHANUMERIC, 82),
    ("gitlab-token", "glpat-", WIDE, 20),
    ("npm-token", "npm_", ALPHANUMERIC, 36),
    ("pypi-token", "pypi-", WIDE, 160),
    ("rubygems-key", "rubygems_", HEX, 48),
    ("crates-token", "cio", ALPHANUMERIC, 32),
    ("nuget-key", "oy2", LOWER, 43),
    ("docker-token", "dckr_pat_", WIDE, 27),
    ("artifactory-key", "AKCp", ALPHANUMERIC, 69),
    ("circleci-token", "CCIPAT_", ALPHANUMERIC, 60),
    ("buildkite-token", "bkua_", LOWER, 40),
    ("sentry-token", "sntryu_", HEX, 64),
    ("grafana-token", "glc_", ALPHANUMERIC, 60),
    ("newrelic-key", "NRAK-", CAPITAL, 27),
    ("atlassian-token", "ATATT3xFfGF0", WIDE, 180),
    ("linear-key", "lin_api_", ALPHANUMERIC, 40),
    ("notion-token", "ntn_", ALPHANUMERIC, 46),
    ("notion-token", "secret_", ALPHANUMERIC, 43),
    ("figma-token", "figd_", WIDE, 40),
    ("tars-token", "tars_", HEX, 40),
    ("anthropic-key", "sk-ant-api03-", WIDE, 95),
    ("openai-key", "sk-", ALPHANUMERIC, 48),
    ("openai-key", "sk-proj-", WIDE, 120),
    ("openai-key", "sk-or-v1-", HEX, 64),
    ("openai-key", "sk-", HEX, 32),
    ("huggingface-token", "hf_", ALPHANUMERIC, 34),
    ("groq-key", "gsk_", ALPHANUMERIC, 52),
    ("xai-key", "xai-", ALPHANUMERIC, 80),
    ("perplexity-key", "pplx-", ALPHANUMERIC, 48),
    ("replicate-token", "r8_", ALPHANUMERIC, 37),
    ("pinecone-key", "pcsk_", ALPHANUMERIC, 68),
    ("tavily-key", "tvly-dev-", ALPHANUMERIC, 32),
    ("slack-token", "xoxb-", "0123456789-ABCDEFabcdef", 50),
    ("slack-token", "xapp-1-", CAPITAL, 70),
    ("telegram-token", "718293645:AA", WIDE, 33),
    ("mailgun-key", "key-", HEX, 32),
    ("twilio-key", "SK", HEX, 32),
    ("stripe-key", "sk_live_", ALPHANUMERIC, 24),
    ("stripe-key", "rk_live_", ALPHANUMERIC, 99),
    ("stripe-webhook-secret", "whsec_", ALPHANUMERIC, 32),
    ("square-token", "sq0atp-", WIDE, 22),
    ("square-token", "EAAA", WIDE, 60),
    ("facebook-token", "EAA", ALPHANUMERIC, 180),
    ("shopify-token", "shpat_", HEX, 32),
    ("easypost-key", "EZAK", ALPHANUMERIC, 54),
    ("dropbox-token", "sl.", WIDE, 135),
    ("age-key", "AGE-SECRET-KEY-1", CAPITAL, 58),
    ("onepassword-token", "ops_eyJ", ALPHANUMERIC, 250),
    ("aws-bedrock-key", "ABSK", ALPHANUMERIC, 128),
    ("aws-bedrock-key", "bedrock-api-key-", ALPHANUMERIC, 60),
    ("openshift-token", "sha256~", WIDE, 43),
    ("scalingo-token", "tk-us-", WIDE, 48),
    ("yandex-key", "AQVN", WIDE, 36),
    ("gitlab-token", "glffct-", WIDE, 20),
    ("gitlab-token", "GR1348941", WIDE, 20),
    ("artifactory-token", "cmVmd", ALPHANUMERIC, 59),
    ("clojars-token", "CLOJARS_", LOWER, 60),
    ("sourcegraph-token", "sgp_", HEX, 40),
    ("infracost-key", "ico-", ALPHANUMERIC, 32),
    ("prefect-key", "pnu_", ALPHANUMERIC, 36),
    ("readme-key", "rdme_", LOWER, 70),
    ("sonar-token", "squ_", HEX, 40),
    ("settlemint-token", "sm_pat_", ALPHANUMERIC, 16),
    ("intra42-secret", "s-s4t2ud-", HEX, 64),
    ("grafana-key", "eyJrIjoi", ALPHANUMERIC, 90),
    ("frameio-token", "fio-u-", WIDE, 64),
    ("typeform-token", "tfp_", WIDE, 59),
    ("stripe-key", "sk_prod_", ALPHANUMERIC, 24),
    ("shippo-token", "shippo_live_", HEX, 40),
    ("duffel-token", "duffel_live_", WIDE, 43),
    ("flutterwave-key", "FLWSECK_TEST-", "abcdefgh0123456789", 12),
    ("wallet-key", "xprv", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 107),
];

#[test]
fn credentials_are_recognized_by_format() {
    for (kind, start, alphabet, length) in DRAWN {
        let secret = format!("{start}{}", drawn(alphabet, *length));
        for (before, after) in
            [("", ""), ("use ", " today"), ("(`", "`)."), ("日本", "語"), (r"a\n", "\r\n"), ("x=", ",")]
        {
            let text = redacted(&format!("{before}{secret}{after}"));
            assert_eq!(text, format!("{before}[redacted:{kind}]{after}"), "{secret}");
        }
    }
}

#[test]
fn credentials_of_several_parts_are_recognized_by_format() {
    let (hex, letters) = (|length| drawn(HEX, length), |length| drawn(ALPHANUMERIC, length));
    let cases = [
        ("cloudflare-key", format!("v1.0-{}-{}", hex(24), hex(146))),
        ("terraform-token", format!("{}.atlasv1.{}", letters(14), letters(67))),
        ("postman-key", format!("PMAK-{}-{}", hex(24), hex(34))),
        ("airtable-token", format!("pat{}.{}", letters(14), hex(64))),
        ("langsmith-key", format!("lsv2_pt_{}_{}", hex(32), hex(10))),
        ("sendgrid-key", format!("SG.{}.{}", letters(22), letters(43))),
        ("mailchimp-key", format!("{}-us12", hex(32))),
        ("brevo-key", format!("xkeysib-{}-{}", hex(64), letters(16))),
        ("azure-token", format!("{}AZDO{}", letters(76), letters(4))),
        ("azure-key", format!("{}JQQJ9{}", letters(52), letters(27))),
        ("harness-token", format!("pat.{}.{}.{}", letters(22), letters(24), letters(20))),
        ("dynatrace-token", format!("dt0c01.{}.{}", letters(24), letters(64))),
        ("authress-key", format!("sc_{}.{}.acc_{}.{}", letters(9), letters(4), letters(10), letters(40))),
        ("mapbox-token", format!("sk.eyJ{}.{}", letters(60), letters(22))),
        // A base64 account number.
        ("discord-token", format!("MTk4NjIyNDgzNDcxOTI1MjQ4.{}.{}", letters(6), letters(27))),
        ("discord-token", format!("ODA5NjQxMjU4NDcxOTI1MjQ4.{}.{}", letters(6), letters(38))),
        ("onepassword-key", "A3-KT7Q2M-9XWZ4R-B6HNP-3CVLD-8FYGJ-5SE7U".to_owned()),
        // A JSON web token encoded in base64 once more, and the contents of kubeconfig files.
        ("jwt", encoded(&format!("{}.{}.{}", "eyJhbGciOiJub25lIn0", "eyJzdWIiOiIxIn0", letters(43)))),
        ("private-key", encoded(&format!("-----BEGIN EC PRIVATE KEY-----\n{}\n", letters(64)))),
        ("docker-auth", encoded(&format!("{{\"auths\":{{\"a.b\":{{\"auth\":\"{}\"}}}}}}", letters(12)))),
        ("grafana-token", format!("glsa_{}_{}", letters(32), hex(8))),
        // {"alg":"none"}
        ("jwt", format!("{}.{}.{}", "eyJhbGciOiJub25lIn0", "eyJzdWIiOiIxIn0", letters(43))),
    ];
    for (kind, secret) in cases {
        assert_eq!(redacted(&format!("a {secret} b")), format!("a [redacted:{kind}] b"), "{secret}");
    }
}

/// Returns the base64 of a text, without padding.
fn encoded(text: &str) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u8> = text.bytes().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    let digit = |six: &[u8]| six.iter().chain([0; 6].iter()).take(6).fold(0, |all, bit| all << 1 | bit);
    bits.chunks(6).map(|six| char::from(digits[usize::from(digit(six))])).collect()
}

/// The kind, the text before the secret, the secret in pieces, and the text after it.
const PLACED: &[(&str, &str, &[&str], &str)] = &[
    ("aws-secret-key", "aws_secret_access_key = ", &["wJalrXUtnFEMI", "K7MDENGbPxRfiCY9Lq2", "Tz0aBc4d"], "\n"),
    ("azure-key", "AccountName=a;AccountKey=", &["q7R2m9Xz4Lk8Vw3Pq7R2m9Xz4Lk8", "Vw3Pq7R2m9Xz4Lk8Vw3P=="], ";End=x"),
    ("url-password", "postgres://admin:", &["s3cr", "3tpw"], "@db.local:5432/x"),
    ("url-password", "redis://:", &["p@ss", "w0rd"], "@cache"),
    ("url-password", "(https://me:", &["hun", "ter"], "@a.b/c)"),
    ("webhook", "https://hooks.slack.com/services/", &["T00A1B2C3/", "B00D4E5F6/q8W3e7R2t6Y1u5I9o4P0a2S1"], ""),
    ("authorization", "Authorization: Bearer ", &["q8W3e7R2", "t6Y1u5I9"], "\n"),
    ("authorization", "-H 'authorization: Basic ", &["dXNlcjpw", "YXNzMTIz"], "'"),
    ("authorization", "send Bearer ", &["q8W3e7R2", "t6Y1u5I9o4"], " with it"),
    ("password", "curl -s -u me:", &["hun", "ter"], " https://a.b"),
    ("api-key", "api_key = \"", &["q8W3e7", "R2t6Y1"], "\""),
    ("api-key", "- API key: `", &["0f8fad5b-d9cb-469f", "-a165-70867728950e"], "`"),
    ("api-key", "  apiKey: '", &["q8W3e7", "R2t6Y1"], "',"),
    ("token", "export MY_TOKEN=", &["9ae04c7b2f", "d85136aa07"], "\n"),
    ("token", "let token: &str = \"", &["9ae04c7b2f", "d85136aa07"], "\";"),
    ("token", "?access_token=", &["q8W3e7", "R2t6Y1"], "&page=2"),
    ("token", "deploy --auth-token ", &["q8W3e7", "R2t6Y1u5"], " now"),
    ("token", "the token is ", &["q8W3e7R2", "t6Y1u5I9"], "."),
    ("secret", "{\"client_secret\": \"", &["q8W3e7R2", "t6Y1u5I9"], "\"}"),
    ("secret", "{\\\"client_secret\\\": \\\"", &["q8W3e7R2", "t6Y1u5I9"], "\\\"}"),
    ("private-key", "PrivateKey = ", &["yAnz5TF+lXXJte14", "tji3zlMNq+hd2rYUIgJBgB3fBmk="], "\n"),
    ("password", "DB_PASSWORD=", &["hunt", "er2"], "\n"),
    ("password", "SMTP_PASS: ", &["Tr0ub4", "dor&3"], "\n"),
    ("password", "password: ", &["corr3ct", "$horse"], "\r\n"),
    ("password", "**Password:** ", &["hunt", "er2!x9"], "\n"),
    ("password", "**Password**: `", &["hunt", "er2!x9"], "`"),
    ("password", "Passwort: ", &["Xy7", "kLm2q"], ""),
    ("password", "密码：", &["Xy7", "kLm2q"], ""),
    ("password", "user: me pass: ", &["Xy7", "kLm2q"], ", thanks"),
    ("password", "wifi password: ", &["8473", "6251"], "\n"),
    ("password", "Password is ", &["hunt", "er2!x9"], ". Keep it."),
    ("password", "the wifi password is ", &["Xy7", "kLm2q"], ""),
    ("password", "Das WLAN-Passwort ist ", &["kr7z", "Kq9Lm2Xw"], ""),
    ("password", "Passwort für den Router lautet ", &["kr7z", "Kq9Lm2Xw"], ""),
    ("password", "le mot de passe du wifi est ", &["kr7z", "Kq9Lm2Xw"], ""),
    ("password", "The password for the router is ", &["Xy7", "kLm2q"], ","),
    ("password", "password (guest): ", &["Xy7", "kLm2q"], "\n"),
    ("password", "| password | ", &["Xy7", "kLm2q"], " |"),
    ("password", "mysql --password=", &["Xy7", "kLm2q"], " -u me"),
    ("password", "<password>", &["Xy7", "kLm2q"], "</password>"),
    ("password", "password:\n", &["hunt", "er2!x9"], "\n"),
    ("password", "Password:\r\n\r\n  ", &["Xy7", "kLm2q"], "\r\nThen"),
    ("password", "**Wifi password:**\n", &["Xy7", "kLm2q"], ""),
    ("password", "## Password\n\n", &["Xy7", "kLm2q"], "\n"),
    (
        "password",
        "Some words, so that the heading is not near the start of the text, as headings are.\n\n\n## Password\n",
        &["Xy7", "kLm2q"],
        "",
    ),
    ("password", "> password:\n> ", &["Xy7", "kLm2q"], "\n"),
    ("password", "password:\n```text\n", &["Xy7", "kLm2q"], "\n```\n"),
    ("password", "password: |\n  ", &["corr3ct", "$horse"], "\nuser: me"),
    ("password", "password: >-\n    ", &["Xy7", "kLm2q"], "\n"),
    ("password", "{\"password\":\n    \"", &["hunt", "er2x9"], "\",\n\"user\": 1}"),
    ("password", "<password>\n  ", &["Xy7", "kLm2q"], "\n</password>"),
    ("password", "- name: DB_PASSWORD\n  value: \"", &["hunt", "er2x9"], "\""),
    ("password", "<add key=\"ClearTextPassword\" value=\"", &["Xy7", "kLm2q"], "\" />"),
    ("token", "API token:\n\n", &["9ae04c7b2f", "d85136aa07"], "\n"),
    ("token", "setProperty(\"MY_TOKEN\", \"", &["9ae04c7b2f", "d85136aa07"], "\")"),
    ("token", "MY_TOKEN ?= \"", &["9ae04c7b2f", "d85136aa07"], "\""),
    ("token", "MY_TOKEN ::= ", &["9ae04c7b2f", "d85136aa07"], "\n"),
    ("token", "$myToken .= \"", &["9ae04c7b2f", "d85136aa07"], "\";"),
    ("token", "var myToken string = \"", &["9ae04c7b2f", "d85136aa07"], "\""),
    ("token", "AZURE_DEVOPS_EXT_PAT=", &["9ae04c7b2f", "d85136aa07"], "\n"),
    ("token", "PAT: ", &["9ae04c7b2f", "d85136aa07"], ""),
    ("token", "token = \"", &["51928374650918237-qW8eR7", "tY6uI5oP4aS3dF2gH1"], "\""),
    ("token", "token: ", &["qhgd7dgxrxl0n2", "mecmclr69dmaohhfls"], "\n"),
    ("token", "token = \"", &["3730420609734722-cexqgGzh", "vyyOB4pNtkHEnuIJZGV"], "\""),
    ("azure-token", "Azure DevOps: ", &["k7q2mzxw4rb6hnp3cvld5fygjs", "ejt7uaok2q5mzxw4rb6hnp3cvl"], ""),
    ("private-key", "    client-key-data: ", &["q7R2m9Xz4Lk8Vw3Pq7R2m9", "Xz4Lk8Vw3Pq7R2m9Xz4Lk8Vw3P=="], "\n"),
    ("password", "machine a.b login me password ", &["hun", "ter"], "\n"),
    ("password", "machine a.b\n\tlogin me\n\tpassword ", &["hun", "ter"], "\n"),
    ("password", "default login me password ", &["Xy7", "kLm2q"], "\n"),
    ("docker-auth", "\"auths\": {\"a.b\": {\"auth\": \"", &["dXNlcjpw", "YXNzMTIz"], "\"}}"),
    ("docker-auth", "//registry.a.b/:_auth=", &["dXNlcjpw", "YXNzMTIz"], "\n"),
    ("otp-secret", "otpauth://totp/A:me@b.c?secret=", &["K7Q2MZXW4R", "B6HNP3"], "&issuer=A"),
    ("otp-secret", "otpauth-migration://offline?data=", &["CjEKCkhlbGxvId6tvu8S", "GEV4YW1wbGU"], ""),
    ("x-token", "AAAAAAAAAAAAAAAAAAAAA", &["Mx4kQ9AAAA%2Fq8W3e7R2t6Y1", "u5I9o4P0%3Da2S1d4F6g8H0j3"], "\n"),
    ("gitlab-session", "Cookie: _gitlab_session=", &["9ae04c7b2fd85136", "aa07b1c2d3e4f506"], ";"),
    ("sidekiq-key", "BUNDLE_GEMS__CONTRIBSYS__COM=", &["9ae04c7b", ":d85136aa"], "\n"),
    ("password", "curl --user  'me:", &["hun", "ter"], "' https://a.b"),
    ("password", "curl -u :", &["hun", "ter"], " https://a.b"),
    ("password", "curl -u '", &["Xy7kLm", "2q!d4"], ":' https://a.b"),
    ("password", "Server=a;Password=", &["Xy7", "kLm2q"], ";Database=b"),
];

#[test]
fn credentials_are_recognized_by_context() {
    for (kind, before, secret, after) in PLACED {
        let text = redacted(&format!("{before}{}{after}", secret.concat()));
        assert_eq!(text, format!("{before}[redacted:{kind}]{after}"));
    }
    let discord = format!(
        "discord bot: {}.{}.{}",
        drawn("MNO", 1) + &drawn(ALPHANUMERIC, 23),
        drawn(ALPHANUMERIC, 6),
        drawn(ALPHANUMERIC, 27)
    );
    assert_eq!(redacted(&discord), "discord bot: [redacted:discord-token]");
    let webhook = format!("https://discord.com/api/webhooks/123456789012345678/{}", drawn(ALPHANUMERIC, 68));
    assert_eq!(redacted(&webhook), "https://discord.com/api/webhooks/123456789012345678/[redacted:webhook]");
    let signature = format!("?sv=2024&sig={}%3D&x=1", drawn(ALPHANUMERIC, 43));
    assert_eq!(redacted(&signature), "?sv=2024&sig=[redacted:azure-signature]&x=1");
}

#[test]
fn invisible_characters_hide_no_secret() {
    let token = drawn(ALPHANUMERIC, 36);
    let (first, rest) = token.split_at(10);
    for hidden in
        ["\u{200b}", "\u{ad}", "\u{feff}", "\u{2060}\u{200d}", "&shy;", "&zwnj;", "&#8203;", "&nbsp;", "\u{a0}"]
    {
        let text = format!("use\u{200b} ghp_{first}{hidden}{rest} today");
        assert_eq!(redacted(&text), "use\u{200b} [redacted:github-token] today", "{hidden}");
        let text = format!("password:{hidden} hunter2!x9{hidden}\n");
        let kept = if hidden == "&nbsp;" || hidden == "\u{a0}" { hidden } else { "" };
        let redacted = redacted(&text);
        assert!(redacted.starts_with("password:") && !redacted.contains("hunter2"), "{redacted}");
        assert!(redacted.ends_with(&format!("{kept}\n")), "{redacted}");
    }
    assert_eq!(redacted("mot de passe\u{a0}: Xy7kLm2q"), "mot de passe\u{a0}: [redacted:password]");
    // An invisible character right before a token does not hide it.
    let text = format!("word\u{200b}ghp_{token}");
    assert_eq!(redacted(&text), "word\u{200b}[redacted:github-token]");
}

#[test]
fn a_value_is_judged_by_length_format_and_link_to_its_name() {
    for (taken, kept) in [
        ("password = 7kestrel4moor", "the password is 7kestrel4moor"),
        ("token = x7Kp2mQ9zR", "token = x7Kp2mQ9z"),
        ("token = x7Kp2mQ9zR", "the token is x7Kp2mQ9zR"),
        ("| token | x7Kp2mQ9zR4tv8Lw |", "| token | x7Kp2mQ9zR4tv8 |"),
        ("the token is x7Kp2mQ9zR4tv8Lw", "the token is configuration-of-the-server"),
        ("api_key = \"x7Kp2mQ9zR4t(v8Lw\"", "api_key = x7Kp2mQ9zR4t(v8Lw"),
    ] {
        assert!(redact(taken).text.contains("[redacted:"), "{taken}");
        assert_eq!(redact(kept).text, kept);
    }
}

#[test]
fn a_password_further_on_in_a_sentence_is_taken() {
    check(&[
        "router Kennwort «4WegWusdN8Bz»",
        "hasło do rejestracji na \"«kwiat77maj»\"",
        "Uw tijdelijke wachtwoord luidt '«Haring-2-Uien»'. Wijzig dit.",
        "das Kennwort für den Drucker im Flur lautet jetzt «Regen4schirm»",
        "mot de passe provisoire : «Xa7-Brume»",
        "来访客人输入这个月的密码（«hupo-71Lu»）就行。",
        "a senha [«pe7_tucano»] sem os colchetes",
        "Geçici parolanız aşağıdadır.\n«Tk83-Lale»",
    ]);
    for kept in [
        "the password for server01 is in the safe of room B12",
        "Pass the salt, the password policy of 2024 asks for 12 characters",
        "The password \"field\" of form7 is too short",
        "密码错误,请在30分钟后重试",
        "パスワードの有効期限は2024年12月20日です。変更はOffice365の画面から行ってください。",
        "\"비밀번호 오류\" 메시지는 GalaxyS24에서 버전 3.9.1부터 나옵니다",
        "the password (AES-256) is stored as (sha256)",
    ] {
        assert_eq!(redacted(kept), kept);
    }
}
