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
mod tests {
    use super::super::{Occasion, ShownLine, ShownPiece};
    use super::*;

    const CREDIT: f64 = 0.2;

    fn now() -> Timestamp {
        Timestamp::from_second(1_795_000_000).unwrap()
    }

    /// A line that a session of a project was shown this number of days ago.
    fn shown(days: i64, project: &str, session: &str, key: &str, used: &[UseKind]) -> ShownRecord {
        let line = ShownLine { number: 3, key: key.into(), text: "text".into(), used: used.to_vec() };
        ShownRecord {
            at: Timestamp::from_second(now().as_second() - days * 86_400).unwrap(),
            session: session.into(),
            event: Occasion::Prompt,
            question: String::new(),
            project: Some(project.into()),
            pieces: vec![ShownPiece {
                collection: "vault".into(),
                path: "a.md".into(),
                start_line: 3,
                end_line: 3,
                heading: String::new(),
                memory_type: MemoryType::Note,
                score: Some(0.5),
                lines: vec![line],
            }],
        }
    }

    fn worth(all: &[ShownRecord], key: &str, project: Option<&str>) -> Option<LineWorth> {
        let table = UseTable::of(all, now());
        assert_eq!(UseTable::from_bytes(&table.to_bytes()), Some(table.clone()));
        table.worth(LineId::new("vault", "a.md", key), project, CREDIT, now())
    }

    fn factor(all: &[ShownRecord], key: &str) -> f64 {
        worth(all, key, Some("p")).unwrap().factor
    }

    /// One line that `uses` of `sessions` used.
    fn sessions(days: i64, project: &str, key: &str, sessions: usize, uses: usize) -> Vec<ShownRecord> {
        let used = |session: usize| if session < uses { &[UseKind::Quoted][..] } else { &[] };
        (0..sessions).map(|one| shown(days, project, &format!("{key}{project}{one}"), key, used(one))).collect()
    }

    #[test]
    fn a_line_without_a_history_has_no_worth() {
        assert_eq!(worth(&[], "k", Some("p")), None);
        assert_eq!(worth(&sessions(1, "p", "k", 3, 3), "other", Some("p")), None);
        assert!(UseTable::of(&[], now()).is_empty());
    }

    #[test]
    fn use_moves_a_line_up_and_showings_without_use_move_it_down_within_the_credit() {
        let all = [sessions(1, "p", "good", 6, 6), sessions(1, "p", "bad", 6, 0)].concat();
        let (good, bad) = (factor(&all, "good"), factor(&all, "bad"));
        assert!(good > 1.05 && good <= 1.0 + CREDIT, "{good}");
        assert!(bad < 0.95 && bad >= 1.0 - CREDIT, "{bad}");
        let many = factor(&sessions(1, "p", "bad", 5_000, 0), "bad");
        assert!(many >= 1.0 - CREDIT, "{many}");
    }

    #[test]
    fn a_line_that_is_shown_more_often_gains_nothing_by_that() {
        let all = [sessions(1, "p", "often", 40, 16), sessions(1, "p", "seldom", 5, 2)].concat();
        let (often, seldom) = (factor(&all, "often"), factor(&all, "seldom"));
        assert!((often - 1.0).abs() < 0.01 && (seldom - 1.0).abs() < 0.01, "{often} {seldom}");
    }

    #[test]
    fn one_use_is_no_habit_and_a_session_counts_once() {
        let once = factor(&sessions(1, "p", "k", 1, 1), "k");
        let often = factor(&sessions(1, "p", "k", 8, 8), "k");
        assert!(once > 1.0 && once - 1.0 < (often - 1.0) / 2.0, "{once} {often}");
        let again = vec![shown(1, "p", "s", "k", &[UseKind::Quoted]); 8];
        let found = worth(&again, "k", Some("p")).unwrap();
        assert_eq!((found.sessions, found.used), (1, 1));
        assert!((found.factor - once).abs() < 0.002, "{found:?} {once}");
    }

    #[test]
    fn use_fades_and_counts_less_from_another_project() {
        let (new, old) = (factor(&sessions(1, "p", "k", 4, 4), "k"), factor(&sessions(90, "p", "k", 4, 4), "k"));
        assert!(old > 1.0 && old - 1.0 < (new - 1.0) / 2.0, "{new} {old}");
        let elsewhere = factor(&sessions(1, "q", "k", 4, 4), "k");
        assert!(elsewhere > 1.0 && elsewhere - 1.0 < (new - 1.0) / 2.0, "{new} {elsewhere}");
        let both = [sessions(1, "p", "k", 4, 0), sessions(1, "q", "k", 4, 4)].concat();
        let (here, there) = (worth(&both, "k", Some("p")).unwrap(), worth(&both, "k", Some("q")).unwrap());
        assert!(here.factor < 1.0 && there.factor > 1.0, "{here:?} {there:?}");
        assert_eq!((here.sessions, here.here, worth(&both, "k", None).unwrap().here), (8, Some(4), None));
    }

    #[test]
    fn a_mark_counts_more_than_a_session_and_rules_need_no_quote() {
        let marked = factor(&[shown(1, "p", "s", "k", &[UseKind::NotHelpful, UseKind::Quoted])], "k");
        assert!(marked < factor(&sessions(1, "p", "k", 2, 0), "k"), "{marked}");
        let mut rule = shown(1, "p", "s", "k", &[]);
        rule.pieces[0].memory_type = MemoryType::Procedural;
        assert_eq!(worth(&[rule.clone()], "k", None), None);
        rule.event = Occasion::SessionStart;
        (rule.pieces[0].score, rule.pieces[0].memory_type) = (None, MemoryType::Semantic);
        assert_eq!(worth(&[rule], "k", None), None, "every session begins with it");
    }

    #[test]
    fn a_forged_table_moves_nothing_beyond_the_credit() {
        assert_eq!(UseTable::from_bytes(b""), None);
        assert_eq!(UseTable::from_bytes(&[b'x'; 64]), None);
        let mut bytes = UseTable::of(&sessions(1, "p", "k", 2, 1), now()).to_bytes();
        assert_eq!(UseTable::from_bytes(&bytes[..bytes.len() - 1]), None, "it is cut");
        bytes[16..32].fill(0xff);
        bytes[48..56].fill(0x7f);
        let table = UseTable::from_bytes(&bytes).unwrap();
        let found = table.worth(LineId::new("vault", "a.md", "k"), Some("p"), CREDIT, now()).unwrap();
        assert!((found.factor - 1.0).abs() <= CREDIT, "{found:?}");
    }
}
