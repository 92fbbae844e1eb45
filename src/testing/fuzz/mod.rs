//! Runs hostile inputs against the parsers and checks their guarantees, as plain tests.
//!
//! A target is a test named `fuzz_NAME` next to the code that it attacks, so that nothing becomes public for its sake.
//! Its property is a function of bytes that panics if a guarantee is broken. The inputs are the files in
//! `tests/fuzz/seeds/NAME`, unchanged and mutated (`mutate`). A property for a format with checksums repairs them
//! itself.
//!
//! `cargo test` tries a fixed number of cases, the same on every machine. `scripts/fuzz` tries other cases for a given
//! time. Environment variables:
//!
//! - `TARS_FUZZ_CASES`: number of mutated inputs per test (default: 200).
//! - `TARS_FUZZ_SECONDS`: run for this many seconds instead, and keep a failing input as a new seed.
//! - `TARS_FUZZ_SEED`: seed of all random choices (default: the target's name, or the time with `TARS_FUZZ_SECONDS`).
//! - `TARS_FUZZ_CURRENT`: a file that always holds the current input, for crashes that end the process.
//! - `TARS_FUZZ_UPDATE`: rewrite the seeds that tests generate because they follow our own formats ([`seed_is`]).

mod memory;
mod minimize;
mod mutate;

use std::cell::RefCell;
use std::env;
use std::fs;
use std::panic;
use std::path::PathBuf;
use std::sync::Once;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mutate::Mutator;

/// Default number of mutated inputs per test.
const CASES: u64 = 200;

/// Limit on the bytes that a property may hold at once: a base amount, plus a factor for each byte of the input. Caches
/// that are filled on first use count as well.
const MEMORY_BASE: usize = 8 << 20;
const MEMORY_PER_INPUT_BYTE: usize = 512;

/// Number of input bytes that a failure shows.
const SHOWN: usize = 600;

thread_local! {
    /// The message of a panic while a property runs, otherwise `None`.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `property` with the seeds of the target `name` and with mutations of them.
///
/// # Panics
/// The property panicked or exceeded its memory limit. The message shows the input.
pub fn fuzz(name: &str, property: fn(&[u8])) {
    Fuzzer::new(name, property).run();
}

/// Decodes bytes as the text of a vault's file.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Checks that the seed `file` of the target `name` matches the current format. With `TARS_FUZZ_UPDATE` it is rewritten
/// instead.
pub fn seed_is(name: &str, file: &str, bytes: &[u8]) {
    let path = folder_of(name).join(file);
    if env::var_os("TARS_FUZZ_UPDATE").is_some() {
        fs::create_dir_all(folder_of(name)).unwrap();
        fs::write(&path, bytes).unwrap();
    }
    let known = fs::read(&path).unwrap_or_default();
    assert!(known == bytes, "{} is out of date: run this test with TARS_FUZZ_UPDATE=1", path.display());
}

fn folder_of(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fuzz/seeds")).join(name)
}

struct Fuzzer<'a> {
    name: &'a str,
    property: fn(&[u8]),
    folder: PathBuf,
    current: Option<PathBuf>,
}

impl<'a> Fuzzer<'a> {
    fn new(name: &'a str, property: fn(&[u8])) -> Self {
        Self { name, property, folder: folder_of(name), current: env::var_os("TARS_FUZZ_CURRENT").map(PathBuf::from) }
    }

    fn run(&self) {
        let seeds = self.seeds();
        assert!(!seeds.is_empty(), "{} holds no seeds", self.folder.display());
        let started = Instant::now();
        let limit = number("TARS_FUZZ_SECONDS").map(Duration::from_secs);
        let inputs: Vec<Vec<u8>> = seeds.iter().map(|(_, bytes)| bytes.clone()).collect();
        let (mut tried, mut slowest) = (0, (Duration::ZERO, 0));
        let mut attempt = |input: &[u8]| {
            let before = Instant::now();
            let failure = self.failure(input);
            tried += 1;
            slowest = slowest.max((before.elapsed(), input.len()));
            failure
        };
        for (file, input) in &seeds {
            if let Some(message) = attempt(input) {
                panic!("{}: the seed {file} fails: {message}", self.name);
            }
        }
        let mut mutator = Mutator::new(&inputs, self.first_number(limit.is_some()));
        let cases = number("TARS_FUZZ_CASES").unwrap_or(CASES);
        for case in 0.. {
            if limit.map_or(case >= cases, |limit| started.elapsed() >= limit) {
                break;
            }
            let input = mutator.next();
            if let Some(message) = attempt(&input) {
                self.report(&input, &message, limit.is_some());
            }
        }
        let seconds = started.elapsed().as_secs_f64();
        let (slowest, length) = (slowest.0.as_secs_f64() * 1000.0, slowest.1);
        // `scripts/fuzz` shows this line; `cargo test` hides it for a passing test.
        println!(
            "{}: {tried} cases in {seconds:.1} s without a failure, the slowest {slowest:.0} ms ({length} bytes)",
            self.name
        );
    }

    /// Returns the names and contents of the seeds, sorted by name.
    fn seeds(&self) -> Vec<(String, Vec<u8>)> {
        let entries = fs::read_dir(&self.folder).unwrap_or_else(|error| panic!("{}: {error}", self.folder.display()));
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        paths.iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
    }

    fn first_number(&self, long: bool) -> u64 {
        let time = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        let fixed = || self.name.bytes().fold(0, |number: u64, byte| number.wrapping_mul(31) + u64::from(byte));
        number("TARS_FUZZ_SEED").unwrap_or_else(|| if long { time() } else { 0 }).wrapping_add(fixed())
    }

    /// Returns the failure that an input causes, if any.
    fn failure(&self, input: &[u8]) -> Option<String> {
        if let Some(path) = &self.current {
            fs::write(path, input).unwrap();
        }
        catch_quietly();
        CAUGHT.set(Some(String::new()));
        let (result, peak) = memory::peak(|| panic::catch_unwind(|| (self.property)(input)));
        let message = CAUGHT.take().unwrap_or_default();
        let most = MEMORY_BASE + MEMORY_PER_INPUT_BYTE * input.len();
        match result {
            Err(_) => Some(message),
            Ok(()) if peak > most => Some(format!("memory:\n{peak} bytes were allocated at once, more than {most}")),
            Ok(()) => None,
        }
    }

    /// Minimizes the input and panics with it.
    fn report(&self, input: &[u8], message: &str, keep: bool) -> ! {
        // The first line names the place of the panic; the rest may differ between inputs.
        let place = |message: &str| message.lines().next().unwrap_or_default().to_owned();
        let wanted = place(message);
        let is_same = |input: &[u8]| self.failure(input).is_some_and(|message| place(&message) == wanted);
        let input = minimize::minimized(input, &is_same);
        let message = self.failure(&input).unwrap_or_else(|| message.to_owned());
        let shown = input[..input.len().min(SHOWN)].escape_ascii();
        let what = format!("{}: {message}\n{} bytes of input: b\"{shown}\"", self.name, input.len());
        if !keep {
            panic!("{what}");
        }
        let file = self.folder.join(format!("found-{}", &blake3::hash(&input).to_hex()[..12]));
        fs::write(&file, &input).unwrap();
        panic!("{what}\nkept as {}; replay it with: cargo test --lib fuzz_{}", file.display(), self.name);
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}

/// Suppresses the output of panics in properties, of which minimizing produces thousands.
fn catch_quietly() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_caught = CAUGHT.with_borrow_mut(|caught| {
                caught.as_mut().map(|caught| *caught = info.to_string().replacen("panicked at ", "", 1)).is_some()
            });
            if !is_caught {
                before(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fuzzer(property: fn(&[u8])) -> Fuzzer<'static> {
        Fuzzer { current: None, ..Fuzzer::new("none", property) }
    }

    #[test]
    fn a_failure_is_reported_with_the_shortest_input() {
        let fuzzer = fuzzer(|input| assert!(!input.contains(&b'x'), "an x"));
        let input = b"one\ntwo x three";
        let report = panic::catch_unwind(|| fuzzer.report(input, &fuzzer.failure(input).unwrap(), false));
        let report = report.err().and_then(|report| report.downcast::<String>().ok()).unwrap();
        assert!(report.contains("an x") && report.ends_with("1 bytes of input: b\"x\""), "{report}");
    }

    #[test]
    fn exceeding_the_memory_limit_is_a_failure() {
        let fuzzer = fuzzer(|input| {
            drop(vec![0u8; if input.is_empty() { 0 } else { MEMORY_BASE + MEMORY_PER_INPUT_BYTE * 64 }])
        });
        assert_eq!(fuzzer.failure(b""), None);
        assert!(fuzzer.failure(b"x").is_some_and(|message| message.contains("allocated at once")));
    }
}
