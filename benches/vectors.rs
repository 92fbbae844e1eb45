//! Writes the vectors of texts as a model computes them, before an index rounds them: `vectors MODELS MODEL WAY TEXTS` writes
//! little-endian f32, one after the other. WAY is `onnx`, `auto` or the name of an instruction set; TEXTS is a JSON file with
//! a list of texts. scripts/bench/embed and scripts/bench/e5 compare the vectors with those of other programs.

use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::{env, fs, io};

use tars_embed::{BertEmbedder, Catalog, Embedder, OnnxEmbedder, RuntimeLibrary, TextKind};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [models, model, way, texts] => write(&*embedder(Path::new(models), model, way)?, Path::new(texts)),
        // `cargo bench -p tars-benches` runs all benchmarks without arguments; this one needs a script to pass some.
        [] => Ok(()),
        other => Err(format!("unknown arguments: {other:?}").into()),
    }
}

fn embedder(models: &Path, model: &str, way: &str) -> Result<Box<dyn Embedder>, Box<dyn Error>> {
    let model = Catalog::new(models).get(model)?;
    Ok(match way {
        "onnx" => {
            let library = RuntimeLibrary::find(None, models)?;
            Box::new(OnnxEmbedder::load(&model, &library, 1)?)
        }
        "auto" => Box::new(BertEmbedder::load(&model, 1)?),
        instructions => Box::new(BertEmbedder::load(&model, 1)?.with_instructions(instructions)?),
    })
}

fn write(embedder: &dyn Embedder, texts: &Path) -> Result<(), Box<dyn Error>> {
    let texts: Vec<String> = serde_json::from_slice(&fs::read(texts)?)?;
    let mut out = BufWriter::new(io::stdout().lock());
    for texts in texts.chunks(embedder.batch_size()) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for vector in embedder.embed(TextKind::Passage, &texts)? {
            for value in vector {
                out.write_all(&value.to_le_bytes())?;
            }
        }
    }
    Ok(out.flush()?)
}
