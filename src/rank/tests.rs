use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::subsequence;

use super::*;

fn options(fusion: Fusion, vector_weight: f64, neighbour_credit: f64) -> FusionOptions {
    FusionOptions { fusion, vector_weight, neighbour_credit, link_credit: 0.1, balance: Balance::default() }
}

fn evidence(chunk: i64, lexical: Option<f64>, similarity: Option<f64>) -> Evidence {
    // One chunk per file, so that none is a neighbour.
    Evidence { chunk, file: chunk, lexical, similarity, ..Evidence::default() }
}

fn signals() -> Signals {
    Signals { words: 6, lexical_ceiling: 20.0, information: 2.0, text_count: 1000, ..Signals::default() }
}

fn order(candidates: &[Evidence], signals: &Signals, options: &FusionOptions) -> Vec<i64> {
    fuse(candidates, signals, options).list.iter().map(|ranked| ranked.evidence.chunk).collect()
}

const ALL: [Fusion; 3] = [Fusion::Adaptive, Fusion::Convex, Fusion::Rrf];

#[test]
fn fusing_nothing_gives_nothing() {
    for fusion in ALL {
        assert!(fuse(&[], &signals(), &options(fusion, 0.5, 0.3)).list.is_empty());
    }
}

#[test]
fn one_retriever_alone_keeps_its_order() {
    let scores = [3.0, 9.0, 1.0, 4.5];
    let by_words: Vec<Evidence> = (0..).zip(scores).map(|(at, score)| evidence(at, Some(score), None)).collect();
    let by_meaning: Vec<Evidence> =
        (0..).zip(scores).map(|(at, score)| evidence(at, None, Some(score / 10.0))).collect();
    for fusion in ALL {
        for weight in [0.0, 0.4, 1.0] {
            let options = options(fusion, weight, 0.0);
            assert_eq!(order(&by_words, &signals(), &options), [1, 3, 0, 2], "{fusion:?} {weight}");
            assert_eq!(order(&by_meaning, &signals(), &options), [1, 3, 0, 2], "{fusion:?} {weight}");
        }
    }
}

#[test]
fn reciprocal_ranks_match_the_paper() {
    // Ranks by words: 1, 2, 3; by meaning: 3, 1, none, 2.
    let candidates = [
        evidence(1, Some(9.0), Some(0.1)),
        evidence(2, Some(5.0), Some(0.8)),
        evidence(3, Some(2.0), None),
        evidence(4, None, Some(0.5)),
    ];
    let ranked = fuse(&candidates, &signals(), &options(Fusion::Rrf, 0.5, 0.0)).list;
    let found: Vec<i64> = ranked.iter().map(|one| one.evidence.chunk).collect();
    assert_eq!(found, [2, 1, 4, 3]);
    let expected = [1.0 / 62.0 + 1.0 / 61.0, 1.0 / 61.0 + 1.0 / 63.0, 1.0 / 62.0, 1.0 / 63.0];
    for (one, sum) in ranked.iter().zip(expected) {
        assert!((one.score / ranked[0].score - sum / expected[0]).abs() < 1e-12, "{one:?}");
    }
}

#[test]
fn ties_do_not_depend_on_the_order_of_the_input() {
    let candidates = [evidence(1, Some(2.0), None), evidence(2, Some(2.0), None), evidence(3, Some(2.0), Some(0.1))];
    let mut turned = candidates;
    turned.reverse();
    for fusion in ALL {
        let options = options(fusion, 0.5, 0.0);
        assert_eq!(fuse(&candidates, &signals(), &options), fuse(&turned, &signals(), &options), "{fusion:?}");
    }
}

#[test]
fn a_convex_combination_weighs_normalised_scores() {
    let candidates =
        [evidence(1, Some(10.0), Some(0.2)), evidence(2, Some(4.0), Some(0.8)), evidence(3, None, Some(0.9))];
    let known = Signals { lexical_ceiling: 10.0, text_count: 100, ..signals() };
    let ranked = fuse(&candidates, &known, &options(Fusion::Convex, 0.25, 0.0)).list;
    // If the best text holds the whole question, each side is divided by its best: 10 and 0.9.
    let raw = [0.75 + 0.25 * 0.2 / 0.9, 0.75 * 0.4 + 0.25 * 0.8 / 0.9, 0.25];
    for (one, raw_score) in ranked.iter().zip(raw) {
        assert!((one.score / ranked[0].score - raw_score / raw[0]).abs() < 1e-12, "{one:?}");
    }
}

#[test]
fn a_chunk_beside_a_good_one_is_credited() {
    let place = |chunk, sequence, lexical| Evidence { chunk, file: 1, sequence, lexical, ..Evidence::default() };
    let candidates = [
        place(1, 4, Some(10.0)),
        place(2, 5, Some(1.0)),
        place(3, 9, Some(2.0)),
        Evidence { file: 2, ..place(4, 4, Some(1.5)) },
    ];
    assert_eq!(order(&candidates, &signals(), &options(Fusion::Convex, 0.0, 0.0)), [1, 3, 4, 2]);
    assert_eq!(order(&candidates, &signals(), &options(Fusion::Convex, 0.0, 0.5)), [1, 2, 3, 4]);
    let ranked = fuse(&candidates, &signals(), &options(Fusion::Convex, 0.0, 0.5)).list;
    // 1 + 0.5 * 0.1 and 0.1 + 0.5 * 1.
    assert!((ranked[1].score / ranked[0].score - 0.6 / 1.05).abs() < 1e-12);
    assert_eq!(order(&candidates, &signals(), &options(Fusion::Rrf, 0.0, 0.5)), [1, 3, 4, 2]);
}

#[test]
fn adaptive_weights_follow_the_question() {
    let by_words = evidence(1, Some(10.0), Some(0.1));
    let by_meaning = evidence(2, Some(1.0), Some(0.95));
    let signals = || Signals { lexical_ceiling: 10.0, ..signals() };
    let leader = |signals: Signals| order(&[by_words, by_meaning], &signals, &options(Fusion::Adaptive, 0.55, 0.0))[0];
    assert_eq!(leader(signals()), 2, "a sentence is understood");
    assert_eq!(leader(Signals { names_things: true, ..signals() }), 1, "names are searched by their letters");
    assert_eq!(leader(Signals { names_things: true, text_count: 3, ..signals() }), 1);
    assert_eq!(leader(Signals { has_date: true, ..signals() }), 1);
    assert_eq!(leader(Signals { unsupported_script_share: 0.9, ..signals() }), 1);
    let vague = Signals { words: 2, lexical_ceiling: 40.0, ..signals() };
    assert_eq!(leader(vague), 2, "words with little of the question weigh less");
}

#[test]
fn confidence_grows_with_coverage_and_similarity() {
    let score = |lexical, similarity| {
        fuse(&[evidence(1, lexical, similarity)], &signals(), &options(Fusion::Adaptive, 0.5, 0.0)).list[0].score
    };
    assert!(score(Some(15.0), Some(0.5)) > score(Some(5.0), Some(0.5)));
    assert!(score(Some(15.0), Some(0.8)) > score(Some(15.0), Some(0.2)));
    assert!(score(Some(15.0), Some(0.8)) > 0.9);
    assert!(score(Some(1.0), Some(0.05)) < 0.15);
    assert!(score(Some(900.0), None) <= score(Some(20.0), None) + 1e-12, "nothing covers more than all");
}

#[test]
fn a_rare_verb_among_common_words_is_not_certain() {
    // "Does it read my notes": the only informative word is found, and it carries little information.
    let asked = |information: f64| Signals { lexical_ceiling: 4.7, information, words: 3, ..signals() };
    let score = |information: f64| {
        let found = [evidence(1, Some(4.7), Some(0.5)), evidence(2, Some(4.5), Some(0.5))];
        fuse(&found, &asked(information), &options(Fusion::Adaptive, 0.6, 0.0)).list[0].score
    };
    assert!(score(0.4) < 0.75, "{}", score(0.4));
    assert!(score(2.0) > score(0.4));
}

#[test]
fn rival_notes_lower_the_confidence() {
    let score = |rival: f64| {
        let found = [evidence(1, Some(10.0), Some(0.5)), evidence(2, Some(rival), Some(0.3))];
        fuse(&found, &signals(), &options(Fusion::Adaptive, 0.6, 0.0)).list[0].score
    };
    assert!(score(1.0) > score(9.5));
    let same_note = [evidence(1, Some(10.0), Some(0.5)), Evidence { file: 1, ..evidence(2, Some(9.5), Some(0.5)) }];
    let alone = fuse(&same_note, &signals(), &options(Fusion::Adaptive, 0.6, 0.0)).confidence;
    assert!((alone.lead - 1.0).abs() < 1e-12, "chunks of one note are no rivals");
}

#[test]
fn facts_of_one_chunk_are_rivals() {
    let lead = |second_similarity: Option<f64>, boost: f64| {
        let found = [Evidence { second_similarity, boost, ..evidence(1, None, Some(0.5)) }];
        fuse(&found, &signals(), &options(Fusion::Adaptive, 0.6, 0.0)).confidence.lead
    };
    assert!((lead(None, 0.0) - 1.0).abs() < 1e-12, "a fact alone has no rival");
    assert!((lead(Some(0.4), 0.0) - 0.2).abs() < 1e-9, "{}", lead(Some(0.4), 0.0));
    assert!((lead(Some(-0.1), 0.0) - 1.0).abs() < 1e-12);
    assert!(lead(Some(0.5), -0.5).abs() < 1e-12, "never below 0");
}

#[test]
fn fusion_names_are_parsed() {
    let read: Vec<Result<Fusion, String>> = ["adaptive", "convex", "rrf"].iter().map(|word| word.parse()).collect();
    assert_eq!(read, ALL.map(Ok));
    assert!("RRF".parse::<Fusion>().unwrap_err().contains("RRF"));
}

/// Candidates at distinct positions, some of them neighbours. Scores come from few values, so ties are frequent.
fn candidates() -> impl Strategy<Value = Vec<Evidence>> {
    let places: Vec<(i64, u32)> = (0..4).flat_map(|file| (0..6).map(move |sequence| (file, sequence))).collect();
    let lexical = option::of((1..9u8).prop_map(f64::from));
    let similarity = option::of((-3..=10i8).prop_map(|tenths| f64::from(tenths) / 10.0));
    (subsequence(places, 0..=16), vec((lexical, similarity), 16)).prop_map(|(places, scores)| {
        (0..)
            .zip(places.into_iter().zip(scores))
            .map(|(chunk, ((file, sequence), (lexical, similarity)))| Evidence {
                chunk,
                file,
                sequence,
                lexical,
                similarity,
                ..Evidence::default()
            })
            .collect()
    })
}

fn any_signals() -> impl Strategy<Value = Signals> {
    (0..12usize, any::<bool>(), 0.0..=1.0f64, any::<bool>(), prop_oneof![Just(0.0), 0.1..60.0f64]).prop_map(
        |(words, names_things, foreign, has_date, lexical_ceiling)| Signals {
            words,
            names_things,
            unsupported_script_share: foreign,
            has_date,
            lexical_ceiling,
            unknown_share: 0.0,
            text_count: 1000,
            information: lexical_ceiling / 10.0,
            is_single_name: false,
            guessed_weight: 0.0,
            missing_common_weight: 0.0,
            unembedded_share: 0.0,
            scale: tars_base::embedding::ModelScale::default(),
        },
    )
}

fn any_options() -> impl Strategy<Value = FusionOptions> {
    (proptest::sample::select(&ALL[..]), 0.0..=1.0f64, 0.0..=1.0f64)
        .prop_map(|(fusion, vector_weight, neighbour_credit)| options(fusion, vector_weight, neighbour_credit))
}

proptest! {
    #[test]
    fn every_candidate_is_ranked_once_with_falling_scores(
        candidates in candidates(), signals in any_signals(), options in any_options()
    ) {
        let ranked = fuse(&candidates, &signals, &options).list;
        let mut chunks: Vec<i64> = ranked.iter().map(|one| one.evidence.chunk).collect();
        prop_assert!(ranked.iter().all(|one| (0.0..=1.0).contains(&one.score)));
        prop_assert!(ranked.windows(2).all(|pair| pair[0].score >= pair[1].score));
        prop_assert!(ranked.iter().all(|one| candidates[one.evidence.chunk as usize] == one.evidence));
        chunks.sort_unstable();
        prop_assert_eq!(chunks, (0..candidates.len() as i64).collect::<Vec<_>>());
    }

    #[test]
    fn the_order_of_the_input_does_not_matter(
        (candidates, shuffled) in candidates().prop_flat_map(|list| (Just(list.clone()), Just(list).prop_shuffle())),
        signals in any_signals(),
        options in any_options(),
    ) {
        prop_assert_eq!(fuse(&candidates, &signals, &options), fuse(&shuffled, &signals, &options));
    }

    #[test]
    fn extreme_convex_weights_give_the_single_lists(candidates in candidates(), signals in any_signals()) {
        let sorted = |key: fn(&Evidence) -> f64| {
            let mut list = candidates.clone();
            list.sort_by(|left, right| key(right).total_cmp(&key(left)).then(left.chunk.cmp(&right.chunk)));
            list.iter().map(|one| one.chunk).collect::<Vec<_>>()
        };
        let words = sorted(|one| one.lexical.unwrap_or(0.0));
        let meaning = sorted(|one| one.similarity.unwrap_or(0.0).max(0.0));
        if candidates.iter().any(|one| one.lexical.is_some()) {
            prop_assert_eq!(order(&candidates, &signals, &options(Fusion::Convex, 0.0, 0.0)), words);
        }
        if candidates.iter().any(|one| one.similarity > Some(0.0)) {
            prop_assert_eq!(order(&candidates, &signals, &options(Fusion::Convex, 1.0, 0.0)), meaning);
        }
    }
}

/// If most passages lack vectors, words decide; if few do, nothing changes.
#[test]
fn missing_vectors_lower_the_weight_of_the_vector_side() {
    let candidates = [
        Evidence { chunk: 1, file: 1, lexical: Some(8.0), similarity: Some(0.3), ..Evidence::default() },
        Evidence { chunk: 2, file: 2, lexical: Some(2.0), similarity: Some(0.9), ..Evidence::default() },
    ];
    let options = FusionOptions { link_credit: 0.0, ..options(Fusion::Adaptive, 0.8, 0.0) };
    let weight = |unembedded_share: f64| {
        let signals =
            Signals { words: 5, lexical_ceiling: 10.0, text_count: 1000, unembedded_share, ..Signals::default() };
        fuse(&candidates, &signals, &options).vector_weight
    };
    assert!((weight(0.1) / weight(0.0) - 0.999).abs() < 1e-9);
    assert!(weight(0.9) < 0.3 * weight(0.0));
    assert!(weight(1.0).abs() < 1e-9);
}

#[test]
fn a_summarized_text_ranks_right_after_a_summary_that_answers_too() {
    for fusion in ALL {
        let options = options(fusion, 0.5, 0.0);
        let summed = |chunk, score, summary| Evidence { summary, ..evidence(chunk, Some(score), Some(score / 10.0)) };
        let list = [summed(1, 9.0, Some(3)), summed(2, 7.0, None), summed(3, 6.0, None), summed(4, 1.0, Some(3))];
        let before: Vec<Evidence> = list.iter().map(|one| Evidence { summary: None, ..*one }).collect();
        assert_eq!(order(&before, &signals(), &options), [1, 2, 3, 4], "{fusion:?}");
        assert_eq!(order(&list, &signals(), &options), [2, 3, 1, 4], "{fusion:?}");
        let fused = fuse(&list, &signals(), &options);
        let raw = |one: &Ranked| one.parts.words + one.parts.meaning + one.parts.neighbour + one.parts.link;
        let worth = |one: &Ranked| raw(one) * (1.0 + one.evidence.boost);
        for one in &fused.list {
            assert!((one.share - worth(one) / worth(&fused.list[0])).abs() < 1e-9, "{fusion:?}");
        }
    }
    // A summary that hardly answers does not lower a text that does.
    let day = Evidence { summary: Some(2), ..evidence(1, Some(9.0), None) };
    let list = [day, evidence(2, Some(1.0), None)];
    assert_eq!(order(&list, &signals(), &options(Fusion::Adaptive, 0.5, 0.0)), [1, 2]);
}
