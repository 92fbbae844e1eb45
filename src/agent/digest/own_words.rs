//! Separates a person's own words from a pasted log, trace or piece of code.

use tars_text::markdown::CodeFence;

/// Maximum length of a one-line message that counts as a person's words, whatever it looks like.
const MAX_SHORT: usize = 200;
/// Beginnings of pasted lines.
#[rustfmt::skip]
const BEGINNINGS: &[&str] = &[
    "at ", "File \"", "Traceback", "Caused by", "error[", "error:", "warning:", "-->", "$ ", "> ", "# ", "+++", "---",
    "@@", "+ ", "thread '", "note:", "help:", "import ", "from ", "use ", "fn ", "pub fn ", "function ",
    "async function ", "// ", "export function ", "export async ", "export const ", "export default ", "def ",
    "class ", "const ", "let ", "var ", "return ", "if (", "for (", "while (", "SELECT ", "INSERT ", "UPDATE ",
    "CREATE ", "GET ", "POST ", "PUT ", "npm ", "goroutine ", "panic:", "E  ", "#include", "public ", "private ",
    "func ", "package ", "Exception", "#0", "#1",
];

/// Returns the lines of a message that a person wrote, without code blocks, logs, traces and code. If nothing else is
/// left, returns the line that names the error, so that a bare trace is a question too.
pub fn own_words(message: &str) -> String {
    let is_short = message.chars().count() <= MAX_SHORT && !message.trim().contains('\n');
    if is_short {
        return message.to_owned();
    }
    let lines: Vec<&str> = message.lines().collect();
    let pasted = pasted(&lines);
    let kept: Vec<&str> = lines.iter().zip(&pasted).filter(|(_, pasted)| !**pasted).map(|(line, _)| *line).collect();
    if kept.iter().any(|line| line.chars().filter(|c| c.is_alphabetic()).count() > 2) {
        return kept.join("\n").trim().to_owned();
    }
    let names_error = |line: &&&str| {
        let plain = line.to_lowercase();
        ["error", "exception", "panic", "failed", "fatal", "fehler", "erreur"].iter().any(|word| plain.contains(word))
    };
    let line = lines.iter().find(names_error).or_else(|| lines.iter().find(|line| !line.trim().is_empty()));
    line.map_or_else(String::new, |line| line.trim().to_owned())
}

/// Returns for each line whether it was pasted.
fn pasted(lines: &[&str]) -> Vec<bool> {
    let mut fence = CodeFence::default();
    let mut out: Vec<bool> = lines.iter().map(|line| fence.holds(line) || is_pasted(line)).collect();
    // A non-empty line between two pasted ones belongs to the same paste.
    for index in 1..out.len().saturating_sub(1) {
        out[index] |= out[index - 1] && out[index + 1] && !lines[index].trim().is_empty();
    }
    out
}

/// Whether a line looks like part of a log, a trace or code.
fn is_pasted(line: &str) -> bool {
    let text = line.trim();
    if text.is_empty() {
        return false;
    }
    let is_indented = line.starts_with("    ") || line.starts_with('\t');
    let ends_as_code = text.ends_with(['{', '}', ';', '\\', ')', ']', '>']) && !text.ends_with(":)");
    let begins_as_date = text.len() > 10
        && text.trim_start_matches(['[', '(']).starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().take(24).filter(u8::is_ascii_digit).count() >= 6;
    let letters = text.chars().filter(|c| c.is_alphabetic() || *c == ' ' || ",.'’!?".contains(*c)).count();
    let is_symbols = letters * 10 < text.chars().count() * 7;
    // The word at the start of the line, which may be a log level.
    let level = text.trim_start_matches(['[', '(']).split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_level = ["INFO", "WARN", "WARNING", "ERROR", "DEBUG", "TRACE", "FATAL", "CRITICAL"].contains(&level);
    let begins = BEGINNINGS.iter().any(|start| text.starts_with(start));
    let has_blanks = text.split_whitespace().count() > 1;
    begins_as_date
        || is_level
        || is_symbols
        || (is_indented && (ends_as_code || !has_blanks || begins))
        || (begins && (ends_as_code || is_indented || text.contains([':', '(', '/', '='])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_traces_are_left_out() {
        let message = "the importer dies again, what was it last time?\n\n\
            2026-03-02T09:12:44Z INFO importer: reading batch 12\n\
            2026-03-02T09:12:45Z ERROR importer: unexpected EOF\n\
            Traceback (most recent call last):\n  File \"/srv/importer/run.py\", line 88, in <module>\n    main()\n\
            EOFError: stream ended\n";
        let own = own_words(message);
        assert!(own.starts_with("the importer dies again, what was it last time?"), "{own}");
        assert!(!own.contains("Traceback") && !own.contains("INFO"), "{own}");
        let code = "Why is this slow?\n```rust\nfn main() {\n    loop {}\n}\n```\nIt used to be fast, since March it is not. And the fans are loud, \
            which they never were before, not even with the old version of it.";
        assert!(own_words(code).starts_with("Why is this slow?\nIt used to be fast"), "{}", own_words(code));
    }

    #[test]
    fn a_bare_trace_is_reduced_to_its_error() {
        let trace = format!(
            "{}\n2026-03-02 09:12:45 ERROR disk full on /dev/sda1\n",
            "2026-03-02 09:12:44 INFO tick\n".repeat(9)
        );
        assert_eq!(own_words(&trace), "2026-03-02 09:12:45 ERROR disk full on /dev/sda1");
        assert_eq!(own_words(""), "");
    }

    #[test]
    fn prose_is_unchanged() {
        let prose = "Please look at the timer in src/timer.rs.\n\n- it counts seconds\n- it should count minutes\n\nUse minutes for now; I will \
            tell you when that changes. The deploy (on staging) can wait until Thursday, after the tests.";
        assert_eq!(own_words(prose), prose);
        assert_eq!(own_words("fix `let a = 1;`"), "fix `let a = 1;`");
    }

    proptest::proptest! {
        #[test]
        fn own_words_are_never_longer_than_the_message(message in "(```|at x|[a-z ]{0,9}|2026-03-02 09:12:44|\n|\\PC){0,40}") {
            let own = own_words(&message);
            proptest::prop_assert!(own.len() <= message.len());
        }
    }
}
