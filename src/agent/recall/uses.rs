//! The use of each line: a small table, derived from the ledger, that a hook reads at once.
//!
//! The table is the file `uses.table` beside the months. It holds hashes and counts, and no words. All numbers are little-endian:
//!
//! ```text
//! header  32 bytes: "tarsuse1", the time it was made (i64, seconds), weight of the showings (f64), and of the uses (f64)
//! record  32 bytes: line (u64), project (u64, 0 if unknown), weight of the showings (f32), of the uses (f32),
//!                   sessions, sessions that used it, sessions that marked it as not helpful (u16 each), 0 (u16)
//! ```
//!
//! Records are in the order of line and project, so a line is found by binary search. A session counts once for a line, and for half as
//! much after [`HALF_LIFE_DAYS`]. A line at the start of every session does not count, because nobody searched for it; a rule counts only
//! if it was used or marked, because rules work without being quoted.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use super::{ShownRecord, UseKind};
use tars_base::domain::{LineWorth, MemoryType};
use tars_base::private::short_hash;

/// Days after which a session counts for half as much.
const HALF_LIFE_DAYS: f64 = 30.0;
/// Days after which it no longer counts.
pub const MAX_AGE_DAYS: i64 = 120;
/// A person's mark counts as much as this number of sessions.
const MARK_WEIGHT: f64 = 3.0;
/// Sessions in other projects count for this share.
const ELSEWHERE: f64 = 0.25;
/// The share of all lines that are used, before any session is known, and the number of sessions that it counts as.
const PRIOR_SHARE: f64 = 0.4;
const PRIOR_SESSIONS: f64 = 20.0;
/// The share of all lines counts for a single line as much as this number of its own sessions. One use is no habit.
const LINE_SESSIONS: f64 = 4.0;

const MAGIC: [u8; 8] = *b"tarsuse1";
const WIDTH: usize = 32;
/// Maximum number of records: a table of 512 KiB.
const MAX_RECORDS: usize = 16_383;
/// Maximum size of the file, in bytes.
pub(super) const MAX_TABLE: u64 = ((MAX_RECORDS + 1) * WIDTH) as u64;

/// A line: a hash over its collection, its path and its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineId(u64);

/// The use of each line at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct UseTable {
    made_at: Timestamp,
    all: Weights,
    /// In the order of line and project.
    records: Vec<[u8; WIDTH]>,
}

/// How much the sessions that were shown a line count, and those that used it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Weights {
    shown: f64,
    used: f64,
}

/// The sessions of one project that were shown a line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Uses {
    weights: Weights,
    sessions: u16,
    used: u16,
    not_helpful: u16,
}

/// One session that was shown a line.
struct Showing {
    at: Timestamp,
    project: u64,
    is_rule: bool,
    is_used: bool,
    is_helpful: bool,
    is_unhelpful: bool,
}

impl LineId {
    /// Returns the id of a line by its key.
    pub fn new(collection: &str, path: &str, key: &str) -> Self {
        Self(hash(&format!("{collection}\0{path}\0{key}")))
    }
}

impl UseTable {
    /// Counts the use of each line as of `now`. Lines that count least are left out of a table that would be too large.
    pub fn of(all: &[ShownRecord], now: Timestamp) -> Self {
        let mut lines: BTreeMap<(LineId, u64), Uses> = BTreeMap::new();
        let mut sum = Weights::default();
        for ((line, _), showing) in showings(all) {
            if showing.is_rule && !(showing.is_used || showing.is_unhelpful) {
                continue;
            }
            let weights = showing.weights(now);
            sum.add(weights, 1.0);
            let uses = lines.entry((line, showing.project)).or_default();
            uses.weights.add(weights, 1.0);
            uses.sessions = uses.sessions.saturating_add(1);
            uses.used = uses.used.saturating_add(u16::from(showing.is_used && !showing.is_unhelpful));
            uses.not_helpful = uses.not_helpful.saturating_add(u16::from(showing.is_unhelpful));
        }
        let mut found: Vec<((LineId, u64), Uses)> = lines.into_iter().collect();
        if found.len() > MAX_RECORDS {
            found.sort_by(|one, other| other.1.weights.shown.total_cmp(&one.1.weights.shown));
            found.truncate(MAX_RECORDS);
            found.sort_by_key(|(place, _)| *place);
        }
        let records = found.into_iter().map(|((line, project), uses)| uses.record(line, project)).collect();
        Self { made_at: now, all: sum, records }
    }

    /// Whether it holds no line.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns the content of the file.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity((self.records.len() + 1) * WIDTH);
        bytes.extend(MAGIC);
        bytes.extend(self.made_at.as_second().to_le_bytes());
        bytes.extend(self.all.shown.to_le_bytes());
        bytes.extend(self.all.used.to_le_bytes());
        bytes.extend(self.records.iter().flatten());
        bytes
    }

    /// Returns the table in a file; `None` if it is none, or one of another version.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (rows, rest) = bytes.as_chunks::<WIDTH>();
        let (header, records) =
            rows.split_first().filter(|(header, _)| header.starts_with(&MAGIC) && rest.is_empty())?;
        let made_at = Timestamp::from_second(i64::from_le_bytes(at(header, 8))).ok()?;
        let all = Weights { shown: f64::from_le_bytes(at(header, 16)), used: f64::from_le_bytes(at(header, 24)) };
        Some(Self { made_at, all: all.clamped(), records: records.to_vec() })
    }

    /// Returns how the use of a line moves it by `credit` at most, seen from `project` at `now`; `None` if no session counts. Without a
    /// project, all sessions count alike.
    ///
    /// The line's share of uses is a mean of its own sessions and of the share of all lines. Its distance from the latter in log-odds
    /// is scaled to the credit. So a line that is shown often gains nothing by that alone: only uses a showing count.
    pub fn worth(&self, line: LineId, project: Option<&str>, credit: f64, now: Timestamp) -> Option<LineWorth> {
        let project = project.map(project_id);
        let first = self.records.partition_point(|record| line_of(record) < line);
        let own = self.records[first..].iter().take_while(|record| line_of(record) == line);
        let (mut sum, mut here, mut weights) = (Uses::default(), 0, Weights::default());
        for record in own {
            let uses = Uses::of(record);
            let is_here = project.is_none_or(|project| project == u64::from_le_bytes(at(record, 8)));
            weights.add(uses.weights, if is_here { 1.0 } else { ELSEWHERE });
            here += if is_here { u32::from(uses.sessions) } else { 0 };
            sum.sessions = sum.sessions.saturating_add(uses.sessions);
            sum.used = sum.used.saturating_add(uses.used);
            sum.not_helpful = sum.not_helpful.saturating_add(uses.not_helpful);
        }
        if sum.sessions == 0 {
            return None;
        }
        let left = half_lives(self.made_at, now);
        let share = |weights: Weights, prior: f64, sessions: f64| {
            (weights.used * left + prior * sessions) / (weights.shown * left + sessions)
        };
        let of_all = share(self.all, PRIOR_SHARE, PRIOR_SESSIONS);
        let odds = |share: f64| (share / (1.0 - share)).ln();
        let lift = odds(share(weights, of_all, LINE_SESSIONS)) - odds(of_all);
        let factor = ((1.0 + credit * (lift / 2.0).tanh()) * 1000.0).round() / 1000.0;
        let (sessions, used, not_helpful) = (sum.sessions.into(), sum.used.into(), sum.not_helpful.into());
        Some(LineWorth { sessions, used, not_helpful, here: project.map(|_| here), factor })
    }
}

impl Weights {
    fn add(&mut self, other: Self, share: f64) {
        self.shown += other.shown * share;
        self.used += other.used * share;
    }

    /// Returns the weights within their bounds, because a file may hold anything.
    fn clamped(self) -> Self {
        let shown = if self.shown.is_finite() { self.shown.clamp(0.0, 1e9) } else { 0.0 };
        let used = if self.used.is_finite() { self.used.clamp(0.0, shown) } else { 0.0 };
        Self { shown, used }
    }
}

impl Uses {
    fn record(&self, line: LineId, project: u64) -> [u8; WIDTH] {
        let mut record = [0; WIDTH];
        record[..8].copy_from_slice(&line.0.to_le_bytes());
        record[8..16].copy_from_slice(&project.to_le_bytes());
        record[16..20].copy_from_slice(&(self.weights.shown as f32).to_le_bytes());
        record[20..24].copy_from_slice(&(self.weights.used as f32).to_le_bytes());
        record[24..26].copy_from_slice(&self.sessions.to_le_bytes());
        record[26..28].copy_from_slice(&self.used.to_le_bytes());
        record[28..30].copy_from_slice(&self.not_helpful.to_le_bytes());
        record
    }

    fn of(record: &[u8; WIDTH]) -> Self {
        let weight = |from| f64::from(f32::from_le_bytes(at(record, from)));
        let count = |from| u16::from_le_bytes(at(record, from));
        Self {
            weights: Weights { shown: weight(16), used: weight(20) }.clamped(),
            sessions: count(24),
            used: count(26),
            not_helpful: count(28),
        }
    }
}

impl Showing {
    fn weights(&self, now: Timestamp) -> Weights {
        let (shown, used) = match (self.is_unhelpful, self.is_helpful, self.is_used) {
            (true, ..) => (MARK_WEIGHT, 0.0),
            (false, true, _) => (MARK_WEIGHT, MARK_WEIGHT),
            (false, false, true) => (1.0, 1.0),
            (false, false, false) => (1.0, 0.0),
        };
        let left = half_lives(self.at, now);
        Weights { shown: shown * left, used: used * left }
    }
}

/// Returns each session that was shown a line as the result of a search.
fn showings(all: &[ShownRecord]) -> HashMap<(LineId, &str), Showing> {
    let mut showings: HashMap<(LineId, &str), Showing> = HashMap::new();
    for shown in all {
        let project = shown.project.as_deref().map_or(0, project_id);
        for piece in shown.pieces.iter().filter(|piece| !shown.is_session_context(piece)) {
            let is_rule = piece.memory_type == MemoryType::Procedural;
            for line in &piece.lines {
                let id = LineId::new(&piece.collection, &piece.path, &line.key);
                let one = showings.entry((id, &shown.session)).or_insert_with(|| Showing {
                    at: shown.at,
                    project,
                    is_rule,
                    is_used: false,
                    is_helpful: false,
                    is_unhelpful: false,
                });
                one.at = one.at.max(shown.at);
                one.is_used |= line.is_used();
                one.is_helpful |= line.used.contains(&UseKind::Helpful);
                one.is_unhelpful |= line.is_unhelpful();
            }
        }
    }
    showings
}

/// Returns the share that remains of a weight from `at`.
fn half_lives(at: Timestamp, now: Timestamp) -> f64 {
    let days = now.duration_since(at).as_secs_f64().max(0.0) / 86_400.0;
    0.5_f64.powf(days / HALF_LIFE_DAYS)
}

fn project_id(name: &str) -> u64 {
    hash(name).max(1)
}

fn hash(text: &str) -> u64 {
    u64::from_str_radix(&short_hash(text.as_bytes()), 16).unwrap_or_default()
}

fn line_of(record: &[u8; WIDTH]) -> LineId {
    LineId(u64::from_le_bytes(at(record, 0)))
}

/// Returns the bytes of a number in a row of the table.
fn at<const N: usize>(row: &[u8; WIDTH], from: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&row[from..from + N]);
    bytes
}

#[cfg(test)]
mod tests;
