//! Where the network cuts a stream makes no difference.

use proptest::prelude::*;

use super::super::answer::Answer;
use super::*;

fn model_at_no_server(dialect: Dialect) -> Server {
    Server::new(options(dialect, "http://127.0.0.1:1/v1")).unwrap()
}

/// Returns the events and the answer of a stream that arrives in these pieces.
fn read(model: &Server, pieces: Vec<Vec<u8>>) -> (Vec<String>, Completion) {
    let mut events = Vec::new();
    let mut on_event = |event: ChatEvent<'_>| {
        events.push(told(event));
        ControlFlow::Continue(())
    };
    let request = request();
    let mut answer = Answer::new(&request, &mut on_event);
    let mut pieces = pieces.into_iter();
    model.read_events(&mut || Ok(pieces.next()), &mut answer).unwrap();
    let completion = answer.finish().unwrap();
    (events, completion)
}

fn streams() -> [(Dialect, Vec<u8>); 4] {
    let openai = [openai::STREAM.to_owned(), openai::STREAM.replace('\n', "\r\n")];
    let anthropic = [anthropic::STREAM.to_owned(), anthropic::STREAM.replace('\n', "\r")];
    let [a, b] = openai.map(|stream| (Dialect::OpenAi, stream.into_bytes()));
    let [c, d] = anthropic.map(|stream| (Dialect::Anthropic, stream.into_bytes()));
    [a, b, c, d]
}

#[test]
fn a_stream_may_be_cut_after_any_byte() {
    for (dialect, stream) in streams() {
        let model = model_at_no_server(dialect);
        let whole = read(&model, vec![stream.clone()]);
        assert_eq!(whole.1.text, "Größe 😀.");
        for at in 0..stream.len() {
            let (first, second) = stream.split_at(at);
            assert_eq!(read(&model, vec![first.to_vec(), second.to_vec()]), whole, "cut after {at} bytes");
        }
        assert_eq!(read(&model, stream.iter().map(|byte| vec![*byte]).collect()), whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_stream_may_be_cut_anywhere(which in 0..4usize, sizes in proptest::collection::vec(0..300usize, 1..40)) {
        let (dialect, stream) = streams()[which].clone();
        let model = model_at_no_server(dialect);
        let mut pieces = Vec::new();
        let mut rest = stream.as_slice();
        for size in sizes {
            let (piece, others) = rest.split_at(size.min(rest.len()));
            pieces.push(piece.to_vec());
            rest = others;
        }
        pieces.push(rest.to_vec());
        prop_assert_eq!(read(&model, pieces), read(&model, vec![stream]));
    }

    #[test]
    fn no_stream_is_too_odd(which in 0..2usize, at in 0.0..1.0f64, odd in "(data: |\n\n|[{}\":,1]|null|error|\"choices\"|\"delta\"|\"type\"|\"index\"){0,20}") {
        let (dialect, mut stream) = streams()[which * 2].clone();
        let at = (stream.len() as f64 * at) as usize;
        stream.splice(at..at, odd.into_bytes());
        let request = request();
        let mut on_event = |_: ChatEvent<'_>| ControlFlow::Continue(());
        let mut answer = Answer::new(&request, &mut on_event);
        let mut pieces = Some(stream).into_iter();
        if model_at_no_server(dialect).read_events(&mut || Ok(pieces.next()), &mut answer).is_ok() {
            let completion = answer.finish().unwrap();
            prop_assert!(completion.calls.iter().all(|call| call.name == "search"));
        }
    }
}
