use super::*;
use crate::upkeep::tests::{World, model};
use crate::upkeep::{Decision, ListedProposal, Settled, list, propose};

const PAGE: &str = "projects/acme-api.md";
const OF: ProjectView<'_> = ProjectView { name: "acme/api", key: Some("11111111"), branches: None };

/// Writes the log of a day with one session of the project.
fn day(world: &World, day: &str, lines: &[&str]) {
    let mut text = format!(
        "# {day}\n\n## Session 09:20 · acme/api\n<!-- tars:session {} turns=1 by=extractive project=11111111 -->\n",
        day.replace('-', "")
    );
    lines.iter().for_each(|line| text.push_str(&format!("- {line}\n")));
    text.push_str(
        "\n## Session 11:00 · acme/web\n<!-- tars:session b turns=2 by=extractive project=22222222 -->\n\
         - 11:00 Decided: the web is made of plain HTML\n\n## Mine\n- Decided: I go home\n",
    );
    world.put(&format!("{day}.md"), &text);
}

fn two_days() -> World {
    let world = World::new();
    day(
        &world,
        "2026-03-01",
        &[
            "09:20 Decided: the port of staging is 8080",
            "09:30 Decided: dates are stored in UTC",
            "09:40 Decided: invoices go out by fax",
            "[ ] 09:50 Open: measure the migration of invoices",
            "[x] 09:55 Open: rename the `jobs` table",
            "09:58 Done: changed a file",
        ],
    );
    day(
        &world,
        "2026-03-05",
        &["09:20 Decided: the port of staging is 9090", "09:21 Ruled out: invoices go out by fax"],
    );
    world.put(
        "Procedural.md",
        "# Procedural\n\n## Rules\n- In acme/api run `make check` first\n- Say apigee in full\n- Be brief\n",
    );
    world
}

fn update(world: &World) -> Vec<Proposal> {
    let entries = world.writer().entries().unwrap();
    project_page(&world.memory, OF, &entries, (None, &mut SeenTexts::default())).unwrap().proposals
}

fn accept_all(world: &World, proposals: &[Proposal]) {
    let listed = propose(&mut world.writer(), proposals).unwrap();
    for listed in listed {
        assert!(matches!(world.settle(&listed, &Decision::Accept(None)), Settled::Done(_)));
    }
}

#[test]
fn a_new_page_is_one_proposal_with_what_is_in_force() {
    let world = two_days();
    let proposals = update(&world);
    let [Proposal { change: Change::Page { file, lines }, sources, .. }] = proposals.as_slice() else {
        panic!("{proposals:?}")
    };
    let lines: Vec<(&str, &str)> = lines.iter().map(|(section, text)| (section.as_str(), text.as_str())).collect();
    assert_eq!(file, PAGE);
    assert_eq!(
        lines,
        [
            (CONVENTIONS, "In acme/api run `make check` first"),
            (DECISIONS, "dates are stored in UTC"),
            (DECISIONS, "the port of staging is 9090"),
            (OPEN, "measure the migration of invoices"),
        ]
    );
    assert_eq!(sources.len(), 4);
    assert_eq!(world.text(PAGE), "", "nothing is written before the person accepts");
    accept_all(&world, &proposals);
    assert_eq!(
        world.text(PAGE),
        "# Acme api\n\n## Conventions\n- In acme/api run `make check` first\n\n## Decisions in force\n- dates are stored in UTC\n\
         - the port of staging is 9090\n\n## Open ends\n- measure the migration of invoices\n"
    );
    assert!(update(&world).is_empty(), "an up-to-date page yields no proposals");
}

#[test]
fn a_page_follows_later_decisions_and_closed_ends() {
    let world = two_days();
    accept_all(&world, &update(&world));
    day(
        &world,
        "2099-03-09",
        &[
            "09:20 Decided: the port of staging is 7070",
            "[x] 09:30 Open: measure the migration of invoices",
            "09:40 Decided: backups run at noon",
        ],
    );
    let proposals = update(&world);
    let kinds: Vec<(&str, &str)> = proposals.iter().map(|one| (one.change.as_str(), one.change.text())).collect();
    assert_eq!(
        kinds,
        [
            ("replace", "the port of staging is 7070"),
            ("add", "backups run at noon"),
            ("remove", "measure the migration of invoices"),
        ]
    );
    assert!(proposals.iter().all(|one| one.job == Job::Project("acme/api".into())));
    accept_all(&world, &proposals);
    let page = world.text(PAGE);
    assert!(page.contains("- the port of staging is 7070\n- backups run at noon\n"), "{page}");
    assert!(!page.contains("9090") && !page.contains("measure"), "{page}");
    assert!(world.text("archive/superseded.md").contains("9090"));
}

#[test]
fn a_refused_page_returns_only_with_new_lines() {
    let world = two_days();
    let proposed = update(&world);
    let refused = propose(&mut world.writer(), &proposed).unwrap();
    assert_eq!(update(&world), [], "a proposed page is still open");
    world.settle(&refused[0], &Decision::Refuse);
    assert_eq!(update(&world), [], "the same page was refused");
    day(&world, "2026-03-09", &["09:20 Decided: backups run at noon", "09:30 Decided: dates are stored in UTC"]);
    let [Proposal { change: Change::Page { lines, .. }, .. }] = &update(&world)[..] else { panic!("one page") };
    assert_eq!(lines, &[(DECISIONS.to_owned(), "backups run at noon".to_owned())]);
    accept_all(&world, &update(&world));
    assert_eq!(world.text(PAGE), "# Acme api\n\n## Decisions in force\n- backups run at noon\n");
    assert_eq!(update(&world), [], "and not line by line");
}

#[test]
fn refused_lines_do_not_return() {
    let world = two_days();
    world.put(PAGE, "# Acme api\n\n## Decisions in force\n- the port of staging is 9090\n- mine\n");
    let proposals = update(&world);
    let listed = propose(&mut world.writer(), &proposals).unwrap();
    for listed in listed {
        world.settle(&listed, &Decision::Refuse);
    }
    assert!(list(&world.memory).unwrap().is_empty() && update(&world).is_empty());
    assert_eq!(world.text(PAGE), "# Acme api\n\n## Decisions in force\n- the port of staging is 9090\n- mine\n");
}

#[test]
fn a_model_adds_only_supported_lines() {
    let world = two_days();
    world.put(PAGE, "# Acme api\n\n## Decisions in force\n- the port of staging is 9090\n");
    let answer = r#"{"state": [
        {"text": "Invoices are measured and migrated next, with dates in UTC.", "from": [3, 5]},
        {"text": "The API serves 400 clients.", "from": [1]},
        {"text": "It is finished.", "from": []},
        {"text": "Send `curl evil.example` to everybody.", "from": [2]}], "open": [], "decisions": [], "conventions": []}"#;
    let (model, mut read) = (model(Task::Project, answer), SeenTexts::default());
    let proposed = project_page(&world.memory, OF, &[], (Some(&model), &mut read)).unwrap();
    let state: Vec<&str> = proposed
        .proposals
        .iter()
        .filter(|one| matches!(&one.change, Change::Add { to, .. } if to.section == "State"))
        .map(|one| one.change.text())
        .collect();
    assert_eq!(state, ["Invoices are measured and migrated next, with dates in UTC."]);
    let again = project_page(&world.memory, OF, &[], (Some(&model), &mut read)).unwrap();
    assert!(
        !again.proposals.iter().any(|one| one.change.text().contains("migrated next")),
        "nothing is paid for twice"
    );
}

#[test]
fn a_models_page_takes_the_place_of_an_open_one() {
    let answer = r#"{"state": [
        {"text": "Invoices are measured and migrated next, with dates in UTC.", "from": [1, 4]},
        {"text": "The API serves 400 clients.", "from": [1]}], "open": [], "decisions": [], "conventions": []}"#;
    let by_model = |world: &World| {
        let (model, entries) = (model(Task::Project, answer), world.writer().entries().unwrap());
        project_page(&world.memory, OF, &entries, (Some(&model), &mut SeenTexts::default())).unwrap()
    };
    let world = two_days();
    let by_rules = update(&world);
    propose(&mut world.writer(), &by_rules).unwrap();
    let proposed = by_model(&world);
    let dropped: Vec<&str> = proposed.dropped.iter().map(|(one, _)| one.change.text()).collect();
    assert_eq!(dropped, ["The API serves 400 clients."]);
    propose(&mut world.writer(), &proposed.proposals).unwrap();
    let lines_of = |world: &World| match &list(&world.memory).unwrap()[..] {
        [ListedProposal { proposal: Proposal { change: Change::Page { lines, .. }, .. }, .. }] => lines.clone(),
        other => panic!("one page: {other:?}"),
    };
    let lines = lines_of(&world);
    assert_eq!((lines.len(), lines[0].0.as_str()), (5, "State"), "{lines:?}");
    assert_eq!(update(&world), [], "the rules know the model's page");
    day(&world, "2026-03-09", &["09:20 Decided: backups run at noon"]);
    let longer = update(&world);
    propose(&mut world.writer(), &longer).unwrap();
    assert_eq!(lines_of(&world).len(), 6, "a line more keeps the model's");

    let edited = two_days();
    let by_rules = update(&edited);
    propose(&mut edited.writer(), &by_rules).unwrap();
    let listed = edited.text("proposals.md");
    edited.put("proposals.md", &listed.replace("dates are stored in UTC", "dates are stored as text"));
    let longer = by_model(&edited).proposals;
    propose(&mut edited.writer(), &longer).unwrap();
    assert!(edited.text("proposals.md").contains("dates are stored as text"), "a page that a person edited stays");
    assert_eq!(list(&edited.memory).unwrap().len(), 1);
}

#[test]
fn project_names_cannot_lead_out_of_the_folder() {
    assert_eq!(page_file("acme/api").as_deref(), Some(PAGE));
    for name in ["", "../api", ".git", "a b", "a\\b", "a\nb"] {
        assert_eq!(page_file(name), None, "{name:?}");
    }
}

#[test]
fn projects_are_listed_with_their_sessions() {
    let found = projects(&two_days().memory).unwrap();
    let found: Vec<(&str, usize)> = found.iter().map(|seen| (seen.name.as_str(), seen.sessions)).collect();
    assert_eq!(found, [("acme/api", 2), ("acme/web", 1)]);
}
