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
    assert!((1.0 - CREDIT..0.95).contains(&bad), "{bad}");
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
