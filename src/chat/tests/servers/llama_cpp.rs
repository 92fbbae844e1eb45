//! llama.cpp: names its window in an error; its templates may open the thoughts themselves; the first versions end with `error:`.

use super::*;

#[test]
fn the_error_of_a_full_window_names_the_window() {
    let error = json!({"code": 400, "message": "the request exceeds the available context size, try increasing it",
        "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 4096});
    assert_eq!(window(refuses(400, &error)), Some(4096));
    let text = format!("error: {error}\n\n");
    let within = answer(Dialect::OpenAi, &text).1;
    assert!(matches!(within, Err(ChatError::TooLong { window: Some(4096), .. })), "{within:?}");
}

#[test]
fn tools_without_a_template_for_them_are_distinguished_from_other_failures() {
    let error = json!({"code": 500, "message": "tools param requires --jinja flag", "type": "server_error"});
    let (_, result, asked) = ask(Dialect::OpenAi, vec![refuses(500, &error)]);
    assert!(matches!(result, Err(ChatError::ToolsRefused { .. })), "{result:?}");
    assert_eq!(asked.len(), 1, "it is not retried");
}

#[test]
fn thoughts_without_an_opening_mark_are_no_text() {
    let chunks: Vec<Value> = ["The pump ", "stops, so\n</thi", "nk>", "\n\nIt is ", "dry."]
        .map(|text| delta(json!({"content": text})))
        .into();
    let said = stream(&[chunks.as_slice(), &[end("stop")]].concat());
    let (events, completion) = answer(Dialect::OpenAi, &said);
    assert_eq!(completion.unwrap().text.trim(), "It is dry.");
    assert!(events.contains(&"[withdrawn]".to_owned()), "{events:?}");
}

#[test]
fn a_model_that_once_ended_thoughts_without_opening_them_shows_none_after_that() {
    let said = |texts: &[&str]| {
        let chunks = texts.iter().map(|text| delta(json!({"content": text}))).chain([end("stop")]);
        Reply::stream(stream(&chunks.collect::<Vec<Value>>()), StreamEnd::Whole)
    };
    let server = Loopback::script(vec![said(&["hm ", "so\n</think>", "Yes"]), said(&["well, ", "so</think>", "No"])]);
    let (model, _) = model(Dialect::OpenAi, &server);
    let (events, _) = send(&model, &request());
    assert_eq!(events, ["hm ", "so\n", "[withdrawn]", "Yes"]);
    let (events, completion) = send(&model, &request());
    assert_eq!(completion.unwrap().text, "No");
    assert_eq!(events, ["(well, so)", "No"]);
}

#[test]
fn an_end_in_the_middle_of_an_answer_says_what_happened() {
    let begun = stream(&[delta(json!({"content": "The pump"}))]).replace("data: [DONE]\n\n", "");
    for ends in [StreamEnd::Broken, StreamEnd::Whole] {
        let (events, result, _) = ask(Dialect::OpenAi, vec![Reply::stream(begun.clone(), ends)]);
        let error = result.unwrap_err();
        assert!(error.to_string().contains("ended in the middle of its answer"), "{error}");
        let hint = error.hint().unwrap();
        assert!(!hint.contains("start the model's server") && hint.contains("log"), "{hint}");
        assert_eq!(events, ["The pump"]);
    }
}
