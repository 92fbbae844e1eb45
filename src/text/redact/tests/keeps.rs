use super::*;

/// Texts that only look like secrets.
const KEPT: &[&str] = &[
    // Hashes and ids
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "fixed in 3f78685 (#12)",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "token: sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "blake3 af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
    "\"integrity\": \"sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==\"",
    "![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk)",
    "a block ^abc123, a [[Wiki link|token: it]], a #tag/token",
    // Placeholders
    "api_key = \"your-api-key\"",
    "api_key: xxxxxxxxxxxxxxxx",
    "token: <token>",
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${TOKEN}",
    "Authorization: Bearer $TOKEN",
    "export TOKEN=$OTHER_TOKEN1",
    "TOKEN=${TOKEN_2}",
    "password: {{vault_password_1}}",
    "password: ********",
    "password: ••••••••",
    "password = %PASSWORD1%",
    "password: changeme1",
    "password: [redacted:password]",
    "aws_access_key_id = AKIAIOSFODNN7EXAMPLE",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_0123456789abcdefghij0123456789abcdefghij",
    "secret = 12345678",
    "https://user:password@host, https://user:pass@host, https://user:${PW}@host, https://user:<password>@host",
    // Code
    "let token = parser.next_token();",
    "let token2 = tokens[index2];",
    "token = get_token()",
    "password = os.environ[\"PASSWORD1\"]",
    "const secret = process.env.CLIENT_SECRET_2",
    "api_key=settings.api_key_v2",
    "api_key=self.settings_api_key_v2,",
    "secret = None",
    "password: Option<String>,",
    "password: &'a str, token: u64",
    "password: crate::auth::Password2",
    "if password == other_password2 {}",
    "let password = \"password123\";",
    "token_count = 1234567890, max_tokens: 4096",
    "secret_name = \"prod/db/creds-AbC123xYz9\"",
    "tokenCount: q8W3e7R2t6Y1",
    "tokenizer = BertTokenizerFast2",
    "password VARCHAR(255) NOT NULL",
    "| password | varchar(255) |",
    "key: value, monkey: q8W3e7R2t6Y1u5",
    "password_hash_id: q8W3e7R2t6Y1u5",
    "{{ .auth.password | b64enc | quote }}",
    "id_token_encrypted_response_enc: 'A128CBC-HS256'",
    "call(\"token\", name2index4value8)",
    "[\"password\", \"username\", \"email\"]",
    "password:\n  min_length: 8\n  max_length: 64",
    "password: |\n  Use at least 8 characters.",
    "secrets:\n  - name: db2\n",
    "- name: DB_PASSWORD\n  valueFrom: q8W3e7R2t6",
    "client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJrVENCKzZBREFnRUNBZ1lKS29aSWh2Y05BUUVM",
    // Prose
    "password: must be at least 8 characters",
    "Passwords: 8-64 characters",
    "token: the next word",
    "The password is required by nobody, and a token is 4 bytes.",
    "The password is base64-encoded, then the password is SHA256-hashed",
    "The password is 8-character",
    "the password was leaked in 2019",
    "Forgotten your password?\nResetting it takes 5 minutes.",
    "## Password\n\nAt least 8 characters.",
    "## Passwords\n\nhttps://example.org/q8W3e7R2",
    "Password\nXy7kLm2q",
    "a login form with a password field2",
    "machine learning and login pages: password rules",
    "auth: basic, auth=none, author: me, auth: token",
    "spat: q8W3e7R2t6Y1u5, path: q8W3e7R2t6Y1u5",
    "&nbsp;&nbsp;a word\u{a0}: another\u{200b} one",
    "Mon, MTA, NDA, OTA updates, MTI 12.34.56",
    "https://registry.example.org/token-based-authentication-with-otpauth",
    "password: 2024-01-31",
    "password: see ~/notes/keys/q8W3e7R2.md",
    "password: /run/secrets/db1",
    "password: me@example1.org",
    "token: https://example.org/q8W3e7R2t6Y1u5",
    "secret: v1.2.3",
    "compass: q8W3e7R2",
    "the secretary: q8W3e7R2t6Y1",
    "password: sunflower",
    "password: \"my dog has 4 legs!\"",
    "basic authentication, bearer authentication2, Basic understanding",
    "task-0123abcd0123abcd0123abcd, risk-based-analysis-of-2-things-in-2024",
    "sk-learn-classifier-with-many-words-2",
    "sentence-transformers/all-MiniLM-L6-v2, gpt-4o-mini-2024-07-18, claude-opus-4-20250514",
    "http://localhost:8080/a@b, git@github.com:a/b.git, ssh://git@host:22/x, mailto:a@b.c",
    "eyJhbGciOiJub25lIn0 alone, eyJmb28iOiJiYXIifQ.eyJmb28iOiJiYXIifQ.abc",
];

#[test]
fn texts_that_only_look_like_secrets_are_kept() {
    let taken: Vec<_> = KEPT.iter().filter(|text| redacted(text) != **text).map(|text| redacted(text)).collect();
    assert!(taken.is_empty(), "{taken:#?}");
}

#[test]
fn token_formats_inside_a_word_are_kept() {
    let token = format!("ghp_{}", drawn(ALPHANUMERIC, 36));
    let word = format!("x{token}");
    assert_eq!(redacted(&word), word);
    let short = format!("AKIA{} ", drawn("ABCDEFGHIJ234567", 17));
    assert_eq!(redacted(&short), short);
}
