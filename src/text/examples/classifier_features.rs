//! Prints the features of labelled lines, for `scripts/quality/train`.
//!
//! Takes the name of a model, reads lines of JSON, and writes a line of `INDEX:VALUE` pairs for each. A line is `{"text": …, "context": …}`;
//! for the model `turns` it also has `before`, `person`, `acts`, `place` and `count`, or no `count` if it stands by itself.

use std::io::{self, BufRead, BufWriter, Write};

use serde::Deserialize;
use tars_text::classifier::{Model, TurnContext, TurnSentence};

#[derive(Deserialize, Default)]
#[serde(default)]
struct Line {
    text: String,
    context: String,
    before: String,
    person: bool,
    acts: bool,
    place: usize,
    count: usize,
}

impl Line {
    fn features(&self, model: Model) -> Vec<(u32, f32)> {
        if model != Model::Turns {
            return model.features(&self.text, &self.context);
        }
        let Self { text, person, place, count, .. } = self;
        if *count == 0 {
            return TurnContext::features_alone(text, &self.context);
        }
        let sentence = TurnSentence { text, is_persons: *person, place: *place, count: *count };
        TurnContext::new(&self.context, &self.before, self.acts).features(sentence)
    }
}

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let model = Model::ALL.into_iter().find(|model| model.name() == name);
    let model = model.ok_or_else(|| io::Error::other(format!("no model is called {name:?}")))?;
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line: Line = serde_json::from_str(&line?)?;
        let features: Vec<String> =
            line.features(model).iter().map(|(index, value)| format!("{index}:{value}")).collect();
        writeln!(out, "{}", features.join(" "))?;
    }
    out.flush()
}
