//! The output at a terminal, as opposed to that for programs.

use crate::harness::{Output, TarsCommand, TestVault};

/// Runs tars on a terminal of so many columns, provided by Python, which the setup needs anyway. Standard output holds both streams.
fn on_terminal(vault: &TestVault, columns: u16, arguments: &[&str]) -> TarsCommand {
    let script = r#"
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
try:
    while chunk := os.read(terminal, 65536):
        os.write(1, chunk)
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;
    TarsCommand::of_program("python3", vault.home())
        .env("TARS_VAULT", vault.root())
        .env("TARS_DATA_DIR", vault.data())
        .env("TARS_EMBEDDING_PROVIDER", "none")
        .args(["-c", script, &columns.to_string(), env!("CARGO_BIN_EXE_tars")])
        .args(arguments)
        .env("TERM", "xterm")
}

fn results(output: &Output) -> usize {
    output
        .stdout()
        .lines()
        .map(plain)
        .filter(|line| !line.is_empty() && !line.starts_with(' ') && !line.starts_with("tars: "))
        .count()
}

/// Returns a line without its colours.
fn plain(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[test]
fn results_fit_the_screen() {
    let vault = TestVault::of_words();
    for number in 0..12 {
        vault.write(&format!("n{number}.md"), format!("{} walrus {}\n", "on the ice ".repeat(9), number));
    }
    vault.index();
    let shown = on_terminal(&vault, 40, &["sgrep", "walrus"]).run().success();
    assert_eq!(results(&shown), 5, "{shown}");
    let lines = shown.stdout();
    let telling: Vec<&str> = lines.lines().filter(|line| line.contains("walrus")).collect();
    assert_eq!(telling.len(), 5, "{shown}");
    for line in lines.lines().map(plain) {
        assert!(line.trim_end().chars().count() <= 40, "{line:?}");
    }
    vault
        .write(
            "A folder with a long name/Of notes that nobody moved.md",
            "# A heading that is long as well\n\nwalrus\n",
        )
        .index();
    let shown = on_terminal(&vault, 80, &["sgrep", "walrus"]).run().success();
    assert!(shown.stdout().lines().count() <= 23, "five results and a prompt fit a screen: {shown}");
    assert!(shown.stdout().lines().map(plain).all(|line| line.trim_end().chars().count() <= 80), "{shown}");
    assert_eq!(results(&on_terminal(&vault, 40, &["sgrep", "walrus", "-n", "7"]).run()), 7);
    assert_eq!(vault.search(&["sgrep", "walrus"]).len(), 10, "JSON stays as it was");
    assert_eq!(results(&vault.tars(["sgrep", "walrus"]).run()), 10, "a pipe too");
    let set = on_terminal(&vault, 40, &["sgrep", "walrus"]).env("TARS_SEARCH_LIMIT", "8");
    assert_eq!(results(&set.run()), 8);
}

#[test]
fn a_long_path_can_be_copied() {
    let vault = TestVault::of_words();
    let path =
        "Projects/A folder with a rather long name/Minutes of the meetings/2026-11-20 The budget of next year.md";
    vault.write(path, "# Budget\n\nThe walrus costs 4,200.\n").index();
    for columns in [40, 80] {
        let shown = on_terminal(&vault, columns, &["sgrep", "walrus"]).run().success();
        let lines: Vec<String> = shown.stdout().lines().map(plain).collect();
        assert_eq!(lines[0].trim_end(), format!("{path}:3"), "{shown}");
        assert!(lines[1].starts_with("  Budget  ") && lines[1].contains("relevant"), "{shown}");
    }
    let wide = on_terminal(&vault, 200, &["sgrep", "walrus"]).run().success();
    assert!(plain(wide.stdout().lines().next().unwrap()).contains(&format!("{path}:3  Budget  ")), "{wide}");
}

#[test]
fn lines_of_the_memory_wrap_between_words() {
    let vault = TestVault::of_words();
    let text =
        "Fixed the roof with Mara and put the ladder back into the shed behind the workshop where it needs a hook";
    for arguments in [&["daily", text][..], &["remember", text], &["week"]] {
        let shown = on_terminal(&vault, 50, arguments).run().success();
        let lines: Vec<String> = shown.stdout().lines().map(plain).collect();
        assert!(lines.iter().all(|line| line.trim_end().chars().count() <= 50), "{shown}");
        let words: Vec<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
        assert!(words.join(" ").contains("the shed behind the workshop"), "{shown}");
    }
}

#[test]
fn progress_fits_a_narrow_terminal() {
    let vault = TestVault::of_words();
    for number in 0..40 {
        vault.write(&format!("n{number}.md"), format!("walrus {number}\n").repeat(2_000));
    }
    for (columns, bar) in [(40, false), (100, true)] {
        let output = on_terminal(&vault, columns, &["index", "--full"]).run().success();
        let shown = output.stdout();
        let frames: Vec<&str> = shown.split(['\r', '\n']).filter(|frame| frame.contains("reading")).collect();
        assert!(!frames.is_empty(), "{output}");
        for frame in frames {
            // Erases the line before drawing it again.
            let plain = frame.replace("\u{1b}[2K", "");
            assert!(plain.chars().count() <= usize::from(columns), "{frame:?}");
            assert_eq!(plain.contains(['█', '░']), bar, "{frame:?}");
        }
    }
}

/// A query whose only known word is in every note.
const FAR_OFF: &str = "walrus philately escutcheon gyroscope marzipan quasar harpsichord zeppelin trombone paprika obelisk \
                       samovar tungsten yodelling locksmith brocade";

fn far_off() -> TestVault {
    let vault = TestVault::of_words();
    for number in 0..9 {
        vault.write(&format!("n{number}.md"), format!("# Ice\n\nA walrus, number {number}.\n"));
    }
    vault.index();
    vault
}

#[test]
fn irrelevant_hits_are_not_listed() {
    let vault = far_off();
    let score = vault.search(&["sgrep", FAR_OFF])[0]["score"].as_f64().unwrap();
    assert!(score < 0.25, "{score}");
    let shown = on_terminal(&vault, 80, &["sgrep", FAR_OFF]).run().code(1);
    let lines: Vec<&str> = shown.stdout().lines().collect();
    let nearest = format!("nothing relevant; nearest: n0.md › Ice ({score:.2})");
    assert!(lines.len() == 1 && lines[0].contains(&nearest) && results(&shown) == 0, "{shown}");
    for further in [&["--all"][..], &["--min-score", "0"], &["--min-score", "0.01"]] {
        let shown = on_terminal(&vault, 80, &[&["sgrep", FAR_OFF], further].concat()).run().success();
        assert_eq!(results(&shown), 5, "{shown}");
    }
    let set = on_terminal(&vault, 80, &["sgrep", FAR_OFF]).env("TARS_SEARCH_MIN_SCORE", "0.01").run().success();
    assert_eq!(results(&set), 5, "{set}");
    assert_eq!(vault.search(&["sgrep", FAR_OFF]).len(), 9, "JSON stays as it was");
    assert_eq!(results(&vault.tars(["sgrep", FAR_OFF]).run().success()), 9, "a pipe too");
}

#[test]
fn hits_of_a_single_common_word_are_listed() {
    let vault = far_off();
    vault.write("long.md", format!("# Ice\n\n{} okapi\n", "Snow on the floe. ".repeat(60))).index();
    assert_eq!(results(&on_terminal(&vault, 80, &["sgrep", "okapi"]).run().success()), 1);
}

#[test]
fn relevant_hits_are_listed_without_the_rest() {
    let vault = far_off();
    vault.write("best.md", format!("# Best\n\n{FAR_OFF}\n")).index();
    let scores: Vec<f64> = vault.search(&["sgrep", FAR_OFF]).iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
    assert!(scores[0] >= 0.75 && scores[1] < 0.25, "{scores:?}");
    let shown = on_terminal(&vault, 80, &["sgrep", FAR_OFF]).run().success();
    assert_eq!(results(&shown), 1, "{shown}");
    assert!(!shown.stdout().contains("nothing relevant"), "{shown}");
}

#[test]
fn an_expanded_note_wraps_between_words() {
    let vault = TestVault::of_words();
    let text = "Sourdough rests overnight in the refrigerator before baking. ".repeat(4);
    vault.write("Bread.md", format!("# Loaf\n\n- {}\n", text.trim_end())).index();
    let id = vault.search(&["sgrep", "sourdough"])[0]["id"].as_str().unwrap().to_owned();
    let shown = on_terminal(&vault, 40, &["expand", &id]).run().success();
    let lines: Vec<String> = shown.stdout().lines().map(plain).collect();
    assert!(lines.iter().all(|line| line.trim_end().chars().count() <= 40), "{shown}");
    let wrapped = lines.iter().filter(|line| line.starts_with("- ") || line.starts_with("  "));
    let words: Vec<&str> = wrapped.flat_map(|line| line.trim_start_matches("- ").split_whitespace()).collect();
    assert_eq!(words.join(" "), text.trim_end());
    let piped = vault.tars(["expand", &id]).run().success();
    assert!(piped.stdout().contains(&format!("- {}\n", text.trim_end())), "{piped}");
}

#[test]
fn a_title_match_shows_text_and_the_title_once() {
    let vault = TestVault::of_words();
    let feeding = "Feed the jar every morning with flour and water. ".repeat(60);
    vault.write("Starter.md", format!("# Walrus jar\n\n## Feeding\n\n{feeding}\n"));
    vault.write("Short.md", "# Harpsichord\n\nIt stands in the hall.\n\nTune it in May.\n");
    vault.write("Bare.md", "# Zeppelin\n").index();
    let text = |query: &str| -> Vec<String> {
        let shown = vault.tars(["sgrep", query]).run().success();
        shown.stdout().lines().skip(1).map(|line| line.trim().to_owned()).collect()
    };
    assert_eq!(text("harpsichord"), ["It stands in the hall.", "Tune it in May."]);
    let starter = text("walrus");
    assert!(starter[0] == "## Feeding" && starter[1].starts_with("Feed the jar"), "{starter:?}");
    assert_eq!(text("zeppelin"), ["# Zeppelin"], "there is no other text");
    let answer = &vault.search(&["sgrep", "harpsichord"])[0];
    assert!(answer["content"].as_str().unwrap().starts_with("# Harpsichord\n"), "JSON stays as it was");
}

#[test]
fn the_lines_of_status_fit_the_terminal() {
    let vault = TestVault::of_words().without("TARS_EMBEDDING_PROVIDER");
    vault.write("a.md", "Die Heizung brummt in der Nacht, und niemand weiß, warum das so ist.\n".repeat(40)).index();
    let shown = on_terminal(&vault, 60, &["status"]).run().success();
    for line in shown.stdout().lines().map(plain) {
        // A path is not wrapped, so that it can be copied.
        assert!(line.trim_end().chars().count() <= 60 || line.contains('/'), "{line}\n{shown}");
    }
}

#[test]
fn long_output_goes_to_the_pager_of_the_environment() {
    let vault = TestVault::of_words();
    for number in 0..40 {
        vault.write(&format!("n{number:02}.md"), format!("# N{number}\n\nwalrus\n"));
    }
    vault.index();
    // A pager that marks each line; nothing in the variable is run by a shell.
    let paged = |arguments: &[&str], pager: &str| {
        on_terminal(&vault, 80, arguments).env("TARS_PAGER", pager).run().success().stdout().matches("> ").count()
    };
    let pager = "sed -e 's/^/> /'";
    assert!(paged(&["list"], pager) >= 40);
    assert_eq!(paged(&["list", "-n", "3"], pager), 0, "a short list");
    assert_eq!(paged(&["list", "--no-pager"], pager), 0);
    assert_eq!(paged(&["list"], ""), 0);
    let missing = on_terminal(&vault, 80, &["list"]).env("PAGER", "no-such-pager; true").run().success();
    assert!(missing.stdout().contains("cannot start the pager") && missing.stdout().contains("n39.md"), "{missing}");
    let piped = vault.tars(["list"]).env("TARS_PAGER", pager).run().success();
    assert!(!piped.stdout().contains("> "), "{piped}");
}
