//! LM Studio: two words for a full window; a stream may come as `application/json`; comments within the data.

use super::*;

#[test]
fn both_errors_of_a_full_window_are_known() {
    let first = json!(
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with \
        context length of only 4096 tokens, which is not enough."
    );
    assert_eq!(window(refuses(400, &first)), Some(4096));
    let second = json!("The number of tokens to keep from the initial prompt is greater than the context length.");
    assert_eq!(window(refuses(400, &second)), None);
}

#[test]
fn a_stream_that_calls_itself_json_is_read_as_a_stream() {
    let said = stream(&[delta(json!({"content": "Yes, "})), delta(json!({"content": "it is."})), end("stop")]);
    for kind in ["application/json", "application/json; charset=utf-8", "text/plain"] {
        let reply = Reply::ok(said.clone()).with_header("content-type", kind);
        let (events, result, _) = ask(Dialect::OpenAi, vec![reply]);
        assert_eq!(result.unwrap().text, "Yes, it is.", "{kind}");
        assert_eq!(events, ["Yes, ", "it is."], "{kind}");
    }
}

#[test]
fn an_object_that_calls_itself_a_stream_is_read_as_an_object() {
    let whole = json!({"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]});
    let (_, result, _) = ask(Dialect::OpenAi, vec![Reply::stream(whole.to_string(), StreamEnd::Whole)]);
    assert_eq!(result.unwrap().text, "Yes.");
}

#[test]
fn comments_within_the_data_and_missing_blank_lines_are_no_failures() {
    let [first, second] = ["Yes, ", "it is."].map(|text| delta(json!({"content": text})));
    let said = format!(
        "data: : keep-alive\n\ndata:\n\ndata: {first}\ndata: : OPENROUTER PROCESSING\ndata: {second}\n\ndata: {}\n\ndata: [DONE] \n\n",
        end("stop")
    );
    let (_, completion) = answer(Dialect::OpenAi, &said);
    assert_eq!(completion.unwrap().text, "Yes, it is.");
}
