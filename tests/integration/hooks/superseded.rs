//! Superseded facts and prompts.

use super::Plugin;

#[test]
fn a_superseded_line_is_shown_only_for_questions_about_the_past_and_with_its_successor() {
    let plugin = Plugin::new();
    plugin.vault.write(
        "tars/Memory.md",
        "# Memory\n\n- The photo service listens on port 8080\n- Anna works at the harbour office\n",
    );
    let replace = |words: &str, text: &str| {
        plugin.vault.tars(["remember", "--replace", words, text]).run().success();
    };
    replace("harbour office", "Anna works at the museum");
    replace("port 8080", "The photo service listens on port 2283");
    plugin.vault.index();
    for prompt in ["which port does the photo service listen on", "where does Anna work, at the harbour office"] {
        let told = plugin.prompt(prompt);
        assert!(!told.contains("8080") && !told.contains("harbour"), "{prompt}: {told}");
    }
    let told = plugin.prompt("where did Anna work before?");
    let line = told.lines().find(|line| line.contains("harbour office")).unwrap_or_else(|| panic!("{told}"));
    assert!(line.starts_with("- No longer true: Anna works at the harbour office (was so "), "{line}");
    assert!(line.ends_with("; now: Anna works at the museum)"), "{line}");
    assert_eq!(told.matches("harbour").count(), 1, "{told}");
    let told = plugin.prompt("which port did the photo service listen on previously?");
    assert!(told.contains("port 8080 (was so "), "{told}");
    assert_eq!(told.matches("8080").count(), 1, "{told}");
}
