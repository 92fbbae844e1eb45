//! Files that are no markdown: canvases, drawings, Org mode, PDFs; and what notes embed.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::command::TarsCommand;
use crate::harness::TestVault;

const CANVAS: &str = r##"{
	"nodes":[
		{"id":"g","type":"group","label":"Heating","x":0,"y":0,"width":500,"height":500},
		{"id":"a","type":"text","text":"Shopping\nmilk and bread","x":900,"y":0,"width":100,"height":100},
		{"id":"b","type":"text","text":"Boiler service\nThe plumber brings a new valve.\n- [ ] order the valve 📅 2026-12-01","x":10,"y":10,"width":100,"height":100},
		{"id":"f","type":"file","file":"Home/Manual.md","x":10,"y":200,"width":100,"height":100}
	],
	"edges":[]
}
"##;

/// Returns a PDF with a line of text on each page.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: String = (0..pages.len()).map(|page| format!("{} 0 R ", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} /MediaBox [0 0 612 792] >>", pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (page, text) in pages.iter().enumerate() {
        let content = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
            5 + 2 * page
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    file(&objects, "")
}

/// Returns a PDF of these objects.
fn file(objects: &[String], trailer: &str) -> Vec<u8> {
    let (mut text, mut table) = ("%PDF-1.4\n".to_owned(), String::new());
    for (number, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", text.len()).unwrap();
        write!(text, "{} 0 obj\n{object}\nendobj\n", number + 1).unwrap();
    }
    let (count, start) = (objects.len() + 1, text.len());
    write!(text, "xref\n0 {count}\n0000000000 65535 f \n{table}").unwrap();
    write!(text, "trailer\n<< /Size {count} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n").unwrap();
    text.into_bytes()
}

/// Runs a command that prints each of these texts.
#[track_caller]
fn shows(command: TarsCommand, texts: &[&str]) {
    let shown = command.run();
    texts.iter().for_each(|text| assert!(shown.stdout().contains(text), "{text}: {shown}"));
}

#[test]
fn an_answer_from_a_canvas_names_the_card() {
    let vault = TestVault::of_words();
    vault.write("House.canvas", CANVAS).write("House.md", "# House\n").write("Home/Manual.md", "Turn it off first.\n");
    assert_eq!(vault.index()["files"], 3);
    let hit = &vault.search(&["sgrep", "plumber"])[0];
    assert_eq!((&hit["path"], &hit["title"]), (&"House.canvas".into(), &"House".into()));
    assert_eq!(hit["heading"], "Heating > Boiler service");
    assert!(vault.search(&["sgrep", "width"]).is_empty(), "geometry is no text");
    let links = vault.tars(["links", "Home/Manual.md", "--back"]).run().success();
    assert!(links.stdout().contains("House.canvas"), "{links}");
    shows(vault.tars(["tasks"]), &["order the valve"]);
    shows(vault.tars(["get", "[[House]]"]), &["House.md"]);

    // The editor gets the line of the file in which the card stands.
    let editor = vault.home().join("nvim");
    fs::write(&editor, "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/opened\"\n").unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    vault.tars(["open", &format!("House.canvas:{}", hit["line"])]).env("EDITOR", &editor).run().success();
    assert!(fs::read_to_string(vault.home().join("opened")).unwrap().starts_with("+5\n"));

    vault.write("House.canvas", CANVAS.replace("plumber", "electrician"));
    assert_eq!(vault.found(&["sgrep", "electrician"]), ["House.canvas"], "without another run");
    vault.write("House.canvas", "{ half a file").index();
    assert!(vault.found(&["sgrep", "electrician"]).is_empty());
}

#[test]
fn drawings_and_other_formats_are_read_as_text() {
    let vault = TestVault::of_words().with("TARS_INDEX_EXTENSIONS", "md,excalidraw,org,qmd");
    let drawing =
        "{\"type\":\"excalidraw\",\"elements\":[{\"type\":\"text\",\"text\":\"walrus sketch\"},{\"type\":\"arrow\"}]}";
    let plugin = format!(
        "---\nexcalidraw-plugin: parsed\n---\n# Excalidraw Data\n## Text Elements\nwalrus idea ^a1\n%%\n## Drawing\n```json\n{drawing}\n```\n%%\n"
    );
    vault.write("a.excalidraw", drawing).write("b.excalidraw.md", plugin);
    vault.write("c.org", "#+title: Arctic\n* Animals\n:PROPERTIES:\n:ID: seal\n:END:\nThe walrus dives.\n");
    vault.write("d.qmd", "---\ntitle: Report\n---\n\nA walrus count.\n").write("e.txt", "walrus\n").index();
    let mut found = vault.found(&["sgrep", "walrus"]);
    found.sort();
    assert_eq!(found, ["a.excalidraw", "b.excalidraw.md", "c.org", "d.qmd"]);
    for data in ["arrow", "sketch path:b.excalidraw.md", "seal"] {
        assert!(vault.found(&["sgrep", data]).is_empty(), "{data}");
    }
    let hit = &vault.search(&["sgrep", "dives"])[0];
    assert_eq!(
        (&hit["title"], &hit["heading"], &hit["line"]),
        (&"Arctic".into(), &"Arctic > Animals".into(), &6.into())
    );
}

#[test]
fn embedded_texts_are_shown_with_their_places() {
    let vault = TestVault::of_words();
    vault.write(
        "Trip.md",
        "# Trip\n\n![[Packing#Clothes]]\n\n`![[Packing]]`\n\n![[Secret]] ![[Nowhere]] ![[map.png]]\n\nEnd.\n",
    );
    vault.write(
        "Packing.md",
        "# Packing\n\nNot this.\n\n## Clothes\n\nA warm coat.\n\n![[Coats]]\n\n## Food\n\nBread.\n",
    );
    vault.write("Coats.md", "The red one.\n\n![[Trip]]\n\n![[Deep]]\n").write("Deep.md", "Too deep.\n");
    vault.write("Secret.md", "---\ntars: private\n---\n\nThe hidden code.\n").index();
    let shown = vault.tars(["get", "Trip"]).run().success();
    let expected = "![[Packing#Clothes]]\n│ from Packing.md:5-10\n│ ## Clothes\n│ \n│ A warm coat.\n│ \n│ ![[Coats]]\n\
        │ │ from Coats.md:1-5\n│ │ The red one.\n";
    assert!(shown.stdout().contains(expected), "{shown}");
    for hidden in ["hidden code", "Not this", "Bread", "Too deep"] {
        assert!(!shown.stdout().contains(hidden), "{hidden}: {shown}");
    }
    let json = vault.tars(["get", "Trip", "--json"]).run().success().json();
    let embed = &json["notes"][0]["embeds"][0];
    assert_eq!(
        (&embed["path"], &embed["line"], &embed["heading"]),
        (&"Packing.md".into(), &3.into(), &"Packing > Clothes".into())
    );
    assert_eq!(embed["embeds"][0]["path"], "Coats.md");
    let id = vault.search(&["sgrep", "coat path:Packing.md"])[0]["id"].as_str().unwrap().to_owned();
    shows(vault.tars(["expand", &id]), &["from Coats.md:1-5", "The red one."]);
}

#[test]
fn a_footnote_and_the_line_that_cites_it_come_together() {
    let vault = TestVault::of_words();
    let wall = "Stone on stone for the wall of the quay. ".repeat(150);
    let note = format!(
        "# History\n\nThe bridge opened in 1932.[^src]\n\n# Wall\n\n{wall}\n\n# Notes\n\n[^src]: Chronicle of the walrus,\n    page 12.\n"
    );
    vault.write("Bridge.md", note).index();
    let hit = vault.search(&["sgrep", "walrus 1932"])[0].clone();
    assert_eq!((hit["start_line"].as_u64(), hit["heading"].as_str()), (Some(1), Some("History")), "{hit}");
    let id = hit["id"].as_str().unwrap();
    shows(vault.tars(["expand", id]), &["in 1932.[^src]\n│ from Bridge.md:11-12\n│ [^src]: Chronicle of the walrus,"]);
    let whole = vault.tars(["get", "Bridge"]).run().success();
    assert_eq!(whole.stdout().matches("Chronicle").count(), 1, "it is there already: {whole}");
    // Whichever of the two answers, a person sees both.
    for query in ["opened", "chronicle"] {
        shows(vault.tars(["sgrep", query]), &["The bridge opened in 1932.[^src]\n  [^src]: Chronicle of the walrus,"]);
    }
}

#[test]
fn the_kind_and_the_title_of_a_callout_are_its_heading() {
    let vault = TestVault::of_words();
    vault
        .write("Line.md", "# Line\n\n> [!warning]- Mind the gap\n> It is wide.\n>\n>> [!tip]\n>> Take the ladder.\n")
        .index();
    assert_eq!(vault.found(&["sgrep", "\"warning mind the gap\""]), ["Line.md"]);
    shows(vault.tars(["sgrep", "wide"]), &["  > warning: Mind the gap\n  > It is wide."]);
    shows(vault.tars(["sgrep", "ladder"]), &["  >> tip\n  >> Take the ladder."]);
    shows(vault.tars(["get", "Line"]), &["> [!warning]- Mind the gap"]);
}

#[test]
fn a_picture_is_found_by_its_name_and_its_alternative_text() {
    let vault = TestVault::of_words();
    vault
        .write("a.md", "# A\n\n![[boiler-plate.png|300]]\n")
        .write("b.md", "# B\n\n![the fuse box](img/fuse%20box.jpg)\n");
    vault.write("c.md", "# C\n\n![sketch][1]\n\n[1]: <img/cellar plan.svg>\n").index();
    for (query, note) in
        [("boiler-plate.png", "a.md"), ("\"fuse box.jpg\"", "b.md"), ("fuse", "b.md"), ("cellar plan.svg", "c.md")]
    {
        assert_eq!(vault.found(&["search", query, "--mode", "keyword"])[0], note, "{query}");
    }
}

#[test]
fn pdfs_are_read_page_by_page_only_if_the_person_wants_it() {
    let vault = TestVault::of_words();
    let pages = ["Offer for a new boiler", "The warranty lasts seven years", "Regards"];
    vault.write("Offer.pdf", pdf(&pages)).write("Plan.md", "See ![[Offer.pdf#page=2]].\n").index();
    assert!(vault.found(&["sgrep", "warranty"]).is_empty());

    let vault = vault.with("TARS_INDEX_PDF", "true");
    assert_eq!(vault.index()["added"], 1);
    let hit = &vault.search(&["sgrep", "warranty"])[0];
    assert_eq!((&hit["path"], &hit["heading"]), (&"Offer.pdf".into(), &"Page 2".into()));
    shows(vault.tars(["get", "Plan"]), &["from Offer.pdf:", "The warranty lasts seven years"]);
    shows(vault.tars(["get", "Offer.pdf#Page 3"]), &["Regards"]);
    assert_eq!(vault.index()["unchanged"], 2);
    // A new name is no reason to read it again, and a copy of the program in use is not needed either.
    vault.rename("Offer.pdf", "Old offer.pdf");
    assert_eq!(vault.index()["moved"], 1);
    assert_eq!(vault.found(&["sgrep", "warranty"]), ["Old offer.pdf"]);
    vault.without("TARS_INDEX_PDF").index();
}

#[test]
fn hostile_pdfs_are_left_out_with_a_reason() {
    let vault = TestVault::of_words().with("TARS_INDEX_PDF", "true");
    let whole = pdf(&["walrus"]);
    let object = |text: &str| text.to_owned();
    let catalog = || object("<< /Type /Catalog /Pages 2 0 R >>");
    let encrypted = "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (00000000000000000000000000000000) \
        /U (00000000000000000000000000000000) >> /ID [(0000000000000000) (0000000000000000)]";
    let form = "/Resources << /XObject << /X 4 0 R >> >>";
    let draw = "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] ";
    let own_form = vec![
        catalog(),
        object("<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 9 9] >>"),
        format!("<< /Type /Page /Parent 2 0 R {form} /Contents 4 0 R >>"),
        format!("{draw}{form} /Length 5 >>\nstream\n/X Do\nendstream"),
    ];
    let nested = format!("%PDF-1.4\n1 0 obj\n{}\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF", "[".repeat(1 << 20));
    let page_of_pages = vec![catalog(), object("<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>")];
    let hostile: [(&str, Vec<u8>); 9] = [
        ("text.pdf", b"walrus".to_vec()),
        ("empty.pdf", Vec::new()),
        ("half.pdf", whole[..whole.len() / 2].to_vec()),
        ("head.pdf", b"%PDF-1.4\n".to_vec()),
        ("encrypted.pdf", file(&[catalog(), object("<< /Type /Pages /Kids [] /Count 0 >>")], encrypted)),
        ("own form.pdf", file(&own_form, "")),
        ("nested.pdf", nested.into_bytes()),
        ("page of pages.pdf", file(&page_of_pages, "")),
        ("scan.pdf", pdf(&[""])),
    ];
    for (name, bytes) in &hostile {
        vault.write(name, bytes).settle(name);
    }
    vault.write("good.pdf", &whole);
    for byte in (9..whole.len()).step_by(97) {
        let mut bent = whole.clone();
        bent[byte] ^= 0x15;
        let name = format!("bent/{byte}.pdf");
        vault.write(&name, bent).settle(&name);
    }
    vault.write("note.md", "walrus\n");
    vault.tars(["index"]).run();
    let found = vault.found(&["sgrep", "walrus", "--limit", "50"]);
    assert!(found.contains(&"note.md".to_owned()) && found.contains(&"good.pdf".to_owned()), "{found:?}");
    let status = vault.tars(["status", "--json"]).run().success().json();
    let unindexed = status["collections"][0]["unindexed"].as_array().unwrap().clone();
    let reason = |name: &str| {
        let one = unindexed.iter().find(|one| one["path"] == name);
        one.unwrap_or_else(|| panic!("{name} is indexed: {unindexed:?}"))["reason"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (reason("encrypted.pdf").as_str(), reason("text.pdf").as_str()),
        ("the PDF is encrypted", "the PDF is damaged")
    );
    assert_eq!(reason("scan.pdf"), "the PDF holds no text (a scan?)");
    for (name, _) in hostile.iter().filter(|(name, _)| *name != "half.pdf") {
        assert!(reason(name).contains("the PDF"), "{name}: {}", reason(name));
    }
    // Unchanged, they are not read again.
    let again = vault.index();
    assert_eq!(again["skipped"], unindexed.len());
    assert_eq!(again["warnings"], serde_json::json!([]));
    shows(vault.tars(["doctor"]), &["the PDF is encrypted"]);
}

#[test]
fn the_examples_of_other_formats_in_the_docs_run() {
    let vault = TestVault::of_words();
    vault.write("House.canvas", CANVAS).write("Home/Manual.md", "Turn it off first.\n");
    vault.write("Offer.pdf", pdf(&["warranty"])).index();
    let docs = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/search.md")).unwrap();
    let (_, section) = docs.split_once("\n## Canvases, drawings and PDFs\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let folder = Path::new(env!("CARGO_BIN_EXE_tars")).parent().unwrap().to_owned();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let blocks = section.split("```sh\n").skip(1).flat_map(|block| block.split("\n```").next().unwrap().lines());
    let lines: Vec<&str> = blocks.collect();
    assert!(lines.len() >= 5, "{lines:?}");
    for line in lines {
        vault.program("sh").args(["-c", line]).env("PATH", &path).run().success();
    }
}
