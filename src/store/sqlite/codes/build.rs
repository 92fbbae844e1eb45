//! Writing the file of codes anew.
//!
//! A new file is made of the old one, if that can be believed, and of the vectors that changed since; else of all vectors.
//! It is written beside, synced and renamed. That copies all codes for a few changes, hence it is done when many have come
//! together: a reader looks at changed vectors itself, which costs it a microsecond or two for each.

use std::cmp::Ordering;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::code::{Code, Coder};
use super::file::CodeFile;
use super::format::{BLOCK, HEADER, Header, PIECE, State, block_len, levels_len, model_hash};
use super::{Codes, changed};
use crate::disk::{File, Folder, Unfinished};
use crate::store::sqlite::embedding;
use crate::store::{Occasion, StoreError};

/// The codes tell of the notes: their owner alone may read them.
const MODE: u32 = 0o600;

/// What the names of files begin with that earlier versions left when they were killed.
const UNFINISHED: &str = ".index.codes.";

/// So many vectors, or up to twice as many, tell where the centre of all of them is.
const SAMPLE: usize = 16_384;

/// Returns how many changes a file of `count` vectors may lag behind. While vectors come in, the number grows with the file, so
/// that all files together are a few times the size of the last; changes of an index at rest must not slow questions.
pub(in crate::store::sqlite) fn tolerated(occasion: Occasion, count: usize) -> usize {
    match occasion {
        Occasion::Filling => 2048 + count / 8,
        Occasion::Settled => 128 + count / 256,
    }
}

/// Makes the file that of the vectors as they are now, if it lags behind by more changes than are tolerated in one of so
/// many vectors. The caller holds the right to write the index.
///
/// # Errors
/// The database cannot be read or the file not written; questions are answered without it then.
pub(in crate::store::sqlite) fn refresh(
    connection: &Connection,
    codes: &Codes,
    tolerated: impl Fn(usize) -> usize,
) -> Result<(), StoreError> {
    let written = {
        let snapshot = connection.unchecked_transaction()?;
        let model: Option<String> =
            snapshot.query_row("SELECT value FROM meta WHERE key = 'model'", [], |row| row.get(0)).optional()?;
        match model {
            Some(model) => write(&snapshot, codes, &model, tolerated)?,
            None => false,
        }
    };
    if written && let Some(file) = codes.file() {
        // What the file holds need not be told; its own change stays, by which it is believed.
        connection.execute("DELETE FROM vector_changes WHERE number < ?1", [file.state().number])?;
    }
    Ok(())
}

fn write(
    snapshot: &Connection,
    codes: &Codes,
    model: &str,
    tolerated: impl Fn(usize) -> usize,
) -> Result<bool, StoreError> {
    let sql = "SELECT number, nonce FROM vector_changes ORDER BY number DESC LIMIT 1";
    let state = snapshot.query_row(sql, [], |row| Ok(State { number: row.get(0)?, nonce: row.get(1)? }))?;
    let sql = "SELECT length(embedding) FROM vectors LIMIT 1";
    let row_len: Option<i64> = snapshot.query_row(sql, [], |row| row.get(0)).optional()?;
    let Some(row_len) = row_len.and_then(|length| usize::try_from(length).ok()) else { return Ok(false) };
    let dimensions = embedding::dimensions(row_len);
    let old = codes.believed(snapshot, model)?.filter(|file| file.dimensions() == dimensions);
    if let Some(old) = &old
        && usize::try_from(state.number - old.state().number).is_ok_and(|lag| lag <= tolerated(old.len()))
    {
        return Ok(false);
    }
    let count: i64 = snapshot.query_row("SELECT count(*) FROM vectors", [], |row| row.get(0))?;
    let count = usize::try_from(count).unwrap_or_default();
    // The centre of a few vectors is not that of the many that have joined them.
    let old = old.filter(|old| count <= 2 * old.centred());
    let failed = |reason| StoreError::Codes { path: codes.path().to_owned(), reason };
    let folder = codes.path().parent().unwrap_or(Path::new("."));
    remove_unfinished(folder);
    let opened = Folder::open(folder).map_err(failed)?;
    let name = codes.path().file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut unfinished = Unfinished::new(&opened, name, MODE).map_err(failed)?;
    let centred = old.as_ref().map_or(count, |old| old.centred());
    let header = Header { dimensions, count: 0, state, model: model_hash(model), centred, body_crc: 0 };
    let found;
    let coder = match &old {
        Some(old) => old.coder(),
        None => {
            found = Coder::around(&centre(snapshot, dimensions, count)?);
            &found
        }
    };
    let mut writer = Writer::new(unfinished.file_mut(), header, coder).map_err(failed)?;
    match &old {
        Some(old) => merge(snapshot, &mut writer, old, &changed(snapshot, old)?),
        None => add(snapshot, &mut writer, "SELECT id, embedding FROM vectors ORDER BY id", []),
    }
    .map_err(|error| error.at(codes))?;
    writer.finish().and_then(|()| unfinished.finish()).map_err(failed)?;
    Ok(true)
}

/// Returns the mean of the vectors, of every so-manieth where there are many.
fn centre(snapshot: &Connection, dimensions: usize, count: usize) -> Result<Vec<f32>, StoreError> {
    let mut statement = snapshot.prepare("SELECT embedding FROM vectors WHERE id % ?1 = 0")?;
    let mut rows = statement.query([(count / SAMPLE + 1) as i64])?;
    let (mut sum, mut number) = (vec![0.0f32; dimensions], 0.0f32);
    while let Some(row) = rows.next()? {
        let blob = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
        for (sum, value) in sum.iter_mut().zip(embedding::to_unit(blob)) {
            *sum += value;
        }
        number += 1.0;
    }
    Ok(sum.into_iter().map(|sum| sum / number.max(1.0)).collect())
}

/// Removes what a writer that was killed has left.
fn remove_unfinished(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(UNFINISHED)) {
        let _ = std::fs::remove_file(entry.path());
    }
}

/// What writing may fail by.
enum Failure {
    Database(rusqlite::Error),
    File(io::Error),
}

impl Failure {
    fn at(self, codes: &Codes) -> StoreError {
        match self {
            Self::Database(error) => error.into(),
            Self::File(reason) => StoreError::Codes { path: codes.path().to_owned(), reason },
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

/// Writes what the old file holds with `changed` as they are now; both are in the order of rows.
fn merge(snapshot: &Connection, writer: &mut Writer<'_>, old: &CodeFile, changed: &[i64]) -> Result<(), Failure> {
    let sql = "SELECT id, embedding FROM vectors WHERE id = ?1";
    let (mut slot, mut next) = (0, 0);
    while slot < old.len() || next < changed.len() {
        let order = match (changed.get(next), slot < old.len()) {
            (Some(changed), true) => old.id(slot).cmp(changed),
            (None, _) => Ordering::Less,
            (Some(_), false) => Ordering::Greater,
        };
        if order.is_lt() {
            writer.push(old.id(slot), &old.code(slot))?;
        } else {
            add(snapshot, writer, sql, [changed[next]])?;
            next += 1;
        }
        slot += usize::from(order.is_le());
    }
    Ok(())
}

/// Writes the vectors of a statement's rows.
fn add(
    snapshot: &Connection,
    writer: &mut Writer<'_>,
    sql: &str,
    parameter: impl rusqlite::Params,
) -> Result<(), Failure> {
    let mut statement = snapshot.prepare_cached(sql)?;
    let mut rows = statement.query(parameter)?;
    while let Some(row) = rows.next()? {
        let blob = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        // A model has vectors of one length; one of another length is near to nothing.
        if blob.len() == embedding::row_len(writer.header.dimensions) {
            let code = writer.coder.code(&embedding::to_unit(blob));
            writer.push(row.get(0)?, &code)?;
        }
    }
    Ok(())
}

/// Writes codes block by block as they come, then their rows, then the header before all.
struct Writer<'a> {
    header: Header,
    coder: &'a Coder,
    file: BufWriter<&'a mut File>,
    crc: crc32fast::Hasher,
    block: Vec<u8>,
    ids: Vec<u8>,
}

impl<'a> Writer<'a> {
    fn new(file: &'a mut File, header: Header, coder: &'a Coder) -> io::Result<Self> {
        let mut file = BufWriter::with_capacity(1 << 18, file);
        file.write_all(&[0; HEADER])?;
        let block = vec![0; block_len(header.dimensions)];
        let mut writer = Self { header, coder, file, crc: crc32fast::Hasher::new(), block, ids: Vec::new() };
        let centre: Vec<u8> = coder.centre().iter().flat_map(|value| value.to_le_bytes()).collect();
        writer.write(&centre)?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.crc.update(bytes);
        self.file.write_all(bytes)
    }

    fn push(&mut self, id: i64, code: &Code) -> io::Result<()> {
        let row =
            u32::try_from(id).map_err(|_| io::Error::other(format!("row {id} is beyond what the file can name")))?;
        let place = self.header.count % BLOCK;
        let (levels, numbers) = self.block.split_at_mut(levels_len(self.header.dimensions));
        let pieces = levels.as_chunks_mut::<PIECE>().0.iter_mut().skip(place).step_by(BLOCK);
        for (piece, levels) in pieces.zip(code.levels.as_chunks().0) {
            *piece = *levels;
        }
        let columns = numbers.as_chunks_mut::<2>().0.iter_mut().skip(place).step_by(BLOCK);
        for (number, value) in columns.zip(code.numbers) {
            *number = value.to_le_bytes();
        }
        self.ids.extend(row.to_le_bytes());
        self.header.count += 1;
        if place + 1 == BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let block = std::mem::take(&mut self.block);
        self.write(&block)?;
        self.block = vec![0; block.len()];
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        if !self.header.count.is_multiple_of(BLOCK) {
            self.flush()?;
        }
        let ids = std::mem::take(&mut self.ids);
        self.write(&ids)?;
        self.header.body_crc = self.crc.finalize();
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&self.header.to_bytes())?;
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::{self, Admitted};
    use super::*;

    /// Unit vectors from a small generator, in clusters so that many lie near each other.
    fn vectors(count: usize, dimensions: usize) -> Vec<Vec<f32>> {
        let mut seed = 1u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        let centres: Vec<Vec<f32>> = (0..8).map(|_| (0..dimensions).map(|_| next()).collect()).collect();
        (0..count)
            .map(|number| {
                let values = centres[number % 8].iter().map(|value| value + 0.3 * next()).collect::<Vec<f32>>();
                let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
                values.into_iter().map(|value| value / length).collect()
            })
            .collect()
    }

    /// A file of these vectors, whose rows are twice their places.
    fn file_of(vectors: &[Vec<f32>]) -> CodeFile {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path()).unwrap();
        let mut unfinished = Unfinished::new(&folder, "codes", MODE).unwrap();
        let state = State { number: 1, nonce: 2 };
        let (dimensions, centred) = (vectors[0].len(), vectors.len());
        let header = Header { dimensions, count: 0, state, model: model_hash("m"), centred, body_crc: 0 };
        let mean = (0..dimensions).map(|at| vectors.iter().map(|vector| vector[at]).sum::<f32>() / centred as f32);
        let coder = Coder::around(&mean.collect::<Vec<f32>>());
        let mut writer = Writer::new(unfinished.file_mut(), header, &coder).unwrap();
        for (number, vector) in vectors.iter().enumerate() {
            writer.push(2 * number as i64, &coder.code(vector)).unwrap();
        }
        writer.finish().unwrap();
        unfinished.finish().unwrap();
        CodeFile::open(&place.path().join("codes")).unwrap()
    }

    #[test]
    fn the_nearest_are_among_the_candidates_and_few_others_are() {
        let all = vectors(4000, 96);
        let file = file_of(&all);
        let mut missed = 0;
        for question in all.iter().step_by(97) {
            let similarity = |vector: &[f32]| vector.iter().zip(question).map(|(one, other)| one * other).sum::<f32>();
            let mut order: Vec<(f32, i64)> =
                all.iter().enumerate().map(|(number, vector)| (similarity(vector), 2 * number as i64)).collect();
            order.sort_by(|one, other| other.0.total_cmp(&one.0));
            let all_but = |slots: Vec<usize>| Admitted::all_but(&file, slots.into_iter());
            let found = scan::nearest(&file, question, &all_but(vec![]), 100);
            missed += order[..100].iter().filter(|(_, id)| !found.contains(id)).count();
            assert!(order[..10].iter().all(|(_, id)| found.contains(id)));
            assert!(found.len() < 1000, "{} candidates", found.len());
            let without = order[..3].iter().filter_map(|(_, id)| file.slot(*id)).collect();
            let found = scan::nearest(&file, question, &all_but(without), 100);
            assert!(order[..3].iter().all(|(_, id)| !found.contains(id)) && found.contains(&order[3].1));
            let few: Vec<i64> = order.iter().skip(7).step_by(50).map(|(_, id)| *id).collect();
            let admitted = Admitted::only(&file, few.iter().filter_map(|id| file.slot(*id)));
            let found = scan::nearest(&file, question, &admitted, 5);
            assert!(found.contains(&few[0]) && found.iter().all(|id| few.contains(id)));
        }
        assert!(missed <= 8, "{missed} of 4200 missed");
        let all_but_none = Admitted::all_but(&file, std::iter::empty());
        assert_eq!(scan::nearest(&file, &all[0], &all_but_none, 5000).len(), 4000);
        assert_eq!(file.slot(3), None);
    }

    #[test]
    fn a_vector_of_zeros_is_no_trouble() {
        let file = file_of(&[vec![0.0; 4], vec![1.0, 0.0, 0.0, 0.0]]);
        let admitted = Admitted::all_but(&file, std::iter::empty());
        assert!(scan::nearest(&file, &[1.0, 0.0, 0.0, 0.0], &admitted, 1).contains(&2));
        assert_eq!(scan::nearest(&file, &[0.0; 4], &admitted, 2).len(), 2);
    }
}
