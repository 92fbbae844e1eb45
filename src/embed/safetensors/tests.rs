use serde_json::{Value, json};

use super::*;

/// Returns a file with this directory and these numbers.
pub(crate) fn file(directory: &str, data: &[u8]) -> Vec<u8> {
    [&(directory.len() as u64).to_le_bytes()[..], directory.as_bytes(), data].concat()
}

fn reason(directory: &Value, data: &[u8]) -> String {
    Tensors::read(&file(&directory.to_string(), data)).unwrap_err()
}

#[test]
fn tensors_of_each_format_are_widened() {
    let directory = json!({
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},
        "b": {"dtype": "F16", "shape": [2, 1], "data_offsets": [8, 12]},
        "c": {"dtype": "BF16", "shape": [2], "data_offsets": [12, 16]},
        "ids": {"dtype": "I64", "shape": [1], "data_offsets": [16, 24]},
        "none": {"dtype": "F32", "shape": [0, 7], "data_offsets": [24, 24]},
    });
    let mut data = [1.5f32.to_le_bytes(), (-2.0f32).to_le_bytes()].concat();
    data.extend([0x00, 0x3c, 0x55, 0x35, 0xc0, 0x3f, 0x00, 0xc0]);
    data.extend([0; 8]);
    let bytes = file(&directory.to_string(), &data);
    let tensors = Tensors::read(&bytes).unwrap();
    assert_eq!(tensors.floats("a", &[1, 2]).unwrap(), [1.5, -2.0]);
    assert_eq!(tensors.floats("b", &[2, 1]).unwrap(), [1.0, 0.333_251_95]);
    assert_eq!(tensors.floats("c", &[2]).unwrap(), [1.5, -2.0]);
    assert_eq!(tensors.rows("b", 1..2).unwrap(), [0.333_251_95]);
    assert_eq!(tensors.floats("none", &[0, 7]).unwrap(), [0f32; 0]);
    assert!(tensors.has("ids") && !tensors.has("__metadata__"));
    assert!(tensors.floats("ids", &[1]).unwrap_err().contains("numbers other than"));
    assert!(tensors.floats("a", &[2, 1]).unwrap_err().contains("shape [1, 2], not [2, 1]"));
    assert!(tensors.floats("d", &[1]).unwrap_err().contains("no tensor d"));
    assert!(tensors.rows("b", 1..3).is_err() && tensors.rows("b", 0..usize::MAX).is_err());
}

#[test]
fn inconsistent_files_are_refused_with_a_reason() {
    let tensor = |dtype: &str, shape: Value, offsets: Value| json!({"t\u{1b}": {"dtype": dtype, "shape": shape, "data_offsets": offsets}});
    for (directory, said) in [
        (tensor("F32", json!([2]), json!([0, 4])), "is inconsistent"),
        (tensor("F32", json!([2]), json!([0, 16])), "is inconsistent"),
        (tensor("F32", json!([2]), json!([8, 0])), "is inconsistent"),
        (tensor("F31", json!([2]), json!([0, 8])), "is inconsistent"),
        (tensor("F32", json!([u64::MAX, u64::MAX]), json!([0, 8])), "is inconsistent"),
        (tensor("F32", json!([-1]), json!([0, 8])), "cannot be read"),
        (tensor("F32", json!([1]), json!([0, 4])), "gaps between"),
        (tensor("F32", json!([1]), json!([4, 8])), "gaps between"),
        (json!({"t": {"dtype": "F32", "shape": [2]}}), "cannot be read"),
        (json!([]), "cannot be read"),
        (
            json!({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
            "b": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}),
            "overlap",
        ),
    ] {
        let reason = reason(&directory, &[0; 8]);
        assert!(reason.contains(said) && !reason.contains('\u{1b}'), "{reason} for {directory}");
    }
    let twice = r#"{"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}, "a": {"dtype": "U8", "shape": [4], "data_offsets": [4, 8]}}"#;
    assert!(Tensors::read(&file(twice, &[0; 8])).unwrap_err().contains("twice"));
    for bytes in [&b"short"[..], &[9, 0, 0, 0, 0, 0, 0, 0, b'{', b'}'], &[2, 0, 0, 0, 0, 0, 0, 0, b'{']] {
        assert_eq!(Tensors::read(bytes).unwrap_err(), CUT_OFF);
    }
    assert!(Tensors::read(&[0xff; 16]).unwrap_err().contains("directory of tensors is larger"));
    assert!(Tensors::read(&file("{}", &[])).unwrap().tensors.is_empty());
}

#[test]
fn half_precision_is_widened_exactly() {
    let known = [
        (0x0000, 0.0),
        (0x0001, 5.960_464_5e-8),
        (0x03ff, 6.097_555e-5),
        (0x0400, 6.103_515_6e-5),
        (0x3555, 0.333_251_95),
        (0x3c00, 1.0),
        (0xc000, -2.0),
        (0x7bff, 65504.0),
        (0x7c00, f32::INFINITY),
    ];
    for (bits, value) in known {
        assert_eq!(f16_to_f32(bits), value, "{bits:04x}");
    }
    assert!(f16_to_f32(0x7e00).is_nan());
}
