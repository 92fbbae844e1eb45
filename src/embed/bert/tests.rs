//! The real model, from `TARS_MODELS_DIR`, against ONNX Runtime.

use super::*;

#[test]
fn scratch_measure() {
    let models = PathBuf::from(std::env::var_os("TARS_MODELS_DIR").unwrap());
    let model = crate::embed::Catalog::new(&models).get("all-minilm-l6-v2-int8").unwrap();
    let library = crate::embed::RuntimeLibrary::find(None, &models).unwrap();
    let t = std::time::Instant::now();
    let p = prepare(&model, &library, true).unwrap();
    println!("prepare {:?} {p:?}", t.elapsed());
    let t = std::time::Instant::now();
    let e = BertEmbedder::load(&model, 1).unwrap();
    println!("load {:?}", t.elapsed());
    use crate::embed::{Embedder, TextKind};
    for n in [8, 16, 64, 128, 250] {
        let text = vec!["time"; n].join(" ");
        let _ = e.embed(TextKind::Passage, &[&text]);
        let t = std::time::Instant::now();
        let mut k = 0;
        while t.elapsed().as_secs_f64() < 1.0 { e.embed(TextKind::Passage, &[&text]).unwrap(); k += 1; }
        println!("{n}: {:.0} tokens/s, {:.3} ms", ((n + 2) * k) as f64 / t.elapsed().as_secs_f64(), t.elapsed().as_secs_f64() * 1e3 / k as f64);
    }
}
