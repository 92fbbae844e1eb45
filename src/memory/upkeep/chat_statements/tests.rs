use jiff::civil::date;

use super::*;
use crate::upkeep::tests::World;
use crate::upkeep::{Decision, list, propose, settle};

const TODAY: Date = date(2026, 3, 14);

/// Returns the proposals of messages, each with its chat and day.
fn proposed(world: &World, said: &[(&str, Date, &str)], most: usize) -> ChatProposals {
    let mut statements = ChatStatements::default();
    for (chat, day, message) in said {
        statements.add(&format!("chats/{chat}.md"), Some(*day), message);
    }
    statements.proposals(&world.memory, &world.writer().entries().unwrap(), (TODAY, most)).unwrap()
}

fn texts(found: &ChatProposals) -> Vec<&str> {
    found.proposals.iter().map(|proposal| proposal.change.text()).collect()
}

#[test]
fn the_same_thing_in_several_chats_is_one_proposal_in_its_newest_form() {
    let world = World::new();
    let found = proposed(
        &world,
        &[
            ("a", date(2025, 1, 5), "Always answer in tables."),
            ("b", date(2025, 3, 5), "Always answer in tables, please."),
            ("c", date(2025, 2, 5), "I prefer short answers."),
            ("d", date(2025, 2, 5), "always answer in tables"),
        ],
        9,
    );
    assert_eq!(texts(&found), ["Always answer in tables, please.", "I prefer short answers."]);
    let files: Vec<&str> = found.proposals[0].sources.iter().map(|line| line.file.as_str()).collect();
    assert_eq!(files, ["chats/b.md", "chats/d.md", "chats/a.md"], "newest first");
    let place = |at: usize| match &found.proposals[at].change {
        Change::Add { to, .. } => (to.file.clone(), to.section.clone()),
        change => panic!("{change:?}"),
    };
    assert_eq!((place(0).1.as_str(), place(1).0.as_str()), ("Rules", MEMORY));
}

#[test]
fn of_contradicting_statements_the_newest_counts_and_newer_memory_stands() {
    let world = World::new();
    let said = [
        ("a", date(2025, 1, 5), "Always answer with 3 examples."),
        ("b", date(2025, 3, 5), "Always answer with 5 examples."),
    ];
    assert_eq!(texts(&proposed(&world, &said, 9)), ["Always answer with 5 examples."]);
    world.put(PROCEDURAL, "# Procedural\n\n## Rules\n- Always answer with 9 examples.\n");
    assert_eq!(texts(&proposed(&world, &said, 9)), Vec::<&str>::new(), "nobody knows when the rule was written");
}

#[test]
fn the_surest_and_most_frequent_come_first_and_the_rest_is_counted() {
    let world = World::new();
    let day = date(2025, 1, 5);
    let said = [
        ("a", day, "I prefer short answers."),
        ("b", day, "Always cite your sources."),
        ("c", day, "Always cite your sources."),
        ("d", day, "Always cite your sources."),
        ("e", day, "Always use metric units."),
    ];
    let found = proposed(&world, &said, 1);
    assert_eq!((texts(&found), found.left_out), (vec!["Always cite your sources."], 2));
    assert_eq!(proposed(&world, &said, 0).proposals, []);
}

#[test]
fn what_was_decided_or_removed_is_not_proposed_again() {
    let world = World::new();
    let said =
        [("a", date(2025, 1, 5), "Always cite your sources."), ("b", date(2025, 1, 5), "I prefer short answers.")];
    let first = proposed(&world, &said, 9);
    propose(&mut world.writer(), &first.proposals).unwrap();
    let listed = list(&world.memory).unwrap();
    assert_eq!(listed.len(), 2);
    assert_eq!(listed[0].proposal.job, Job::ImportedChats(TODAY));
    let now = TODAY.at(9, 0, 0, 0);
    settle(&mut world.writer(), &listed[0], &Decision::Refuse, ("archive/review.md", now)).unwrap();
    // Deleting a proposal refuses it too.
    world.put(crate::PROPOSALS, "# Proposals\n");
    assert_eq!(texts(&proposed(&world, &said, 9)), Vec::<&str>::new());
}

#[test]
fn pasted_prose_and_secrets_are_left_out() {
    let letter = "I live in Paris. Always send the invoices to my sister. ".repeat(6);
    let own = own_prose(&format!("I prefer short answers. Proofread this:\n\n{letter}"));
    assert_eq!(own, "I prefer short answers. Proofread this:");
    let rules = "Some rules:\n\n- Always answer in tables.\n- Never use emojis in my texts.";
    assert_eq!(own_prose(rules), rules, "a list below a colon is the person's own");
    let long = format!("Please read it.\n\n{letter}\n\n{}\n\nI prefer short answers.", letter.repeat(9));
    assert_eq!(own_prose(&long), "Please read it.\n\nI prefer short answers.");
    let world = World::new();
    let secret = "Always use the key ghp_x7Kq2LmZt9Wv4Rb8Yc1Nd6Hf3Jg5Sa0PeUiO for the tests.";
    assert_eq!(texts(&proposed(&world, &[("a", TODAY, secret)], 9)), Vec::<&str>::new());
}

#[test]
fn sentences_within_a_private_span_are_left_out() {
    let world = World::new();
    let said = "Always answer in tables. <private>It is about my sister. I prefer short answers. Thanks.</private>";
    let found = proposed(&world, &[("a", TODAY, said)], 9);
    assert!(texts(&found).iter().all(|text| !text.contains("short")), "{found:?}");
}
