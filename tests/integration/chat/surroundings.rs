//! The surroundings of a conversation: schedules, the export, and the context that the model gets.

use super::terminal::{LEAVE, without_styles};
use super::{Dialect, Talk};
use crate::harness::{TestVault, eventually};

#[test]
fn a_schedule_added_in_a_chat_is_listed_and_taken_at_once() {
    let talk = Talk::new(Dialect::OpenAi, vec![Dialect::OpenAi.says("never")]);
    let steps = [("", "/schedule add morning 07:30 /brief\r"), ("from now on", "/schedule\r"), ("next", LEAVE)];
    let said = talk.typed(&["chat"], &steps).success();
    assert!(without_styles(said.stdout()).contains("morning: /brief, every day at 07:30, next"), "{said}");
    assert!(talk.asked().is_empty());
}

#[test]
fn a_schedule_added_while_a_server_runs_is_taken_at_once() {
    let vault = TestVault::of_words().with("TARS_HTTP_LISTEN", "127.0.0.1:0");
    vault.write("Boat.md", super::BOAT).index();
    let serving = vault.tars(["serve"]).start();
    let state = || std::fs::read_to_string(vault.data().join("schedules/state.json")).unwrap_or_default();
    vault.tars(["schedule", "add", "evening", "--at", "18:00", "--action", "/review"]).run().success();
    eventually("the server knows the schedule", || state().contains("evening"));
    vault.tars(["schedule", "add", "morning", "--at", "07:00", "--action", "/brief"]).run().success();
    eventually("the server knows the second one", || state().contains("morning"));
    serving.kill();
}

#[test]
#[cfg(feature = "test-clock")]
fn the_output_of_a_schedule_redraws_the_prompt_and_the_typed_line() {
    let vault = TestVault::of_words();
    vault.write("Boat.md", super::BOAT).index();
    let add = ["schedule", "add", "evening", "--at", "18:00", "--action", "/schedule", "--deliver", "stdout"];
    vault.tars(add).run().success();
    // A few seconds before the schedule is due, so that the prompt is there by then.
    let now = jiff::Zoned::now().with_time_zone(jiff::tz::TimeZone::UTC);
    let due = now.date().tomorrow().unwrap().at(18, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap();
    let shift = due.timestamp().as_second() - now.timestamp().as_second() - 6;
    let steps = [("", "half a line"), ("evening: /schedule", "!\u{15}\u{4}")];
    let command = super::terminal::typing(&vault, &["chat"], &steps)
        .env("TZ", "UTC")
        .env("TARS_TEST_CLOCK", format!("+{shift}s"));
    let said = command.run().success();
    let shown = without_styles(said.stdout());
    let (_, after) = shown.split_once("evening: /schedule").unwrap();
    assert!(after.contains("you> half a line"), "{shown}");
}

#[test]
fn a_conversation_is_exported_with_its_speakers() {
    let dialect = Dialect::OpenAi;
    let talk = Talk::new(dialect, vec![dialect.says("SE-4471.")]);
    talk.tars(&["chat", "what is the number of the hull"]).run().success();
    let said = talk.tars(&["chat", "--continue", "/export"]).run().success().stdout().to_owned();
    let of = |speaker: &str| said.find(&format!("· {speaker}\n")).unwrap_or_else(|| panic!("{speaker}: {said}"));
    assert!(
        of("You") < said.find("what is the number").unwrap() && of("tars") < said.find("SE-4471.").unwrap(),
        "{said}"
    );
    let file = talk.vault.home().join("talk.md");
    let export = format!("/export --to {}", file.display());
    let written = talk.tars(&["chat", "--continue", &export]).run().success();
    assert!(written.stdout().contains("Written: "), "{written}");
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), said.trim());
    let again = talk.tars(&["chat", "--continue", &export]).run().code(2);
    assert!(again.stderr().contains("exists already: nothing was written"), "{}", again.stderr());
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), said.trim());
    let nothing = talk.tars(&["chat", "/export"]).run().code(2);
    assert!(nothing.stderr().contains("tars chat --continue /export"), "{}", nothing.stderr());
    assert_eq!(talk.asked().len(), 1, "no command reaches a model");
}

#[test]
fn the_context_shows_text_as_it_stands_in_the_notes() {
    let dialect = Dialect::OpenAi;
    let talk = Talk::new(dialect, vec![dialect.says("Good.")]);
    talk.tars(&["remember", "Prefers tea > coffee & <b>bold</b> words"]).run().success();
    talk.tars(&["chat", "hello"]).run().success();
    let said = talk.tars(&["chat", "--continue", "/context"]).run().success().stdout().to_owned();
    assert!(said.contains("tea > coffee & ") && !said.contains("&gt;"), "{said}");
    let asked = talk.asked()[0].to_string();
    assert!(asked.contains("&gt; - tars/Memory.md"), "the model gets its marks escaped: {asked}");
}

#[test]
fn emphasis_links_and_tables_are_rendered() {
    let dialect = Dialect::OpenAi;
    let answer = "It is *very* old, see [the list](https://example.net/list).\n\n| part | number |\n|---|---|\n| hull | SE-4471 |\n";
    let talk = Talk::with(dialect, super::ending::server(dialect, vec![dialect.says(answer)], |_| "{}".into()));
    let said = talk.typed(&["chat"], &[("", "the number\r"), ("SE-4471", LEAVE)]).success();
    let shown = without_styles(said.stdout()).replace('\r', "");
    assert!(shown.contains("It is very old, see the list (https://example.net/list)."), "{shown}");
    assert!(shown.contains("part  number\n────  ───────\nhull  SE-4471\n"), "{shown}");
}
