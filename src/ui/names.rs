//! How messages name a step that the person can take.

/// By the key of the screen, or by the command of a conversation in lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Names {
    #[default]
    Keys,
    Commands,
}

impl Names {
    /// Returns the name of a key of the list.
    pub(crate) fn of(self, key: char) -> &'static str {
        match (self, key) {
            (Self::Keys, 'a') => "Alt-a",
            (Self::Keys, 'm') => "m",
            (Self::Keys, 'o') => "Enter",
            (Self::Keys, 'u') => "u",
            (Self::Keys, 'y') => "y",
            (Self::Keys, 'P') => "P",
            (Self::Keys, 'n') => "n",
            (Self::Keys, _) => "F1",
            (Self::Commands, 'a') => ":all",
            (Self::Commands, 'm') => ":remember",
            (Self::Commands, 'o') => "its number",
            (Self::Commands, 'u') => ":undo",
            (Self::Commands, 'y') => ":yes",
            (Self::Commands, 'P') => ":rule",
            (Self::Commands, 'n') => ":no",
            (Self::Commands, _) => ":help",
        }
    }

    /// Returns what these names are.
    pub(crate) fn plural(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::Commands => "commands",
        }
    }
}
