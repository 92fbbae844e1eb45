//! Recognizes fenced code blocks while a text is read line by line.

/// The fence of the code block that is open, if any.
#[derive(Debug, Default)]
pub struct CodeFence(Option<&'static str>);

impl CodeFence {
    /// Whether the next line belongs to a fenced code block. The fences themselves do.
    pub fn holds(&mut self, line: &str) -> bool {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        let open = self.0;
        if open.is_none() || open == mark {
            self.0 = if open.is_none() { mark } else { None };
        }
        open.is_some() || mark.is_some()
    }

    /// Returns the mark of the fence that is open after the last line.
    pub fn open(&self) -> Option<&'static str> {
        self.0
    }
}
