use super::*;
use tars_chat::Arguments;

fn user(text: &str) -> Entry {
    Entry::User { text: text.into() }
}

fn answer(text: &str) -> Entry {
    Entry::answer(text.into(), &[], Usage::default(), false)
}

fn calling(id: &str) -> Entry {
    let arguments = Arguments::Complete(serde_json::json!({"query": "x"}));
    let call = ToolCall { id: id.into(), name: "memory_search".into(), arguments };
    Entry::answer(String::new(), &[call], Usage::default(), false)
}

fn folder() -> (tempfile::TempDir, Conversations) {
    let data = tempfile::tempdir().unwrap();
    let conversations = Conversations::new(data.path());
    (data, conversations)
}

#[test]
fn a_conversation_survives_a_kill_in_the_middle_of_a_line() {
    let (_data, conversations) = folder();
    let mut open = conversations.open("a").unwrap();
    for entry in [user("one"), answer("two"), user("three")] {
        open.add(Timestamp::UNIX_EPOCH, entry).unwrap();
    }
    drop(open);
    let path = conversations.path("a");
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("{\"at\":\"2026-03-15T10:00:00Z\",\"kind\":\"assis");
    std::fs::write(&path, text).unwrap();
    let mut open = conversations.open("a").unwrap();
    assert_eq!(open.entries().len(), 3);
    open.add(Timestamp::UNIX_EPOCH, answer("four")).unwrap();
    assert_eq!(conversations.read("a").unwrap().len(), 4);
    let said = conversations.list().unwrap();
    assert_eq!((said[0].title.as_str(), said[0].messages), ("one", 2));
}

#[test]
fn only_one_process_can_open_a_conversation() {
    let (_data, conversations) = folder();
    let open = conversations.open("a").unwrap();
    assert!(matches!(conversations.open("a"), Err(ConversationError::Busy(_))));
    drop(open);
    assert!(conversations.open("a").is_ok());
    assert!(matches!(conversations.open_existing("b"), Err(ConversationError::Missing(_))));
    for wrong in ["", "../a", "a/b", "a b", &"a".repeat(65)] {
        assert!(matches!(conversations.open(wrong), Err(ConversationError::Id(_))), "{wrong}");
    }
}

#[test]
fn an_interrupted_turn_is_completed() {
    let (_data, conversations) = folder();
    let mut open = conversations.open("a").unwrap();
    let result = Entry::Tool { call: "1".into(), text: "found".into(), failed: false };
    for entry in [user("one"), calling("1"), user("two"), calling("2")] {
        open.add(Timestamp::UNIX_EPOCH, entry).unwrap();
    }
    let (summary, sent) = open.context();
    assert_eq!((summary, sent.len()), (None, 7));
    assert!(matches!(&sent[2], Message::ToolResult { call_id, is_error: true, .. } if call_id == "1"));
    assert!(matches!(&sent[3], Message::Assistant { calls, .. } if calls.is_empty()));
    assert!(matches!(&sent[6], Message::ToolResult { call_id, .. } if call_id == "2"));
    open.add(Timestamp::UNIX_EPOCH, result).unwrap();
}

#[test]
fn a_summary_replaces_older_entries() {
    let (_data, conversations) = folder();
    let mut open = conversations.open("a").unwrap();
    for entry in [user("1"), answer("2"), user("3"), answer("4")] {
        open.add(Timestamp::UNIX_EPOCH, entry).unwrap();
    }
    open.add(Timestamp::UNIX_EPOCH, Entry::Summary { text: "of one and two".into(), kept: 2 }).unwrap();
    open.add(Timestamp::UNIX_EPOCH, user("5")).unwrap();
    let (summary, sent) = open.context();
    assert_eq!((summary, sent.len()), (Some("of one and two"), 3));
    assert_eq!(sent[0], Message::User("3".into()));
}

#[test]
fn old_runs_of_a_schedule_are_deleted_unless_a_person_continued_them() {
    let (_data, conversations) = folder();
    let begin = |time: &str, name: &str, messages: usize| {
        let now: jiff::Zoned = format!("2026-03-15T{time}:00+00:00[UTC]").parse().unwrap();
        let mut open = conversations.begin(&now, Some(name)).unwrap();
        (0..messages).for_each(|number| open.add(now.timestamp(), user(&format!("message {number}"))).unwrap());
        open.id().to_owned()
    };
    let old: Vec<String> = ["07:00", "08:00", "09:00", "09:00"].iter().map(|time| begin(time, "brief", 1)).collect();
    let stays =
        [begin("06:00", "brief", 2), begin("06:00", "evening-brief", 1), begin("06:30", "brief-b", 1), old[3].clone()];
    assert!(old[3].ends_with("-brief-2"), "{old:?}");
    let held = conversations.open(&old[0]).unwrap();
    conversations.delete_old_runs("brief", 1).unwrap();
    drop(held);
    let mut left: Vec<String> = conversations.list().unwrap().into_iter().map(|line| line.id).collect();
    left.sort();
    let mut expected: Vec<String> = stays.into_iter().chain([old[0].clone()]).collect();
    expected.sort();
    assert_eq!(left, expected);
    conversations.delete_old_runs("brief", 1).unwrap();
    assert!(conversations.read(&old[0]).is_err(), "it is deleted once it is closed");
}

#[test]
fn an_empty_answer_of_an_older_conversation_is_not_sent() {
    let (_data, conversations) = folder();
    let mut open = conversations.open("a").unwrap();
    for entry in [user("one"), answer(" \n"), user("two")] {
        open.add(Timestamp::UNIX_EPOCH, entry).unwrap();
    }
    let (_, sent) = open.context();
    assert_eq!(sent.len(), 3);
    assert!(matches!(&sent[1], Message::Assistant { text, .. } if text == "(no answer was given)"), "{sent:?}");
}

#[test]
fn a_turn_that_was_too_long_is_not_sent_again() {
    let (_data, conversations) = folder();
    let mut open = conversations.open("a").unwrap();
    for entry in [user("one"), answer("two"), user("long"), calling("1"), Entry::TooLong, user("three")] {
        open.add(Timestamp::UNIX_EPOCH, entry).unwrap();
    }
    let (_, sent) = open.context();
    assert_eq!(sent.len(), 3);
    assert_eq!(sent[2], Message::User("three".into()));
    drop(open);
    assert_eq!(conversations.read("a").unwrap().len(), 6, "the file keeps it");
}
