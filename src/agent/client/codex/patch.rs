//! The files in a patch of Codex's tool `apply_patch`.

/// Lines that name a file which the patch writes.
const MARKS: [&str; 3] = ["*** Add File: ", "*** Update File: ", "*** Move to: "];

/// Returns the files that a patch writes, as it names them, in order; empty if `text` holds no patch.
pub(super) fn written_files(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| !line.contains("*** Begin Patch"));
    let files = lines.filter_map(|line| MARKS.iter().find_map(|mark| line.strip_prefix(mark)));
    files.map(|file| file.trim().to_owned()).filter(|file| !file.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_changed_and_moved_files_are_named() {
        let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a b.rs\n+*** Update File: no\n*** Delete File: gone.rs\n\
            *** Update File: /x/c.rs\n*** Move to: d.rs\n@@\n-a\n+b\n*** End Patch\nEOF";
        assert_eq!(written_files(patch), ["a b.rs", "/x/c.rs", "d.rs"]);
        assert!(written_files("*** Add File: a.rs").is_empty());
        assert!(written_files("").is_empty());
    }
}
