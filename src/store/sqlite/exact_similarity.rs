//! Exact similarities: compares a query with all bits of vectors.

use rusqlite::{Connection, OptionalExtension};

use super::quantized::{Bounds, Levels, PreparedQuery};
use crate::StoreError;

/// Compares the vectors that may be among the nearest. First it compares twice the `wanted` number, those with the best estimates.
/// Their similarities set a threshold, and only the vectors that may reach it are compared as well.
pub(super) fn nearest_of(
    connection: &Connection,
    query: &mut PreparedQuery,
    mut possible: Vec<Bounds>,
    wanted: usize,
) -> Result<Vec<(i64, f64)>, StoreError> {
    let rows = |bounds: &[Bounds]| {
        let mut rows: Vec<i64> = bounds.iter().map(|one| one.id).collect();
        rows.sort_unstable();
        rows
    };
    let first = 2 * wanted;
    if possible.len() <= first {
        return exact_similarities(connection, query, &rows(&possible));
    }
    possible.select_nth_unstable_by(first, |one, other| other.estimate().total_cmp(&one.estimate()));
    let others = possible.split_off(first);
    let mut found = exact_similarities(connection, query, &rows(&possible))?;
    let mut near: Vec<f64> = found.iter().map(|(_, near)| *near).collect();
    // Some vectors may be gone or have other dimensions.
    let least = match near.len() >= wanted {
        true => *near.select_nth_unstable_by(wanted - 1, |one, other| other.total_cmp(one)).1,
        false => f64::NEG_INFINITY,
    };
    let others: Vec<Bounds> = others.into_iter().filter(|one| one.reaches(least)).collect();
    found.extend(exact_similarities(connection, query, &rows(&others))?);
    Ok(found)
}

/// Returns the similarity of each of these rows, which ascend. Rows that are gone or have other dimensions are skipped.
pub(super) fn exact_similarities(
    connection: &Connection,
    query: &mut PreparedQuery,
    rows: &[i64],
) -> Result<Vec<(i64, f64)>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT rest FROM vectors WHERE id = ?1")?;
    let mut levels = Levels::new(connection);
    let mut found = Vec::with_capacity(rows.len());
    for id in rows {
        let Some(levels) = levels.of(*id)? else { continue };
        let near = statement.query_row([id], |row| Ok(query.similarity(&levels, row.get_ref(0)?.as_blob()?)));
        found.extend(near.optional()?.flatten().map(|near| (*id, near)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::quantized::{self, Quantizer};
    use super::*;

    /// Returns `count` vectors, each near one of eight centres.
    fn vectors(count: usize, dimensions: usize) -> Vec<Vec<f32>> {
        let mut next = quantized::numbers();
        let mut some =
            |count: usize| -> Vec<Vec<f32>> { (0..count).map(|_| (0..dimensions).map(|_| next()).collect()).collect() };
        let (centres, vectors) = (some(8), some(count));
        let beside = |(number, vector): (usize, Vec<f32>)| {
            vector.iter().zip(&centres[number % 8]).map(|(one, centre)| one + 0.5 * centre).collect()
        };
        vectors.into_iter().enumerate().map(beside).collect()
    }

    #[test]
    fn the_nearest_are_found_without_comparing_all_candidates() {
        let (all, wanted) = (vectors(6000, 384), 30);
        let connection = Connection::open_in_memory().unwrap();
        let tables = "CREATE TABLE vectors(id INTEGER PRIMARY KEY, rest BLOB NOT NULL);
                      CREATE TABLE vector_blocks(id INTEGER PRIMARY KEY, codes BLOB NOT NULL);";
        connection.execute_batch(tables).unwrap();
        let quantizer = Quantizer::new(384);
        for (id, vector) in (0i64..).zip(&all) {
            let rounded = quantizer.round(vector);
            connection.execute("INSERT INTO vectors VALUES(?1, ?2)", (id, &rounded.rest)).unwrap();
            quantized::write(&connection, id, &rounded).unwrap();
        }
        let nearest = |mut compared: Vec<(i64, f64)>| {
            compared.sort_by(|(_, near), (_, less)| less.total_cmp(near));
            compared.truncate(wanted);
            compared
        };
        let every_row: Vec<i64> = (0..all.len() as i64).collect();
        let (mut missed, mut queries, mut may_be, mut were) = (0, 0, 0, 0);
        for asked in all.iter().step_by(301) {
            let query = &mut PreparedQuery::new(asked);
            let expected = nearest(exact_similarities(&connection, query, &every_row).unwrap());
            let possible = quantized::nearest(&connection, query, None, wanted).unwrap();
            may_be += possible.len();
            let found = nearest_of(&connection, query, possible, wanted).unwrap();
            were += found.len();
            let found = nearest(found);
            assert_eq!(found[..10], expected[..10]);
            missed += expected.iter().filter(|one| !found.contains(one)).count();
            queries += 1;
        }
        assert!(missed <= queries / 5, "{missed} of {queries} times {wanted}");
        assert!(10 * were < 9 * may_be, "{were} of {may_be} were compared");
    }
}
