//! What every engine must do: each test runs on SQLite and on the twin.
//!
//! A new engine joins by a function that makes it a [`Fixture`], and one more line in `suite`.

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
use crate::domain::{ChunkId, Filter, MemoryType, ModelId, Section};

/// An index with a collection called `vault`, by the traits alone.
type Fixture = fixture::Fixture<dyn Maintenance + Send>;
/// Makes an empty one.
type New = fn() -> Fixture;

/// Makes each test one of every engine.
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
                crate::store::conformance::$room::$test($new);
            })*
        })*
    };
}

suite! { on_sqlite: crate::store::sqlite::fixture, in_memory: crate::store::memory_twin::fixture; {
    documents {
        a_replaced_file_is_what_its_new_state_says
        a_removed_file_takes_everything_with_it
        a_touched_file_keeps_its_content
        a_moved_file_keeps_its_row_and_leaves_no_trace_under_its_old_path
        what_is_done_together_is_done_whole_or_not_at_all
        links_and_tags_follow_the_note
        collections_are_told_apart_and_go_with_their_files
        files_are_listed_by_path
    }
    scope {
        an_empty_filter_is_no_scope
        paths_are_matched_as_a_shell_does
        a_pattern_that_is_none_is_named
        a_tag_covers_what_is_nested_below_it
        kinds_of_memory_are_told_apart
        dates_are_those_of_the_note_or_of_its_file
        collections_narrow_and_an_unknown_one_is_named
        all_conditions_must_hold
    }
    lexical {
        a_word_in_the_title_counts_more_than_one_in_the_text
        more_of_the_words_rank_higher
        a_phrase_is_found_in_sequence_only
        a_prefix_is_found_at_the_head_of_words
        words_are_folded_and_stemmed
        dates_are_sought_among_dates_alone
        a_scope_narrows_before_the_limit
        nothing_to_look_for_finds_nothing
        the_ceiling_is_above_any_text_however_full_of_the_words
        hostile_questions_are_only_words
    }
    conditions {
        what_is_demanded_is_there_and_what_is_ruled_out_is_not
        weights_count_chunks_and_any_of_a_dates_tokens
        columns_weigh_what_they_are_told
        the_first_chunk_of_a_word_was_the_one_that_was_stored_first
        the_vocabulary_is_that_of_the_texts
        a_file_is_of_its_newest_day
        filters_can_say_what_is_not_wanted
    }
    vectors {
        equal_texts_share_a_vector
        a_rename_keeps_vectors_though_the_title_has_changed
        a_vector_that_is_to_be_made_again_serves_until_the_new_one_is_there
        files_that_lack_vectors_come_before_those_to_be_embedded_again
        a_vector_goes_with_the_last_passage_that_used_it
        another_model_sets_aside_what_the_first_has_made
        the_nearest_passage_of_a_chunk_is_told_by_its_lines
        a_change_of_model_that_is_taken_back_costs_no_vector
        vectors_of_a_model_that_was_not_adopted_are_refused
        files_that_wait_are_listed_newest_first
        waiting_passages_are_listed_in_order
        a_vector_is_not_given_to_the_text_that_took_its_passages_place
        a_vector_of_a_passage_that_has_gone_is_passed_over
        nearest_is_what_comparing_with_everything_finds
        nearest_stays_in_the_scope_though_a_vector_serves_beyond_it
        a_chunk_that_is_about_a_thing_is_nearer_than_one_that_touches_it
        a_fact_is_as_near_as_it_is_whatever_stands_beside_it
        chunks_without_vectors_are_not_compared
    }
    lookup {
        text_that_was_moved_by_an_insertion_above_it_keeps_its_id
        twins_have_ids_of_their_own
        a_chunk_is_found_by_any_unique_head_of_its_id
        every_line_of_a_chunk_had_the_heading_of_the_first
        ids_and_tags_are_listed_for_completion
        the_day_of_a_note_is_never_that_of_its_modification
        heads_of_several_ids_name_some_of_them
        chunks_come_in_the_order_asked_for
        a_range_is_cut_at_the_ends_of_the_file
        statistics_count_what_there_is
    }
    scores {
        a_word_that_stands_once_in_a_chunk_of_average_length_adds_its_idf
        what_parts_add_is_summed
        a_part_adds_more_than_nothing_and_no_more_than_its_ceiling
        a_word_that_stands_often_or_in_a_title_adds_more
        a_scope_and_exclusions_change_no_score
        ties_stand_by_collection_path_and_place
    }
    snapshots {
        a_snapshot_sees_nothing_of_what_is_written_meanwhile
        every_write_makes_another_data_version
        what_is_written_is_seen_by_all_at_once
        what_fails_within_a_transaction_leaves_nothing
        what_is_done_together_counts_for_what_follows_in_it
        what_was_left_out_is_known_until_it_is_stored
        housekeeping_changes_no_answer
    }
    retired {
        a_replaced_chunk_leads_to_the_one_that_holds_most_of_its_lines
        a_trace_goes_on_over_several_edits
        text_that_returns_is_found_under_its_own_id
        text_that_is_gone_leads_nowhere
        heads_of_several_replaced_ids_are_ambiguous
        a_note_that_repeats_one_line_is_replaced_in_reasonable_time
    }
}}
