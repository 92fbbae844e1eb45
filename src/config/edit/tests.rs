use super::*;

const TEXT: &str = "\
# My settings.
search.limit = 5 # few

# Where the notes are.
[vault]
# The folder.
path = '/notes'  # on the big disk
memory_folder = \"agents\"

[index]
exclude = [
  \"a/\", # drafts
]
# The end.
";

#[test]
fn a_value_is_replaced_in_place() {
    let after = with(TEXT, "vault.path", &Value::String("/other".into())).unwrap();
    assert_eq!(after, TEXT.replace("'/notes'", "\"/other\""));
    let after = with(TEXT, "search.limit", &Value::Integer(7)).unwrap();
    assert_eq!(after, TEXT.replace("= 5", "= 7"));
}

#[test]
fn new_keys_join_their_section_and_new_sections_come_last() {
    let after = with(TEXT, "vault.path2", &Value::Boolean(true)).unwrap();
    assert_eq!(after, TEXT.replace("\"agents\"\n", "\"agents\"\npath2 = true\n"));
    let after = with(TEXT, "search.gate", &Value::Float(0.5)).unwrap();
    assert_eq!(after, TEXT.replace("# few\n", "# few\nsearch.gate = 0.5\n"));
    let after = with(TEXT, "output.color", &Value::String("never".into())).unwrap();
    assert_eq!(after, format!("{TEXT}\n[output]\ncolor = \"never\"\n"));
    let list = Value::Array(vec![Value::String("md".into())]);
    assert_eq!(with("", "index.extensions", &list).unwrap(), "[index]\nextensions = [\"md\"]\n");
}

#[test]
fn a_key_without_a_section_precedes_all_sections() {
    let small = Value::String("small".into());
    let after = with(TEXT, "profile", &small).unwrap();
    assert_eq!(after, format!("profile = \"small\"\n\n{TEXT}"));
    let standard = with(&after, "profile", &Value::String("standard".into())).unwrap();
    assert_eq!(standard, after.replace("small", "standard"));
    assert_eq!(without(&after, "profile").unwrap().unwrap(), format!("\n{TEXT}"));
    assert_eq!(with("", "profile", &small).unwrap(), "profile = \"small\"\n");
    assert!(matches!(with(TEXT, "index", &small), Err(EditError::NotAKey)));
}

#[test]
fn removal_keeps_the_comments_above() {
    let without = |key| without(TEXT, key).unwrap().unwrap();
    assert_eq!(without("search.limit"), TEXT.replace("search.limit = 5 # few\n", ""));
    assert_eq!(without("vault.path"), TEXT.replace("path = '/notes'  # on the big disk\n", ""));
    assert_eq!(without("index.exclude"), TEXT.replace("exclude = [\n  \"a/\", # drafts\n]\n", ""));
}

#[test]
fn inline_tables_stray_values_and_odd_keys_can_be_removed() {
    let removed = |text, key| without(text, key).unwrap();
    assert_eq!(removed("search = { limit = 5, gate = 0.5 }\n", "search.limit").unwrap(), "search = { gate = 0.5 }\n");
    assert_eq!(removed("limt = 5\n", "limt").unwrap(), "");
    assert_eq!(removed("[a]\n\"x y\" = 5\n", "a.\"x y\"").unwrap(), "[a]\n");
    assert_eq!(removed("[a]\n\"x y\" = 5\n", "a.x y").unwrap(), "[a]\n");
    assert_eq!(removed("[a.b]\nc = 1\n[d]\n", "a.b").unwrap(), "[d]\n");
    assert_eq!(removed("[[a]]\nc = 1\n", "a").unwrap(), "");
    assert_eq!(removed("path = 1", "path").unwrap(), "");
}

#[test]
fn an_empty_section_is_removed_unless_it_has_a_comment() {
    for (text, left) in [
        ("# Settings.\n\n[vault]\n", "# Settings.\n"),
        ("a = 1\n\n[vault]\n\n[index]\nb = 1\n", "a = 1\n\n[index]\nb = 1\n"),
        ("[vault]\n[index]\n", "[index]\n"),
        ("# The notes.\n[vault]\n", "# The notes.\n[vault]\n"),
        ("[vault]\n# mine\n", "[vault]\n# mine\n"),
        ("[vault]\npath = \"/a\"\n", "[vault]\npath = \"/a\"\n"),
    ] {
        assert_eq!(without_empty_section(text, "vault"), left);
    }
}

#[test]
fn missing_keys_are_not_removed() {
    assert_eq!(without(TEXT, "vault.nothing").unwrap(), None);
    assert_eq!(without(TEXT, "vault").unwrap(), None);
    assert!(matches!(without(TEXT, "a.b.c"), Err(EditError::NotAKey)));
    assert!(matches!(without("a = ", "a"), Err(EditError::Unparsable(_))));
    assert!(matches!(with("vault = 1", "vault.path", &Value::Boolean(true)), Err(EditError::NotASection)));
}

#[test]
fn a_collection_gets_settings_and_another_name_where_it_stands() {
    let text = "# Notes of others.\n[collections]\nwork = '/work' # the shared disk\n\n# For cooking.\n[collections.recipes]\n\
                path = '/recipes' # mine\n\n[chat]\nprivate_collections = [\"work\", \"x\"] # hidden\n";
    let heavy = with(text, "collections.work.weight", &Value::Float(2.0)).unwrap();
    assert_eq!(heavy, text.replace("'/work'", "{ path = '/work', weight = 2.0 }"));
    let moved = with(&heavy, "collections.work", &Value::String("/w".into())).unwrap();
    assert_eq!(moved, heavy.replace("'/work'", "\"/w\""));
    let light = without(&heavy, "collections.work.weight").unwrap().unwrap();
    assert_eq!(light.replace("'}", "' }"), text.replace("'/work'", "{ path = '/work' }"));
    let private = with(text, "collections.recipes.private", &Value::Boolean(true)).unwrap();
    assert_eq!(private, text.replace("# mine\n", "# mine\nprivate = true\n"));
    assert_eq!(without(&private, "collections.recipes.private").unwrap().unwrap(), text);
    let missing = with(text, "collections.play.weight", &Value::Float(2.0));
    assert!(matches!(missing, Err(EditError::NoCollection(name)) if name == "play"));

    let renamed = with_renamed_collection(text, "work", "office").unwrap().unwrap();
    assert_eq!(renamed, text.replace("work = ", "office = ").replace("\"work\"", "\"office\""));
    let renamed = with_renamed_collection(text, "recipes", "food").unwrap().unwrap();
    assert_eq!(renamed, text.replace("[collections.recipes]", "[collections.food]"));
    assert_eq!(with_renamed_collection(text, "play", "x").unwrap(), None);
    let dotted = "[collections]\na.path = '/a'\na.weight = 2\n";
    let renamed = with_renamed_collection(dotted, "a", "b").unwrap().unwrap();
    assert_eq!(toml::from_str::<toml::Table>(&renamed).unwrap()["collections"]["b"]["weight"].as_integer(), Some(2));
    assert_eq!(
        without(text, "collections.recipes").unwrap().unwrap(),
        text.replace("[collections.recipes]\npath = '/recipes' # mine\n", "")
    );
}

#[test]
fn a_table_is_removed_without_those_between_its_parts() {
    let text = "[mcp.servers.x]\ncommand = \"a\"\n[chat]\nmodel = \"m\"\n[mcp.servers.x.env]\nA = \"b\"\n";
    let left = without_table(text, &["mcp", "servers", "x"]).unwrap().unwrap();
    assert_eq!(left.trim(), "[chat]\nmodel = \"m\"");
    assert_eq!(without_table(text, &["mcp", "servers", "y"]).unwrap(), None);
}
