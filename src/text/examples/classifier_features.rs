//! Prints the features of labelled lines, for `scripts/quality/train`.
//!
//! Takes the name of a model, reads lines of JSON, `{"text": …, "context": …}`, and writes a line of `INDEX:VALUE` pairs for each.

use std::io::{self, BufRead, BufWriter, Write};

use serde::Deserialize;
use tars_text::classifier::Model;

#[derive(Deserialize)]
struct Line {
    text: String,
    context: String,
}

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let model = Model::ALL.into_iter().find(|model| model.name() == name);
    let model = model.ok_or_else(|| io::Error::other(format!("no model is called {name:?}")))?;
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line: Line = serde_json::from_str(&line?)?;
        let features = model.features(&line.text, &line.context);
        let features: Vec<String> = features.iter().map(|(index, value)| format!("{index}:{value}")).collect();
        writeln!(out, "{}", features.join(" "))?;
    }
    out.flush()
}
