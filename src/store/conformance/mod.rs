//! Conformance tests: each one runs on SQLite and on the in-memory engine.
//!
//! A new engine joins with a function that creates a [`Fixture`], and one more line in `suite`.

pub(crate) mod fixture;

mod conditions;
mod documents;
mod lexical;
mod lookup;
mod retired;
mod scope;
mod scores;
mod snapshots;
mod vectors;

use std::time::Duration;

use fixture::{Draft, MTIME, cosine, draft, fill, library, model, place, vector, words};

use super::*;
use tars_base::domain::{ChunkId, Filter, MemoryType, ModelId, Section};

/// An index with a collection called `vault`, behind the traits.
type Fixture = fixture::Fixture<dyn Maintenance + Send>;
/// Creates an empty fixture.
type New = fn() -> Fixture;

/// Expands each test into one test per engine.
macro_rules! suite {
    ($($engine:ident: $new:path),*; $rooms:tt) => {
        $(mod $engine {
            suite!(@rooms $new, $rooms);
        })*
    };
    (@rooms $new:path, { $($room:ident { $($test:ident)* })* }) => {
        $(mod $room {
            $(#[test]
            fn $test() {
                crate::conformance::$room::$test($new);
            })*
        })*
    };
}

suite! { on_sqlite: crate::sqlite::fixture, in_memory: crate::in_memory::fixture; {
    documents {
        a_replaced_file_has_its_new_state
        removing_a_file_removes_all_its_data
        a_touched_file_keeps_its_content
        a_moved_file_keeps_its_row_and_vacates_its_old_path
        together_is_atomic
        links_and_tags_follow_the_note
        files_are_described_for_a_list
        collections_are_separate_and_removed_with_their_files
        a_renamed_collection_keeps_its_rows_and_vectors
        files_are_listed_by_path
    }
    scope {
        an_empty_filter_gives_no_scope
        paths_are_matched_like_shell_globs
        the_error_names_an_invalid_pattern
        a_tag_covers_its_nested_tags
        memory_types_are_distinguished
        properties_are_compared_by_any_of_their_values
        a_note_without_dates_has_the_date_of_its_file
        collections_narrow_and_the_error_names_an_unknown_one
        all_conditions_must_hold
    }
    lexical {
        title_words_outweigh_text_words
        chunks_with_more_of_the_words_rank_higher
        a_phrase_matches_only_in_sequence
        a_prefix_matches_the_beginning_of_words
        words_are_folded_and_stemmed
        dates_match_only_dates
        a_scope_narrows_before_the_limit
        an_empty_query_finds_nothing
        no_text_scores_above_the_ceiling
        hostile_questions_are_treated_as_words
    }
    conditions {
        results_satisfy_required_and_excluded_terms
        weights_count_the_chunks_of_terms_and_dates
        column_weights_change_the_ranking
        chunks_with_a_word_are_sorted_by_path_instead_of_row
        the_vocabulary_follows_the_texts
        a_file_has_its_newest_day
        filters_can_exclude_paths_and_tags
    }
    vectors {
        equal_texts_share_a_vector
        a_rename_keeps_vectors_despite_the_changed_title
        an_outdated_vector_is_used_until_it_is_renewed
        files_without_vectors_come_before_files_with_outdated_ones
        a_vector_is_removed_with_its_last_passage
        adopting_a_model_sets_former_vectors_aside
        nearest_lines_returns_the_lines_of_the_nearest_passage
        reverting_a_change_of_model_restores_all_vectors
        vectors_of_another_model_are_refused
        pending_files_are_listed_newest_first
        pending_passages_are_listed_in_order
        a_late_vector_is_not_assigned_to_a_replaced_text
        a_late_vector_of_a_removed_passage_is_skipped
        nearest_matches_a_brute_force_comparison
        nearest_stays_in_the_scope_with_shared_vectors
        a_chunk_about_the_subject_is_nearer_than_one_that_mentions_it
        other_facts_do_not_lower_the_similarity_of_a_fact
        chunks_without_vectors_are_not_compared
    }
    lookup {
        text_keeps_its_id_when_lines_are_inserted_above_it
        chunks_with_equal_text_have_different_ids
        chunks_of_saved_chats_are_known
        a_chunk_is_found_by_any_unique_prefix_of_its_id
        each_line_of_a_chunk_has_its_own_heading
        ids_and_tags_are_listed_for_completion
        the_day_of_a_note_is_never_its_modification_day
        an_ambiguous_prefix_lists_some_ids
        chunks_are_returned_in_the_requested_order
        a_range_is_clipped_to_the_file
        statistics_count_the_content
    }
    scores {
        a_single_word_in_an_average_chunk_contributes_its_idf
        contributions_of_parts_are_summed
        contributions_are_positive_and_bounded_by_the_ceiling
        frequent_words_and_title_words_contribute_more
        a_scope_and_exclusions_change_no_score
        ties_are_sorted_by_collection_path_and_position
    }
    snapshots {
        a_snapshot_sees_no_later_writes
        every_write_changes_the_data_version
        writes_are_visible_to_all_connections_at_once
        a_failed_transaction_changes_nothing
        a_transaction_sees_its_own_writes
        excluded_files_are_remembered_until_they_are_stored
        maintenance_changes_no_answer
    }
    retired {
        a_replaced_chunk_leads_to_the_one_with_most_of_its_lines
        a_trace_survives_several_edits
        restored_text_is_found_under_its_own_id
        removed_text_has_no_successor
        an_ambiguous_prefix_of_replaced_ids_is_reported
        a_note_that_repeats_one_line_is_replaced_in_reasonable_time
    }
}}
