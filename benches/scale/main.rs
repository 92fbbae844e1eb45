//! The steps of `scripts/bench/scale`. Each runs in its own process, so that its memory can be measured, and prints JSON.
//!
//! - `generate VAULT NOTES SEED`: generates a vault.
//! - `walk VAULT`: a plain parallel walk with stat, as a baseline for a run over an unchanged vault.
//! - `index VAULT DATA`: indexes with vectors, with the same memory use as the indexer of `tars index`.
//! - `ask DATA NOTES SEED`: searches by words, and by words and meaning.
//!
//! Vectors are sums of word hashes, because a real model would take hours for the largest vault. Their number and
//! length are those of a model, but they carry no meaning.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

mod prose;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs};

use prose::{Author, Numbers};
use tars_base::domain::{ApproximateTokens, CountTokens, Filter, Mode, ModelId, NoProgress, Query, QuerySyntax};
use tars_config::Environment;
use tars_embed::{EmbedError, Embedder, TextKind};
use tars_engine::index::{self, IndexOptions, Root, RunPart};
use tars_engine::search::{VectorSearch, search};
use tars_rank::Fusion;
use tars_service::App;
use tars_store::{Maintenance, SqliteStore, Store};
use tars_text::chunker::ChunkOptions;
use tars_vault::WalkOptions;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const DIMENSIONS: usize = 384;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["generate", vault, notes, seed] => generate(Path::new(vault), notes.parse()?, seed.parse()?),
        ["walk", vault] => walk(Path::new(vault)),
        ["index", vault, data] => index(Path::new(vault), Path::new(data)),
        ["ask", data, notes, seed] => ask(Path::new(data), notes.parse()?, seed.parse()?),
        // `cargo bench -p tars-benches` runs all benchmarks without arguments; this one needs its script to pass some.
        [] => Ok(()),
        other => Err(format!("unknown arguments: {other:?}").into()),
    }
}

fn generate(vault: &Path, notes: usize, seed: u64) -> Result<()> {
    let mut author = Author::new(seed, notes);
    let mut bytes = 0;
    for number in 0..notes {
        let (path, text) = author.note(number);
        let path = vault.join(path);
        fs::create_dir_all(path.parent().ok_or("a note without a folder")?)?;
        bytes += text.len();
        fs::write(path, text)?;
    }
    println!("{{\"bytes\":{bytes}}}");
    Ok(())
}

fn walk(vault: &Path) -> Result<()> {
    let (files, bytes) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let threads = std::thread::available_parallelism()?.get();
    ignore::WalkBuilder::new(vault).standard_filters(false).threads(threads).build_parallel().run(|| {
        Box::new(|entry| {
            if let Some(metadata) = entry.ok().and_then(|entry| entry.metadata().ok()).filter(|found| found.is_file()) {
                files.fetch_add(1, Ordering::Relaxed);
                bytes.fetch_add(metadata.len() as usize, Ordering::Relaxed);
            }
            ignore::WalkState::Continue
        })
    });
    println!("{{\"files\":{},\"bytes\":{}}}", files.into_inner(), bytes.into_inner());
    Ok(())
}

fn index(vault: &Path, data: &Path) -> Result<()> {
    fs::create_dir_all(data)?;
    let memory = Memory::watch();
    let started = Instant::now();
    let mut store = SqliteStore::open(&data.join("index.db"))?;
    let options = IndexOptions {
        walk: WalkOptions::default(),
        pdf: None,
        max_file_size: 1 << 24,
        chunk: ChunkOptions::default(),
        memory_folder: "tars".into(),
        vault: "vault".into(),
        full: false,
        part: RunPart::Both,
    };
    let root = Root { name: "vault".into(), path: fs::canonicalize(vault)? };
    let report = index::run(&mut store, Some(&Hashing::new()), &[root], &options, &NoProgress)?;
    // `tars index` does the same after indexing.
    store.merge_full_text(Duration::from_millis(100))?;
    store.vacuum(true)?;
    let statistics = store.snapshot()?.statistics()?;
    println!(
        "{{\"seconds\":{},\"files\":{},\"chunks\":{},\"passages\":{},\"embedded\":{},\"own_kb\":{},\"mapped_kb\":{}}}",
        started.elapsed().as_secs_f64(),
        report.files,
        statistics.chunks,
        statistics.passages,
        report.embedded,
        memory.own_kb(),
        memory.mapped_kb()
    );
    Ok(())
}

fn ask(data: &Path, notes: usize, seed: u64) -> Result<()> {
    let memory = Memory::watch();
    let app = App::new(Environment::of_process(), &[])?;
    let options = app.search_options(Fusion::Adaptive);
    let store = SqliteStore::open_existing(&data.join("index.db"))?;
    let embedder = Hashing::new();
    let mut author = Author::new(seed + 1, notes);
    let questions: Vec<String> = (0..60).map(|_| author.question()).collect();
    let mut medians = Vec::new();
    for mode in [Mode::Keyword, Mode::Hybrid] {
        let mut times = Vec::new();
        for question in questions.iter().take(5).chain(&questions) {
            let query = Query {
                text: question.clone(),
                mode,
                limit: 10,
                filter: Filter::default(),
                min_score: 0.0,
                language: QuerySyntax::Prose,
                project: None,
                today: "2026-01-01".parse()?,
                explain: false,
            };
            let started = Instant::now();
            search(&*store.snapshot()?, VectorSearch::Model(&embedder), &query, &options)?;
            times.push(started.elapsed().as_secs_f64());
        }
        let mut times = times.split_off(5);
        times.sort_by(f64::total_cmp);
        medians.push(times[times.len() / 2]);
    }
    println!(
        "{{\"keyword\":{},\"hybrid\":{},\"own_kb\":{},\"mapped_kb\":{}}}",
        medians[0],
        medians[1],
        memory.own_kb(),
        memory.mapped_kb()
    );
    Ok(())
}

/// Peak memory of this process since the start of watching: its own memory, and mapped files, which the system may
/// reclaim. It is sampled a hundred times per second, because the system records only the peak of the sum.
struct Memory {
    own_kb: Arc<AtomicUsize>,
    mapped_kb: Arc<AtomicUsize>,
}

impl Memory {
    fn watch() -> Self {
        let memory = Self { own_kb: Arc::default(), mapped_kb: Arc::default() };
        let (own, mapped) = (memory.own_kb.clone(), memory.mapped_kb.clone());
        std::thread::spawn(move || {
            loop {
                let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
                for (name, most) in [("RssAnon:", &own), ("RssFile:", &mapped)] {
                    let line = status.lines().find_map(|line| line.strip_prefix(name));
                    let kb = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0);
                    most.fetch_max(kb, Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        memory
    }

    fn own_kb(&self) -> usize {
        self.own_kb.load(Ordering::Relaxed)
    }

    fn mapped_kb(&self) -> usize {
        self.mapped_kb.load(Ordering::Relaxed)
    }
}

/// Embeds a text as the sum of its word hashes: each word adds or subtracts one in 24 places.
struct Hashing {
    model: ModelId,
}

impl Hashing {
    fn new() -> Self {
        Self { model: ModelId::new("all-minilm-l6-v2-int8@000000000000") }
    }
}

impl Embedder for Hashing {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn window(&self) -> usize {
        256
    }

    fn tokens(&self) -> &dyn CountTokens {
        &ApproximateTokens
    }

    fn batch_size(&self) -> usize {
        64
    }

    fn embed(&self, _kind: TextKind, texts: &[&str]) -> std::result::Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &&str| {
            let mut vector = vec![0.0f32; DIMENSIONS];
            for word in text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()) {
                let hash =
                    word.bytes().fold(0, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
                let mut numbers = Numbers(hash);
                for _ in 0..24 {
                    let bits = numbers.next();
                    vector[(bits >> 1) as usize % DIMENSIONS] += if bits & 1 == 0 { 1.0 } else { -1.0 };
                }
            }
            let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
            vector.into_iter().map(|value| value / length).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}
