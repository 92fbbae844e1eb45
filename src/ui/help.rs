//! The keys, as the help lists them.

/// The keys with their effects.
pub(crate) const HELP: [(&str, &str); 30] = [
    ("letters", "ask as you type"),
    ("Esc", "to the list, to the question"),
    ("Up Down", "select (also k and j)"),
    ("PgUp PgDn", "scroll the text"),
    ("Enter", "open at the line"),
    ("Tab, 1-7", "other tabs (typing: Alt-1)"),
    ("Alt-LETTER", "a key of the list (typing)"),
    ("F1 or ?", "these keys"),
    ("Ctrl-Z", "stop, until fg"),
    ("Ctrl-C", "leave"),
    ("", ""),
    ("in the list", ""),
    ("/", "to the question"),
    ("p", "copy the path of the file"),
    ("l", "copy a link: [[NOTE]]"),
    ("i", "copy the id"),
    ("t", "copy the text"),
    ("e", "the whole section, or back"),
    ("r", "related notes"),
    ("a", "irrelevant hits too"),
    ("m", "remember this line, edited"),
    ("f", "forget a line of the memory"),
    ("+ -", "an agent did well, or wrong"),
    ("u U", "undo the last write; redo"),
    ("q", "leave"),
    ("", ""),
    ("in the review", ""),
    ("y", "accept, remember as a fact"),
    ("P", "remember as a rule"),
    ("n", "refuse, or remove"),
];

/// Returns in how many columns the help lists the keys, and the rows that it takes.
pub(crate) fn help_size(width: u16) -> (usize, usize) {
    let parts = if width >= 78 { 2 } else { 1 };
    (parts, HELP.len().div_ceil(parts))
}
