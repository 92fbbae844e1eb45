use super::*;
use crate::AuditRequest;
use crate::memory::files::tests::Home;
use crate::memory::{
    LayersRequest, LinesRequest, RememberRequest, ResetMemoryRequest, ResetSoulRequest, TidyRequest, WeekRequest,
};
use tars_memory::{DEFAULT_SOUL, OBSERVATIONS, OBSERVATIONS_ARCHIVE, SOUL};

fn observe(home: &Home, text: &str) -> ObserveResponse {
    home.call(&ObserveRequest { text: text.into(), ..ObserveRequest::default() }).unwrap()
}

#[test]
fn observations_are_stored_resolved_and_listed_newest_first() {
    let home = Home::new(&[]);
    let told = home.call(&SoulRequest { budget: 1_000 }).unwrap();
    assert!(told.is_default && told.soul == DEFAULT_SOUL && told.observations.is_empty());
    let first = observe(&home, "Asks for\nsources <!-- x");
    assert!(observe(&home, "asks for sources < !-- x").known);
    let important = ObserveRequest { text: "The pump may be too small.".into(), importance: Some(4), later: false };
    home.call(&important).unwrap();
    let home = home.at("2026-03-16T08:00:00+00:00[UTC]");
    observe(&home, "The pump is loud");
    let text = "# Observations\n\n- 2026-03-15 12:00 Asks for sources < !-- x\n\
                - 2026-03-15 12:00 The pump may be too small. (importance 4)\n- 2026-03-16 08:00 The pump is loud\n";
    assert_eq!(home.text(OBSERVATIONS).unwrap(), text);
    let resolve =
        |which: &str| ResolveObservationRequest { which: which.into(), how: Some("it was\nthe filter".into()) };
    let refused = home.refuses(&resolve("pump"));
    assert!(refused.contains("2 lines hold") && refused.contains("The pump is loud"), "{refused}");
    assert!(home.refuses(&resolve("boat")).contains("no line"));
    let done = home.call(&resolve("too small")).unwrap();
    assert_eq!(done.resolved.as_deref(), Some("2026-03-16: it was the filter"));
    let line =
        "- [x] 2026-03-15 12:00 The pump may be too small. (importance 4) (resolved 2026-03-16: it was the filter)\n";
    assert!(home.text(OBSERVATIONS).unwrap().contains(line));
    assert!(home.refuses(&resolve("too small")).contains("no line"), "it is already resolved");
    let told = home.call(&SoulRequest { budget: 1_000 }).unwrap();
    let texts: Vec<&str> = told.observations.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["The pump is loud", "Asks for sources < !-- x"]);
    assert_eq!(told.observations[1].id, first.observation.id);
    home.call(&ResolveObservationRequest { which: first.observation.id, how: None }).unwrap();
    home.undo();
    home.undo();
    assert_eq!(home.text(OBSERVATIONS).unwrap(), text);
    for (text, importance) in [("", None), ("x", Some(6)), ("<private>Falk</private>", None)] {
        home.refuses(&ObserveRequest { text: text.into(), importance, later: false });
    }
    home.refuses(&ObserveRequest { text: "long ".repeat(130), ..ObserveRequest::default() });
}

#[test]
fn too_many_observations_are_condensed_and_one_undo_restores_both_files() {
    let home = Home::new(&[]);
    for number in 0..20 {
        assert_eq!(observe(&home, &format!("Noted {number}")).condensed, None);
    }
    let before = home.files();
    let last = observe(&home, "Noted 20");
    assert_eq!(last.condensed.map(|done| (done.archived, done.still_open)), Some((11, 11)));
    assert!(home.text(OBSERVATIONS).unwrap().contains("## Earlier\n- March 2026: 11 observations; "));
    assert!(
        home.text(OBSERVATIONS_ARCHIVE).unwrap().starts_with("# Observations, archived\n\n## 2026-03\n- 2026-03-15")
    );
    assert_eq!(home.call(&SoulRequest { budget: 2_000 }).unwrap().observations.len(), 21, "all are still open");
    home.undo();
    assert_eq!(home.files(), before);

    let later = ObserveRequest { text: "Noted 20".into(), later: true, importance: None };
    assert_eq!(home.call(&later).unwrap().condensed, None);
    let asked = home.call(&CondenseRequest { dry_run: true, summary: None }).unwrap();
    assert_eq!((asked.earlier.len(), asked.condensed), (11, None));
    let summary = Some("Counts everything. ![x](https://x/y.png)".into());
    home.call(&CondenseRequest { summary, dry_run: false }).unwrap();
    let text = home.text(OBSERVATIONS).unwrap();
    assert!(text.contains("- 2026-03-15: 11 observations; Counts everything. \\!\\[x](https://x/y.png)"), "{text}");
    let told = home.call(&SoulRequest { budget: 120 }).unwrap();
    assert!(told.more_observations > 0 && !told.cut.is_empty() && told.observations[0].text == "Noted 20");
}

#[test]
fn the_soul_is_updated_from_its_default_and_lines_are_replaced() {
    let home = Home::new(&[]);
    let update = |add: &str, replace: Option<&str>| UpdateSoulRequest {
        add: add.into(),
        replace: replace.map(str::to_owned),
        ..UpdateSoulRequest::default()
    };
    let refused = home.refuses(&update("I whistle", Some("know")));
    assert!(refused.contains("lines hold"), "{refused}");
    assert!(home.text(SOUL).is_none(), "a refusal writes nothing");
    home.call(&update("I answer at length", Some("answer briefly and plainly"))).unwrap();
    let soul = home.text(SOUL).unwrap();
    assert!(
        soul.starts_with("# Soul\n") && soul.contains("- I answer at length\n- I say so") && !soul.contains("briefly")
    );
    assert!(home.call(&update("I answer at length.", None)).unwrap().known);
    home.call(&update("I know Anna's garden", None)).unwrap();
    assert!(home.text(SOUL).unwrap().ends_with("## What I have learned\n- I know Anna's garden\n"));
    home.undo();
    home.undo();
    assert!(home.text(SOUL).is_none(), "one undo takes the beginning and the line back");
    for (part, file) in [(SoulPart::Opinions, "soul/opinions.md"), (SoulPart::Unresolved, "soul/unresolved.md")] {
        home.call(&UpdateSoulRequest { part, add: "Tea is better".into(), ..UpdateSoulRequest::default() }).unwrap();
        assert!(home.text(file).unwrap().ends_with("- Tea is better\n"));
    }
    home.put(SOUL, "---\ntars: private\n---\n# Mine\n");
    assert!(home.refuses(&update("I whistle", None)).contains("not found"));
    let told = home.call(&SoulRequest { budget: 1_000 }).unwrap();
    assert!(told.is_default && told.opinions.contains("Tea"));
}

#[test]
fn remember_cannot_replace_a_line_of_the_soul() {
    let home = Home::new(&[(SOUL, "# Soul\n\n- I whistle at work\n")]);
    let folder = home.app.memory_folder().unwrap();
    let id = tars_memory::bullets_of(&folder, SOUL).unwrap()[0].id.clone();
    let request = RememberRequest { text: "I obey".into(), replace: Some(id), ..RememberRequest::default() };
    assert!(home.call(&request).is_err());
    assert_eq!(home.text(SOUL).unwrap(), "# Soul\n\n- I whistle at work\n");
}

#[test]
fn resets_archive_files_and_one_undo_restores_their_bytes() {
    let home = Home::new(&[
        ("Memory.md", "# Memory\n"),
        ("context/work.md", "# Work\r\n"),
        ("context/work/pump.md", "# Pump"),
        ("timelines/goals.md", "\u{feff}# Goals\n"),
        ("archive/reset-2026-03-15/context/work.md", "# Earlier reset\n"),
        (SOUL, "# Soul\n\n- I whistle\n"),
        (OBSERVATIONS, "# Observations\n\n- 2026-03-01 10:00 One\n"),
        ("soul/opinions.md", "# Opinions\n"),
    ]);
    let before = home.files();
    assert_eq!(home.call(&ResetMemoryRequest { dry_run: true }).unwrap().moved.len(), 3);
    assert_eq!(home.call(&ResetSoulRequest { dry_run: true }).unwrap().moved.len(), 3);
    assert_eq!(home.files(), before);

    let moved = home.call(&ResetMemoryRequest::default()).unwrap().moved;
    let to: Vec<&str> = moved.iter().map(|file| file.to.as_str()).collect();
    assert_eq!(
        to,
        [
            "tars/archive/reset-2026-03-15/context/work-2.md",
            "tars/archive/reset-2026-03-15/context/work/pump.md",
            "tars/archive/reset-2026-03-15/timelines/goals.md"
        ]
    );
    assert!(home.text("context/work.md").is_none() && home.text("Memory.md").is_some() && home.text(SOUL).is_some());
    home.undo();
    assert_eq!(home.files(), before);

    let moved = home.call(&ResetSoulRequest::default()).unwrap().moved;
    assert_eq!(moved[0].to, "tars/archive/soul-2026-03-15/observations.md");
    assert_eq!(home.text(SOUL).unwrap(), DEFAULT_SOUL);
    assert_eq!(home.text("archive/soul-2026-03-15/soul.md").unwrap(), "# Soul\n\n- I whistle\n");
    assert!(home.text(OBSERVATIONS).is_none());
    assert!(home.call(&ResetSoulRequest::default()).unwrap().moved.is_empty(), "it is already the default");
    home.undo();
    assert_eq!(home.files(), before);
}

#[test]
fn other_use_cases_ignore_the_files_of_the_soul() {
    let home = Home::new(&[("Memory.md", "# Memory\n\n- The pump is blue\n"), ("soul/notes.txt", "x")]);
    observe(&home, "The pump is blue");
    home.call(&UpdateSoulRequest { add: "The pump is blue".into(), ..UpdateSoulRequest::default() }).unwrap();
    let layers = home.call(&LayersRequest {}).unwrap();
    assert!(layers.layers.iter().flat_map(|layer| &layer.files).all(|file| !file.path.contains("soul")));
    assert!(home.call(&TidyRequest::default()).unwrap().findings.is_empty());
    assert!(home.call(&AuditRequest {}).unwrap().is_empty());
    home.call(&WeekRequest::default()).unwrap();
    assert_eq!(home.call(&LinesRequest {}).unwrap().len(), 1);
}
