//! Finds the weights of a BERT encoder in an ONNX graph, by its structure.
//!
//! The search follows the steps from the output to the inputs. Each must be the one that a BERT encoder has at that
//! place; names have no meaning. A graph that differs anywhere is refused with the place. Two properties are assumed,
//! because they are visible only when the graph runs: shapes are rearranged to heads and back as usual, and the mask
//! changes nothing without padding. The caller therefore compares the vectors (see [`super::prepare`]).

use super::graph::{Graph, NodeProto};
use crate::bert::weights::{LayerWeights, NormWeights, QuantizedMatrix, Table, Weights};

/// Finds the weights in a graph.
///
/// # Errors
/// A short description of the first difference from a BERT encoder.
pub(super) fn recognize(graph: &Graph<'_>) -> Result<Weights<'static>, String> {
    let [output] = graph.outputs[..] else {
        return Err(format!("it has {} outputs, not one", graph.outputs.len()));
    };
    let mut reader = Reader { graph, epsilon: None, head: None };
    let mut layers = Vec::new();
    let mut name = output;
    let (words, positions, norm) = loop {
        let (input, norm) = reader.norm(name)?;
        if let Some((words, positions)) = reader.embeddings(input)? {
            break (words, positions, norm);
        }
        // A cyclic graph would never end.
        if layers.len() == MAX_LAYERS {
            return Err(format!("it has more than {MAX_LAYERS} layers"));
        }
        let (layer, before) = reader.layer(input, norm)?;
        layers.push(layer);
        name = before;
    };
    layers.reverse();
    let head = reader.head.ok_or("it has no layers")?;
    let epsilon = reader.epsilon.unwrap_or_default();
    Weights { head, epsilon, words, positions, norm, layers, has_mean: false, classifier: None, modern: None }.checked()
}

/// Upper limit, beyond any encoder of this family.
const MAX_LAYERS: usize = 128;

struct Reader<'g, 'a> {
    graph: &'g Graph<'a>,
    /// Epsilon of every normalisation.
    epsilon: Option<f32>,
    /// Width of every head.
    head: Option<usize>,
}

impl<'a> Reader<'_, 'a> {
    fn unlike(&self, expected: &str, name: &str) -> String {
        format!("expected {expected}, found {}", self.graph.describe(name))
    }

    /// Reads a layer backwards from the input of its last normalisation. Returns the layer and the name of its input.
    fn layer(&mut self, name: &'a str, norm: NormWeights) -> Result<(LayerWeights, &'a str), String> {
        let (dense, middle) = self.residual(name)?;
        let (widened, feed_forward_out) = self.linear(dense)?;
        let (widened, feed_forward_in) = self.linear(self.gelu(widened)?)?;
        self.same(widened, middle)?;
        let (input, attention_norm) = self.norm(middle)?;
        let (dense, before) = self.residual(input)?;
        let (context, attention_output) = self.linear(dense)?;
        let (source, [query, key, value]) = self.attention(context)?;
        self.same(source, before)?;
        let layer = LayerWeights {
            query,
            key,
            value,
            attention_output,
            attention_norm,
            feed_forward_in,
            feed_forward_out,
            norm,
        };
        Ok((layer, before))
    }

    fn same(&self, one: &str, other: &str) -> Result<(), String> {
        if one == other { Ok(()) } else { Err(format!("a layer reads {one}, not {other}")) }
    }

    /// `LayerNormalization(input, scale, shift)`
    fn norm(&mut self, name: &'a str) -> Result<(&'a str, NormWeights), String> {
        let unlike = || self.unlike("LayerNormalization", name);
        let node = self.graph.step(name, "LayerNormalization", 3).ok_or_else(unlike)?;
        let [scale, shift] = [1, 2].map(|input: usize| self.vector(&node.input[input]));
        let (Some(scale), Some(shift), -1 | 2) = (scale, shift, node.integer("axis", -1)) else {
            return Err(unlike());
        };
        let epsilon = node.float("epsilon", 1e-5);
        if *self.epsilon.get_or_insert(epsilon) != epsilon {
            return Err("its normalisations differ in epsilon".into());
        }
        Ok((&node.input[0], NormWeights { scale, shift }))
    }

    /// `Add(x, normalised)` in either order. Returns both, the normalised one second.
    fn residual(&self, name: &'a str) -> Result<(&'a str, &'a str), String> {
        let [left, right] = self.graph.pair(name, "Add").ok_or_else(|| self.unlike("a residual Add", name))?;
        let normalised = |name: &str| self.graph.step(name, "LayerNormalization", 3).is_some();
        match (normalised(left), normalised(right)) {
            (false, true) => Ok((left, right)),
            (true, false) => Ok((right, left)),
            _ => Err(self.unlike("an Add of a LayerNormalization", name)),
        }
    }

    /// `Add(MatMul(input, matrix), bias)`, with the operands of the Add in either order.
    fn linear(&self, name: &'a str) -> Result<(&'a str, QuantizedMatrix), String> {
        let unlike = || self.unlike("a MatMul with a bias", name);
        let [left, right] = self.graph.pair(name, "Add").ok_or_else(unlike)?;
        let (product, bias) = match (self.vector(left), self.vector(right)) {
            (Some(bias), None) => (right, bias),
            (None, Some(bias)) => (left, bias),
            _ => return Err(unlike()),
        };
        let [input, matrix] = self.graph.pair(product, "MatMul").ok_or_else(unlike)?;
        let table = self.table(matrix).ok_or_else(|| self.unlike("a matrix of weights", matrix))?;
        Ok((input, QuantizedMatrix::new(table, bias)?))
    }

    /// `x * 0.5 * (Erf(x / sqrt(2)) + 1)`, with the factors in any order.
    fn gelu(&self, name: &'a str) -> Result<&'a str, String> {
        let unlike = || self.unlike("GELU", name);
        let factors = self.factors(name);
        let [a, b, c] = factors[..] else { return Err(unlike()) };
        let error = |name: &'a str| -> Option<&'a str> {
            let [left, right] = self.graph.pair(name, "Add")?;
            let (erf, one) = if self.graph.scalar(left).is_some() { (right, left) } else { (left, right) };
            let [x, root] = self.graph.pair(self.graph.only(erf, "Erf")?, "Div")?;
            let exact = self.graph.scalar(one)? == 1.0 && (self.graph.scalar(root)? - 2.0f32.sqrt()).abs() < 1e-6;
            exact.then_some(x)
        };
        let half = |name: &str| self.graph.scalar(name) == Some(0.5);
        [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]]
            .into_iter()
            .find(|[x, constant, sum]| half(constant) && error(sum) == Some(*x))
            .map(|[x, _, _]| x)
            .ok_or_else(unlike)
    }

    /// Returns the factors of the product `name`, or `name` itself if it is not a product.
    fn factors(&self, name: &'a str) -> Vec<&'a str> {
        self.operands(name, "Mul")
    }

    /// Reads attention backwards from its context. Returns its input and the projections to queries (scaled), keys and values.
    fn attention(&mut self, name: &'a str) -> Result<(&'a str, [QuantizedMatrix; 3]), String> {
        let unlike = |name: &str| self.unlike("attention", name);
        let merged = self.reshaped(name).and_then(|name| self.transposed(name, &[0, 2, 1, 3]));
        let context = merged.ok_or_else(|| unlike(name))?;
        let [weights, values] = self.graph.pair(context, "MatMul").ok_or_else(|| unlike(context))?;
        let softmax = self.without_nan(weights);
        let node = self.graph.step(softmax, "Softmax", 1).ok_or_else(|| unlike(softmax))?;
        if !matches!(node.integer("axis", -1), -1 | 3) {
            return Err(unlike(softmax));
        }
        let scores = self.unmasked(&node.input[0]).ok_or_else(|| self.unlike("scores with a mask", &node.input[0]))?;
        let [queries, keys] = self.graph.pair(scores, "MatMul").ok_or_else(|| unlike(scores))?;
        let (queries, query_factor) = self.scaled(queries);
        let (keys, key_factor) = self.scaled(keys);
        let (query, head) = self.split(queries).ok_or_else(|| unlike(queries))?;
        let (value, value_head) = self.split(values).ok_or_else(|| unlike(values))?;
        let (key, key_head) = self.flipped(keys).ok_or_else(|| unlike(keys))?;
        if [value_head, key_head] != [head; 2] || *self.head.get_or_insert(head) != head {
            return Err("its heads differ in width".into());
        }
        let factor = query_factor * key_factor;
        if (factor * (head as f32).sqrt() - 1.0).abs() > 1e-4 {
            return Err(format!("its heads of {head} are scaled by {factor}"));
        }
        let (source, query) = self.linear(query)?;
        let (key_source, key) = self.linear(key)?;
        let (value_source, value) = self.linear(value)?;
        self.same(key_source, source)?;
        self.same(value_source, source)?;
        Ok((source, [query.times(factor), key, value]))
    }

    /// Skips `Where(IsNaN(x), 0, x)` and returns `x`.
    fn without_nan(&self, name: &'a str) -> &'a str {
        let inner = || {
            let node = self.graph.step(name, "Where", 3)?;
            let asked = self.graph.only(&node.input[0], "IsNaN")?;
            (asked == node.input[2] && self.graph.scalar(&node.input[1])? == 0.0).then_some(asked)
        };
        inner().unwrap_or(name)
    }

    /// Skips the mask of `Add(scores, Where(attended, 0, large negative number))`.
    fn unmasked(&self, name: &'a str) -> Option<&'a str> {
        let [scores, mask] = self.graph.pair(name, "Add")?;
        let node = self.graph.step(mask, "Where", 3)?;
        let masks = self.graph.scalar(&node.input[1])? == 0.0 && self.graph.scalar(&node.input[2])? <= -1e4;
        masks.then_some(scores)
    }

    /// Skips a multiplication by a constant. Returns the other factor and the constant.
    fn scaled(&self, name: &'a str) -> (&'a str, f32) {
        match self.graph.pair(name, "Mul") {
            Some([inner, factor]) if self.graph.scalar(factor).is_some() => {
                (inner, self.graph.scalar(factor).unwrap_or(1.0))
            }
            _ => (name, 1.0),
        }
    }

    /// Matches the rearrangement from tokens by hidden to heads by tokens by width. Returns its input and the width.
    fn split(&self, name: &'a str) -> Option<(&'a str, usize)> {
        let node = self.graph.step(self.transposed(name, &[0, 2, 1, 3])?, "Reshape", 2)?;
        Some((&node.input[0], self.last(&node.input[1])?))
    }

    /// As [`Reader::split`], followed by an exchange of tokens and width by way of three dimensions, as some exporters write it.
    fn flipped(&self, name: &'a str) -> Option<(&'a str, usize)> {
        let flat = self.transposed(self.reshaped(name)?, &[0, 2, 1])?;
        self.split(self.reshaped(flat)?)
    }

    fn reshaped(&self, name: &'a str) -> Option<&'a str> {
        Some(&self.graph.step(name, "Reshape", 2)?.input[0])
    }

    fn transposed(&self, name: &'a str, order: &[i64]) -> Option<&'a str> {
        let node: &'a NodeProto = self.graph.step(name, "Transpose", 1)?;
        (node.integers("perm") == order).then_some(&node.input[0])
    }

    /// Returns the last dimension of a shape that is concatenated from four.
    fn last(&self, name: &'a str) -> Option<usize> {
        let node = self.graph.step(name, "Concat", 4)?;
        match self.graph.integers(&node.input[3])?.1[..] {
            [width] => usize::try_from(width).ok(),
            _ => None,
        }
    }

    /// Matches the sum of three lookups: word vectors, position vectors and those of the kind of sentence. Returns the
    /// word table, and the positions with the vector of the first kind added; `None` if it is another sum.
    fn embeddings(&self, name: &'a str) -> Result<Option<(Table<'static>, Vec<f32>)>, String> {
        let terms = self.terms(name);
        let looked_up = |name: &&'a str| self.graph.pair(name, "Gather").is_some();
        if !terms.iter().all(looked_up) || terms.len() != 3 {
            return Ok(None);
        }
        let (mut words, mut kinds, mut places) = (None, None, None);
        for term in terms {
            let [table, index] = self.graph.pair(term, "Gather").unwrap_or_default();
            let rows = self.table(table).ok_or_else(|| self.unlike("a table of vectors", table))?;
            match index {
                "input_ids" => words = Some(rows),
                "token_type_ids" => kinds = Some(rows),
                _ if self.is_sequence(index) => places = Some(rows),
                _ => return Err(self.unlike("the places of the tokens", index)),
            }
        }
        let (Some(words), Some(kinds), Some(places)) = (words, kinds, places) else {
            return Err("its three tables are not those of words, places and kinds".into());
        };
        if kinds.columns != words.columns || places.columns != words.columns {
            return Err("its tables differ in width".into());
        }
        let kind = kinds.floats();
        let width = words.columns;
        let positions = places.floats().iter().enumerate().map(|(at, value)| value + kind[at % width]).collect();
        Ok(Some((words, positions)))
    }

    /// Returns the terms of the sum `name`, or `name` itself if it is not a sum.
    fn terms(&self, name: &'a str) -> Vec<&'a str> {
        self.operands(name, "Add")
    }

    /// Returns the operands of nested pairs of one operator, left to right. The graph is untrusted: if it nests deeper
    /// than any encoder, or is cyclic, only the first few levels are expanded.
    fn operands(&self, name: &'a str, operator: &str) -> Vec<&'a str> {
        const MAX_STEPS: usize = 16;
        let (mut found, mut open, mut steps) = (Vec::new(), vec![name], 0);
        while let Some(name) = open.pop() {
            match self.graph.pair(name, operator).filter(|_| steps < MAX_STEPS) {
                Some([left, right]) => open.extend([right, left]),
                None => found.push(name),
            }
            steps += 1;
        }
        found
    }

    /// Whether `name` is a prefix of the sequence 0, 1, 2 and so on.
    fn is_sequence(&self, name: &'a str) -> bool {
        let found = || {
            let node = self.graph.step(name, "Slice", 5)?;
            let [start, axis, step] = [1, 3, 4].map(|input: usize| self.graph.integers(&node.input[input]));
            let (_, numbers) = self.graph.integers(&node.input[0])?;
            let from_zero = start?.1 == [0] && axis?.1 == [1] && step?.1 == [1];
            Some(from_zero && (0..).zip(&numbers).all(|(count, number)| count == *number))
        };
        found().unwrap_or(false)
    }

    fn vector(&self, name: &str) -> Option<Vec<f32>> {
        let (shape, values) = self.graph.floats(name)?;
        (shape.len() == 1).then_some(values)
    }

    /// Returns a table of numbers: floats, or 8-bit integers with a scale for each row or column.
    fn table(&self, name: &'a str) -> Option<Table<'static>> {
        if let Some((shape, values)) = self.graph.floats(name) {
            let [rows, columns] = shape[..] else { return None };
            return Some(Table::of_floats(rows, columns, values));
        }
        let [cast, scale] = self.graph.pair(name, "Mul")?;
        let node = self.graph.step(cast, "Cast", 1)?;
        let (shape, values) = self.graph.bytes(&node.input[0])?;
        let [rows, columns] = shape[..] else { return None };
        let (shape, scales) = self.graph.floats(scale)?;
        let fits = shape[..] == [rows, 1] || shape[..] == [1, columns];
        (fits && node.integer("to", 0) == i64::from(super::graph::FLOAT))
            .then(|| Table::of_bytes(columns, values, scales, shape[1] == 1))
    }
}
