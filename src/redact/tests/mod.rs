use super::*;

mod keeps;
mod properties;
mod takes;

fn redacted(text: &str) -> String {
    redact(text).text.into_owned()
}

#[test]
fn every_pattern_compiles() {
    tokens::compile_all();
}
