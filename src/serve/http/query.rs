//! Requests in a query string, typed by the schema of the operation: `?query=leak+valve&limit=3`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use tars_service::operations::{OPERATIONS, Schemas};

/// The fields of an operation's request that a query string can hold.
pub(super) type Fields = HashMap<String, FieldType>;

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldType {
    Text,
    Integer,
    Number,
    Boolean,
    /// A list of texts: the field may be repeated.
    TextList,
}

/// Short names of fields.
const ALIASES: [(&str, &str); 3] = [("q", "query"), ("n", "limit"), ("tag", "tags")];

/// Returns the simple fields of each operation that never writes.
pub(super) fn fields(schemas: &Schemas) -> HashMap<&'static str, Fields> {
    let reads = OPERATIONS.iter().zip(&schemas.operations).filter(|(operation, _)| !operation.writes);
    reads.map(|(operation, (request, _))| (operation.name, simple(request.as_value(), &schemas.types))).collect()
}

fn simple(request: &Value, types: &Map<String, Value>) -> Fields {
    let properties = resolved(request, types).get("properties").and_then(Value::as_object);
    let kinds =
        properties.into_iter().flatten().filter_map(|(name, schema)| Some((name.clone(), kind(schema, types)?)));
    kinds.collect()
}

/// Follows a reference to a type.
fn resolved<'v>(schema: &'v Value, types: &'v Map<String, Value>) -> &'v Value {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    name.and_then(|name| types.get(name)).unwrap_or(schema)
}

fn kind(schema: &Value, types: &Map<String, Value>) -> Option<FieldType> {
    let schema = resolved(schema, types);
    let choices = |key: &str| schema.get(key).and_then(Value::as_array);
    if let Some(choices) = choices("anyOf") {
        // One of the alternatives may be null.
        return choices.iter().find_map(|choice| kind(choice, types));
    }
    if choices("oneOf").is_some_and(|all| all.iter().all(|one| one.get("const").is_some_and(Value::is_string))) {
        return Some(FieldType::Text);
    }
    let named = schema.get("type")?;
    let name =
        named.as_str().or_else(|| named.as_array()?.iter().filter_map(Value::as_str).find(|name| *name != "null"));
    match name? {
        "string" => Some(FieldType::Text),
        "integer" => Some(FieldType::Integer),
        "number" => Some(FieldType::Number),
        "boolean" => Some(FieldType::Boolean),
        "array" => (kind(schema.get("items")?, types)? == FieldType::Text).then_some(FieldType::TextList),
        _ => None,
    }
}

/// Returns the request in a query string.
pub(super) fn request(fields: Option<&Fields>, query: &str) -> Result<Value, String> {
    let pairs: Vec<(String, String)> =
        axum::extract::Query::try_from_uri(&uri(query)?).map_err(|error| error.to_string())?.0;
    let mut request = Map::new();
    for (name, text) in pairs {
        let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name.as_str(), |(_, known)| known);
        let kind = fields.and_then(|fields| fields.get(name));
        let kind = kind.ok_or_else(|| format!("'{name}' is not a simple field of this request: send it with POST"))?;
        let wrong = || format!("'{name}' cannot be '{text}'");
        let value = match kind {
            FieldType::Text => Value::String(text),
            FieldType::Integer => Value::from(text.parse::<i64>().map_err(|_| wrong())?),
            FieldType::Number => Value::from(text.parse::<f64>().map_err(|_| wrong())?),
            FieldType::Boolean => match text.as_str() {
                "true" | "1" => Value::Bool(true),
                "false" | "0" => Value::Bool(false),
                _ => return Err(wrong()),
            },
            FieldType::TextList => {
                if let Value::Array(texts) = request.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
                    texts.push(Value::String(text));
                }
                continue;
            }
        };
        if request.insert(name.to_owned(), value).is_some() {
            return Err(format!("'{name}' occurs twice"));
        }
    }
    Ok(Value::Object(request))
}

fn uri(query: &str) -> Result<axum::http::Uri, String> {
    format!("/?{query}").parse().map_err(|_| "the query string is malformed".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_have_the_types_of_the_schema() {
        let all = fields(&Schemas::new());
        let search = all.get("search");
        let read = |query: &str| request(search, query);
        assert_eq!(
            read("q=leak+valve%3F&limit=3&tags=home&tag=garden&explain=1&min_score=0.5&mode=keyword&since=last%20week"),
            Ok(
                json!({"query": "leak valve?", "limit": 3, "tags": ["home", "garden"], "explain": true, "min_score": 0.5,
                "mode": "keyword", "since": "last week"})
            )
        );
        assert_eq!(read(""), Ok(json!({})));
        for wrong in ["limit=three", "explain=maybe", "nothing=1", "limit=1&limit=2"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(!all.contains_key("remember"));
        assert!(all["get"].contains_key("lines") || !all["get"].is_empty());
    }
}
