//! ONNX files for tests (onnx.proto3; each comment lists the field numbers).

pub(crate) const FLOAT: u64 = 1;
pub(crate) const INT64: u64 = 7;

/// A message of Protocol Buffers under construction.
#[derive(Default)]
pub(crate) struct Message(pub(crate) Vec<u8>);

impl Message {
    fn varint(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
        self
    }

    pub(crate) fn number(self, field: u64, value: u64) -> Self {
        self.varint(field << 3).varint(value)
    }

    pub(crate) fn bytes(self, field: u64, value: &[u8]) -> Self {
        let mut message = self.varint(field << 3 | 2).varint(value.len() as u64);
        message.0.extend_from_slice(value);
        message
    }
}

/// NodeProto: input 1, output 2, op_type 4, attribute 5.
pub(crate) fn node(operator: &str, inputs: &[&str], output: &str, attributes: &[Vec<u8>]) -> Vec<u8> {
    let mut node = Message::default();
    for input in inputs {
        node = node.bytes(1, input.as_bytes());
    }
    node = node.bytes(2, output.as_bytes()).bytes(4, operator.as_bytes());
    for attribute in attributes {
        node = node.bytes(5, attribute);
    }
    node.0
}

/// AttributeProto: name 1, i 3, type 20 (2: one number).
pub(crate) fn int(name: &str, value: u64) -> Vec<u8> {
    Message::default().bytes(1, name.as_bytes()).number(3, value).number(20, 2).0
}

/// AttributeProto: name 1, ints 8, type 20 (7: a list of numbers).
pub(crate) fn ints(name: &str, values: &[u64]) -> Vec<u8> {
    let attribute = Message::default().bytes(1, name.as_bytes());
    values.iter().fold(attribute, |attribute, value| attribute.number(8, *value)).number(20, 7).0
}

/// AttributeProto: name 1, f 2 (fixed 32 bits), type 20 (1: a float).
pub(crate) fn float(name: &str, value: f32) -> Vec<u8> {
    let mut attribute = Message::default().bytes(1, name.as_bytes());
    attribute = attribute.varint(2 << 3 | 5);
    attribute.0.extend(value.to_le_bytes());
    attribute.number(20, 1).0
}

/// TensorProto: dims 1, data_type 2, name 8, raw_data 9 (little endian).
pub(crate) fn tensor(name: &str, shape: &[usize], values: &[f32]) -> Vec<u8> {
    raw(name, shape, FLOAT, values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

/// The same for whole numbers.
pub(crate) fn integers(name: &str, shape: &[usize], values: &[i64]) -> Vec<u8> {
    raw(name, shape, INT64, values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

fn raw(name: &str, shape: &[usize], element: u64, bytes: Vec<u8>) -> Vec<u8> {
    let tensor = shape.iter().fold(Message::default(), |tensor, size| tensor.number(1, *size as u64));
    tensor.number(2, element).bytes(8, name.as_bytes()).bytes(9, &bytes).0
}

/// ValueInfoProto: name 1, type 2; TypeProto: tensor_type 1; its elem_type 1. The shape stays open.
pub(crate) fn value(name: &str, element: u64) -> Vec<u8> {
    let tensor = Message::default().number(1, element).0;
    Message::default().bytes(1, name.as_bytes()).bytes(2, &Message::default().bytes(1, &tensor).0).0
}
