use super::*;

#[test]
fn rows_begin_with_what_sqlite_vec_calls_a_vector_of_bytes() {
    let mut fixture = Fixture::new();
    library(&mut fixture);
    let asked = vector("apple banana cherry");
    let question = &super::super::embedding::to_row(&asked)[..64];
    let bytes = "vec_int8(substr(embedding, 1, 64))";
    let distance = format!("vec_distance_cosine({bytes}, vec_int8(?1))");
    let sql = format!("SELECT count(*), min(vec_length({bytes})), max({distance}), min({distance}) FROM vectors");
    let (rows, length, farthest, nearest): (i64, i64, f64, f64) = (fixture.store.connection)
        .query_row(&sql, [question], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .unwrap();
    assert_eq!((rows, length), (fixture.count("SELECT count(*) FROM vectors"), 64));
    let ours = fixture.reader().nearest(&asked, &model(), None, 48).unwrap();
    assert!((1.0 - nearest - ours[0].score).abs() < 0.02 && farthest > 1.0 - ours[47].score - 0.02);
}

#[test]
fn what_waits_is_counted_without_a_look_at_each_passage() {
    let fixture = Fixture::new();
    let plan = "EXPLAIN QUERY PLAN SELECT count(*) FROM passages WHERE vector_id IS NULL";
    let step: String = fixture.store.connection.query_row(plan, [], |row| row.get(3)).unwrap();
    assert!(step.contains("COVERING INDEX passages_pending"), "{step}");
}
