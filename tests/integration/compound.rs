//! Compound questions.

use crate::harness::TestVault;

const QUESTION: &str =
    "When was the safety valve of the gas boiler in the cellar serviced by the plumber and who painted the fence?";

/// Six notes about the half of the question with more words, one about the other half, and others.
fn vault() -> TestVault {
    let vault = TestVault::new();
    let visits = ["rust in the sieve", "a new gasket", "a quiet pump", "a low flame", "hard water", "a warm flue"];
    for (number, visit) in visits.into_iter().enumerate() {
        let text =
            format!("The plumber serviced the safety valve of the gas boiler in the cellar and found {visit}.\n");
        vault.write(&format!("Boiler {number}.md"), text);
    }
    for number in 0..20 {
        vault.write(&format!("Walk {number}.md"), format!("Walk {number} along the river with the dog.\n"));
    }
    vault.write(
        "Garden.md",
        "# Garden\n\nPainted in two dry days by Ilse and her brother: the whole fence, up to the gate.\n",
    );
    vault.index();
    vault
}

#[test]
fn a_part_without_a_first_result_gets_one_and_explain_says_so() {
    let vault = vault();
    let hits = vault.search(&["sgrep", "-n", "8", QUESTION]);
    let found: Vec<&str> = hits.iter().map(|hit| hit["path"].as_str().unwrap()).collect();
    assert!(found[0].starts_with("Boiler") && found[4] == "Garden.md", "{found:?}");
    assert_eq!(found.len(), 7, "every note once: {found:?}");
    let shown = vault.tars(["sgrep", "--explain", QUESTION]).run().success();
    assert!(shown.stderr().contains("the question has 2 parts"), "{shown}");
    // A question of one part is not explained by parts, and no quoted phrase is one.
    for single in ["Who painted the fence?", "\"valve of the boiler\" and who painted the fence"] {
        let shown = vault.tars(["sgrep", "--explain", single]).run();
        assert!(!shown.stderr().contains(" parts"), "{single}: {shown}");
    }
}
