//! Notes as resources: `tars://note/PATH`.

use rmcp::model::{ReadResourceResult, Reference, Resource, ResourceContents, ResourceTemplate};

use super::ServerOptions;
use super::failure::Failure;
use tars_service::memory::LayersRequest;
use tars_service::{GetRequest, NotesRequest, ProblemKind, Service};
use tars_text::redact::redact;

/// Prefix of a note's address.
const SCHEME: &str = "tars://note/";
/// The template from which clients build addresses.
const TEMPLATE: &str = "tars://note/{+path}";
const MARKDOWN: &str = "text/markdown";
/// Most names in a completion.
const MAX_NAMES: usize = 50;

/// Returns the template of all notes.
pub(super) fn template() -> ResourceTemplate {
    let mut template = ResourceTemplate::new(TEMPLATE, "note");
    template.title = Some("A note".into());
    template.description = Some("A note by its path within its collection".into());
    template.mime_type = Some(MARKDOWN.into());
    template
}

/// Returns whether `reference` is that template.
pub(super) fn is_template(reference: &Reference) -> bool {
    matches!(reference, Reference::Resource(resource) if resource.uri == TEMPLATE)
}

/// Returns the files of the memory, which an agent may want without a search.
pub(super) fn list(service: &Service<'_>, options: &ServerOptions) -> Result<Vec<Resource>, Failure> {
    if !options.exposes_memory() {
        return Ok(Vec::new());
    }
    let map = service.call(&LayersRequest {})?;
    let files = map.layers.into_iter().flat_map(|layer| layer.files);
    let resource = |path: String, holds: String| {
        let mut resource = Resource::new(format!("{SCHEME}{}", encoded(&path)), path);
        resource.mime_type = Some(MARKDOWN.into());
        resource.description = (!holds.is_empty()).then(|| redact(&holds).text.into_owned());
        resource
    };
    Ok(files.map(|file| resource(file.path, file.holds)).collect())
}

/// Reads a note from the index.
pub(super) fn read(service: &Service<'_>, options: &ServerOptions, uri: &str) -> Result<ReadResourceResult, Failure> {
    let unknown = || Failure {
        kind: ProblemKind::NotFound,
        text: format!("no note is found by this address; they begin with {SCHEME}"),
    };
    let path = uri.strip_prefix(SCHEME).and_then(decoded).filter(|path| !path.is_empty()).ok_or_else(unknown)?;
    let request = GetRequest { names: vec![path], collections: options.collections.clone(), ..GetRequest::default() };
    let notes = service.call(&request)?.notes;
    let contents = notes.into_iter().map(|note| ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(MARKDOWN.into()),
        text: note.text.content,
        meta: None,
    });
    Ok(ReadResourceResult::new(contents.collect()))
}

/// Returns the paths that start with `beginning`, and the number of further ones.
pub(super) fn complete(
    service: &Service<'_>,
    options: &ServerOptions,
    beginning: &str,
) -> Result<(Vec<String>, usize), Failure> {
    let request =
        NotesRequest { name: beginning.to_owned(), limit: Some(MAX_NAMES), collections: options.collections.clone() };
    let found = service.call(&request)?;
    Ok((found.notes.into_iter().map(|note| note.path).collect(), found.more))
}

/// Percent-encodes a path (RFC 3986), except for letters, digits, `-._~` and `/`.
fn encoded(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Decodes a percent-encoded text; `None` if the result is not UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let byte = match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                digit()? * 16 + digit()?
            }
            byte => byte,
        };
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn paths_round_trip_through_addresses(path in "\\PC{0,40}", any in "[%0-9a-fé/]{0,20}") {
            let address = encoded(&path);
            proptest::prop_assert!(address.is_ascii() && !address.contains([' ', '?', '#']));
            proptest::prop_assert_eq!(decoded(&address), Some(path));
            // Any other input must not panic.
            let _ = decoded(&any);
        }
    }
}
