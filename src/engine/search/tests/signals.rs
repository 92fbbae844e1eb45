//! Effects of the features of the best candidates.

use super::*;

fn ask(fixture: &Fixture, text: &str, options: &SearchOptions) -> Vec<(String, f64)> {
    let asked = Query { mode: Mode::Keyword, ..query(text) };
    let answer = search(&*fixture.reader(), VectorSearch::Model(&fixture.embedder), &asked, options).unwrap();
    answer.hits.into_iter().map(|hit| (hit.path, hit.score)).collect()
}

fn first(fixture: &Fixture, text: &str, options: &SearchOptions) -> String {
    ask(fixture, text, options).remove(0).0
}

fn score_of(list: &[(String, f64)], path: &str) -> f64 {
    list.iter().find(|(known, _)| known == path).unwrap().1
}

fn with(features: impl Fn(&mut FeatureOptions)) -> SearchOptions {
    let mut options = search_options();
    features(&mut options.features);
    options
}

#[test]
fn adjacent_words_add_weight() {
    let fixture = Fixture::new(&[
        ("apart.md", "# One\n\nKeep the release train short: trains of a release.\n"),
        ("beside.md", "# Two\n\nHere the long and winding text says: catch the release train, if at all.\n"),
        ("other.md", "# Three\n\nNothing of it is here at all.\n"),
    ]);
    let text = "catch the release train";
    let without = ask(&fixture, text, &with(|features| features.pair_credit = 0.0));
    let credited = ask(&fixture, text, &search_options());
    assert_eq!(credited[0].0, "beside.md");
    let ratio = |list: &[(String, f64)]| score_of(list, "apart.md") / score_of(list, "beside.md");
    assert!(ratio(&credited) < ratio(&without), "{credited:?} {without:?}");
}

#[test]
fn a_note_that_the_best_one_links_to_is_credited() {
    let mut fixture = Fixture::new(&[
        ("best.md", "# Migration\n\nThe migration plan of the database, see [[Rollback|how to go back]].\n"),
        ("notes/Rollback.md", "# Going back\n\nA plan for bad days.\n"),
        ("same.md", "# Going back\n\nA plan for bad days!\n"),
    ]);
    let mut options = with(|features| features.repeat_penalty = 0.0);
    let linked = ask(&fixture, "migration plan database", &options);
    assert!(score_of(&linked, "notes/Rollback.md") > score_of(&linked, "same.md"));
    options.fusion.link_credit = 0.0;
    let unlinked = ask(&fixture, "migration plan database", &options);
    assert!((score_of(&unlinked, "notes/Rollback.md") - score_of(&unlinked, "same.md")).abs() < 1e-9);
    fixture.put("best.md", "# Migration\n\nThe migration plan of the database, see [[notes/Rollback#Steps]].\n");
    options.fusion.link_credit = 0.1;
    let linked = ask(&fixture, "migration plan database", &options);
    assert!(score_of(&linked, "notes/Rollback.md") > score_of(&linked, "same.md"), "however the link names it");
    fixture.put("best.md", "# Migration\n\nThe migration plan of the database, see [it](./notes/Rollback.md#steps).\n");
    let linked = ask(&fixture, "migration plan database", &options);
    assert!(score_of(&linked, "notes/Rollback.md") > score_of(&linked, "same.md"), "by a relative path");
    fixture.put("best.md", "# Migration\n\nThe migration plan of the database, see [it](./Rollback.md).\n");
    let linked = ask(&fixture, "migration plan database", &options);
    assert!((score_of(&linked, "notes/Rollback.md") - score_of(&linked, "same.md")).abs() < 1e-9, "another place");
}

#[test]
fn a_repeat_ranks_below_other_texts() {
    let fixture = Fixture::new(&[
        ("a.md", "# Boiler\n\nThe boiler wants 1.5 bar of pressure in winter.\n"),
        ("a (copy).md", "# Boiler\n\nThe boiler wants 1.5 bar of pressure in winter.\n"),
        ("b.md", "# Heating\n\nCall the plumber if the boiler drips, he lives next door.\n"),
    ]);
    let order: Vec<String> = ask(&fixture, "boiler pressure", &search_options()).into_iter().map(|hit| hit.0).collect();
    assert_eq!(order.len(), 3, "nothing is hidden");
    let kept = ask(&fixture, "boiler pressure", &with(|features| features.repeat_penalty = 0.0));
    assert!((kept[0].1 - kept[1].1).abs() < 1e-9, "{kept:?}");
    let fallen = ask(&fixture, "boiler pressure", &search_options());
    let copies: Vec<f64> = fallen.iter().filter(|hit| hit.0.starts_with('a')).map(|hit| hit.1).collect();
    assert!((copies[1] / copies[0] - 0.5).abs() < 1e-9, "{fallen:?}");
}

#[test]
fn age_lowers_scores_if_set_but_not_those_of_lasting_memory() {
    let dated = |day: &str, kind: MemoryType| {
        let mut fixture = Fixture::new(&[]);
        fixture.memory_type = kind;
        fixture.put("note.md", &format!("---\ndate: {day}\n---\n# Boiler\n\nThe boiler wants pressure.\n"));
        fixture.memory_type = MemoryType::Note;
        fixture.put("today.md", "---\ndate: 2023-05-10\n---\n# Boiler\n\nA boiler wants all the pressure.\n");
        let options = with(|features| (features.recency, features.repeat_penalty) = (0.4, 0.0));
        let list = ask(&fixture, "boiler pressure", &options);
        let timeless = ask(&fixture, "boiler pressure", &with(|features| features.repeat_penalty = 0.0));
        let ratio = |list: &[(String, f64)]| score_of(list, "note.md") / score_of(list, "today.md");
        ratio(&list) / ratio(&timeless)
    };
    // 90 days are one half-life: half of 0.4.
    assert!((dated("2023-02-09", MemoryType::Daily) - 0.8).abs() < 1e-9);
    assert!((dated("2023-05-10", MemoryType::Daily) - 1.0).abs() < 1e-9);
    assert!((dated("2024-01-01", MemoryType::Note) - 1.0).abs() < 1e-9, "future days are not old");
    for lasting in [MemoryType::Semantic, MemoryType::Procedural] {
        assert!((dated("2003-02-09", lasting) - 1.0).abs() < 1e-9);
    }
}

#[test]
fn the_weight_of_titles_is_configurable() {
    let fixture = Fixture::new(&[
        ("title.md", "# Boiler\n\nIt hangs in the cellar.\n"),
        ("text.md", "# Cellar\n\nIn it hangs a boiler, a boiler of old.\n"),
        ("other.md", "# Attic\n\nNothing hangs there.\n"),
    ]);
    let mut options = search_options();
    options.columns.title = 10.0;
    assert_eq!(first(&fixture, "boiler", &options), "title.md");
    options.columns.title = 0.0;
    assert_eq!(first(&fixture, "boiler", &options), "text.md");
}

#[test]
fn notes_of_the_project_rank_above_their_equals() {
    let mut fixture = Fixture::new(&[
        ("work/kelp/Releases.md", "# Releases\n\nA release gets a tag.\n"),
        ("work/tide/Releases.md", "# Releases\n\nA release gets a tag!\n"),
    ]);
    fixture.memory_type = MemoryType::Episodic;
    fixture.put("tars/sessions/2023-05-01-reef.md", "# Releases\n\nA release gets a tag.\n");
    fixture.memory_type = MemoryType::Daily;
    fixture.put("tars/2023-05-01.md", "# 10:00 · lagoon\n\nA release gets a tag.\n");
    fixture.put("tars/2023-05-02.md", "## Session 10:00 · acme/cove\n\nA release gets a tag.\n");
    fixture.put("tars/2023-05-03.md", "## Session 10:00 · anna/cove\n\nA release gets a tag.\n");
    fixture.memory_type = MemoryType::Episodic;
    fixture.put("tars/sessions/2023-05-04T10-00-00-acme-shoal.md", "# Releases\n\nA release gets a tag.\n");
    for (project, path) in [
        ("kelp", "work/kelp/Releases.md"),
        ("Tide", "work/tide/Releases.md"),
        ("reef", "tars/sessions/2023-05-01-reef.md"),
        ("lagoon", "tars/2023-05-01.md"),
        ("anna/cove", "tars/2023-05-03.md"),
        ("acme/shoal", "tars/sessions/2023-05-04T10-00-00-acme-shoal.md"),
        ("acme/tide", "work/tide/Releases.md"),
    ] {
        let options = with(|features| (features.project_credit, features.repeat_penalty) = (1.0, 0.0));
        let asked = Query { project: Some(project.into()), ..query("tag of a release") };
        let answer = search(&*fixture.reader(), VectorSearch::Model(&fixture.embedder), &asked, &options).unwrap();
        assert_eq!(answer.hits[0].path, path, "{project}");
    }
}
