use proptest::prelude::*;

use super::*;
use crate::markdown::parse;

const CANVAS: &str = r##"{
	"nodes":[
		{"id":"g","type":"group","label":"Heating","x":0,"y":100,"width":500,"height":500},
		{"id":"b","type":"text","text":"Boiler service\nCall the plumber in May.\n\n## Parts\n- [ ] order a valve #todo","x":10,"y":120,"width":100,"height":100},
		{"id":"f","type":"file","file":"Home/Manual.md","subpath":"#Valves","x":10,"y":300,"width":100,"height":100},
		{"id":"p","type":"file","file":"img/boiler plate.png","x":10,"y":310,"width":100,"height":100},
		{"id":"l","type":"link","url":"https://example.org/valve","x":10,"y":420,"width":100,"height":100},
		{"id":"a","type":"text","text":"# Outside\nIt stands alone.\n===\n```\n# no heading","x":900,"y":0,"width":100,"height":100},
		{"id":"x","type":"text","text":7,"x":"broken"},
		{"id":"e","type":"text","text":"","x":0,"y":0,"width":1,"height":1}
	],
	"edges":[
		{"id":"1","fromNode":"b","toNode":"l","label":"bought at"},
		{"id":"2","fromNode":"b","toNode":"f"}
	]
}
"##;

#[test]
fn each_card_of_a_canvas_is_a_section_of_its_group() {
    let text = as_markdown("Plans/House.canvas", CANVAS);
    assert_eq!(
        text,
        "### Outside\n\nIt stands alone.\n\n```\n# no heading\n```\n\n\
         ## Heating\n\n- [[Home/Manual.md#Valves]]\n\n- ![[img/boiler plate.png]]\n\n- <https://example.org/valve>\n\n\
         ### Boiler service\n\nCall the plumber in May.\n\n##### Parts\n- [ ] order a valve #todo\n\n\
         bought at → https://example.org/valve\n\n"
    );
    let document = parse("Plans/House.canvas", &text);
    let line = |found: &str| text.lines().position(|line| line.contains(found)).unwrap() + 1;
    assert_eq!((document.title.as_str(), document.tags.as_slice()), ("House", &["todo".to_owned()][..]));
    assert_eq!(document.heading_path(line("plumber")), ["Heating", "Boiler service"]);
    let links: Vec<&str> = document.links.iter().map(|link| link.target.as_str()).collect();
    assert_eq!(links, ["Home/Manual.md", "img/boiler plate.png", "https://example.org/valve"]);
    let in_file = |found: &str| line_in_file("a.canvas", CANVAS, line(found));
    assert_eq!((in_file("plumber"), in_file("Manual"), in_file("alone"), in_file("## Heating")), (4, 5, 8, 3));
    assert_eq!(line_in_file("a.canvas", CANVAS, 10_000), 4);
}

#[test]
fn a_canvas_may_be_private_and_its_other_spellings_are_read() {
    let private = r#"{"nodes":[{"type":"text","text":"secret"}],"metadata":{"frontmatter":{"tars":"private"}}}"#;
    assert!(parse("a.canvas", &as_markdown("a.canvas", private)).private);
    let pretty = "\u{feff}{\n \"nodes\": [\n  {\n   \"type\": \"text\",\n   \"text\": \"one\\u000atwo\"\n  }\n ]\n}";
    assert_eq!(as_markdown("A.CANVAS", pretty), "### one\n\ntwo\n\n");
    assert_eq!(line_in_file("a.canvas", pretty, 3), 5);
}

#[test]
fn a_file_that_is_no_canvas_has_no_text() {
    for broken in ["", "{", "[]", "null", r#"{"nodes":7}"#, "{\"nodes\":[{}]}", &"[".repeat(100_000)] {
        assert_eq!(as_markdown("a.canvas", broken), "");
        assert_eq!(as_markdown("a.excalidraw", broken), "");
        assert_eq!(line_in_file("a.canvas", broken, 3), 1);
    }
}

#[test]
fn only_the_texts_of_a_drawing_are_read() {
    let scene = "{\"type\":\"excalidraw\",\"elements\":[\n\
         {\"type\":\"text\",\"text\":\"the\\nsecond\",\"originalText\":\"the second\",\"x\":0,\"y\":9},\n\
         {\"type\":\"rectangle\",\"id\":\"hidden-id\",\"x\":0,\"y\":1},\n\
         {\"type\":\"text\",\"text\":\"gone\",\"isDeleted\":true,\"x\":0,\"y\":1},\n\
         {\"type\":\"frame\",\"name\":\"A frame\",\"x\":0,\"y\":0},\n\
         {\"type\":\"text\",\"text\":\"first\",\"x\":0,\"y\":2}\n],\"files\":{\"x\":{\"dataURL\":\"data:\"}}}";
    assert_eq!(as_markdown("a.excalidraw", scene), "A frame\n\nfirst\n\nthe second\n\n");
    assert_eq!(line_in_file("a.excalidraw", scene, 5), 2);

    let note = "---\n\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n\n---\n\
        ==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠==\n\nMy words.\n\n# Excalidraw Data\n\n\
        ## Text Elements\nThe pump fails ^ab12Cd34\n\n## Embedded Files\nabc: [[pump.png]]\n\n%%\n## Drawing\n\
        ```json\n{\"type\":\"excalidraw\",\"elements\":[]}\n```\n%%";
    for path in ["Pump.excalidraw.md", "Pump.md"] {
        let text = as_markdown(path, note);
        assert_eq!(text.split('\n').count(), note.split('\n').count());
        let document = parse(path, &text);
        assert_eq!(document.title, path.strip_suffix(".md").unwrap());
        let said: Vec<&str> = text.lines().skip(6).filter(|line| !line.is_empty()).collect();
        assert_eq!(said, ["My words.", "The pump fails ^ab12Cd34", "## Embedded Files", "abc: [[pump.png]]"]);
        assert_eq!(line_in_file(path, note, 14), 14);
    }
    let kept = "---\ntitle: x\n---\nexcalidraw-plugin: how it works\n```json\n{}\n```\n%%\n";
    assert!(matches!(as_markdown("a.md", kept), Cow::Borrowed(text) if text == kept));
}

#[test]
fn a_note_of_org_mode_keeps_its_lines() {
    let org = "#+TITLE: The boiler\n#+filetags: :home:heat:\n# a comment\n* TODO Service :urgent:\n:PROPERTIES:\n:ID: 77\n:END:\n\
        Ask [[file:people.org::*Ann][Ann]] or [[Bob]].\n** Code\n#+begin_src rust\n* no heading\n```\n#+end_src\n\
        - [ ] call\n#+startup: overview\n";
    assert_eq!(
        as_markdown("a.org", org),
        "# The boiler\n#home #heat \n\n## TODO Service #urgent\n\n\n\n\
         Ask [Ann](<people.org>) or [[Bob]].\n### Code\n```rust\n* no heading\n\n```\n- [ ] call\n\n"
    );
    for line in ["#+TARS: private", "#+tars: Private"] {
        assert!(parse("a.org", &as_markdown("a.org", &format!("{line}\n* x\n"))).private);
    }
}

#[test]
fn pages_become_sections_that_hold_no_markup() {
    let pages = ["\n# not a heading\n----\n  two   words\u{7}\n\n\n\nend\n", " \n", "third"];
    let text = pages_as_markdown(pages);
    assert_eq!(text, "## Page 1\n\n\\# not a heading\n\ntwo words\n\nend\n\n## Page 3\n\nthird\n\n");
    let document = parse("a/Offer.pdf", &text);
    assert_eq!((document.title.as_str(), document.headings.len()), ("Offer", 2));
    assert_eq!(pages_as_markdown([" ", ""]), "");
}

proptest! {
    #[test]
    fn no_text_of_a_card_leaves_its_section(text in "([#=`~<!>a%$ \n-]|<details|<pre>){0,40}") {
        let card = |id: &str, text: &str, y: usize| serde_json::json!({"id": id, "type": "text", "text": text, "y": y});
        let canvas = serde_json::json!({"nodes": [card("1", &text, 0), card("2", "Last card\nlast words", 9)]}).to_string();
        let shown = as_markdown("a.canvas", &canvas);
        let document = parse("a.canvas", &shown);
        let last = document.headings.last().unwrap();
        prop_assert_eq!(last.text.as_str(), "Last card");
        prop_assert!(document.headings.iter().all(|heading| heading.level >= 3));
        prop_assert_eq!(document.heading_path(shown.lines().count()), ["Last card"]);
        for line in 1..=shown.lines().count() {
            prop_assert_eq!(line_in_file("a.canvas", &canvas, line), 1);
        }
    }
}
