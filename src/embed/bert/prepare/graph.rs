//! The part of the ONNX format that is needed to find an encoder's weights.
//!
//! The messages below are those of `onnx.proto`, reduced to the fields that are read; everything else is skipped. Field
//! and type numbers are from that file.

use std::collections::HashMap;

use prost::Message;

/// `TensorProto.DataType.FLOAT`.
pub(super) const FLOAT: i32 = 1;
/// `TensorProto.DataType.INT8`.
pub(super) const INT8: i32 = 3;
/// `TensorProto.DataType.INT64`.
pub(super) const INT64: i32 = 7;

#[derive(Clone, PartialEq, Message)]
pub(super) struct ModelProto {
    #[prost(message, optional, tag = "7")]
    pub(super) graph: Option<GraphProto>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct GraphProto {
    #[prost(message, repeated, tag = "1")]
    pub(super) node: Vec<NodeProto>,
    #[prost(message, repeated, tag = "5")]
    pub(super) initializer: Vec<TensorProto>,
    #[prost(message, repeated, tag = "11")]
    pub(super) input: Vec<ValueInfoProto>,
    #[prost(message, repeated, tag = "12")]
    pub(super) output: Vec<ValueInfoProto>,
}

/// The name of an input or an output.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ValueInfoProto {
    #[prost(string, tag = "1")]
    pub(super) name: String,
}

/// A node (step) of the graph.
#[derive(Clone, PartialEq, Message)]
pub(super) struct NodeProto {
    #[prost(string, repeated, tag = "1")]
    pub(super) input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(super) output: Vec<String>,
    #[prost(string, tag = "4")]
    pub(super) op_type: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) attribute: Vec<AttributeProto>,
    #[prost(string, tag = "7")]
    pub(super) domain: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct AttributeProto {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(float, tag = "2")]
    pub(super) f: f32,
    #[prost(int64, tag = "3")]
    pub(super) i: i64,
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub(super) ints: Vec<i64>,
}

/// Numbers stored in the file.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TensorProto {
    #[prost(int64, repeated, tag = "1")]
    pub(super) dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub(super) data_type: i32,
    #[prost(float, repeated, tag = "4")]
    pub(super) float_data: Vec<f32>,
    #[prost(int32, repeated, tag = "5")]
    pub(super) int32_data: Vec<i32>,
    #[prost(int64, repeated, tag = "7")]
    pub(super) int64_data: Vec<i64>,
    #[prost(string, tag = "8")]
    pub(super) name: String,
    #[prost(bytes = "vec", tag = "9")]
    pub(super) raw_data: Vec<u8>,
    #[prost(int32, tag = "14")]
    pub(super) data_location: i32,
}

/// A graph with its nodes indexed by their outputs.
pub(super) struct Graph<'a> {
    pub(super) outputs: Vec<&'a str>,
    makers: HashMap<&'a str, &'a NodeProto>,
    tensors: HashMap<&'a str, &'a TensorProto>,
}

impl<'a> Graph<'a> {
    /// Indexes the graph of a file.
    pub(super) fn new(graph: &'a GraphProto) -> Self {
        let makers = graph.node.iter().flat_map(|node| node.output.iter().map(move |name| (name.as_str(), node)));
        Self {
            outputs: graph.output.iter().map(|output| output.name.as_str()).collect(),
            makers: makers.collect(),
            tensors: graph.initializer.iter().map(|tensor| (tensor.name.as_str(), tensor)).collect(),
        }
    }

    /// Returns the node that outputs `name`, if it is a standard ONNX node of this type with this many inputs.
    pub(super) fn step(&self, name: &str, op_type: &str, inputs: usize) -> Option<&'a NodeProto> {
        let node = *self.makers.get(name)?;
        let standard = node.domain.is_empty() || node.domain == "ai.onnx";
        (standard && node.op_type == op_type && node.input.len() == inputs).then_some(node)
    }

    /// Returns the two inputs of the node of this type that outputs `name`.
    pub(super) fn pair(&self, name: &str, op_type: &str) -> Option<[&'a str; 2]> {
        let node = self.step(name, op_type, 2)?;
        Some([&node.input[0], &node.input[1]])
    }

    /// Returns the only input of the node of this type that outputs `name`.
    pub(super) fn only(&self, name: &str, op_type: &str) -> Option<&'a str> {
        Some(&self.step(name, op_type, 1)?.input[0])
    }

    /// Returns a readable description of the node that outputs `name`.
    pub(super) fn describe(&self, name: &str) -> String {
        match self.makers.get(name) {
            Some(node) => format!("{} ({name})", node.op_type),
            None => name.to_owned(),
        }
    }

    /// Returns the shape and the floats of the tensor `name`.
    pub(super) fn floats(&self, name: &str) -> Option<(Vec<usize>, Vec<f32>)> {
        let tensor = self.tensor(name, FLOAT)?;
        let values: Vec<f32> = match tensor.raw_data.as_slice() {
            [] => tensor.float_data.clone(),
            raw => raw.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
        };
        whole(tensor, values)
    }

    /// Returns the shape and the 8-bit integers of the tensor `name`.
    pub(super) fn bytes(&self, name: &str) -> Option<(Vec<usize>, Vec<i8>)> {
        let tensor = self.tensor(name, INT8)?;
        let values: Vec<i8> = match tensor.raw_data.as_slice() {
            [] => tensor.int32_data.iter().map(|value| *value as i8).collect(),
            raw => bytemuck::cast_slice(raw).to_vec(),
        };
        whole(tensor, values)
    }

    /// Returns the shape and the 64-bit integers of the tensor `name`.
    pub(super) fn integers(&self, name: &str) -> Option<(Vec<usize>, Vec<i64>)> {
        let tensor = self.tensor(name, INT64)?;
        let values: Vec<i64> = match tensor.raw_data.as_slice() {
            [] => tensor.int64_data.clone(),
            raw => raw.as_chunks().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect(),
        };
        whole(tensor, values)
    }

    /// Returns the value of the tensor `name`, if it is a single float.
    pub(super) fn scalar(&self, name: &str) -> Option<f32> {
        match self.floats(name)?.1[..] {
            [value] => Some(value),
            _ => None,
        }
    }

    /// Returns the tensor `name` if it has this type and its numbers are inside the file.
    fn tensor(&self, name: &str, data_type: i32) -> Option<&'a TensorProto> {
        let tensor = *self.tensors.get(name)?;
        (tensor.data_type == data_type && tensor.data_location == 0).then_some(tensor)
    }
}

impl NodeProto {
    /// Returns an integer attribute, or the default.
    pub(super) fn integer(&self, name: &str, default: i64) -> i64 {
        self.attribute(name).map_or(default, |attribute| attribute.i)
    }

    /// Returns a float attribute, or the default.
    pub(super) fn float(&self, name: &str, default: f32) -> f32 {
        self.attribute(name).map_or(default, |attribute| attribute.f)
    }

    pub(super) fn integers(&self, name: &str) -> &[i64] {
        self.attribute(name).map_or(&[], |attribute| &attribute.ints)
    }

    fn attribute(&self, name: &str) -> Option<&AttributeProto> {
        self.attribute.iter().find(|attribute| attribute.name == name)
    }
}

/// Returns shape and values if their sizes match.
fn whole<T>(tensor: &TensorProto, values: Vec<T>) -> Option<(Vec<usize>, Vec<T>)> {
    let shape: Vec<usize> = tensor.dims.iter().map(|dim| usize::try_from(*dim).ok()).collect::<Option<_>>()?;
    let count = shape.iter().try_fold(1usize, |count, dim| count.checked_mul(*dim))?;
    (count == values.len()).then_some((shape, values))
}
