use super::*;
use crate::place::Place;
use jiff::Zoned;
use tars_service::StatusReport;
use tars_service::memory::{JournaledWrite, ProposalView};

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
            Reply::Hits { number: *number, hits: vec![hit.clone()], irrelevant: Vec::new(), remarks: Vec::new() }
        }
        Request::Expand(id) => Reply::Text { id: id.clone(), text: "the whole section".into() },
        Request::FindLine { .. } => Reply::Confirm {
            question: "forget this line?".into(),
            line: "tars/Memory.md:7  The pump".into(),
            then: Box::new(Request::FindWrite),
        },
        _ => Reply::Done("removed the line".into()),
    };
    let mut talk = Talk { state: State::default(), answer: &answer, line: &Nobody };
    let typed =
        "where does the pump drain\n1\n:expand 1\n:forget 1\nn\n:forget 1\ny\n2\n:nonsense\n:quit\nnever read\n";
    let mut out = Vec::new();
    talk.run(&mut typed.as_bytes(), &mut out).unwrap();
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
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}
