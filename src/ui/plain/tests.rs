use super::*;
use crate::place::Place;
use crate::request::Answer;
use jiff::Zoned;
use tars_service::StatusReport;
use tars_service::memory::{JournaledWrite, ProposalView};

const TYPED: &str =
    "where does the pump drain\n1\n:expand 1\n:forget 1\nn\n:forget 1\ny\n2\n:nonsense\n:quit\nnever read\n";

struct Nobody;

impl CommandLine for Nobody {
    fn open(&self, _: &Place) -> Result<()> {
        Ok(())
    }

    fn status(&self, _: &StatusReport, _: &Zoned) -> String {
        String::new()
    }

    fn proposal(&self, _: &ProposalView) -> String {
        String::new()
    }

    fn write(&self, _: &JournaledWrite, _: &Zoned) -> String {
        String::new()
    }

    fn notices(&self) -> Vec<String> {
        Vec::new()
    }

    fn is_interrupted(&self) -> bool {
        false
    }
}

#[test]
fn a_question_and_its_results_are_lines() {
    let hit = Item {
        kind: Kind::Hit("0655909e".into()),
        place: Some(Place::in_vault("Home/Pump.md", 7)),
        name: "Home/Pump.md:7".into(),
        heading: "Pump › Drain".into(),
        remark: "0.91 relevant".into(),
        line: "The pump drains into the ditch.".into(),
        text: "The pump drains into the ditch.".into(),
        ..Item::default()
    };
    let answer = |request: &Request| match request {
        Request::Search { number, .. } => {
            Reply::Hits(Answer { number: *number, hits: vec![hit.clone()], ..Answer::default() })
        }
        Request::Expand { id, .. } => Reply::Text { id: id.clone(), text: "the whole section".into(), line: 0 },
        Request::FindLine { .. } => Reply::Confirm {
            question: "forget this line?".into(),
            line: "tars/Memory.md:7  The pump".into(),
            then: Box::new(Request::FindWrite),
        },
        _ => Reply::Done("removed the line".into()),
    };
    let said = |is_typed| {
        let mut talk = Talk { is_typed, ..Talk::new(&answer, &Nobody) };
        let mut out = Vec::new();
        talk.run(&mut TYPED.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let expected = "\
tars> 1. Home/Pump.md:7, Pump › Drain, 0.91 relevant
   The pump drains into the ditch.
tars> opened Home/Pump.md:7
tars> the whole section
tars> tars/Memory.md:7  The pump
forget this line? y or n: nothing was changed
tars> tars/Memory.md:7  The pump
forget this line? y or n: removed the line
tars> 2 is no result: the results are 1 to 1
tars> there is no command :nonsense; :help lists them
tars> ";
    assert_eq!(said(true), expected);
    // A program gets no prompt, and each question as a line.
    let piped = expected.replace("tars> ", "").replace("y or n: ", "y or n:\n");
    assert_eq!(said(false), piped);
}

#[test]
fn further_hits_are_listed_on_request_and_commands_are_named() {
    let hits = |count: usize| {
        let item = |number| Item {
            kind: Kind::Hit(format!("{number}")),
            place: Some(Place::in_vault(&format!("n{number}.md"), 1)),
            name: format!("n{number}.md:1"),
            ..Item::default()
        };
        (1..=count).map(item).collect::<Vec<_>>()
    };
    let answer = |request: &Request| match request {
        Request::Search { number, extra, .. } => Reply::Hits(Answer {
            number: *number,
            hits: hits((2 + extra).min(3)),
            degraded: Some("1 of 9 passages is not embedded yet".into()),
            has_more: *extra < 5,
            ..Answer::default()
        }),
        _ => Reply::Tab(Tab::Memory, Vec::new()),
    };
    let mut talk = Talk::new(&answer, &Nobody);
    let mut out = Vec::new();
    talk.run(&mut "pump\n:more\n:more\n:more\n:yes 1\n:memory\n:more\n".as_bytes(), &mut out).unwrap();
    let expected = "\
1. n1.md:1
2. n2.md:1
1 of 9 passages is not embedded yet; :more looks for further hits
3. n3.md:1
:more looks for further hits
there are no more hits
there are no more hits
:yes, :rule and :no decide in the tab review
nothing is remembered yet (:remember remembers a line)
there are no more entries
";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}
