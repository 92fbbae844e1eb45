//! The sections of a chunk as one text.
//!
//! A line a section, `offset shared rest`: how many lines below the chunk's first its heading stands, how many bytes its path
//! shares with the path before it (the chunk's own, for the first), and the rest of its path. Paths repeat each other, and
//! hold no line break.

use std::fmt::Write;

use crate::domain::Section;

/// Returns the stored form of `sections`, which begin in the lines from `start_line` on, under the path `heading`.
pub(super) fn packed(sections: &[Section], heading: &str, start_line: usize) -> String {
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

/// Returns the sections again. What is no line of this form is damaged and left out.
pub(super) fn unpacked(packed: &str, heading: &str, start_line: usize) -> Vec<Section> {
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
    fn a_path_is_written_as_far_as_it_differs() {
        let sections = [section(7, "Garden > Beds"), section(9, "Garden > Beds > Soil"), section(12, "Garden")];
        let text = packed(&sections, "Garden > Beds", 7);
        assert_eq!(text, "0 13 \n2 13  > Soil\n5 6 \n");
        assert_eq!(unpacked(&text, "Garden > Beds", 7), sections);
    }

    #[test]
    fn damaged_lines_are_left_out() {
        assert_eq!(unpacked("x\n1 99 a\n1 1 b\n-1 0 c\n2 0 d\n\n", "é", 3), [section(5, "d")]);
    }

    proptest::proptest! {
        #[test]
        fn every_path_comes_back(paths in proptest::collection::vec("[aé >]{0,6}", 0..6), heading in "[aé >]{0,6}") {
            let sections: Vec<Section> = (4..).zip(&paths).map(|(line, path)| section(line, path)).collect();
            proptest::prop_assert_eq!(unpacked(&packed(&sections, &heading, 4), &heading, 4), sections);
        }
    }
}
