use super::*;
use crate::upkeep::proposal::{Destination, Job};
use crate::upkeep::tests::World;
use tars_base::domain::collapse_whitespace;

fn rule(text: &str) -> Proposal {
    let to = Destination { file: "Procedural.md".into(), section: "Rules".into() };
    Proposal { job: Job::Review, change: Change::Add { to, text: text.into() }, sources: Vec::new() }
}

#[test]
fn the_list_explains_each_proposal() {
    let world = World::new();
    world.put("corrections.md", "# Corrections\n\n## To review\n- 2026-03-01 10:00 You ran it on the real data\n");
    let source = world.line("corrections.md", "2026-03-01 10:00 You ran it on the real data");
    let proposal = Proposal { sources: vec![source.clone()], ..rule("Try a migration with `--dry-run` first.") };
    let listed = propose(&mut world.writer(), &[proposal.clone(), proposal.clone()]).unwrap();
    assert_eq!(listed.len(), 1);
    let text = world.text(PROPOSALS);
    assert_eq!(
        text,
        format!(
            "# Proposals\n\n{INTRODUCTION}\n\n## From the review\n- [ ] Add to [[tars/Procedural#Rules]]: Try a migration with \
             `--dry-run` first.\n  - since: 2026-03-01 10:00 You ran it on the real data (corrections.md)\n  <!-- tars:proposal {} \
             add to=Procedural.md#Rules from=corrections.md#{} -->\n",
            proposal.change.id(),
            source.id
        )
    );
    assert_eq!(list(&world.memory).unwrap()[0].proposal.change, proposal.change);
}

#[test]
fn ticked_proposals_use_the_edited_text_and_settle_their_sources() {
    let world = World::new();
    world.put(
        "corrections.md",
        "# Corrections\n\n## To review\n- 2026-03-01 10:00 You used npm\n- 2026-03-02 10:00 Other\n",
    );
    let source = world.line("corrections.md", "2026-03-01 10:00 You used npm");
    propose(&mut world.writer(), &[Proposal { sources: vec![source], ..rule("Use pnpm.") }]).unwrap();
    let ticked = world.text(PROPOSALS).replace("- [ ]", "- [x]").replace("Use pnpm.", "Use pnpm here.");
    world.put(PROPOSALS, &ticked);
    let listed = list(&world.memory).unwrap();
    assert_eq!((listed[0].verdict, listed[0].proposal.change.text()), (Verdict::Accepted, "Use pnpm here."));
    let settled = world.settle(&listed[0], &Decision::Accept(None));
    assert!(matches!(settled, Settled::Done(Some(_))));
    assert!(world.text("Procedural.md").contains("## Rules\n- Use pnpm here.\n"));
    assert!(list(&world.memory).unwrap().is_empty());
    assert!(
        world
            .text(SETTLED_PROPOSALS)
            .contains("- [x] 2026-03-14 accepted: Add to [[tars/Procedural#Rules]]: Use pnpm here.")
    );
    assert!(!world.text("corrections.md").contains("You used npm") && world.text("corrections.md").contains("Other"));
    assert!(
        world
            .text("archive/review.md")
            .contains("[correction, promoted to Procedural.md] 2026-03-01 10:00 You used npm")
    );
    // A settled proposal does not return, in its own, the edited or similar words.
    let again = [rule("Use pnpm."), rule("Use `pnpm` here!"), rule("use pnpm here")];
    assert_eq!(propose(&mut world.writer(), &again).unwrap(), []);
}

#[test]
fn refused_proposals_change_nothing_and_do_not_return() {
    let world = World::new();
    world.put("Memory.md", "# Memory\n\n## Facts\n- Tea at 4\n- Tea at four\n");
    let (one, two) = (world.line("Memory.md", "Tea at 4"), world.line("Memory.md", "Tea at four"));
    let proposal = Proposal { job: Job::Tidy, change: Change::Remove { line: one, since: two }, sources: Vec::new() };
    let before = world.text("Memory.md");
    let listed = propose(&mut world.writer(), std::slice::from_ref(&proposal)).unwrap();
    assert_eq!(world.settle(&listed[0], &Decision::Refuse), Settled::Refused);
    assert_eq!(world.text("Memory.md"), before);
    assert_eq!(propose(&mut world.writer(), &[proposal]).unwrap(), []);
}

#[test]
fn each_change_round_trips_and_is_carried_out() {
    let world = World::new();
    let memory = "# Memory\n\n## People\n- Anna works at the port\n- Anna works at the museum\n- Bo likes tea\n  - green\n- Bo likes green tea\n- Old host is a\n- Details of work\n";
    world.put("Memory.md", memory);
    let line = |text: &str| world.line("Memory.md", text);
    let changes = [
        Change::Supersede { old: line("Anna works at the port"), by: line("Anna works at the museum") },
        Change::Merge {
            lines: vec![line("Bo likes tea"), line("Bo likes green tea")],
            text: "Bo likes green tea best".into(),
        },
        Change::Replace { old: line("Old host is a"), text: "The host is b".into() },
        Change::Move {
            line: line("Details of work"),
            to: Destination { file: "context/work.md".into(), section: "Facts".into() },
        },
        Change::Page {
            file: "projects/shop.md".into(),
            lines: vec![("Decisions".into(), "Port: 81".into()), ("Open".into(), "Tests".into())],
        },
    ];
    let proposals = changes.clone().map(|change| Proposal { job: Job::Tidy, change, sources: Vec::new() });
    let listed = propose(&mut world.writer(), &proposals).unwrap();
    let without_sections = |change: &Change| format!("{change:?}").replace("section: \"People\"", "section: \"\"");
    for (listed, change) in listed.iter().zip(&changes) {
        assert_eq!(without_sections(&listed.proposal.change), without_sections(change));
        assert!(matches!(world.settle(listed, &Decision::Accept(None)), Settled::Done(_)), "{change:?}");
    }
    assert_eq!(
        world.text("Memory.md"),
        "# Memory\n\n## People\n- Anna works at the museum\n- Bo likes green tea best\n  - green\n- The host is b\n"
    );
    assert_eq!(world.text("context/work.md"), "# Work\n\n## Facts\n- Details of work\n");
    assert_eq!(world.text("projects/shop.md"), "# Shop\n\n## Decisions\n- Port: 81\n\n## Open\n- Tests\n");
    let before = world.text("archive/superseded.md");
    assert!(before.contains("- Anna works at the port\n  - was so until 2026-03-14; now: Anna works at the museum ([[tars/Memory#People]])\n"), "{before}");
    assert!(
        before.contains("- Old host is a\n  - was so until 2026-03-14; now: The host is b ([[tars/Memory#People]])\n"),
        "{before}"
    );
}

#[test]
fn a_deleted_proposal_is_refused_and_an_undone_one_is_not() {
    let world = World::new();
    propose(&mut world.writer(), &[rule("Use pnpm.")]).unwrap();
    world.put(PROPOSALS, "# Proposals\n");
    assert_eq!(propose(&mut world.writer(), &[rule("Use pnpm here.")]).unwrap(), []);
    assert_eq!(propose(&mut world.writer(), &[rule("Tests run in `podman`.")]).unwrap().len(), 1);
    tars_vault::undo(&mut world.writer(), |_| true).unwrap();
    assert!(list(&world.memory).unwrap().is_empty());
    assert_eq!(propose(&mut world.writer(), &[rule("Tests run in `podman`.")]).unwrap().len(), 1);
}

#[test]
fn lines_changed_in_the_meantime_are_left_alone() {
    let world = World::new();
    world.put("Memory.md", "# Memory\n\n## Facts\n- One\n- Two\n");
    let change = Change::Remove { line: world.line("Memory.md", "One"), since: world.line("Memory.md", "Two") };
    let listed = propose(&mut world.writer(), &[Proposal { job: Job::Tidy, change, sources: Vec::new() }]).unwrap();
    world.put("Memory.md", "# Memory\n\n## Facts\n- One more\n- Two\n");
    assert_eq!(world.settle(&listed[0], &Decision::Accept(None)), Settled::Gone);
    assert_eq!(world.text("Memory.md"), "# Memory\n\n## Facts\n- One more\n- Two\n");
    assert!(list(&world.memory).unwrap().is_empty());
}

proptest::proptest! {
    #[test]
    fn any_text_round_trips(text in "[-a-z\\[\\]#<>!|:.`\"' \n,]{1,60}", section in "[-a-zA-Z\\[\\]#|, ]{1,20}") {
        let world = World::new();
        let to = Destination { file: "Memory.md".into(), section };
        let text = collapse_whitespace(&text);
        let change = Change::Add { to: to.clone(), text: text.clone() };
        let listed = propose(&mut world.writer(), &[Proposal { job: Job::Review, change, sources: Vec::new() }]).unwrap();
        // A proposal without visible text is no proposal.
        if let Some(listed) = listed.first() {
            let Change::Add { to: read, text: said } = &listed.proposal.change else { panic!() };
            proptest::prop_assert_eq!(read, &to);
            proptest::prop_assert_eq!(crate::normalized(said), crate::normalized(&text.replace("<!--", "< !--").replace("-->", "-- >")));
        }
    }
}
