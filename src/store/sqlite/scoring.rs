//! Scores rows by bm25 with weights that the caller already knows.
//!
//! FTS5's own `bm25` counts the rows of each phrase in every statement, although the caller has just counted them; it scores every
//! phrase of the expression, even one that only narrows the matches; and it reads the length of every row. This function takes the
//! weights as an argument, skips phrases without weight, and does not read a row's length if the row could not score enough even if
//! it ended after its last matching phrase. The result is the same as in fts5_aux.c, with the opposite sign.
//!
//! `tars_score(chunks_fts, numbers)` takes a blob of little-endian f64: the weights of the columns, the minimum score, the number
//! of best rows wanted (0 for all), then one weight per phrase of the expression, in order. The result is NULL if a row scores less
//! than the minimum, or less than that many rows before it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::{c_int, c_void};

use rusqlite::{Connection, ffi};

use crate::ColumnWeights;

/// The constants of bm25 in FTS5 (`k1`, `b`; fts5_aux.c).
pub(super) const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Number of columns of the full text.
const COLUMNS: usize = 3;
/// Positions in the numbers: the minimum score, the number of rows wanted, and the first phrase.
const MIN_SCORE: usize = COLUMNS;
const MAX_ROWS: usize = COLUMNS + 1;
const PHRASES: usize = COLUMNS + 2;

/// The argument of `tars_score`.
#[derive(Debug, Clone)]
pub(super) struct Numbers(Vec<f64>);

impl Numbers {
    /// Creates the numbers with these column weights. Phrases are added in the order of the expression.
    pub(super) fn new(columns: ColumnWeights) -> Self {
        Self(vec![1.0, columns.title, columns.meta, f64::MIN, 0.0])
    }

    /// Adds the weights of phrases.
    pub(super) fn add(&mut self, weights: impl IntoIterator<Item = f64>) {
        self.0.extend(weights);
    }

    /// Returns the argument of `tars_score` with this minimum score, and with the number of best rows wanted, if limited.
    pub(super) fn wanted(&self, at_least: f64, best: Option<usize>) -> Vec<u8> {
        let number = |(at, number): (usize, &f64)| match at {
            MIN_SCORE => at_least,
            MAX_ROWS => best.unwrap_or(0) as f64,
            _ => *number,
        };
        self.0.iter().enumerate().map(number).flat_map(f64::to_le_bytes).collect()
    }
}

/// Registers the function with a connection.
///
/// # Errors
/// SQLite was built without FTS5, or memory is exhausted.
#[expect(unsafe_code, reason = "FTS5 registers row functions only through a table of C functions")]
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let mut api: *mut ffi::fts5_api = std::ptr::null_mut();
    let failed =
        |code: c_int| rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some("FTS5 takes no function".into()));
    // SAFETY: the connection stays open while this function borrows it. `fts5(?)` writes the address of its function table to the
    // location bound under exactly this type (https://www.sqlite.org/fts5.html, "Extending FTS5"), and that location outlives the
    // statement. The table lives as long as the connection; the name and the function are static.
    unsafe {
        let database = connection.handle();
        let mut statement = std::ptr::null_mut();
        let sql = c"SELECT fts5(?1)";
        let prepared = ffi::sqlite3_prepare_v2(database, sql.as_ptr(), -1, &mut statement, std::ptr::null_mut());
        if prepared != ffi::SQLITE_OK {
            return Err(failed(prepared));
        }
        let place = std::ptr::from_mut(&mut api).cast();
        ffi::sqlite3_bind_pointer(statement, 1, place, c"fts5_api_ptr".as_ptr(), None);
        ffi::sqlite3_step(statement);
        ffi::sqlite3_finalize(statement);
        let create = api.as_ref().and_then(|api| api.xCreateFunction).ok_or_else(|| failed(ffi::SQLITE_ERROR))?;
        match create(api, c"tars_score".as_ptr(), std::ptr::null_mut(), Some(score), None) {
            ffi::SQLITE_OK => Ok(()),
            code => Err(failed(code)),
        }
    }
}

#[expect(unsafe_code, reason = "called by FTS5, with the arguments of the statement")]
unsafe extern "C" fn score(
    api: *const ffi::Fts5ExtensionApi,
    row: *mut ffi::Fts5Context,
    context: *mut ffi::sqlite3_context,
    count: c_int,
    values: *mut *mut ffi::sqlite3_value,
) {
    // SAFETY: FTS5 calls this function with its function table, the current row, and `count` values, all of which live until it
    // returns. The blob of a value lives until the value is read in another form.
    unsafe {
        let bytes = if count == 1 {
            let blob = ffi::sqlite3_value_blob(*values).cast::<u8>();
            let length = usize::try_from(ffi::sqlite3_value_bytes(*values)).unwrap_or_default();
            if blob.is_null() { &[][..] } else { std::slice::from_raw_parts(blob, length) }
        } else {
            &[]
        };
        match api.as_ref().ok_or(ffi::SQLITE_MISUSE).and_then(|api| score_of(api, row, bytes.as_chunks().0)) {
            Ok(Some(score)) => ffi::sqlite3_result_double(context, score),
            Ok(None) => ffi::sqlite3_result_null(context),
            Err(code) => ffi::sqlite3_result_error_code(context, code),
        }
    }
}

/// Returns the score of a row; `None` if it is below the minimum.
///
/// # Safety
/// `api` and `row` come from the current call by FTS5, which has not returned yet.
#[expect(unsafe_code, reason = "calls FTS5's functions for the current row")]
unsafe fn score_of(
    api: &ffi::Fts5ExtensionApi,
    row: *mut ffi::Fts5Context,
    numbers: &[[u8; 8]],
) -> Result<Option<f64>, c_int> {
    let number = |at: usize| f64::from_le_bytes(numbers[at]);
    let missing = ffi::SQLITE_MISUSE;
    let (count, size) = (api.xPhraseCount.ok_or(missing)?, api.xColumnSize.ok_or(missing)?);
    // SAFETY: guaranteed by the caller; all pointers refer to local variables.
    unsafe {
        // If FTS5 split a phrase differently than counted, the weights would shift.
        if numbers.len() != PHRASES + usize::try_from(count(row)).unwrap_or_default() {
            return Err(ffi::SQLITE_MISMATCH);
        }
        // Weight and frequency of each phrase in the row.
        let mut held: Vec<(f64, f64)> = Vec::new();
        let mut ends = [0; COLUMNS];
        for phrase in (0..numbers.len() - PHRASES).filter(|phrase| number(PHRASES + phrase) > 0.0) {
            let frequency = frequency(api, row, phrase, &number, &mut ends)?;
            if frequency > 0.0 {
                held.push((number(PHRASES + phrase), frequency));
            }
        }
        let state = state(api, row)?;
        let sum = |length: c_int| -> f64 {
            let longer = B * f64::from(length) / state.average;
            held.iter().map(|(weight, often)| weight * ((often * (K1 + 1.0)) / (often + K1 * (1.0 - B + longer)))).sum()
        };
        let (best, least) = (number(MAX_ROWS) as usize, number(MIN_SCORE));
        let least = least.max(state.last_of(best));
        if sum(ends.iter().sum()) < least {
            return Ok(None);
        }
        let mut length = 0;
        match size(row, -1, &mut length) {
            ffi::SQLITE_OK => {}
            code => return Err(code),
        }
        let score = sum(length);
        if score < least {
            return Ok(None);
        }
        state.note(score, best);
        Ok(Some(score))
    }
}

/// State kept between the rows of a statement.
struct State {
    /// Average length of rows. FTS5 reads it from the database on every call.
    average: f64,
    /// The highest scores so far, the lowest of them on top. Stored as bits, which order positive numbers correctly.
    best: BinaryHeap<Reverse<u64>>,
}

impl State {
    /// Returns the lowest of the `best` highest scores; `f64::MIN` until there are that many.
    fn last_of(&self, best: usize) -> f64 {
        match self.best.peek() {
            Some(Reverse(last)) if self.best.len() == best => f64::from_bits(*last),
            _ => f64::MIN,
        }
    }

    /// Records a score among the `best` highest.
    fn note(&mut self, score: f64, best: usize) {
        if self.best.len() < best {
            self.best.push(Reverse(score.to_bits()));
        } else if let Some(mut last) = self.best.peek_mut() {
            *last = Reverse(score.to_bits());
        }
    }
}

/// Returns the state of the statement, creating it on the first call.
///
/// # Safety
/// As for [`score_of`], which holds the returned reference until it returns, once per row.
#[expect(unsafe_code, reason = "calls FTS5's functions for the current row")]
unsafe fn state<'a>(api: &ffi::Fts5ExtensionApi, row: *mut ffi::Fts5Context) -> Result<&'a mut State, c_int> {
    let missing = ffi::SQLITE_MISUSE;
    let (get, set) = api.xGetAuxdata.zip(api.xSetAuxdata).ok_or(missing)?;
    let (rows, total) = api.xRowCount.zip(api.xColumnTotalSize).ok_or(missing)?;
    // SAFETY: guaranteed by the caller; all pointers refer to local variables. The state is a box that FTS5 passes only to this
    // function while the statement runs, and releases with `free`, even if storing it fails.
    unsafe {
        let mut place = get(row, 0);
        if place.is_null() {
            let (mut all, mut of) = (0, 0);
            for code in [total(row, -1, &mut all), rows(row, &mut of)] {
                if code != ffi::SQLITE_OK {
                    return Err(code);
                }
            }
            place = Box::into_raw(Box::new(State { average: all as f64 / of as f64, best: BinaryHeap::new() })).cast();
            match set(row, place, Some(free)) {
                ffi::SQLITE_OK => {}
                code => return Err(code),
            }
        }
        place.cast::<State>().as_mut().ok_or(ffi::SQLITE_NOMEM)
    }
}

#[expect(unsafe_code, reason = "called by FTS5 with the stored state")]
unsafe extern "C" fn free(state: *mut c_void) {
    // SAFETY: the pointer comes from `Box::into_raw` of this type, and FTS5 frees it once.
    drop(unsafe { Box::from_raw(state.cast::<State>()) });
}

/// Returns the frequency of a phrase in a row, each occurrence weighted by its column. `ends` becomes the number of tokens per
/// column that are known to exist: up to the end of a phrase's first token.
///
/// # Safety
/// As for [`score_of`].
#[expect(unsafe_code, reason = "calls FTS5's functions for the current row")]
unsafe fn frequency(
    api: &ffi::Fts5ExtensionApi,
    row: *mut ffi::Fts5Context,
    phrase: usize,
    number: &impl Fn(usize) -> f64,
    ends: &mut [c_int; COLUMNS],
) -> Result<f64, c_int> {
    let (first, next) = api.xPhraseFirst.zip(api.xPhraseNext).ok_or(ffi::SQLITE_MISUSE)?;
    let mut places = ffi::Fts5PhraseIter { a: std::ptr::null(), b: std::ptr::null() };
    let (mut column, mut offset, mut frequency) = (0, 0, 0.0);
    // SAFETY: guaranteed by the caller; all pointers refer to local variables.
    unsafe {
        let code = first(row, phrase as c_int, &mut places, &mut column, &mut offset);
        if code != ffi::SQLITE_OK {
            return Err(code);
        }
        while let Some(at) = usize::try_from(column).ok().filter(|at| *at < COLUMNS) {
            frequency += number(at);
            ends[at] = ends[at].max(offset + 1);
            next(row, &mut places, &mut column, &mut offset);
        }
    }
    Ok(frequency)
}
