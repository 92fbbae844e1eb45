use super::*;

/// Tolerance of similarities for vectors with 64 values, because stored rows have seven bits per value.
const ROUNDING: f64 = 8e-3;

pub(super) fn equal_texts_share_a_vector(new: New) {
    let mut fixture = new();
    assert_eq!(fixture.put(&draft("a.md", &["apple\nbanana", "cherry"])), 3);
    assert_eq!(fixture.embed(), 3);
    assert_eq!(fixture.put(&draft("b.md", &["banana", "dates"])), 1, "one text is known from the other file");
    assert_eq!(
        fixture.put(&draft("a.md", &["apple", "banana\ncherry"])),
        0,
        "cut differently, the passages are the same"
    );
    assert_eq!(fixture.embed(), 1);
    fixture.check();
}

pub(super) fn a_rename_keeps_vectors_despite_the_changed_title(new: New) {
    let mut fixture = new();
    fixture.put(&draft("old.md", &["apple\nbanana"]));
    fixture.embed();
    let moved_from = Some(fixture.file("old.md").id);
    let renamed = Draft { title: "Other".into(), moved_from, ..draft("new.md", &["apple\nbanana"]) };
    assert_eq!(fixture.put(&renamed), 0);
    let statistics = fixture.reader().statistics().unwrap();
    assert_eq!((statistics.passages, statistics.embedded, fixture.reader().pending_file_count().unwrap()), (2, 2, 0));
    // A second rename, starting from a vector made under the first name.
    let moved_from = Some(fixture.file("new.md").id);
    assert_eq!(fixture.put(&Draft { moved_from, title: "Third".into(), ..renamed }), 0);
    fixture.check();
}

pub(super) fn an_outdated_vector_is_used_until_it_is_renewed(new: New) {
    let mut fixture = new();
    fixture.put(&draft("old.md", &["apple", "banana"]));
    fixture.embed();
    // After the rename, the vectors are those of the former texts.
    let moved_from = Some(fixture.file("old.md").id);
    fixture.put(&Draft { title: "Other".into(), moved_from, ..draft("new.md", &["apple", "banana"]) });
    let renamed = Draft { title: "Other".into(), ..draft("new.md", &["apple", "banana"]) };
    assert_eq!(fixture.put(&Draft { embed_again: true, ..renamed.clone() }), 2);
    let counts = |fixture: &Fixture| {
        let statistics = fixture.reader().statistics().unwrap();
        (statistics.embedded, statistics.pending, fixture.reader().pending_file_count().unwrap())
    };
    assert_eq!(counts(&fixture), (2, 2, 1));
    assert!(
        fixture.reader().pending_files(PendingSelection::WithoutVector).unwrap().is_empty(),
        "nothing lacks a vector"
    );
    assert_eq!(fixture.reader().nearest(&vector("Note\napple"), &model(), None, 5).unwrap().len(), 2);
    fixture.put(&Draft { chunks: vec!["apple".into()], ..renamed });
    assert_eq!(counts(&fixture), (1, 1, 1), "an edit meanwhile keeps the old vector");
    assert_eq!(fixture.embed(), 1);
    assert_eq!(counts(&fixture), (1, 0, 0));
    let nearest = fixture.reader().nearest(&vector("Other\napple"), &model(), None, 5).unwrap();
    assert!((nearest[0].score - 1.0).abs() < ROUNDING, "{nearest:?}");
    fixture.check();
}

pub(super) fn files_without_vectors_come_before_files_with_outdated_ones(new: New) {
    let mut fixture = new();
    fixture.put(&draft("again.md", &["apple"]));
    fixture.embed();
    fixture.put(&Draft { embed_again: true, ..draft("again.md", &["apple"]) });
    fixture.put(&Draft { mtime_ns: MTIME - 1, ..draft("bare.md", &["banana"]) });
    let pending = fixture.reader().pending_files(PendingSelection::All).unwrap();
    assert_eq!(pending, [fixture.file("bare.md").id, fixture.file("again.md").id]);
    assert_eq!(fixture.reader().pending_files(PendingSelection::WithoutVector).unwrap(), pending[..1]);
}

pub(super) fn a_vector_is_removed_with_its_last_passage(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple", "banana"]));
    fixture.put(&draft("b.md", &["banana"]));
    fixture.embed();
    fixture.put(&draft("a.md", &["cherry"]));
    fixture.store.remove_files(&[fixture.file("b.md").id]).unwrap();
    fixture.check();
}

pub(super) fn adopting_a_model_sets_former_vectors_aside(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple", "banana"]));
    fixture.embed();
    assert!(!fixture.store.adopt_model(&model()).unwrap());
    let other = ModelId::new("model:2");
    assert!(fixture.store.adopt_model(&other).unwrap());
    assert_eq!(fixture.reader().meta("model").unwrap().as_deref(), Some("model:2"));
    let statistics = fixture.reader().statistics().unwrap();
    assert_eq!((statistics.passages, statistics.embedded, fixture.reader().pending_file_count().unwrap()), (2, 0, 1));
    assert!(fixture.reader().nearest(&vector("apple"), &model(), None, 5).unwrap().is_empty());
    assert!(fixture.reader().nearest(&vector("apple"), &other, None, 5).unwrap().is_empty());
    fixture.check();
}

pub(super) fn nearest_lines_returns_the_lines_of_the_nearest_passage(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple\nbanana\n\ncherry", "dates\n\ngrape"]));
    fixture.put(&draft("b.md", &["banana"]));
    fixture.embed();
    let rows: Vec<ChunkRef> = fixture.chunks_of("a.md").iter().map(|chunk| chunk.row).collect();
    let lines = |word: &str| fixture.reader().nearest_lines(&vector(word), &model(), &rows).unwrap();
    let first = |word: &str, row: ChunkRef| lines(word)[&row][0].0.clone();
    assert_eq!(first("Note banana", rows[0]), 2..=3, "the range ends before the next passage");
    assert_eq!((first("Note cherry", rows[0]), first("Note grape", rows[1])), (4..=4, 7..=7));
    assert_eq!(lines("Note apple").len(), 2);
    let other = ModelId::new("model:2");
    assert!(fixture.reader().nearest_lines(&vector("apple"), &other, &rows).unwrap().is_empty());
    fixture.put(&draft("c.md", &["fig"]));
    let bare = fixture.chunks_of("c.md")[0].row;
    assert!(fixture.reader().nearest_lines(&vector("fig"), &model(), &[bare]).unwrap().is_empty(), "no vector yet");
}

pub(super) fn reverting_a_change_of_model_restores_all_vectors(new: New) {
    let mut fixture = new();
    fixture.put(&draft("old.md", &["apple\nbanana", "cherry"]));
    fixture.put(&draft("twin.md", &["cherry"]));
    fixture.embed();
    let moved_from = Some(fixture.file("old.md").id);
    fixture.put(&Draft { title: "Other".into(), moved_from, ..draft("new.md", &["apple\nbanana", "cherry"]) });
    let before = fixture.reader().nearest(&vector("Note\ncherry"), &model(), None, 9).unwrap();
    fixture.store.adopt_model(&ModelId::new("model:2")).unwrap();
    assert_eq!(fixture.reader().statistics().unwrap().embedded, 0);
    // The other model's changed text has no vector of the first model, but the former text still has one.
    fixture.put(&draft("twin.md", &["cherry and more"]));
    assert!(fixture.store.adopt_model(&model()).unwrap());
    assert_eq!(fixture.put(&draft("twin.md", &["cherry"])), 0, "its vector was set aside");
    let scores = |list: &[Candidate]| list.iter().map(|one| one.score).collect::<Vec<_>>();
    let after = fixture.reader().nearest(&vector("Note\ncherry"), &model(), None, 9).unwrap();
    assert_eq!(scores(&after), scores(&before));
    assert_eq!(fixture.embed(), 0);
    fixture.store.forget_former_models().unwrap();
    fixture.check();
}

pub(super) fn vectors_of_another_model_are_refused(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple"]));
    fixture.embed();
    fixture.put(&draft("b.md", &["banana"]));
    let pending = fixture.reader().pending_passages(fixture.file("b.md").id, PendingSelection::All).unwrap();
    let other = ModelId::new("model:2");
    let error = fixture.store.put_vectors(&other, &[(pending[0], &vector("banana"))]).unwrap_err();
    assert!(error.to_string().contains("model:2") && error.hint().is_some(), "{error}");
    assert_eq!(fixture.reader().statistics().unwrap().embedded, 1);
    fixture.check();
}

pub(super) fn pending_files_are_listed_newest_first(new: New) {
    let mut fixture = new();
    for (path, age) in [("old.md", 2), ("new.md", 0), ("middle.md", 1), ("empty.md", -1)] {
        let chunks: &[&str] = if path == "empty.md" { &[] } else { &[path] };
        fixture.put(&Draft { mtime_ns: MTIME - age, ..draft(path, chunks) });
    }
    let paths = |fixture: &Fixture| -> Vec<String> {
        let pending = fixture.reader().pending_files(PendingSelection::All).unwrap();
        pending.into_iter().map(|id| fixture.reader().file(id).unwrap().unwrap().path).collect()
    };
    assert_eq!(paths(&fixture), ["new.md", "middle.md", "old.md"]);
    assert_eq!(fixture.reader().pending_file_count().unwrap(), 3);
    fixture.embed();
    assert!(paths(&fixture).is_empty());
}

pub(super) fn pending_passages_are_listed_in_order(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple\nbanana", "cherry", "dates\nelder"]));
    fixture.embed();
    fixture.put(&draft("a.md", &["apple\nfig", "cherry", "grape\nelder"]));
    let pending = fixture.reader().pending_passages(fixture.file("a.md").id, PendingSelection::All).unwrap();
    let texts: Vec<&str> = pending.iter().map(|one| fixture.texts[&one.hash].as_str()).collect();
    assert_eq!(texts, ["Note\nfig", "Note\ngrape"]);
}

pub(super) fn a_late_vector_is_not_assigned_to_a_replaced_text(new: New) {
    let mut fixture = new();
    fixture.store.adopt_model(&model()).unwrap();
    fixture.put(&draft("a.md", &["apple"]));
    let pending = fixture.reader().pending_passages(fixture.file("a.md").id, PendingSelection::All).unwrap();
    // The passage's row is reused for another text while the first is being embedded.
    fixture.put(&draft("a.md", &["banana"]));
    fixture.store.put_vectors(&model(), &[(pending[0], &vector("Note\napple"))]).unwrap();
    assert_eq!(fixture.reader().statistics().unwrap().embedded, 0);
    assert_eq!(fixture.embed(), 1);
    let nearest = fixture.reader().nearest(&vector("Note\nbanana"), &model(), None, 1).unwrap();
    assert!((nearest[0].score - 1.0).abs() < ROUNDING);
    fixture.check();
}

pub(super) fn a_late_vector_of_a_removed_passage_is_skipped(new: New) {
    let mut fixture = new();
    fixture.store.adopt_model(&model()).unwrap();
    fixture.put(&draft("a.md", &["apple"]));
    let file = fixture.file("a.md").id;
    let pending = fixture.reader().pending_passages(file, PendingSelection::All).unwrap();
    fixture.store.remove_files(&[file]).unwrap();
    fixture.store.put_vectors(&model(), &[(pending[0], &vector("Note\napple"))]).unwrap();
}

/// Returns the best similarity of each chunk in the files, computed by brute force.
fn brute_force(fixture: &Fixture, question: &[f32], paths: &[String]) -> Vec<(ChunkRef, f64)> {
    let mut scores: Vec<(ChunkRef, f64)> = paths
        .iter()
        .flat_map(|path| fixture.chunks_of(path))
        .map(|chunk| {
            let similarities = chunk.content.lines().map(|line| cosine(&vector(&format!("Note\n{line}")), question));
            (chunk.row, similarities.fold(f64::MIN, f64::max))
        })
        .collect();
    scores.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    scores
}

pub(super) fn nearest_matches_a_brute_force_comparison(new: New) {
    let mut fixture = new();
    let paths = library(&mut fixture);
    for question in ["apple banana cherry", "Note kiwi", "lemon", "n3 honey", "unknown"] {
        let asked = vector(question);
        let expected = brute_force(&fixture, &asked, &paths);
        let found = fixture.reader().nearest(&asked, &model(), None, 48).unwrap();
        assert_eq!(found.len(), 48);
        for (candidate, (_, score)) in found.iter().zip(&expected) {
            assert!((candidate.score - score).abs() < ROUNDING, "{question}: {candidate:?} {score}");
        }
        assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
        let top = fixture.reader().nearest(&asked, &model(), None, 5).unwrap();
        assert_eq!(top, found[..5], "a smaller limit returns the start of the list");
        let rows: Vec<ChunkRef> = found.iter().map(|one| one.chunk).collect();
        let mut compared = fixture.reader().similarities(&asked, &model(), &rows).unwrap();
        compared.sort_by_key(|one| rows.iter().position(|row| *row == one.chunk));
        for (left, right) in compared.iter().zip(&found) {
            assert_eq!((left.chunk, left.file, left.sequence), (right.chunk, right.file, right.sequence));
            assert!(left.score <= right.score + 1e-9, "a blend with the mean never exceeds the nearest passage");
        }
        assert_eq!(compared.len(), found.len());
    }
}

pub(super) fn nearest_stays_in_the_scope_with_shared_vectors(new: New) {
    let mut fixture = new();
    let mut paths = library(&mut fixture);
    fixture.put(&draft("even/same.md", &["apple pie"]));
    fixture.put(&draft("odd/same.md", &["apple pie"]));
    fixture.embed();
    paths.retain(|path| path.starts_with("even"));
    paths.push("even/same.md".into());
    let scope = fixture.reader().scope(&Filter { paths: vec!["even".into()], ..Filter::default() }).unwrap();
    let asked = vector("Note apple pie");
    let found = fixture.reader().nearest(&asked, &model(), scope.as_ref(), 100).unwrap();
    assert_eq!(fixture.places(&found)[0], place("even/same.md", 0));
    let expected = brute_force(&fixture, &asked, &paths);
    assert_eq!(found.len(), expected.len());
    for (candidate, (_, score)) in found.iter().zip(&expected) {
        assert!((candidate.score - score).abs() < ROUNDING);
    }
    let nowhere = fixture.reader().scope(&Filter { paths: vec!["none".into()], ..Filter::default() }).unwrap();
    assert!(fixture.reader().nearest(&asked, &model(), nowhere.as_ref(), 9).unwrap().is_empty());
}

pub(super) fn a_chunk_about_the_subject_is_nearer_than_one_that_mentions_it(new: New) {
    let mut fixture = new();
    fixture.put(&draft("about.md", &["apple pie\napple cake"]));
    fixture.put(&draft("touches.md", &["apple pie\nengine oil"]));
    fixture.embed();
    let asked = vector("Note\napple pie");
    let row = |path: &str| fixture.chunks_of(path)[0].row;
    let compared = fixture.reader().similarities(&asked, &model(), &[row("about.md"), row("touches.md")]).unwrap();
    let score = |path: &str| compared.iter().find(|one| one.chunk == row(path)).unwrap().score;
    assert!(score("about.md") > score("touches.md"), "{compared:?}");
    let mean = (1.0 + cosine(&vector("Note\nengine oil"), &asked)) / 2.0;
    assert!((score("touches.md") - (5.0 + mean) / 6.0).abs() < ROUNDING, "{compared:?}");
}

pub(super) fn other_facts_do_not_lower_the_similarity_of_a_fact(new: New) {
    let mut fixture = new();
    for (path, memory_type) in [("tars/Memory.md", MemoryType::Semantic), ("tars/2024-05-06.md", MemoryType::Daily)] {
        fixture.put(&Draft { memory_type, ..draft(path, &["apple pie\nengine oil"]) });
    }
    fixture.embed();
    let asked = vector("Note\napple pie");
    let row = |path: &str| fixture.chunks_of(path)[0].row;
    let rows = [row("tars/Memory.md"), row("tars/2024-05-06.md")];
    let compared = fixture.reader().similarities(&asked, &model(), &rows).unwrap();
    assert_eq!(compared.iter().map(|one| one.chunk).collect::<Vec<_>>(), rows);
    assert!((compared[0].score - 1.0).abs() < ROUNDING && compared[1].score < 0.95, "{compared:?}");
    let next = cosine(&vector("Note\nengine oil"), &asked);
    assert!(compared[0].second_score.is_some_and(|found| (found - next).abs() < ROUNDING), "{compared:?}");
    assert_eq!(compared[1].second_score, None);
}

pub(super) fn chunks_without_vectors_are_not_compared(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple"]));
    fixture.embed();
    fixture.put(&draft("b.md", &["banana"]));
    let rows: Vec<ChunkRef> = ["a.md", "b.md"].iter().map(|path| fixture.chunks_of(path)[0].row).collect();
    let compared = fixture.reader().similarities(&vector("apple"), &model(), &rows).unwrap();
    assert_eq!(compared.iter().map(|one| one.chunk).collect::<Vec<_>>(), [rows[0]]);
    assert!(fixture.reader().similarities(&vector("apple"), &model(), &[]).unwrap().is_empty());
    assert!(fixture.reader().nearest(&vector("apple"), &model(), None, 0).unwrap().is_empty());
}
