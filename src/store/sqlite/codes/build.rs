//! Writing the file of codes anew.
//!
//! A new file is made of the old one, if that can be believed, and of the vectors that changed since; else of all vectors.
//! It is written beside, synced and renamed. That copies all codes for a few changes, hence it is done when many have come
//! together: a reader looks at changed vectors itself, which costs it a microsecond or two for each.

use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::file::CodeFile;
use super::format::{HEADER, Header, State, model_hash};
use super::scan::Code;
use super::{Codes, changed};
use crate::store::StoreError;

/// What the file's name begins with while it is written.
const UNFINISHED: &str = ".index.codes.";

/// When the file is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// Vectors are coming in by the thousand: each file is soon to be replaced.
    Filling,
    /// The index is at rest.
    Settled,
}

impl Occasion {
    /// How many changes a file of `count` vectors may lag behind. While vectors come in, the number grows with the file, so
    /// that all files together are a few times the size of the last; changes of an index at rest must not slow questions.
    pub(in crate::store::sqlite) fn tolerates(self, count: usize) -> usize {
        match self {
            Self::Filling => 2048 + count / 8,
            Self::Settled => 128 + count / 256,
        }
    }
}

/// Makes the file that of the vectors as they are now, if it lags behind by more changes than are tolerated in one of so
/// many vectors. Whoever calls it holds the right to write the index.
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
    let sql = "SELECT length(embedding) / 4 FROM vectors WHERE model = ?1 LIMIT 1";
    let dimensions: Option<i64> = snapshot.query_row(sql, [model], |row| row.get(0)).optional()?;
    let Some(dimensions) = dimensions.and_then(|length| usize::try_from(length).ok()) else { return Ok(false) };
    let old = codes.believed(snapshot, model)?.filter(|file| file.dimensions() == dimensions);
    if let Some(old) = &old
        && usize::try_from(state.number - old.state().number).is_ok_and(|lag| lag <= tolerated(old.len()))
    {
        return Ok(false);
    }
    let failed = |source| StoreError::Codes { path: codes.path().to_owned(), source };
    let folder = codes.path().parent().unwrap_or(Path::new("."));
    remove_unfinished(folder);
    // Made so that only its owner may read it, and gone again if anything fails.
    let mut unfinished = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder).map_err(failed)?;
    let header = Header { dimensions, count: 0, state, model: model_hash(model), body_crc: 0 };
    let mut writer = Writer::new(unfinished.as_file_mut(), header).map_err(failed)?;
    match &old {
        Some(old) => merge(snapshot, &mut writer, old, &changed(snapshot, old)?),
        None => {
            let sql = "SELECT id, embedding FROM vectors WHERE model = ?1 ORDER BY id";
            add(snapshot, &mut writer, sql, [model])
        }
    }
    .map_err(|error| error.at(codes))?;
    writer.finish().and_then(|()| unfinished.as_file().sync_all()).map_err(failed)?;
    unfinished.persist(codes.path()).map_err(|error| failed(error.error))?;
    Ok(true)
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
            Self::File(source) => StoreError::Codes { path: codes.path().to_owned(), source },
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
            let stride = old.stride();
            let bytes = &old.codes()[slot * stride..][..stride];
            writer.push(old.id(slot), bytes, [old.steps()[slot], old.lacks()[slot]])?;
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
        let vector: Vec<f32> = blob.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        // A model has vectors of one length; one of another length is near to nothing.
        if vector.len() == writer.header.dimensions {
            let code = Code::of(&vector);
            writer.push(row.get(0)?, &code.bytes, [code.step, code.lack].map(f32::to_le_bytes))?;
        }
    }
    Ok(())
}

/// Writes codes as they come, then what belongs to them, then the header before all.
struct Writer<'a> {
    header: Header,
    file: BufWriter<&'a mut File>,
    crc: crc32fast::Hasher,
    ids: Vec<u8>,
    floats: [Vec<u8>; 2],
}

impl<'a> Writer<'a> {
    fn new(file: &'a mut File, header: Header) -> io::Result<Self> {
        let mut file = BufWriter::with_capacity(1 << 18, file);
        file.write_all(&[0; HEADER])?;
        Ok(Self { header, file, crc: crc32fast::Hasher::new(), ids: Vec::new(), floats: Default::default() })
    }

    fn push(&mut self, id: i64, code: &[u8], floats: [[u8; 4]; 2]) -> io::Result<()> {
        self.file.write_all(code)?;
        self.crc.update(code);
        self.header.count += 1;
        self.ids.extend(id.to_le_bytes());
        for (column, value) in self.floats.iter_mut().zip(floats) {
            column.extend(value);
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        for column in [&self.ids, &self.floats[0], &self.floats[1]] {
            self.file.write_all(column)?;
            self.crc.update(column);
        }
        self.header.body_crc = self.crc.finalize();
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&self.header.to_bytes())?;
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::{self, Among};
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
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let state = State { number: 1, nonce: 2 };
        let header = Header { dimensions: vectors[0].len(), count: 0, state, model: model_hash("m"), body_crc: 0 };
        let mut writer = Writer::new(file.as_file_mut(), header).unwrap();
        for (number, vector) in vectors.iter().enumerate() {
            let code = Code::of(vector);
            writer.push(2 * number as i64, &code.bytes, [code.step, code.lack].map(f32::to_le_bytes)).unwrap();
        }
        writer.finish().unwrap();
        CodeFile::open(file.path()).unwrap()
    }

    #[test]
    fn the_nearest_are_always_among_the_candidates_and_few_others_are() {
        let all = vectors(4000, 96);
        let file = file_of(&all);
        for question in all.iter().step_by(97) {
            let similarity = |vector: &[f32]| vector.iter().zip(question).map(|(one, other)| one * other).sum::<f32>();
            let mut order: Vec<(f32, i64)> =
                all.iter().enumerate().map(|(number, vector)| (similarity(vector), 2 * number as i64)).collect();
            order.sort_by(|one, other| other.0.total_cmp(&one.0));
            let found = scan::nearest(&file, question, &mut Among::AllBut(vec![]), 100);
            for (_, id) in &order[..100] {
                assert!(found.contains(id), "{id}");
            }
            assert!(found.len() < 400, "{} candidates", found.len());
            let without = order[..3].iter().filter_map(|(_, id)| file.slot(*id)).collect();
            let found = scan::nearest(&file, question, &mut Among::AllBut(without), 100);
            assert!(order[..3].iter().all(|(_, id)| !found.contains(id)) && found.contains(&order[102].1));
            let few: Vec<i64> = order.iter().skip(7).step_by(50).map(|(_, id)| *id).collect();
            let slots = few.iter().filter_map(|id| file.slot(*id)).collect();
            let found = scan::nearest(&file, question, &mut Among::Only(slots), 5);
            assert!(few[..5].iter().all(|id| found.contains(id)) && found.iter().all(|id| few.contains(id)));
        }
        assert_eq!(scan::nearest(&file, &all[0], &mut Among::AllBut(vec![]), 5000).len(), 4000);
        assert_eq!(file.slot(3), None);
    }

    #[test]
    fn a_vector_of_zeros_is_no_trouble() {
        let file = file_of(&[vec![0.0; 4], vec![1.0, 0.0, 0.0, 0.0]]);
        let nearest = |question: &[f32], count| scan::nearest(&file, question, &mut Among::AllBut(vec![]), count);
        assert_eq!(nearest(&[1.0, 0.0, 0.0, 0.0], 1), [2]);
        assert_eq!(nearest(&[0.0; 4], 1).len(), 2);
    }
}
