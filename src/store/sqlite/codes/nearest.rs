//! The vectors nearest to a question: those that their levels leave open are compared with all their bits.

use rusqlite::{Connection, OptionalExtension};

use super::places::Levels;
use super::rounded::Question;
use super::scan::{Bounds, possible};

/// Returns the rows of the `count` nearest vectors with their similarity, and of others that were compared, in no order. `among`
/// holds the rows to choose from, ascending.
pub(in crate::store::sqlite) fn nearest(
    connection: &Connection,
    question: &mut Question,
    among: Option<&[i64]>,
    count: usize,
) -> rusqlite::Result<Vec<(i64, f64)>> {
    let mut first = possible(connection, question, among, count)?;
    if first.len() <= count || count == 0 {
        return compared(connection, question, &rows(&first));
    }
    // Those that seem to be the nearest tell how near the last one that is wanted is at least; most others are not.
    first.select_nth_unstable_by(count - 1, |one, other| other.estimate().total_cmp(&one.estimate()));
    let mut rest = first.split_off(count);
    let mut found = compared(connection, question, &rows(&first))?;
    if found.len() == count {
        let last = found.iter().fold(f64::INFINITY, |last, (_, near)| last.min(*near)) as f32;
        rest.retain(|bounds| bounds.reaches(last));
    }
    found.extend(compared(connection, question, &rows(&rest))?);
    Ok(found)
}

/// Returns the rows, ascending: neighbours are read together.
fn rows(of: &[Bounds]) -> Vec<i64> {
    let mut rows: Vec<i64> = of.iter().map(|bounds| bounds.id).collect();
    rows.sort_unstable();
    rows
}

/// Returns these rows, which ascend, with their similarity. One that is of other dimensions, or gone, is left out.
pub(in crate::store::sqlite) fn compared(
    connection: &Connection,
    question: &mut Question,
    rows: &[i64],
) -> rusqlite::Result<Vec<(i64, f64)>> {
    let mut statement = connection.prepare_cached("SELECT rest FROM vectors WHERE id = ?1")?;
    let mut levels = Levels::new(connection);
    let mut found = Vec::with_capacity(rows.len());
    for id in rows {
        let Some(levels) = levels.of(*id)? else { continue };
        let near = statement.query_row([id], |row| Ok(question.similarity(&levels, row.get_ref(0)?.as_blob()?)));
        found.extend(near.optional()?.flatten().map(|near| (*id, near)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::scan::tests::{database, vectors};
    use super::super::vacate;
    use super::*;

    fn found(connection: &Connection, question: &[f32], among: Option<&[i64]>, count: usize) -> Vec<i64> {
        let mut found = nearest(connection, &mut Question::new(question), among, count).unwrap();
        found.sort_unstable_by_key(|(id, _)| *id);
        found.into_iter().map(|(id, _)| id).collect()
    }

    #[test]
    fn the_nearest_are_found_and_few_others_are_compared() {
        let all = vectors(4000, 96);
        let connection = database(&all);
        let mut missed = 0;
        for asked in all.iter().step_by(97) {
            let similarity = |vector: &[f32]| vector.iter().zip(asked).map(|(one, other)| one * other).sum::<f32>();
            let mut order: Vec<(f32, i64)> =
                all.iter().enumerate().map(|(id, vector)| (similarity(vector), id as i64)).collect();
            order.sort_by(|one, other| other.0.total_cmp(&one.0));
            let found_here = found(&connection, asked, None, 100);
            missed += order[..100].iter().filter(|(_, id)| !found_here.contains(id)).count();
            assert!(order[..10].iter().all(|(_, id)| found_here.contains(id)));
            let open = possible(&connection, &Question::new(asked), None, 100).unwrap().len();
            assert!(open < 1000 && found_here.len() <= open, "{open} are left open, {} compared", found_here.len());
            let mut few: Vec<i64> = order.iter().skip(7).step_by(50).map(|(_, id)| *id).collect();
            let nearest_of_few = few[0];
            few.sort_unstable();
            let found = found(&connection, asked, Some(&few), 5);
            assert!(found.contains(&nearest_of_few) && found.iter().all(|id| few.contains(id)));
        }
        assert!(missed <= 8, "{missed} of 4200 missed");
        assert_eq!(found(&connection, &all[0], None, 5000).len(), 4000);
        connection.execute("DELETE FROM vectors WHERE id >= 3800 OR id = 0", []).unwrap();
        vacate(&connection, &(3800..4000).chain([0]).collect::<Vec<i64>>()).unwrap();
        assert_eq!(found(&connection, &all[0], None, 5000), (1..3800).collect::<Vec<i64>>());
        assert!(Levels::new(&connection).of(3850).unwrap().is_none(), "the last block held nothing else");
    }

    #[test]
    fn rows_that_are_gone_do_not_tell_how_near_others_are() {
        let all = vectors(600, 32);
        let connection = database(&all);
        let first = found(&connection, &all[0], None, 10);
        let mut seem = possible(&connection, &Question::new(&all[0]), None, 10).unwrap();
        seem.sort_by(|one, other| other.estimate().total_cmp(&one.estimate()));
        connection.execute("DELETE FROM vectors WHERE id = ?1", [seem[0].id]).unwrap();
        let open: Vec<i64> = found(&connection, &all[0], None, 10);
        assert_eq!(open.len(), seem.len() - 1, "all that are left open are compared, where {} were", first.len());
    }

    #[test]
    fn zeros_are_no_trouble() {
        let connection = database(&[vec![0.0; 4], vec![1.0, 0.0, 0.0, 0.0]]);
        assert!(found(&connection, &[1.0, 0.0, 0.0, 0.0], None, 1).contains(&1));
        assert_eq!(found(&connection, &[0.0; 4], None, 2), [0, 1]);
        assert!(found(&connection, &[0.5; 20], None, 2).is_empty(), "of other dimensions");
    }
}
