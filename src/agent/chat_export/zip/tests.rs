//! Tests of reading archives.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use tars_testing::zip::archive;

use super::*;

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn read(bytes: &[u8]) -> io::Result<Vec<(String, String)>> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    let mut found = Vec::new();
    for member in members(&mut file, &|name| name.ends_with(".json"))? {
        let mut text = String::new();
        reader(file.try_clone()?, &member)?.read_to_string(&mut text)?;
        found.push((member.name, text));
    }
    Ok(found)
}

#[test]
fn stored_and_deflated_members_are_read_by_name() {
    let text = "pump ".repeat(1000);
    for deflate in [None, Some(deflated as fn(&[u8]) -> Vec<u8>)] {
        let bytes = archive(&[("a/chat.html", b"no"), ("a/é.json", text.as_bytes()), ("b.json", b"[]")], deflate);
        let expected = [("a/é.json".to_owned(), text.clone()), ("b.json".to_owned(), "[]".to_owned())];
        assert_eq!(read(&bytes).unwrap(), expected);
    }
    assert_eq!(read(&archive(&[], None)).unwrap(), []);
}

#[test]
fn a_damaged_archive_is_refused_wherever_it_is_damaged() {
    let whole = archive(&[("a.json", "pump ".repeat(100).as_bytes())], Some(deflated));
    for length in 0..whole.len() {
        assert!(read(&whole[..length]).is_err(), "{length} of {} bytes", whole.len());
    }
    // Any byte of the packed text, and the checksum.
    for at in (36..36 + deflated("pump ".repeat(100).as_bytes()).len()).chain([whole.len() - 22 - 52 + 16]) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        assert!(read(&bytes).is_err(), "byte {at}");
    }
    // No other change makes it panic.
    for at in 0..whole.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= mask;
            let _ = read(&bytes);
        }
    }
}

#[test]
fn an_encrypted_archive_says_so() {
    let mut bytes = archive(&[("a.json", b"[]")], None);
    let entry = bytes.len() - 22 - 52;
    bytes[entry + 8] = 1;
    assert!(read(&bytes).unwrap_err().to_string().contains("encrypted"));
    bytes[entry + 8] = 0;
    bytes[entry + 10] = 12;
    assert!(read(&bytes).unwrap_err().to_string().contains("unpack it first"));
}

#[test]
fn sizes_beyond_four_bytes_stand_in_the_extra_field() {
    let mut member =
        Member { name: "a.json".into(), flags: 0, method: STORED, crc: 0, packed: 7, size: IN_EXTRA, local: IN_EXTRA };
    let extra = [&[9, 9, 2, 0, 1, 1, 1, 0, 16, 0][..], &(5_u64 << 32).to_le_bytes(), &6_u64.to_le_bytes()].concat();
    member.add_long_fields(&extra).unwrap();
    assert_eq!((member.size, member.packed, member.local), (5 << 32, 7, 6));
    let mut short = Member { size: IN_EXTRA, ..member };
    assert!(short.add_long_fields(&[1, 0, 0, 0]).is_err());
}
