//! The word for a password in many languages, and the words that join it to its value.

/// A word with the endings that it takes, as a pattern. The search for words ignores the case of ASCII letters alone, so
/// a word starts where its case no longer changes: `ароль` is found in `Пароль`.
#[rustfmt::skip]
pub(super) const WORDS: &[(&str, &str)] = &[
    ("password", ""), ("passwd", ""), ("passphrase", ""), ("passcode", ""), ("passwort", ""), ("kennwort", ""),
    ("wachtwoord", ""), ("mot de passe", ""), ("mots de passe", ""), ("mdp", ""), ("contraseña", ""),
    ("contrasenya", ""), ("clave", ""), ("palavra-passe", ""), ("senha", ""), ("parola", "(?:sı|m)?"), ("has\u{142}o", ""),
    ("heslo", ""), ("geslo", ""), ("lozinka", ""), ("lösenord", "(?:et)?"), ("adgangskode", "n?"), ("passord", "(?:et)?"),
    ("salasana", ""), ("jelszó", ""), ("şifre", "(?:si|m)?"), ("Şifre", "(?:si|m)?"), ("ароль", ""), ("арола", ""),
    ("ωδικός", ""), ("كلمة المرور", ""), ("كلمة السر", ""), ("סיסמה", ""), ("पासवर्ड", ""), ("รหัสผ่าน", ""),
    ("mật khẩu", ""), ("kata sandi", ""), ("密码", ""), ("密碼", ""), ("パスワード", ""), ("비밀번호", ""), ("비번", ""), ("암호", ""), ("解压码", ""),
    ("pwd", ""),
];

/// These end other words too (`enclave`), so they must start one.
pub(super) const WHOLE_WORDS: &[&str] = &["pass", "pat", "pw", "mdp", "clave", "parola", "heslo", "geslo"];

/// Words after which the place of a password follows: "the password for the router". A pattern.
pub(super) const LINKS: &str = "for|to|of|on|at|für|fürs|von|vom|der|des|zum|zur|im|pour|du|de|para|del|della|per|do|da|\
    dla|od|voor|van|till|för|til|от|для|к|на";

/// Verbs before the value. A pattern.
pub(super) const VERBS: &str = "is|was|ist|war|lautet|est|es|era|è|é|este|to|är|er|on|je|είναι|là";

/// Verbs that are words of another kind next to the names of other languages, each with the only name for it.
pub(super) const VERBS_OF_ONE: [(&str, &str); 2] = [("to", "has\u{142}o"), ("on", "salasana")];

/// Further words before the value, which announce one anywhere in the sentence.
const ANNOUNCING: [&str; 26] = [
    "luidt",
    "brzmi",
    "zní",
    "zni",
    "wird",
    "sarà",
    "será",
    "sera",
    "now",
    "jetzt",
    "isses",
    "nun",
    "nu",
    "maintenant",
    "ahora",
    "adesso",
    "agora",
    "теперь",
    "он",
    "она",
    "oldu",
    "está",
    "są",
    "jsou",
    "são",
    "være",
];

/// Whether the value of a password may follow a word.
pub(super) fn announces(word: &str) -> bool {
    let word = word.to_lowercase();
    ANNOUNCING.contains(&word.as_str()) || VERBS.split('|').any(|verb| verb == word && verb != "to" && verb != "on")
}

/// Returns the length of the word for a password that begins the text, with its ending; `None` if a longer name in code goes on from it.
pub(super) fn length(text: &[u8]) -> Option<usize> {
    const MAX_ENDING: usize = 8;
    // More than the longest word with its ending.
    let text = &text[..text.len().min(80)];
    let opens = |word: &str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()));
    let words = WORDS.iter().map(|(word, _)| *word).chain(["pw"]);
    let length = words.filter(|word| opens(word)).map(str::len).max()?;
    let rest = text.utf8_chunks().next().map_or("", |chunk| chunk.valid()).get(length..)?;
    let is_letter = |c: char| c.is_alphabetic() && c < '\u{3040}';
    let ending: usize = rest.chars().take_while(|c| is_letter(*c)).take(MAX_ENDING).map(char::len_utf8).sum();
    let goes_on = rest[ending..].starts_with(|c: char| is_letter(c) || c.is_ascii_digit() || "_-.([$".contains(c));
    (!goes_on).then_some(length + ending)
}

/// Particles and verbs of languages that put no blank around them. A pattern.
pub(super) const PARTICLES: &str = "は|が|是|为|為|는|은";

/// Whether a word is one of [`LINKS`].
pub(super) fn is_link(word: &[u8]) -> bool {
    LINKS.split('|').any(|link| link.as_bytes() == word)
}
