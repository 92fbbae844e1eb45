//! Checks that splitting a stream anywhere does not change the result.

use proptest::prelude::*;

use super::super::answer::AnswerBuilder;
use super::super::reply::read_events;
use super::*;
use tars_testing::fuzz::fuzz;

/// Returns the events and the answer of a stream that arrives in these pieces.
fn read(dialect: Dialect, pieces: Vec<Vec<u8>>) -> (Vec<String>, Result<Completion, String>) {
    let mut events = Vec::new();
    let mut on_event = |event: ChatEvent<'_>| {
        events.push(told(event));
        ControlFlow::Continue(())
    };
    let request = request();
    let mut answer = AnswerBuilder::new(&request, &mut on_event);
    let mut pieces = pieces.into_iter();
    let read = read_events(dialect, &mut || Ok(pieces.next()), &mut answer, Some(KEY));
    let completion = read.and_then(|()| answer.finish("maker")).map_err(|error| format!("{error:?}"));
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
        let whole = read(dialect, vec![stream.clone()]);
        assert_eq!(whole.1.as_ref().unwrap().text, "Größe 😀.");
        for at in 0..stream.len() {
            let (first, second) = stream.split_at(at);
            assert_eq!(read(dialect, vec![first.to_vec(), second.to_vec()]), whole, "cut after {at} bytes");
        }
        assert_eq!(read(dialect, stream.iter().map(|byte| vec![*byte]).collect()), whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_stream_may_be_cut_anywhere(which in 0..4usize, sizes in proptest::collection::vec(0..300usize, 1..40)) {
        let (dialect, stream) = streams()[which].clone();
        let mut pieces = Vec::new();
        let mut rest = stream.as_slice();
        for size in sizes {
            let (piece, others) = rest.split_at(size.min(rest.len()));
            pieces.push(piece.to_vec());
            rest = others;
        }
        pieces.push(rest.to_vec());
        prop_assert_eq!(read(dialect, pieces), read(dialect, vec![stream]));
    }
}

/// In either dialect, splitting a stream changes neither its events nor its answer nor its error. The answer is no longer
/// than the stream, except for characters that replace invalid bytes. Every accepted call names a tool that was offered.
#[test]
fn fuzz_chat_stream() {
    fuzz("chat_stream", |bytes| {
        for dialect in [Dialect::OpenAi, Dialect::Anthropic] {
            let whole = read(dialect, vec![bytes.to_vec()]);
            let (first, second) = bytes.split_at(bytes.len() / 2);
            assert_eq!(read(dialect, vec![first.to_vec(), second.to_vec()]), whole);
            assert_eq!(read(dialect, bytes.chunks(1).map(<[u8]>::to_vec).collect()), whole);
            let Ok(completion) = whole.1 else { continue };
            assert!(completion.text.len() <= 3 * bytes.len());
            for call in completion.calls {
                assert_eq!(call.name, "search");
                assert!(call.arguments.object().is_none_or(Value::is_object));
            }
        }
    });
}
