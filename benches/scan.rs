//! Speed and recall of the nearest-neighbour search: `cargo bench -p tars-benches --bench scan`.
//!
//! Compares two searches over the same vectors in one run: sqlite-vec's own table (`vec0`), and the index. The vectors
//! are generated: 384 values, normalised, clustered around subjects as texts are, each as far from its subject as the
//! subject is long. Every timed query type runs once before timing, so that all data is in memory.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rusqlite::{Connection, params};
use tars_base::domain::{Filter, ModelId};
use tars_store::{PendingPassage, PendingSelection, SqliteStore, Store, Writer};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const DIMENSIONS: usize = 384;
const SUBJECTS: usize = 500;
const MODEL: &str = "bench:1";
/// Number of requested chunks.
const WANTED: usize = 20;
/// Number of files whose vectors are stored in one batch.
const FILES: usize = 200;
/// Number of chunks per file.
const CHUNKS: usize = 50;

/// xorshift64*. The sum of eight uniform numbers is nearly normal.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn normal(&mut self) -> f32 {
        let eight =
            [self.next(), self.next()].map(|bits| (0..4).map(|part| (bits >> (16 * part)) as u16 as f32).sum::<f32>());
        (eight[0] + eight[1]) / 65_536.0 - 4.0
    }

    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS).map(|_| self.normal()).collect()
    }

    fn near(&mut self, subjects: &[Vec<f32>]) -> Vec<f32> {
        let subject = &subjects[self.next() as usize % subjects.len()];
        let values: Vec<f32> = subject.iter().map(|value| value + self.normal()).collect();
        let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
        values.into_iter().map(|value| value / length).collect()
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let sizes: Vec<usize> = match arguments.as_slice() {
        [] => vec![10_000, 100_000, 1_000_000],
        sizes => sizes.iter().map(|size| size.parse()).collect::<std::result::Result<_, _>>()?,
    };
    let folder = std::env::var_os("TARS_BENCH_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    println!("{DIMENSIONS} values, {WANTED} nearest; medians\n");
    println!(
        "| vectors | vec0, f32 | tars | vec0 / tars | recall@10 | first question | tenth of the files | blocks read |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for size in sizes {
        let place = tempfile::Builder::new().prefix("tars-bench-scan-").tempdir_in(&folder)?;
        measure(place.path(), size)?;
    }
    Ok(())
}

fn measure(place: &Path, size: usize) -> Result<()> {
    let mut numbers = Numbers(88_172_645_463_325_252);
    let subjects: Vec<Vec<f32>> = (0..SUBJECTS).map(|_| numbers.vector()).collect();
    let database = place.join("index.db");
    let mut store = SqliteStore::open(&database)?;
    register_vec0()?;
    let table = Connection::open(place.join("vec0.db"))?;
    let vectors = (0..size).map(|_| numbers.near(&subjects));
    fill(&database, &mut store, &table, vectors)?;
    let questions: Vec<Vec<f32>> = (0..300).map(|_| numbers.near(&subjects)).collect();
    let few = &questions[..if size > 200_000 { 30 } else { 300 }];
    let model = ModelId::new(MODEL);

    let mut knn = table.prepare("SELECT rowid FROM vectors WHERE embedding MATCH ?1 AND k = ?2 ORDER BY distance")?;
    let mut nearest = |question: &Vec<f32>| -> Result<Vec<i64>> {
        let rows = knn.query_map(params![bytes(question), WANTED as i64], |row| row.get(0))?;
        Ok(rows.collect::<std::result::Result<_, _>>()?)
    };
    let ask = |store: &SqliteStore, question: &Vec<f32>| -> Result<Vec<i64>> {
        let found = store.snapshot()?.nearest(question, &model, None, WANTED)?;
        Ok(found.into_iter().map(|one| one.chunk.0).collect())
    };
    for question in &few[..2] {
        ask(&store, question)?;
        nearest(question)?;
    }
    let blocks = "SELECT sum(length(codes)) FROM vector_blocks";
    let length: f64 = Connection::open(&database)?.query_row(blocks, [], |row| row.get(0))?;

    // The searches alternate, because the load of a machine varies over time.
    let memory = vec![1u64; 1 << 25];
    let [mut of_vec0, mut of_tars, mut of_memory] = [const { Vec::new() }; 3];
    let (mut right, mut wanted) = (0, 0);
    for question in few {
        let (exact, taken) = timed(|| nearest(question))?;
        of_vec0.push(taken);
        for _ in 0..3 {
            let (found, taken) = timed(|| ask(&store, question))?;
            of_tars.push(taken);
            wanted += 10;
            right += exact[..10].iter().filter(|one| found[..10].contains(one)).count();
            of_memory.push(timed(|| Ok(read(&memory)))?.1);
        }
    }
    let recall = f64::from(right as u32) / f64::from(wanted);
    let (vec0, tars) = (middle(of_vec0), middle(of_tars));
    let bandwidth = (8 * memory.len()) as f64 / middle(of_memory);
    let first = median(&questions[..9], |question| ask(&SqliteStore::open_existing(&database)?, question))?;
    let scope = store.snapshot()?.scope(&Filter { paths: vec!["*0.md".into()], ..Filter::default() })?;
    let scoped =
        median(&questions, |question| Ok(store.snapshot()?.nearest(question, &model, scope.as_ref(), WANTED)?))?;
    println!(
        "| {size} | {} | {} | {:.0} | {recall:.3} | {} | {} | {:.1} of {:.1} GB/s |",
        time(vec0),
        time(tars),
        vec0 / tars,
        time(first),
        time(scoped),
        length / tars / 1e9,
        bandwidth / 1e9,
    );
    Ok(())
}

/// Registers sqlite-vec's functions for every connection that is opened from now on.
fn register_vec0() -> Result<()> {
    type EntryPoint = rusqlite::auto_extension::RawAutoExtension;
    #[expect(unsafe_code, reason = "SQLite takes the entry point of a statically linked extension as a C function")]
    // SAFETY: `sqlite3_vec_init` is the entry point of an SQLite extension and has this signature; its Rust declaration
    // omits the parameters. It opens no database and registers no further extension.
    unsafe {
        let entry = std::mem::transmute::<*const (), EntryPoint>(sqlite_vec::sqlite3_vec_init as *const ());
        Ok(rusqlite::auto_extension::register_auto_extension(entry)?)
    }
}

/// Fills the index, with one passage per chunk, and sqlite-vec's table. Rows have the same number in both.
fn fill(
    database: &Path,
    store: &mut SqliteStore,
    table: &Connection,
    mut vectors: impl ExactSizeIterator<Item = Vec<f32>>,
) -> Result<()> {
    let index = Connection::open(database)?;
    index.execute_batch("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN")?;
    index.execute("INSERT INTO collections VALUES(1, 'bench', '/bench')", [])?;
    let mut file = index.prepare(
        "INSERT INTO files SELECT ?1, 1, ?1 || '.md', '', '', 'note', zeroblob(32), 0, 0, 0, '', 0, 0, NULL",
    )?;
    let mut chunk = index.prepare("INSERT INTO chunks VALUES(?1, ?2, randomblob(16), ?3, '', 1, 1, 'text', '')")?;
    let mut passage = index.prepare("INSERT INTO passages(chunk_id, seq, input_hash) VALUES(?1, 0, ?2)")?;
    for number in 0..vectors.len() {
        let (id, within) = (number as i64 + 1, (number % CHUNKS) as i64);
        let parent = (number / CHUNKS) as i64 + 1;
        if within == 0 {
            file.execute([parent])?;
        }
        chunk.execute([id, parent, within])?;
        passage.execute(params![id, id])?;
    }
    index.execute_batch("COMMIT")?;
    table.execute_batch(&format!(
        "PRAGMA synchronous = OFF; CREATE VIRTUAL TABLE vectors USING vec0(embedding float[{DIMENSIONS}]); BEGIN"
    ))?;
    let mut other = table.prepare("INSERT INTO vectors(rowid, embedding) VALUES(?1, ?2)")?;
    let model = ModelId::new(MODEL);
    store.adopt_model(&model)?;
    // Pending files come in the order of their rows, as do their passages.
    let (files, mut id) = (store.snapshot()?.pending_files(PendingSelection::All)?, 0i64);
    for files in files.chunks(FILES) {
        let mut batch: Vec<(PendingPassage, Vec<f32>)> = Vec::new();
        for file in files {
            for passage in store.snapshot()?.pending_passages(*file, PendingSelection::All)? {
                let vector = vectors.next().ok_or("as many vectors as passages")?;
                id += 1;
                other.execute(params![id, bytes(&vector)])?;
                batch.push((passage, vector));
            }
        }
        let rows: Vec<_> = batch.iter().map(|(passage, vector)| (*passage, vector.as_slice())).collect();
        store.put_vectors(&model, &rows)?;
    }
    table.execute_batch("COMMIT")?;
    index.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(())
}

/// Reads the whole buffer with one thread, as fast as possible.
fn read(memory: &[u64]) -> u64 {
    memory.iter().fold(0, |sum: u64, word| sum.wrapping_add(*word))
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let started = Instant::now();
    let done = std::hint::black_box(work()?);
    Ok((done, started.elapsed().as_secs_f64()))
}

fn median<T>(questions: &[Vec<f32>], mut ask: impl FnMut(&Vec<f32>) -> Result<T>) -> Result<f64> {
    let times = questions.iter().map(|question| Ok(timed(|| ask(question))?.1)).collect::<Result<_>>()?;
    Ok(middle(times))
}

fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn time(seconds: f64) -> String {
    format!("{:.2} ms", 1e3 * seconds)
}

fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|value| value.to_le_bytes()).collect()
}
