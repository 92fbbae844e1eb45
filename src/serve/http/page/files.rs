//! The files of the page, embedded in the program.

/// A file below `/assets/`.
pub(super) struct Asset {
    /// Path relative to this folder.
    pub(super) name: &'static str,
    /// Content type.
    pub(super) kind: &'static str,
    /// Content.
    pub(super) content: &'static [u8],
}

macro_rules! assets {
    ($($kind:literal: $($name:literal)*;)*) => {
        /// All embedded files.
        pub(super) const ASSETS: &[Asset] =
            &[$($(Asset { name: $name, kind: $kind, content: include_bytes!($name) }),*),*];
    };
}

assets! {
    "text/css; charset=utf-8": "style.css" "parts.css";
    "image/svg+xml": "icon.svg";
    "text/javascript; charset=utf-8":
        "api.js" "app.js" "conversations.js" "dom.js" "graph.js" "inline.js" "keys.js" "list.js" "markdown.js" "places.js" "preview.js" "shell.js"
        "views/changes.js" "views/chat.js" "views/days.js" "views/hit.js" "views/memory.js" "views/news.js" "views/offers.js" "views/recalled.js" "views/remember.js" "views/review.js" "views/entries.js"
        "views/search.js" "views/status.js";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Returns the asset files of the page's folder: scripts, styles and images.
    fn on_disk() -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("http/page");
        let mut found = BTreeSet::new();
        for (within, prefix) in [(folder.clone(), ""), (folder.join("views"), "views/")] {
            let entries = fs::read_dir(within).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            found.extend(entries.map(|name| format!("{prefix}{name}")));
        }
        found.retain(|name| [".js", ".css", ".svg"].iter().any(|ending| name.ends_with(ending)));
        found
    }

    #[test]
    fn every_file_of_the_page_is_embedded() {
        assert_eq!(on_disk(), ASSETS.iter().map(|asset| asset.name.to_owned()).collect());
    }

    #[test]
    fn every_imported_file_is_embedded() {
        for asset in ASSETS {
            let text = String::from_utf8(asset.content.to_vec()).unwrap();
            for named in text.lines().filter_map(|line| line.strip_prefix("import ")?.split('"').nth(1)) {
                let folder = asset.name.rsplit_once('/').map_or("", |(folder, _)| folder);
                let name = match named.strip_prefix("../") {
                    Some(above) => above.to_owned(),
                    None => format!("{folder}/{}", named.trim_start_matches("./")).trim_start_matches('/').to_owned(),
                };
                assert!(ASSETS.iter().any(|asset| asset.name == name), "{} loads {named}", asset.name);
            }
        }
        let page = include_str!("index.html");
        for loaded in page.split("\"/assets/").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(ASSETS.iter().any(|asset| asset.name == loaded), "the page loads {loaded}");
        }
    }

    #[test]
    fn scripts_never_create_markup_from_text_or_call_other_servers() {
        for asset in ASSETS.iter().filter(|asset| asset.name.ends_with(".js")) {
            let text = String::from_utf8(asset.content.to_vec()).unwrap();
            for word in
                ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", ".style."]
            {
                assert!(!text.contains(word), "{} uses {word}", asset.name);
            }
            assert_eq!(text.contains("fetch("), asset.name == "api.js", "{}: requests go through api.js", asset.name);
            assert!(text.starts_with("// "), "{} begins with what it does", asset.name);
            assert!(text.lines().count() <= 300, "{} is too long", asset.name);
        }
    }
}
