//! The steps of a layer in plain Rust, generic over what differs between instruction sets.
//!
//! Everything here and in `attention` is inlined into functions that are compiled for one instruction set, and computes with its [`Lanes`].
//! Therefore this code avoids `array::map` and `array::from_fn`: the compiler may keep these as separate functions, compiled without the
//! set's instructions.

use super::lanes::{LANES, Lanes, lanes, maximum, minimum, sum};
use super::{BLOCK, Precision, Rows};
use crate::bert::matrix::{Matrix, Norm};

/// Operations that an instruction set implements in its own way.
pub(super) trait InstructionSet {
    /// Multiplies rows of [`Precision::Fine`].
    type Fine: ByteProducts;
    /// Multiplies rows of [`Precision::Coarse`].
    type Coarse: ByteProducts;

    /// Computes with sixteen numbers.
    type Lanes: Lanes;

    /// Number of columns that [`InstructionSet::multiply`] writes: 16 or 32.
    const COLUMNS: usize = LANES;

    /// Writes `R` rows of [`InstructionSet::COLUMNS`] sums of products into `output`, whose rows are `row` apart.
    #[inline(always)]
    fn multiply<const R: usize>(product: Product<'_>, output: &mut [f32], row: usize) {
        let Product { left, left_row, right, right_row, depth } = product;
        let mut sums = [Self::Lanes::splat(0.0); R];
        for place in 0..depth {
            let right = Self::Lanes::load(fixed(&right[place * right_row..]));
            for (r, sums) in sums.iter_mut().enumerate() {
                *sums = Self::Lanes::splat(left[r * left_row + place]).mul_add(right, *sums);
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            sums.store(fixed_mut(&mut output[r * row..]));
        }
    }

    /// Writes a square of eight rows as eight columns into `output`, whose rows are `row` apart.
    #[inline(always)]
    fn transpose(square: [&[f32; 8]; 8], output: &mut [f32], row: usize) {
        for place in 0..8 {
            for (number, row) in output[place * row..][..8].iter_mut().zip(square) {
                *number = row[place];
            }
        }
    }
}

/// Operands of a matrix product: parts of larger matrices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product<'a> {
    /// Rows of `depth` numbers.
    pub(super) left: &'a [f32],
    /// Distance from one row to the next.
    pub(super) left_row: usize,
    /// `depth` rows of at least [`InstructionSet::COLUMNS`] numbers.
    pub(super) right: &'a [f32],
    /// Distance from one row to the next.
    pub(super) right_row: usize,
    /// Number of products in a sum, at least one.
    pub(super) depth: usize,
}

impl Product<'_> {
    /// Panics unless the operands have `rows` rows and the output has room for the sums of `lanes` columns.
    pub(super) fn check(&self, rows: usize, lanes: usize, output: &[f32], row: usize) {
        let Self { left, left_row, right, right_row, depth } = *self;
        assert!(rows > 0 && depth > 0);
        assert!(left.len() >= (rows - 1) * left_row + depth);
        assert!(right.len() >= (depth - 1) * right_row + lanes);
        assert!(output.len() >= (rows - 1) * row + lanes);
    }
}

/// How an instruction set multiplies bytes.
pub(super) trait ByteProducts {
    /// The maximum byte that a number becomes; the minimum is 0.
    const GREATEST: u8;

    /// The value that [`ByteProducts::tile`] subtracts from a byte before multiplying: 128 if the set multiplies signed bytes, otherwise 0.
    const MIDDLE: i32;

    /// Writes rows of `width` bytes into `scratch` in the order that [`ByteProducts::tile`] reads, in batches of [`height`] rows. Returns
    /// false if the set reads rows unchanged, as most sets do. Each batch keeps its place, and padding may follow the last row.
    #[inline(always)]
    fn arrange_rows<const TILE: usize>(_rows: &[u8], _width: usize, _room: &mut Vec<u8>) -> bool {
        false
    }

    /// Does the same for blocks of `inputs` times `COLUMNS` weights.
    #[inline(always)]
    fn arrange_blocks<const COLUMNS: usize>(_blocks: &[i8], _inputs: usize, _room: &mut Vec<i8>) -> bool {
        false
    }

    /// Adds to `sums` the products of `R` rows of bytes with a block of `COLUMNS` columns, 64 or 32: the sums of
    /// `(byte - MIDDLE) * weight` over all inputs. `rows` starts with these rows, one after the other. For each group of
    /// [`super::GROUP`] inputs, `block` holds the group's weights of the first column, then of the second, and so on.
    /// If rows and blocks were rearranged, they are in that order instead.
    fn tile<const R: usize, const COLUMNS: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; COLUMNS]; R]);
}

/// Adding and subtracting this number rounds to the nearest integer, ties to even, and leaves it in the low bits. It is 1.5 *
/// 2^23; from there on, neighbouring floats are 1 apart. This is faster than a conversion, which must handle overflow.
pub(super) const ROUNDING: f32 = 12_582_912.0;

/// Returns the maximum byte of this precision.
#[inline(always)]
pub(super) fn greatest<U: InstructionSet>(precision: Precision) -> u8 {
    match precision {
        Precision::Fine => U::Fine::GREATEST,
        Precision::Coarse => U::Coarse::GREATEST,
    }
}

#[inline(always)]
pub(super) fn quantize<U: InstructionSet>(input: &[f32], width: usize, precision: Precision, output: &mut Rows) {
    let count = input.len() / width;
    output.resize(count, width);
    output.precision = precision;
    let steps = f32::from(self::greatest::<U>(precision));
    for (number, row) in input.chunks_exact(width).enumerate() {
        let (least, greatest) = extremes::<U::Lanes>(row);
        // The range includes 0, so that 0 is exactly a step.
        let step = ((greatest - least) / steps).max(f32::MIN_POSITIVE);
        // Mirrored if most of the range is below 0. Most bytes are then small, and sums of products fit into 16 bits.
        let (step, least) = if -least > greatest { (-step, greatest) } else { (step, least) };
        let inverse = 1.0 / step;
        let zero = (-least * inverse + ROUNDING) - ROUNDING;
        output.scales[number] = step;
        output.zeros[number] = zero as i32;
        let [inverse, zero, none, steps, rounding] = [
            U::Lanes::splat(inverse),
            U::Lanes::splat(zero),
            U::Lanes::splat(0.0),
            U::Lanes::splat(steps),
            U::Lanes::splat(ROUNDING),
        ];
        let bytes = output.bytes[number * width..][..width].as_chunks_mut::<LANES>().0;
        for (bytes, values) in bytes.iter_mut().zip(lanes::<U::Lanes>(row)) {
            // This order of operations keeps rounded values within the range.
            let place = values.times(inverse).plus(zero).greatest(none).least(steps);
            place.plus(rounding).store_bytes(bytes);
        }
    }
}

/// Returns the minimum and the maximum of a row's numbers and 0.
#[inline(always)]
fn extremes<L: Lanes>(row: &[f32]) -> (f32, f32) {
    // Two of each, because a comparison waits for the previous one.
    let (mut least, mut greatest) = ([L::splat(0.0); 2], [L::splat(0.0); 2]);
    for [one, other] in row.as_chunks::<LANES>().0.as_chunks().0 {
        let (one, other) = (L::load(one), L::load(other));
        least = [one.least(least[0]), other.least(least[1])];
        greatest = [one.greatest(greatest[0]), other.greatest(greatest[1])];
    }
    (minimum(least[0].least(least[1])), maximum(greatest[0].greatest(greatest[1])))
}

/// Multiplies `TILE` rows at a time, at most 12. `GELU` applies the activation function to the result.
#[inline(always)]
pub(super) fn linear<U: InstructionSet, const TILE: usize, const GELU: bool>(
    input: &Rows,
    matrix: &Matrix<'_>,
    output: &mut [f32],
) {
    match input.precision {
        Precision::Fine => Layer::<U, U::Fine, GELU>::new(input, matrix).run::<TILE>(output),
        Precision::Coarse => Layer::<U, U::Coarse, GELU>::new(input, matrix).run::<TILE>(output),
    }
}

/// Rows to multiply with a matrix.
struct Layer<'a, U, P, const GELU: bool> {
    input: &'a Rows,
    matrix: &'a Matrix<'a>,
    way: std::marker::PhantomData<(U, P)>,
}

/// Returns how many of the remaining rows are multiplied together, at most `TILE`.
pub(super) fn height<const TILE: usize>(rest: usize) -> usize {
    match rest {
        _ if rest >= TILE => TILE,
        8.. => 8,
        _ => rest,
    }
}

/// A batch of rows and a block of columns to multiply.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// Index of the block's first column, and the block's weights.
    block: (usize, &'a [i8]),
    /// Index of the first row.
    row: usize,
    /// Bytes from the first row on.
    bytes: &'a [u8],
}

impl<'a, U: InstructionSet, P: ByteProducts, const GELU: bool> Layer<'a, U, P, GELU> {
    #[inline(always)]
    fn new(input: &'a Rows, matrix: &'a Matrix<'a>) -> Self {
        Self { input, matrix, way: std::marker::PhantomData }
    }

    #[inline(always)]
    fn run<const TILE: usize>(&self, output: &mut [f32]) {
        let count = self.input.scales.len();
        let inputs = self.matrix.inputs;
        let (mut rows, mut scratch) = (Vec::new(), Vec::new());
        let arranged = P::arrange_rows::<TILE>(&self.input.bytes, inputs, &mut rows);
        let rows = if arranged { &rows } else { &self.input.bytes };
        // The block stays in the cache while all rows are multiplied with it.
        for (number, weights) in self.matrix.weights.chunks_exact(BLOCK * inputs).enumerate() {
            let weights = if P::arrange_blocks::<BLOCK>(weights, inputs, &mut scratch) { &scratch } else { weights };
            let block = (number * BLOCK, weights);
            let mut row = 0;
            while row < count {
                let place = Place { block, row, bytes: &rows[row * inputs..] };
                row += match height::<TILE>(count - row) {
                    height if height == TILE => self.tile::<TILE>(place, output),
                    8 if TILE > 8 => self.tile::<8>(place, output),
                    7 if TILE > 7 => self.tile::<7>(place, output),
                    6 if TILE > 6 => self.tile::<6>(place, output),
                    5 if TILE > 5 => self.tile::<5>(place, output),
                    4 if TILE > 4 => self.tile::<4>(place, output),
                    3 => self.tile::<3>(place, output),
                    2 => self.tile::<2>(place, output),
                    _ => self.tile::<1>(place, output),
                };
            }
        }
    }

    /// Multiplies `R` rows with a block of columns, and returns `R`.
    #[inline(always)]
    fn tile<const R: usize>(&self, place: Place<'_>, output: &mut [f32]) -> usize {
        let Place { block: (first, block), row, bytes } = place;
        let Matrix { outputs, sums, scales, bias, .. } = *self.matrix;
        let (weights, scales, bias) = (&sums[first..][..BLOCK], &scales[first..][..BLOCK], &bias[first..][..BLOCK]);
        let mut sums = [[0i32; BLOCK]; R];
        for (r, sums) in sums.iter_mut().enumerate() {
            // The sum of (byte - zero) * weight, split into the part that the tile adds and the part of the zero. A
            // damaged file may contain arbitrary sums; wrapping gives a wrong number instead of a panic.
            let away = P::MIDDLE.wrapping_sub(self.input.zeros[row + r]);
            multiply_integers::<U::Lanes>(weights, away, sums);
        }
        P::tile::<R, BLOCK>(bytes, block, &mut sums);
        for (r, sums) in sums.iter().enumerate() {
            let scale = U::Lanes::splat(self.input.scales[row + r]);
            let output = output[(row + r) * outputs + first..][..BLOCK].as_chunks_mut::<LANES>().0;
            let factors = lanes::<U::Lanes>(scales).zip(lanes::<U::Lanes>(bias));
            for ((output, sums), (scales, bias)) in output.iter_mut().zip(sums.as_chunks::<LANES>().0).zip(factors) {
                let value = U::Lanes::from_integers(sums).times(scale).mul_add(scales, bias);
                if GELU { gelu(value) } else { value }.store(output);
            }
        }
        R
    }
}

#[inline(always)]
pub(super) fn add_and_normalize<U: InstructionSet>(values: &mut [f32], added: &[f32], norm: &Norm<'_>) {
    let width = norm.scale.len();
    for (row, added) in values.chunks_exact_mut(width).zip(added.chunks_exact(width)) {
        let row = row.as_chunks_mut::<LANES>().0;
        let mut total = U::Lanes::splat(0.0);
        for (values, added) in row.iter_mut().zip(lanes::<U::Lanes>(added)) {
            let value = U::Lanes::load(values).plus(added);
            value.store(values);
            total = total.plus(value);
        }
        normalize_row::<U::Lanes>(row, total, norm);
    }
}

#[inline(always)]
pub(super) fn normalize<U: InstructionSet>(values: &mut [f32], norm: &Norm<'_>) {
    for row in values.chunks_exact_mut(norm.scale.len()) {
        let mut total = U::Lanes::splat(0.0);
        for values in lanes::<U::Lanes>(row) {
            total = total.plus(values);
        }
        normalize_row::<U::Lanes>(row.as_chunks_mut::<LANES>().0, total, norm);
    }
}

/// Normalises a row whose sum is that of the lanes of `total`.
#[inline(always)]
fn normalize_row<L: Lanes>(row: &mut [[f32; LANES]], total: L, norm: &Norm<'_>) {
    let width = norm.scale.len();
    let mean = L::splat(sum(total) / width as f32);
    let mut squares = L::splat(0.0);
    for values in row.iter() {
        let difference = L::load(values).minus(mean);
        squares = difference.mul_add(difference, squares);
    }
    let variance = sum(squares) / width as f32;
    let inverse = L::splat(1.0 / (variance + norm.epsilon).sqrt());
    let factors = lanes::<L>(norm.scale).zip(lanes::<L>(norm.shift));
    for (values, (scale, shift)) in row.iter_mut().zip(factors) {
        L::load(values).minus(mean).times(inverse).mul_add(scale, shift).store(values);
    }
}

/// Multiplies integers, whose count is a multiple of [`LANES`].
#[inline(always)]
pub(super) fn multiply_integers<L: Lanes>(integers: &[i32], factor: i32, products: &mut [i32]) {
    let products = products.as_chunks_mut::<LANES>().0.iter_mut();
    for (integers, products) in integers.as_chunks::<LANES>().0.iter().zip(products) {
        L::multiply_integers(integers, factor, products);
    }
}

/// Returns the Gaussian error linear unit of `x` to 1e-4, a hundredth of a step of the resulting bytes. It is `x` times the normal
/// distribution, approximated by a polynomial within ±4.2 and by 0 or 1 beyond. The polynomial has the smallest maximum error of all
/// odd ones of degree 15 that meet these ends (iteratively weighted least squares).
#[inline(always)]
pub(super) fn gelu<L: Lanes>(x: L) -> L {
    const END: f32 = 4.2;
    const P: [f32; 8] = [
        -9.017_519e-10,
        7.941_329e-8,
        -3.037_928_8e-6,
        6.689_066e-5,
        -9.506_572e-4,
        9.298_228e-3,
        -6.552_82e-2,
        0.398_465_87,
    ];
    let within = x.greatest(L::splat(-END)).least(L::splat(END));
    let square = within.times(within);
    x.times(polynomial(square, P).mul_add(within, L::splat(0.5)))
}

/// Returns the value of a polynomial, whose coefficients start with the highest power.
#[inline(always)]
pub(super) fn polynomial<L: Lanes, const TERMS: usize>(x: L, coefficients: [f32; TERMS]) -> L {
    let mut sum = L::splat(coefficients[0]);
    for coefficient in &coefficients[1..] {
        sum = sum.mul_add(x, L::splat(*coefficient));
    }
    sum
}

/// Returns the first `N` values.
#[inline(always)]
pub(super) fn fixed<T, const N: usize>(values: &[T]) -> &[T; N] {
    values.first_chunk().expect("slices are cut to whole blocks")
}

/// Returns the first `N` values to write to.
#[inline(always)]
pub(super) fn fixed_mut<T, const N: usize>(values: &mut [T]) -> &mut [T; N] {
    values.first_chunk_mut().expect("slices are cut to whole blocks")
}
