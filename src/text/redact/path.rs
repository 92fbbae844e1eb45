//! Redacts secrets in the names of files and folders.

use std::borrow::Cow;
use std::ops::Range;

use super::find::find;
use super::{Finding, redact};

/// Replaces each secret in the name of a file or folder with `[redacted:KIND]`. The file extension is kept: it is no
/// part of a token, although its letters could be. A redacted path opens no file.
#[must_use]
pub fn redact_path(path: &str) -> Cow<'_, str> {
    if find_in_path(path).is_empty() {
        return Cow::Borrowed(path);
    }
    let mut out = String::with_capacity(path.len());
    let mut end = 0;
    for name in names(path) {
        out.push_str(&path[end..name.start]);
        out.push_str(&redact(&path[name.clone()]).text);
        end = name.end;
    }
    out.push_str(&path[end..]);
    Cow::Owned(out)
}

/// Returns the secrets in the names of a path. Their spans refer to the name, not to the path.
#[must_use]
pub fn find_in_path(path: &str) -> Vec<Finding> {
    names(path).into_iter().flat_map(|name| find(&path[name])).collect()
}

/// Returns the ranges of the names, that of the file without its extension.
fn names(path: &str) -> Vec<Range<usize>> {
    let mut names: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for name in path.split('/') {
        names.push(start..start + name.len());
        start += name.len() + 1;
    }
    if let Some(last) = names.last_mut()
        && let Some((stem, extension)) = path[last.clone()].rsplit_once('.')
        && (1..=8).contains(&extension.len())
    {
        last.end = last.start + stem.len();
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_names_are_redacted_and_extensions_kept() {
        let token = format!("glpat-{}", "x7Kq2LmZ9vBt4RwY8sHd");
        let path = format!("work/{token}/key {token}.md");
        assert_eq!(redact_path(&path), "work/[redacted:gitlab-token]/key [redacted:gitlab-token].md");
        assert_eq!(redact_path("wifi password: Xy7kLm2q.md"), "wifi password: [redacted:password].md");
        assert_eq!(find_in_path(&path).len(), 2);
        for path in ["", "/", "a.md", "a/b.c/d", ".md", "Notes/2026-11-22.md", "日本/é.markdown"] {
            assert!(matches!(redact_path(path), Cow::Borrowed(same) if same == path));
        }
    }
}
