//! bm25 of the phrases that are asked for, with weights that are known.
//!
//! FTS5's own `bm25` counts for each statement in how many rows each phrase stands, although a question has just asked; scores
//! every phrase of the expression, also one that only narrows what is found; and reads the length of every row. This function
//! takes the weights, passes over phrases without one, and reads no length where a row could not score enough if it ended behind
//! the last phrase that it holds. What it computes is the same (fts5_aux.c), with the other sign.
//!
//! `tars_score(chunks_fts, numbers)` takes a blob of little-endian f64: the weights of the columns, the least score that is
//! wanted, how many of the best rows are wanted (0 for all), then a weight for each phrase of the expression in its order. It is NULL
//! where a row scores less than is wanted, or less than so many rows before it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::{c_int, c_void};

use rusqlite::{Connection, ffi};

use crate::store::ColumnWeights;

/// bm25's constants in FTS5 (`k1`, `b`; fts5_aux.c).
pub(super) const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Columns of the full text.
const COLUMNS: usize = 3;
/// Places in the numbers: of the least score, of how many rows are wanted, and of the first phrase.
const LEAST: usize = COLUMNS;
const BEST: usize = COLUMNS + 1;
const PHRASES: usize = COLUMNS + 2;

/// What a statement's scores are made of.
#[derive(Debug, Clone)]
pub(super) struct Numbers(Vec<f64>);

impl Numbers {
    /// Scores by these columns; phrases are added in the order of the expression.
    pub(super) fn new(columns: ColumnWeights) -> Self {
        Self(vec![1.0, columns.title, columns.meta, f64::MIN, 0.0])
    }

    /// Adds phrases.
    pub(super) fn add(&mut self, weights: impl IntoIterator<Item = f64>) {
        self.0.extend(weights);
    }

    /// Returns the argument of `tars_score` where no row is wanted that scores less than this, and the best alone if it is said how
    /// many.
    pub(super) fn wanted(&self, at_least: f64, best: Option<usize>) -> Vec<u8> {
        let number = |(at, number): (usize, &f64)| match at {
            LEAST => at_least,
            BEST => best.unwrap_or(0) as f64,
            _ => *number,
        };
        self.0.iter().enumerate().map(number).flat_map(f64::to_le_bytes).collect()
    }
}

/// Makes the function known to a connection.
///
/// # Errors
/// SQLite was built without FTS5, or memory is short.
#[expect(unsafe_code, reason = "FTS5 takes functions of its rows through a table of C functions alone")]
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let mut api: *mut ffi::fts5_api = std::ptr::null_mut();
    let failed =
        |code: c_int| rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some("FTS5 takes no function".into()));
    // SAFETY: the connection is open as long as this borrows it. `fts5(?)` writes the address of its table of functions to the
    // place that is bound under this very type (https://www.sqlite.org/fts5.html, "Extending FTS5"), which outlives the
    // statement. The table lives as long as the connection, and so do the name and the function, which are static.
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
    // SAFETY: FTS5 calls this with its table of functions, the row that it stands on, and `count` values, all of which live until
    // it returns; the blob of a value lives until the value is asked for something else.
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

/// Returns the score of a row; `None` where it is less than is wanted.
///
/// # Safety
/// `api` and `row` are those that FTS5 called with, and it has not returned.
#[expect(unsafe_code, reason = "calls FTS5's functions for the row that it stands on")]
unsafe fn score_of(
    api: &ffi::Fts5ExtensionApi,
    row: *mut ffi::Fts5Context,
    numbers: &[[u8; 8]],
) -> Result<Option<f64>, c_int> {
    let number = |at: usize| f64::from_le_bytes(numbers[at]);
    let missing = ffi::SQLITE_MISUSE;
    let (count, size) = (api.xPhraseCount.ok_or(missing)?, api.xColumnSize.ok_or(missing)?);
    // SAFETY: as promised by the caller; what is pointed to are places on this stack.
    unsafe {
        // A phrase that FTS5 cut otherwise than was counted would move the weights of those behind it.
        if numbers.len() != PHRASES + usize::try_from(count(row)).unwrap_or_default() {
            return Err(ffi::SQLITE_MISMATCH);
        }
        // Weight and frequency of each phrase that the row holds.
        let mut held: Vec<(f64, f64)> = Vec::new();
        let mut ends = [0; COLUMNS];
        for phrase in (0..numbers.len() - PHRASES).filter(|phrase| number(PHRASES + phrase) > 0.0) {
            let frequency = frequency(api, row, phrase, &number, &mut ends)?;
            if frequency > 0.0 {
                held.push((number(PHRASES + phrase), frequency));
            }
        }
        let kept = kept(api, row)?;
        let sum = |length: c_int| -> f64 {
            let longer = B * f64::from(length) / kept.average;
            held.iter().map(|(weight, often)| weight * ((often * (K1 + 1.0)) / (often + K1 * (1.0 - B + longer)))).sum()
        };
        let (best, least) = (number(BEST) as usize, number(LEAST));
        let least = least.max(kept.last_of(best));
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
        kept.note(score, best);
        Ok(Some(score))
    }
}

/// What is kept from row to row of a statement.
struct Kept {
    /// How long rows are on average. FTS5 reads that of the database each time it is asked.
    average: f64,
    /// The highest scores so far, the least of them on top. As bits: those of positive numbers are in the order of the numbers.
    best: BinaryHeap<Reverse<u64>>,
}

impl Kept {
    /// Returns the least of so many best scores; `f64::MIN` until there are so many.
    fn last_of(&self, best: usize) -> f64 {
        match self.best.peek() {
            Some(Reverse(last)) if self.best.len() == best => f64::from_bits(*last),
            _ => f64::MIN,
        }
    }

    /// Notes a score that is among so many best.
    fn note(&mut self, score: f64, best: usize) {
        if self.best.len() < best {
            self.best.push(Reverse(score.to_bits()));
        } else if let Some(mut last) = self.best.peek_mut() {
            *last = Reverse(score.to_bits());
        }
    }
}

/// Returns what is kept for the statement, the first time made.
///
/// # Safety
/// As for [`score_of`], which holds what is returned until it returns, once for a row.
#[expect(unsafe_code, reason = "calls FTS5's functions for the row that it stands on")]
unsafe fn kept<'a>(api: &ffi::Fts5ExtensionApi, row: *mut ffi::Fts5Context) -> Result<&'a mut Kept, c_int> {
    let missing = ffi::SQLITE_MISUSE;
    let (get, set) = api.xGetAuxdata.zip(api.xSetAuxdata).ok_or(missing)?;
    let (rows, total) = api.xRowCount.zip(api.xColumnTotalSize).ok_or(missing)?;
    // SAFETY: as promised by the caller; what is pointed to are places on this stack. What is kept is a box, which FTS5 hands to this
    // function alone, as long as the statement runs, and frees by `free`, also where it cannot be kept.
    unsafe {
        let mut place = get(row, 0);
        if place.is_null() {
            let (mut all, mut of) = (0, 0);
            for code in [total(row, -1, &mut all), rows(row, &mut of)] {
                if code != ffi::SQLITE_OK {
                    return Err(code);
                }
            }
            place = Box::into_raw(Box::new(Kept { average: all as f64 / of as f64, best: BinaryHeap::new() })).cast();
            match set(row, place, Some(free)) {
                ffi::SQLITE_OK => {}
                code => return Err(code),
            }
        }
        place.cast::<Kept>().as_mut().ok_or(ffi::SQLITE_NOMEM)
    }
}

#[expect(unsafe_code, reason = "called by FTS5, with what it was given to keep")]
unsafe extern "C" fn free(kept: *mut c_void) {
    // SAFETY: this was made by `Box::into_raw` of a `Kept`, and FTS5 frees it once.
    drop(unsafe { Box::from_raw(kept.cast::<Kept>()) });
}

/// Returns how often a row holds a phrase, each time counted by the weight of its column. `ends` becomes how many tokens of each
/// column are known to be there: as many as stand before the end of a phrase's first token.
///
/// # Safety
/// As for [`score_of`].
#[expect(unsafe_code, reason = "calls FTS5's functions for the row that it stands on")]
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
    // SAFETY: as promised by the caller; what is pointed to are places on this stack.
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
