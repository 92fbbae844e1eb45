//! Completes the schemas of tools. Servers leave out what model servers require, and one refused schema fails every request of a
//! conversation.

use serde_json::{Map, Value, json};

/// Keywords that model servers refuse at the top of a schema.
const REFUSED_AT_TOP: [&str; 8] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum"];
/// Keywords that hold one schema or a list of schemas.
const HOLD_SCHEMAS: [&str; 6] = ["items", "additionalProperties", "allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords that hold schemas by name.
const HOLD_NAMED_SCHEMAS: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];

/// Returns a tool's schema as an object with `type` and `properties`; `None` if it describes anything but an object. A missing schema
/// stands for a tool without arguments.
pub(super) fn completed(schema: Option<&Value>) -> Option<Map<String, Value>> {
    let mut schema = match schema {
        None | Some(Value::Null | Value::Bool(true)) => Map::new(),
        Some(Value::Object(schema)) => schema.clone(),
        Some(_) => return None,
    };
    let is_object = match schema.get("type") {
        None | Some(Value::Null) => true,
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(_) => false,
    };
    if !is_object {
        return None;
    }
    schema.insert("type".into(), json!("object"));
    merge_alternatives(&mut schema);
    complete(&mut schema);
    Some(schema)
}

/// Lifts the properties of alternatives at the top, so that the model still sees their names. The server checks the rest itself.
fn merge_alternatives(schema: &mut Map<String, Value>) {
    let taken: Vec<Value> = REFUSED_AT_TOP.iter().filter_map(|name| schema.shift_remove(*name)).collect();
    let mut properties = match schema.shift_remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    };
    for branch in taken.iter().filter_map(Value::as_array).flatten() {
        for (name, property) in branch.get("properties").and_then(Value::as_object).into_iter().flatten() {
            properties.entry(name).or_insert_with(|| property.clone());
        }
    }
    schema.insert("properties".into(), Value::Object(properties));
}

/// Completes a schema and those in it. A tool's whole schema is small, and the parser bounds its depth.
fn complete(schema: &mut Map<String, Value>) {
    if schema.get("required").is_some_and(|required| !required.is_array()) {
        schema.shift_remove("required");
    }
    if schema.get("type").is_some_and(|kind| kind == "array") && !schema.contains_key("items") {
        schema.insert("items".into(), json!({}));
    }
    for name in HOLD_NAMED_SCHEMAS {
        let Some(Value::Object(named)) = schema.get_mut(name) else { continue };
        for inner in named.values_mut() {
            match inner {
                Value::Object(inner) => complete(inner),
                // `true` and anything that is no schema allow all values.
                _ => *inner = json!({}),
            }
        }
    }
    for name in HOLD_SCHEMAS {
        match schema.get_mut(name) {
            Some(Value::Object(inner)) => complete(inner),
            Some(Value::Array(several)) => several.iter_mut().filter_map(Value::as_object_mut).for_each(complete),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(schema: Value) -> Option<Value> {
        completed(Some(&schema)).map(Value::Object)
    }

    #[test]
    fn a_schema_without_type_or_properties_is_completed() {
        let empty = json!({"type": "object", "properties": {}});
        for schema in [json!({}), json!(null), json!({"type": "object"}), json!({"type": null, "properties": null})] {
            assert_eq!(of(schema.clone()), Some(empty.clone()), "{schema}");
        }
        assert_eq!(completed(None).map(Value::Object), Some(empty));
        let whole = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
        assert_eq!(of(whole.clone()), Some(whole), "a complete one stays as it is");
        assert_eq!(of(json!({"type": ["object", "null"]})).unwrap()["type"], "object");
    }

    #[test]
    fn a_schema_of_something_else_is_refused() {
        for schema in [json!("object"), json!([]), json!(false), json!({"type": "string"}), json!({"type": 3})] {
            assert_eq!(of(schema.clone()), None, "{schema}");
        }
    }

    #[test]
    fn parts_that_model_servers_refuse_are_completed_too() {
        let schema = json!({
            "anyOf": [{"properties": {"a": {"type": "array"}}}, {"properties": {"b": true}}], "required": true,
            "properties": {"list": {"type": "array", "items": {"type": "object", "properties": {"deep": {"type": "array"}}}}},
        });
        let done = of(schema).unwrap();
        assert_eq!(done["properties"]["a"], json!({"type": "array", "items": {}}));
        assert_eq!(done["properties"]["b"], json!({}));
        assert_eq!(done["properties"]["list"]["items"]["properties"]["deep"]["items"], json!({}));
        assert!(done.get("anyOf").is_none() && done.get("required").is_none(), "{done}");
    }
}
