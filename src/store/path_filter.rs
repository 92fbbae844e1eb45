//! The path part of a filter.

use std::collections::HashSet;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder, escape};

use super::StoreError;
use tars_base::domain::Filter;
use tars_text::names::{composed, folded, holds_uppercase};

/// Longest path pattern in bytes, and most bytes of the patterns with wildcards of one filter: compiling and matching them takes time in
/// proportion.
pub const MAX_PATTERN_BYTES: usize = 4096;
/// The characters that make a name a pattern, unless a file or folder has exactly this name.
const WILDCARDS: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// The compiled path patterns of a filter.
pub(super) struct PathFilter {
    wanted: Option<Patterns>,
    unwanted: Option<Patterns>,
}

/// The known files, as far as patterns depend on them.
pub(super) struct KnownPaths<'a> {
    /// The roots of all collections. An absolute pattern applies to the files below the root that it begins with.
    pub(super) roots: &'a [String],
    /// Returns the root and path of every file. Only called for patterns with wildcards.
    pub(super) files: &'a dyn Fn() -> Result<Vec<(String, String)>, StoreError>,
}

impl PathFilter {
    /// Compiles the patterns. One that names a known file or folder literally is no pattern, whatever characters it holds.
    ///
    /// # Errors
    /// [`StoreError::Glob`]: a pattern is invalid or too long.
    pub(super) fn of(filter: &Filter, known: &KnownPaths<'_>) -> Result<Self, StoreError> {
        let typed = |patterns: &[String]| -> Result<Vec<Typed>, StoreError> {
            patterns.iter().map(|text| Typed::of(text, known.roots)).collect()
        };
        let (mut wanted, mut unwanted) = (typed(&filter.paths)?, typed(&filter.without_paths)?);
        let all = || wanted.iter().chain(&unwanted);
        if all().any(|one| !one.is_literal) {
            let names = Patterns::literal(all());
            let mut found = HashSet::new();
            for (root, path) in (known.files)()? {
                names.each_literal(&root, &path, &mut |name| found.extend([name.to_owned()]));
            }
            for one in wanted.iter_mut().chain(&mut unwanted) {
                one.is_literal |= found.contains(&one.name);
            }
        }
        let compiled: usize =
            wanted.iter().chain(&unwanted).filter(|one| !one.is_literal).map(|one| one.name.len()).sum();
        if compiled > MAX_PATTERN_BYTES {
            let longest = wanted.iter().chain(&unwanted).max_by_key(|one| one.name.len());
            return Err(too_long(longest.map_or("", |one| &one.name), compiled));
        }
        Ok(Self { wanted: Patterns::of(&wanted)?, unwanted: Patterns::of(&unwanted)? })
    }

    /// Whether the filter admits a path relative to the root of its collection.
    pub(super) fn admits(&self, root: &str, path: &str) -> bool {
        self.wanted.as_ref().is_none_or(|patterns| patterns.matches(root, path))
            && self.unwanted.as_ref().is_none_or(|patterns| !patterns.matches(root, path))
    }
}

/// A pattern as somebody typed it.
struct Typed {
    /// The name or pattern in the form in which it is compared, below the root if it begins with one.
    name: String,
    /// Length of the root in the name; `None` if the pattern begins with none.
    root: Option<usize>,
    /// Whether case counts.
    is_exact: bool,
    /// Whether it is the name of a file or folder.
    is_literal: bool,
}

impl Typed {
    fn of(text: &str, roots: &[String]) -> Result<Self, StoreError> {
        if text.len() > MAX_PATTERN_BYTES {
            return Err(too_long(text, text.len()));
        }
        let whole = composed(text);
        let below = |root: &String| {
            let root = composed(root);
            let rest = whole.strip_prefix(root.as_ref())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| (root.into_owned(), rest.to_owned()))
        };
        let (root, rest) = match roots.iter().find_map(below) {
            Some((root, rest)) => (Some(root), rest),
            None => (None, whole.into_owned()),
        };
        let rest = rest.trim_start_matches("./").trim_matches('/');
        let is_exact = holds_uppercase(rest);
        let form = |text: &str| if is_exact { text.to_owned() } else { folded(text) };
        let (root, rest, is_literal) = (root.as_deref().map(form), form(rest), !rest.contains(WILDCARDS));
        let name = match &root {
            None => rest,
            Some(root) if rest.is_empty() => root.clone(),
            Some(root) => format!("{root}/{rest}"),
        };
        Ok(Self { name, root: root.map(|root| root.len()), is_exact, is_literal })
    }

    /// Returns the shell globs of the pattern (`*` stays within a folder).
    fn globs(&self) -> Vec<String> {
        let (root, rest) = self.name.split_at(self.root.unwrap_or_default());
        let glob = format!("{}{rest}", escape(root));
        // `Projects/*` matches the entries of that folder, but nothing in its subfolders.
        let names_a_folder = !rest.rsplit('/').next().unwrap_or_default().contains(['*', '?', '[', '{']);
        let below = names_a_folder.then(|| format!("{glob}/**"));
        std::iter::once(glob).chain(below).collect()
    }
}

fn too_long(pattern: &str, bytes: usize) -> StoreError {
    let start: String = pattern.chars().take(40).collect();
    let detail = format!("{bytes} bytes are too many, at most {MAX_PATTERN_BYTES} are taken");
    StoreError::Glob { glob: format!("{start}…"), detail }
}

/// Patterns, any of which may match.
#[derive(Default)]
struct Patterns {
    /// For paths relative to their root, and for absolute ones; first those for which case counts.
    relative: [PatternSet; 2],
    absolute: [PatternSet; 2],
}

#[derive(Default)]
struct PatternSet {
    literals: HashSet<String>,
    globs: Option<GlobSet>,
}

impl Patterns {
    /// Compiles patterns; `None` if there are none.
    fn of(typed: &[Typed]) -> Result<Option<Self>, StoreError> {
        if typed.is_empty() {
            return Ok(None);
        }
        let mut patterns = Self::literal(typed.iter().filter(|one| one.is_literal));
        for (set, is_absolute, is_exact) in patterns.sets_mut() {
            let mut globs = GlobSetBuilder::new();
            let of_set =
                |one: &&Typed| !one.is_literal && one.root.is_some() == is_absolute && one.is_exact == is_exact;
            let mut is_empty = true;
            for one in typed.iter().filter(of_set) {
                let invalid = |detail: String| StoreError::Glob { glob: one.name.clone(), detail };
                for glob in one.globs() {
                    let built = GlobBuilder::new(&glob).literal_separator(true).build();
                    globs.add(built.map_err(|error| invalid(error.kind().to_string()))?);
                    is_empty = false;
                }
            }
            if !is_empty {
                let invalid = |error: globset::Error| StoreError::Glob {
                    glob: typed.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", "),
                    detail: error.to_string(),
                };
                set.globs = Some(globs.build().map_err(invalid)?);
            }
        }
        Ok(Some(patterns))
    }

    /// Takes patterns as literal names.
    fn literal<'t>(typed: impl Iterator<Item = &'t Typed>) -> Self {
        let mut patterns = Self::default();
        for one in typed {
            let sets = if one.root.is_some() { &mut patterns.absolute } else { &mut patterns.relative };
            sets[usize::from(!one.is_exact)].literals.insert(one.name.clone());
        }
        patterns
    }

    /// Returns each set, whether it holds absolute patterns, and whether case counts in it.
    fn sets_mut(&mut self) -> [(&mut PatternSet, bool, bool); 4] {
        let ([exact, lower], [absolute, lower_absolute]) = (&mut self.relative, &mut self.absolute);
        [(exact, false, true), (lower, false, false), (absolute, true, true), (lower_absolute, true, false)]
    }

    fn matches(&self, root: &str, path: &str) -> bool {
        self.any(root, path, &mut |set, name| {
            ancestors(name).any(|name| set.literals.contains(name))
                || set.globs.as_ref().is_some_and(|globs| globs.is_match(name))
        })
    }

    /// Calls `found` with each literal name that a file has, or a folder around it.
    fn each_literal(&self, root: &str, path: &str, found: &mut dyn FnMut(&str)) {
        self.any(root, path, &mut |set, name| {
            ancestors(name).filter(|name| set.literals.contains(*name)).for_each(&mut *found);
            false
        });
    }

    /// Whether `test` holds for a set and the name that a file has there.
    fn any(&self, root: &str, path: &str, test: &mut dyn FnMut(&PatternSet, &str) -> bool) -> bool {
        let mut in_sets = |sets: &[PatternSet; 2], name: &dyn Fn() -> String| {
            let [exact, lower] = sets;
            if exact.is_empty() && lower.is_empty() {
                return false;
            }
            let name = name();
            (!exact.is_empty() && test(exact, &composed(&name))) || (!lower.is_empty() && test(lower, &folded(&name)))
        };
        in_sets(&self.relative, &|| path.to_owned()) || in_sets(&self.absolute, &|| format!("{root}/{path}"))
    }
}

impl PatternSet {
    fn is_empty(&self) -> bool {
        self.literals.is_empty() && self.globs.is_none()
    }
}

/// Returns a path and all folders around it.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rfind('/').map(|slash| &path[..slash]))
}
