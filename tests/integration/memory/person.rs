//! The person's section of Memory.md, which `tars review --propose` maintains.

use super::{MEMORY, all, answer, bytes, run, vault_with};

const LIST: &str = "tars/proposals.md";
const LOG: &str = "tars/2026-03-02.md";

#[test]
fn a_new_statement_about_the_person_is_shown_with_the_line_it_replaces() {
    let text = "# Memory\n\n## Person\n- My name is Anna\n- Anna works at the harbour office\n- Drinks no coffee\n";
    let vault = vault_with(text);
    let log = "# 2026-03-02\n\n## Session 09:20 · acme/api\n<!-- tars:session a turns=1 by=extractive -->\n\
         - 09:20 [extracted] I work at the museum now\n- 09:21 [extracted] I live in Bremen\n\
         - 09:22 [extracted] I never drink coffee\n";
    vault.write(LOG, log);
    let proposed = answer(&vault, &["review", "--propose"]);
    let found = &proposed["proposals"];
    assert_eq!(all(found, "change"), ["replace", "add"]);
    assert_eq!(all(found, "section"), ["Person", "Person"]);
    assert_eq!(found[0]["lines"][0], "Anna works at the harbour office");
    assert_eq!(all(&proposed["dropped"], "reason"), ["known"]);
    assert_eq!(vault.read(MEMORY), text, "nothing is changed before the person's word");

    let list = vault.read(LIST).replacen("- [ ] No longer so", "- [x] No longer so", 1);
    vault.write(LIST, list.replace("- [ ] Add", "- [-] Add"));
    assert_eq!(all(&answer(&vault, &["review", "--settle"]), "status"), ["accepted", "refused"]);
    assert_eq!(vault.read(MEMORY), text.replace("Anna works at the harbour office", "I work at the museum now"));
    assert!(vault.read("tars/archive/superseded.md").contains("- Anna works at the harbour office\n"));
    assert!(vault.read(LOG).contains("[promoted] I work at the museum now\n- 09:21 [dropped] I live in Bremen"));
    // A refused line does not come back, not even in other words of a later session.
    vault.write("tars/2026-03-09.md", log.replace("I live in Bremen", "I live in Bremen, you know"));
    assert_eq!(answer(&vault, &["review", "--propose"])["proposals"].as_array().unwrap().len(), 0);
    run(&vault, &["undo"]).success();
    assert_eq!((vault.read(MEMORY), vault.read(LOG)), (text.to_owned(), log.to_owned()));
    assert!(bytes(&vault, "tars/archive/superseded.md").is_none());
}

#[test]
fn a_line_accepted_by_hand_goes_to_its_section() {
    let vault = vault_with("# Memory\n\n## About me\n- Drinks no coffee\n");
    vault.write(
        LOG,
        "# 2026-03-02\n- 09:20 [extracted] I live in Bremen\n- 09:21 [extracted] the port of staging is 8080\n",
    );
    let waiting = answer(&vault, &["review"]);
    for id in all(&waiting, "id") {
        run(&vault, &["review", "--promote", id]).success();
    }
    let memory =
        "# Memory\n\n## About me\n- Drinks no coffee\n- I live in Bremen\n\n## Facts\n- the port of staging is 8080\n";
    assert_eq!(vault.read(MEMORY), memory);
}
