use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use crate::markdown::{indexed_line, parse};

/// Returns bytes that look random, by a generator of George Marsaglia (xorshift).
fn bytes(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..count).map(|_| next()).collect()
}

fn wrapped(text: &str, width: usize, between: &str) -> String {
    let lines: Vec<&str> = text.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
    lines.join(between)
}

fn hex(count: usize) -> String {
    bytes(count).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the lines of a note that are left out.
fn left_out(data: &str) -> (usize, usize) {
    let note = format!("# Note\n\nBefore the data.\n\n{data}\n\nAfter the data.\n");
    let document = parse("a.md", &note);
    let out = document.opaque.iter().map(|block| block.clone().count()).sum();
    assert!((1..=3).all(|line| !document.is_opaque(line)), "{data}");
    (out, data.split('\n').count())
}

#[test]
fn a_picture_in_base64_is_left_out_at_any_width() {
    let text = STANDARD.encode(bytes(3000));
    for width in [20, 32, 57, 64, 72, 76, 100, 128, 256, 1000, 5000] {
        let lines = wrapped(&text, width, "\n");
        for data in [lines.clone(), format!("```\n{lines}\n```"), format!("> {}", lines.replace('\n', "\n> "))] {
            let (out, all) = left_out(&data);
            assert_eq!(out, all, "{width}");
        }
    }
    assert_eq!(left_out(&wrapped(&URL_SAFE_NO_PAD.encode(bytes(900)), 76, "\n")), (16, 16));
}

#[test]
fn a_drawing_of_excalidraw_is_left_out() {
    let data = format!("```compressed-json\n{}\n```", wrapped(&STANDARD.encode(bytes(2000)), 256, "\n\n"));
    let (out, all) = left_out(&data);
    assert_eq!(out, all);
    let curves = "M12.5 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2zm0 18c-4.41 0-8-3.59-8-8";
    let svg = format!("<svg viewBox=\"0 0 24 24\">\n{}</svg>", format!("<path d=\"{curves}\"/>\n").repeat(8));
    assert_eq!(left_out(&svg), (8, 10));
    assert_eq!(left_out(&format!("<svg><path d=\"{}\"/></svg>", curves.repeat(8))), (1, 1));
}

#[test]
fn armoured_keys_and_certificates_are_left_out() {
    let body = wrapped(&STANDARD.encode(bytes(700)), 64, "\n");
    let (out, all) = left_out(&format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----"));
    assert_eq!(out, all - 1, "its kind can be found");
    let body = format!("-----BEGIN PGP MESSAGE-----\nVersion: 2\n\n{body}\n=aB3d\n-----END PGP MESSAGE-----");
    let (out, all) = left_out(&body);
    assert_eq!(out, all - 3);
}

#[test]
fn bytes_in_hexadecimal_are_left_out() {
    assert_eq!(left_out(&hex(400)), (1, 1));
    assert_eq!(left_out(&wrapped(&hex(430), 64, "\n")), (14, 14));
    let dump: Vec<String> = bytes(512)
        .chunks(16)
        .enumerate()
        .map(|(row, bytes)| {
            let pairs: Vec<String> = bytes.chunks(2).map(|pair| format!("{:02x}{:02x}", pair[0], pair[1])).collect();
            format!("{:08x}: {}  ..a.{row:x}...b......", row * 16, pairs.join(" "))
        })
        .collect();
    assert_eq!(left_out(&dump.join("\n")), (32, 32));
}

#[test]
fn minified_code_is_left_out() {
    let unit =
        "!function(e,t){\"use strict\";var n=e.a[t],r=n&&n.b;if(r){for(var i=0;i<r.length;i++)e.c(r[i])}}(this,0);";
    assert_eq!(left_out(&unit.repeat(6)), (1, 1));
    assert_eq!(left_out(&format!("```js\n{}\n{}\n```", unit.repeat(4), unit.repeat(4))), (4, 4));
    assert_eq!(left_out(&".a{color:#fff;margin:0 auto}.b>.c{padding:1px 2px;top:0}".repeat(10)), (1, 1));
}

#[test]
fn text_of_people_is_kept() {
    let lines = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<Vec<_>>().join("\n");
    let hash = hex(20 * 40);
    for kept in [
        lines(40, &|row| format!("{row}.5 {} 3.14 {}", row * 7, row * 1013)),
        lines(40, &|row| format!("{row},2024-01-{row:02},12.5,yes,{}", row * 31)),
        lines(20, &|row| format!("| {row} | {} | ok |", row * 3)),
        lines(40, &|row| hash[row * 40..(row + 1) * 40].to_owned()),
        lines(40, &|row| format!("- {} fixes it", &hash[row * 40..row * 40 + 40])),
        lines(30, &|row| format!("550e8400-e29b-41d4-a716-4466554400{row:02}")),
        lines(30, &|row| format!("https://example.org/a/B{row}c/D{row}e?x=Y{row}Z&id=AbC{row}dEf")),
        lines(30, &|row| format!("[a{row}](https://example.org/{row})")),
        lines(30, &|row| format!("2024-01-02T10:00:{row:02}Z INFO server started port={row}")),
        lines(30, &|row| {
            format!("{{\"level\":\"info\",\"ts\":{row},\"msg\":\"request_done\",\"path\":\"/api/v1/items/{row}\"}}")
        }),
        lines(60, &|row| format!("getUserNameFromRegistry{row}")),
        lines(60, &|row| format!("src/engine/search/parts/file_{row}.rs")),
        lines(60, &|row| format!("2001:db8::{row:x}:1 1m 20s, 2m {row}s, 3m 40s")),
        lines(40, &|row| {
            format!("1m {row}s, 2m 30s, 1h 20m, 4m 50s, 12m 30s, 40m 10s, 12s, 13s, 55m 10s, 22m 11s, 20m")
        }),
        lines(30, &|row| format!("    for (let i{row} = 0; i{row} < n; i{row}++) {{ f(i{row}); }}")),
        "这是一个很长的段落没有空格".repeat(60),
        "นี่คือย่อหน้ายาวที่ไม่มีช่องว่าง".repeat(30),
        "A long paragraph (with brackets); and more {of them} in one line. ".repeat(20),
        "Donaudampfschifffahrtsgesellschaft".repeat(20),
        "\\frac{a}{b}=\\sum_{i=1}^{n}x_{i}(t)+\\int_{0}^{1}f(s)ds;".repeat(14),
        "1234567890".repeat(60),
    ] {
        assert_eq!(left_out(&kept).0, 0, "{kept}");
    }
}

#[test]
fn small_blocks_and_single_identifiers_are_kept() {
    assert_eq!(left_out(&wrapped(&STANDARD.encode(bytes(300)), 76, "\n")).0, 0);
    assert_eq!(left_out(&format!("The commit {} broke it.", hex(20))).0, 0);
}

#[test]
fn a_run_of_data_within_a_line_is_no_word() {
    let data = STANDARD.encode(bytes(900));
    assert_eq!(indexed_line(&format!("const icon = \"{data}\"; // the icon")), "const icon = \"\"; // the icon");
    let svg = "%3Csvg%20xmlns='http://www.w3.org/2000/svg'%3E".repeat(20);
    assert_eq!(indexed_line(&format!("![icon](data:image/svg+xml,{svg}) here")), "icon here");
    let word = "Donaudampfschifffahrt".repeat(40);
    assert_eq!(indexed_line(&word), word);
}

/// Every note that the repository holds was written for people to read.
#[test]
fn no_paragraph_of_the_repositorys_vaults_is_left_out() {
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")];
    let mut notes = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md" || extension == "txt") {
                let document = parse("a.md", &String::from_utf8_lossy(&std::fs::read(&path).unwrap()));
                notes += 1;
                assert_eq!(document.opaque, [], "{}", path.display());
            }
        }
    }
    assert!(notes > 100, "{notes}");
}
