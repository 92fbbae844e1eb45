//! Stores the sections of a chunk as one text.
//!
//! One line per section, `offset shared rest`: the line of its heading relative to the chunk's first line, the number of bytes that
//! its path shares with the previous path (for the first section, the chunk's own), and the rest of its path. Paths repeat each
//! other and contain no line breaks.

use std::fmt::Write;

use tars_base::domain::Section;

/// Returns the stored form of `sections`, relative to the line `start_line` and the path `heading`.
pub(super) fn encode(sections: &[Section], heading: &str, start_line: usize) -> String {
    let mut out = String::new();
    let mut before = heading;
    for Section { line, heading } in sections {
        let shared = before.char_indices().zip(heading.chars()).find(|((_, left), right)| left != right);
        let shared = shared.map_or(before.len().min(heading.len()), |((at, _), _)| at);
        let _ = writeln!(out, "{} {shared} {}", line.saturating_sub(start_line), &heading[shared..]);
        before = heading;
    }
    out
}

/// Parses the stored form. Malformed lines are damaged and skipped.
pub(super) fn decode(packed: &str, heading: &str, start_line: usize) -> Vec<Section> {
    let mut out: Vec<Section> = Vec::new();
    for line in packed.split_terminator('\n') {
        let mut parts = line.splitn(3, ' ');
        let mut number = || parts.next()?.parse::<usize>().ok();
        let (Some(offset), Some(shared), Some(rest)) = (number(), number(), parts.next()) else { continue };
        let before = out.last().map_or(heading, |section| &section.heading);
        let Some(shared) = before.get(..shared) else { continue };
        let heading = format!("{shared}{rest}");
        out.push(Section { line: start_line.saturating_add(offset), heading });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(line: usize, heading: &str) -> Section {
        Section { line, heading: heading.into() }
    }

    #[test]
    fn only_the_differing_part_of_a_path_is_stored() {
        let sections = [section(7, "Garden > Beds"), section(9, "Garden > Beds > Soil"), section(12, "Garden")];
        let text = encode(&sections, "Garden > Beds", 7);
        assert_eq!(text, "0 13 \n2 13  > Soil\n5 6 \n");
        assert_eq!(decode(&text, "Garden > Beds", 7), sections);
    }

    #[test]
    fn damaged_lines_are_skipped() {
        assert_eq!(decode("x\n1 99 a\n1 1 b\n-1 0 c\n2 0 d\n\n", "é", 3), [section(5, "d")]);
    }

    proptest::proptest! {
        #[test]
        fn paths_survive_a_round_trip(paths in proptest::collection::vec("[aé >]{0,6}", 0..6), heading in "[aé >]{0,6}") {
            let sections: Vec<Section> = (4..).zip(&paths).map(|(line, path)| section(line, path)).collect();
            proptest::prop_assert_eq!(decode(&encode(&sections, &heading, 4), &heading, 4), sections);
        }
    }
}
