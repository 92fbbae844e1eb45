//! Blocks in the database: the id of a vector's row determines its slot.
//!
//! A new vector gets the lowest vacated slot, or else the next one. Blocks are written in place, one group at a time, so that a
//! vector costs the pages of its group rather than those of the block.

use std::collections::HashSet;

use rusqlite::blob::Blob;
use rusqlite::{Connection, ErrorCode, OptionalExtension};

use super::block::{BLOCK_VECTORS, GROUP_VECTORS, GROUPS, Layout, is_occupied};
use super::quantizer::{QuantizedVector, width};

/// Window of the running mean that gives a new block its centre, in blocks: the latest block has a weight of at least one in this many.
const CENTRE_BLOCKS: i64 = 16;

/// The slot of a row's vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) block: i64,
    pub(super) group: usize,
    pub(super) slot: usize,
}

impl Slot {
    pub(super) fn of(id: i64) -> Self {
        let within = id.rem_euclid(BLOCK_VECTORS as i64) as usize;
        Self { block: id.div_euclid(BLOCK_VECTORS as i64), group: within / GROUP_VECTORS, slot: within % GROUP_VECTORS }
    }

    /// Returns the row of this slot. A foreign index may number its blocks arbitrarily, so the arithmetic wraps; no row exists for
    /// such a slot.
    pub(super) fn id(self) -> i64 {
        self.block.wrapping_mul(BLOCK_VECTORS as i64).wrapping_add((self.group * GROUP_VECTORS + self.slot) as i64)
    }
}

/// Returns the row id for the next vector.
pub(in crate::sqlite) fn free_id(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "DELETE FROM vacant_places WHERE id = (SELECT min(id) FROM vacant_places) RETURNING id";
    let vacant = connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?;
    let next = || {
        let sql = "SELECT coalesce(max(id), -1) + 1 FROM vectors";
        connection.prepare_cached(sql)?.query_row([], |row| row.get(0))
    };
    vacant.map_or_else(next, Ok)
}

/// Writes the levels of the vector of row `id` to its slot. A vector with another width than its block is skipped: it belongs to no
/// queried model.
pub(in crate::sqlite) fn write(connection: &Connection, id: i64, vector: &QuantizedVector) -> rusqlite::Result<()> {
    let (place, layout) = (Slot::of(id), Layout::new(width(4 * vector.levels.len())));
    let mut block = match open(connection, place.block, false)? {
        Some(block) => block,
        None => {
            let centre = next_centre(connection, place.block, layout)?;
            let sql = "INSERT INTO vector_blocks(id, codes) VALUES(?1, ?2)";
            connection.prepare_cached(sql)?.execute((place.block, layout.empty(&centre)))?;
            connection.blob_open("main", "vector_blocks", "codes", place.block, false)?
        }
    };
    if block.len() != layout.len() {
        return Ok(());
    }
    let mut centre = vec![0; layout.centre_len()];
    block.read_at_exact(&mut centre, 0)?;
    let (mut group, at) = (vec![0; layout.group_len()], layout.group_at(place.group));
    block.read_at_exact(&mut group, at)?;
    layout.put(&mut group, place.slot, vector, &layout.centre(&centre));
    block.write_all_at(&group, at)?;
    Ok(())
}

/// Clears the slots of these deleted rows and makes them available again. Deletes blocks that become empty.
pub(in crate::sqlite) fn clear_slots(connection: &Connection, ids: &[i64]) -> rusqlite::Result<()> {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    for ids in sorted.chunk_by(|one, other| Slot::of(*one).block == Slot::of(*other).block) {
        let number = Slot::of(ids[0]).block;
        let Some(mut block) = open(connection, number, false)? else { continue };
        if let Some(layout) = layout_of(block.len()) {
            for ids in ids.chunk_by(|one, other| Slot::of(*one).group == Slot::of(*other).group) {
                let (mut group, at) = (vec![0; layout.group_len()], layout.group_at(Slot::of(ids[0]).group));
                block.read_at_exact(&mut group, at)?;
                ids.iter().for_each(|id| layout.clear_slot(&mut group, Slot::of(*id).slot));
                block.write_all_at(&group, at)?;
            }
        }
        drop(block);
        let mut vacant = connection.prepare_cached("INSERT OR IGNORE INTO vacant_places VALUES(?1)")?;
        ids.iter().try_for_each(|id| vacant.execute([id]).map(drop))?;
        let first = Slot { block: number, group: 0, slot: 0 }.id();
        let end = first.saturating_add(BLOCK_VECTORS as i64);
        let sql = "SELECT 1 FROM vectors WHERE id >= ?1 AND id < ?2 LIMIT 1";
        if !connection.prepare_cached(sql)?.exists((first, end))? {
            connection.prepare_cached("DELETE FROM vector_blocks WHERE id = ?1")?.execute([number])?;
            let sql = "DELETE FROM vacant_places WHERE id >= ?1 AND id < ?2";
            connection.prepare_cached(sql)?.execute((first, end))?;
        }
    }
    Ok(())
}

/// Clears the slots of all vectors.
pub(in crate::sqlite) fn clear_all_slots(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("DELETE FROM vector_blocks; DELETE FROM vacant_places")
}

/// Opens a block; `None` if it does not exist.
fn open(connection: &Connection, block: i64, for_reading: bool) -> rusqlite::Result<Option<Blob<'_>>> {
    let opened = connection.blob_open("main", "vector_blocks", "codes", block, for_reading);
    opened.map(Some).or_else(no_such_row)
}

/// SQLite reports a missing row with a general error code.
fn no_such_row<T: Default>(error: rusqlite::Error) -> rusqlite::Result<T> {
    if error.sqlite_error_code() == Some(ErrorCode::Unknown) { Ok(T::default()) } else { Err(error) }
}

/// Returns the layout of a block with this length; `None` if no layout has it.
pub(super) fn layout_of(len: usize) -> Option<Layout> {
    let widest = len / (1 + GROUPS * GROUP_VECTORS / 4);
    // A group's numbers take as much space as a few values, so searching the width downwards takes few steps.
    let layouts = (0..=widest).rev().filter(|width| width.is_multiple_of(16)).map(Layout::new);
    layouts.skip_while(|layout| layout.len() > len).take(1).find(|layout| layout.len() == len)
}

/// Returns the centre of a new block: the common part of the vectors in earlier blocks.
fn next_centre(connection: &Connection, block: i64, layout: Layout) -> rusqlite::Result<Vec<f32>> {
    let sql = "SELECT codes, (SELECT count(*) FROM vector_blocks WHERE id < ?1) FROM vector_blocks
               WHERE id < ?1 AND length(codes) = ?2 ORDER BY id DESC LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query((block, layout.len() as i64))?;
    let Some(row) = rows.next()? else { return Ok(vec![0.0; layout.width()]) };
    let (codes, blocks) = (row.get_ref(0)?.as_blob()?, row.get::<_, i64>(1)?);
    let (mut centre, (sum, count)) = (layout.centre(codes), layout.sum(codes));
    if count > 0 {
        let share = 1.0 / blocks.clamp(1, CENTRE_BLOCKS) as f32;
        for (centre, sum) in centre.iter_mut().zip(sum) {
            *centre += share * (sum / count as f32 - *centre);
        }
    }
    Ok(centre)
}

/// Reads the levels of single vectors. Reading in row order loads each group only once.
pub(in crate::sqlite) struct Levels<'c> {
    connection: &'c Connection,
    block: Option<(i64, Blob<'c>)>,
    layout: Option<Layout>,
    group: Vec<u8>,
    at: Option<Slot>,
}

impl<'c> Levels<'c> {
    pub(in crate::sqlite) fn new(connection: &'c Connection) -> Self {
        Self { connection, block: None, layout: None, group: Vec::new(), at: None }
    }

    /// Returns the levels of a row's vector; `None` if its block does not exist.
    pub(in crate::sqlite) fn of(&mut self, id: i64) -> rusqlite::Result<Option<Vec<u8>>> {
        let place = Slot::of(id);
        if !self.go_to(place.block)? {
            return Ok(None);
        }
        let (Some((_, block)), Some(layout)) = (&self.block, self.layout) else { return Ok(None) };
        let group = Slot { slot: 0, ..place };
        if self.at != Some(group) {
            self.group.resize(layout.group_len(), 0);
            block.read_at_exact(&mut self.group, layout.group_at(place.group))?;
            self.at = Some(group);
        }
        Ok(Some(layout.levels(&self.group, place.slot)))
    }

    fn go_to(&mut self, number: i64) -> rusqlite::Result<bool> {
        match &mut self.block {
            Some((known, _)) if *known == number => return Ok(self.layout.is_some()),
            Some((known, block)) => match block.reopen(number) {
                Ok(()) => *known = number,
                Err(error) => {
                    (self.block, self.layout) = (None, None);
                    return no_such_row(error);
                }
            },
            None => self.block = open(self.connection, number, true)?.map(|block| (number, block)),
        }
        self.layout = self.block.as_ref().and_then(|(_, block)| layout_of(block.len()));
        Ok(self.layout.is_some())
    }
}

/// The result of examining all blocks.
#[derive(Debug, Default)]
pub(in crate::sqlite) struct BlockCheck {
    /// The rows whose slots hold a vector.
    pub(in crate::sqlite) occupied: HashSet<i64>,
    /// The number of slots that do not match the vector's row, or are not cleared although they hold no vector.
    pub(in crate::sqlite) wrong: usize,
}

/// Examines all blocks. A vector's numbers depend on all its bits, so most damage to any of them is detected.
pub(in crate::sqlite) fn examine(connection: &Connection) -> rusqlite::Result<BlockCheck> {
    let mut blocks = connection.prepare("SELECT id, codes FROM vector_blocks ORDER BY id")?;
    let mut vector = connection.prepare("SELECT rest FROM vectors WHERE id = ?1")?;
    let mut rows = blocks.query([])?;
    let mut examined = BlockCheck::default();
    while let Some(row) = rows.next()? {
        let (number, block): (i64, _) = (row.get(0)?, row.get_ref(1)?.as_blob()?);
        let Some(layout) = layout_of(block.len()) else { continue };
        let centre = layout.centre(block);
        for (group, bytes) in block[layout.centre_len()..].chunks_exact(layout.group_len()).enumerate() {
            let mut expected = bytes.to_vec();
            for place in 0..GROUP_VECTORS {
                if !is_occupied(layout.parts(bytes).1.offsets[place]) {
                    layout.clear_slot(&mut expected, place);
                } else {
                    let id = Slot { block: number, group, slot: place }.id();
                    examined.occupied.insert(id);
                    let rest: Option<Vec<u8>> = vector.query_row([id], |row| row.get(0)).optional()?;
                    if let Some(rest) = rest.filter(|rest| rest.len() == layout.rest_len()) {
                        let vector = QuantizedVector { levels: layout.levels(bytes, place), rest };
                        layout.put(&mut expected, place, &vector, &centre);
                    }
                }
                examined.wrong += usize::from(!layout.is_same(bytes, &expected, place));
            }
        }
    }
    Ok(examined)
}
