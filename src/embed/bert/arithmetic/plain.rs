//! The steps of a layer in plain Rust, generic over the few things that differ between instruction sets.
//!
//! Everything here and in `attention` is inlined into functions that are compiled for one set, where the loops over fixed
//! numbers of lanes become its instructions. So nothing goes through `array::map` or `array::from_fn`: the compiler may leave
//! these as functions of their own, which are compiled without the set's instructions (a multiplication with an addition is
//! a call of `fmaf` there, and embedding took twice as long).

use super::{BLOCK, Precision, Rows};
use crate::embed::bert::matrix::{Matrix, Norm};

/// What an instruction set does in its own way.
pub(super) trait Unit {
    /// Multiplies rows of [`Precision::Fine`].
    type Fine: Products;
    /// Multiplies rows of [`Precision::Coarse`].
    type Coarse: Products;

    /// Columns that [`Unit::multiply`] writes: 16 or 32.
    const LANES: usize;

    /// Returns `a * b + c`, rounded once or twice.
    fn mul_add(a: f32, b: f32, c: f32) -> f32;

    /// Writes `R` rows of [`Unit::LANES`] sums of products into `output`, whose rows are `row` apart.
    fn multiply<const R: usize>(product: Product<'_>, output: &mut [f32], row: usize);

    /// Returns the greatest of some numbers.
    #[inline(always)]
    fn largest(lanes: [f32; SUMS]) -> f32 {
        largest(lanes)
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

/// Matrices of numbers to be multiplied, parts of greater ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product<'a> {
    /// Rows of `depth` numbers.
    pub(super) left: &'a [f32],
    /// From one of them to the next.
    pub(super) left_row: usize,
    /// `depth` rows of at least [`Unit::LANES`] numbers.
    pub(super) right: &'a [f32],
    /// From one of them to the next.
    pub(super) right_row: usize,
    /// Products in a sum, at least one.
    pub(super) depth: usize,
}

impl Product<'_> {
    /// Panics unless `rows` rows can be multiplied and the sums of `lanes` columns be written.
    pub(super) fn check(&self, rows: usize, lanes: usize, output: &[f32], row: usize) {
        let Self { left, left_row, right, right_row, depth } = *self;
        assert!(rows > 0 && depth > 0);
        assert!(left.len() >= (rows - 1) * left_row + depth);
        assert!(right.len() >= (depth - 1) * right_row + lanes);
        assert!(output.len() >= (rows - 1) * row + lanes);
    }
}

/// How an instruction set multiplies bytes.
pub(super) trait Products {
    /// The greatest byte that a number becomes; the least is 0.
    const GREATEST: u8;

    /// What [`Products::tile`] takes away from a byte before it multiplies it: 128 where bytes are multiplied signed, else 0.
    const MIDDLE: i32;

    /// Writes rows of `width` bytes into `room` in the order in which [`Products::tile`] reads them, [`height`] after height of them,
    /// and returns whether it did: most sets read them as they stand. A row's place is where it was, and more may follow the last.
    #[inline(always)]
    fn arrange_rows<const TILE: usize>(_rows: &[u8], _width: usize, _room: &mut Vec<u8>) -> bool {
        false
    }

    /// Does the same with blocks of `inputs` times `COLUMNS` weights.
    #[inline(always)]
    fn arrange_blocks<const COLUMNS: usize>(_blocks: &[i8], _inputs: usize, _room: &mut Vec<i8>) -> bool {
        false
    }

    /// Adds to `sums` the products of `R` rows of bytes with a block of `COLUMNS` columns, 64 or 32: the sums over all inputs of
    /// `(byte - MIDDLE) * weight`. `rows` begins with the rows, one after the other; `block` lists, for each group of
    /// [`super::GROUP`] inputs, the group's weights of the first column, of the second, and so on; unless they were arranged.
    fn tile<const R: usize, const COLUMNS: usize>(rows: &[u8], block: &[i8], sums: &mut [[i32; COLUMNS]; R]);
}

/// Lanes that sums of a row are kept in.
pub(super) const SUMS: usize = 16;

/// Adding and taking away this number rounds to the nearest whole one, ties to even, and leaves it in the low bits:
/// 1.5 * 2^23, from where on neighbouring floats are 1 apart. Faster than conversions, which must mind what does not fit.
pub(super) const ROUNDING: f32 = 12_582_912.0;

/// Returns the greatest byte that numbers of this precision become.
#[inline(always)]
pub(super) fn greatest<U: Unit>(precision: Precision) -> u8 {
    match precision {
        Precision::Fine => U::Fine::GREATEST,
        Precision::Coarse => U::Coarse::GREATEST,
    }
}

#[inline(always)]
pub(super) fn quantize<U: Unit>(input: &[f32], width: usize, precision: Precision, output: &mut Rows) {
    let count = input.len() / width;
    output.resize(count, width);
    output.precision = precision;
    let steps = f32::from(self::greatest::<U>(precision));
    for (number, row) in input.chunks_exact(width).enumerate() {
        let (least, greatest) = extremes(row);
        // The range holds 0, so that 0 is a step of its own.
        let step = ((greatest - least) / steps).max(f32::MIN_POSITIVE);
        // Turned around where most of the range is below 0, so that most bytes are small: sums of products in 16 bits fit.
        let (step, least) = if -least > greatest { (-step, greatest) } else { (step, least) };
        let inverse = 1.0 / step;
        let zero = (-least * inverse + ROUNDING) - ROUNDING;
        output.scales[number] = step;
        output.zeros[number] = zero as i32;
        for (byte, value) in output.bytes[number * width..][..width].iter_mut().zip(row) {
            // In the order that keeps what is rounded within the range.
            let place = (value * inverse + zero).clamp(0.0, steps);
            *byte = (place + ROUNDING).to_bits() as u8;
        }
    }
}

/// Returns the least and the greatest number of a row, and 0 if that is beyond.
#[inline(always)]
fn extremes(row: &[f32]) -> (f32, f32) {
    /// Twice as many as elsewhere: each comparison waits for the one before.
    const LANES: usize = 2 * SUMS;
    let (mut least, mut greatest) = ([0.0f32; LANES], [0.0f32; LANES]);
    for part in row.chunks_exact(LANES) {
        for lane in 0..LANES {
            least[lane] = if part[lane] < least[lane] { part[lane] } else { least[lane] };
            greatest[lane] = if part[lane] > greatest[lane] { part[lane] } else { greatest[lane] };
        }
    }
    (smallest(least), largest(greatest))
}

/// Defines what becomes of many lanes: the lower half with the upper half, over and over, since one after the other each would
/// wait for the one before.
macro_rules! by_halves {
    ($(#[$doc:meta])* $name:ident, |$one:ident, $other:ident| $joined:expr) => {
        $(#[$doc])*
        #[inline(always)]
        fn $name<const N: usize>(mut lanes: [f32; N]) -> f32 {
            let mut half = N / 2;
            while half > 0 {
                for lane in 0..half {
                    let ($one, $other) = (lanes[lane], lanes[lane + half]);
                    lanes[lane] = $joined;
                }
                half /= 2;
            }
            lanes[0]
        }
    };
}

by_halves!(
    /// Returns the least of a power of two of numbers.
    smallest,
    |one, other| if other < one { other } else { one }
);
by_halves!(
    /// Returns the greatest of a power of two of numbers.
    largest,
    |one, other| if other > one { other } else { one }
);

/// Multiplies `TILE` rows at a time, at most 12. `GELU` applies the activation function to what comes out.
#[inline(always)]
pub(super) fn linear<U: Unit, const TILE: usize, const GELU: bool>(
    input: &Rows,
    matrix: &Matrix<'_>,
    output: &mut [f32],
) {
    match input.precision {
        Precision::Fine => Layer::<U, U::Fine, GELU>::new(input, matrix).run::<TILE>(output),
        Precision::Coarse => Layer::<U, U::Coarse, GELU>::new(input, matrix).run::<TILE>(output),
    }
}

/// Rows that are multiplied with a matrix.
struct Layer<'a, U, P, const GELU: bool> {
    input: &'a Rows,
    matrix: &'a Matrix<'a>,
    way: std::marker::PhantomData<(U, P)>,
}

/// Returns how many of so many rows are multiplied at a time, `TILE` at most.
pub(super) fn height<const TILE: usize>(rest: usize) -> usize {
    match rest {
        _ if rest >= TILE => TILE,
        8.. => 8,
        _ => rest,
    }
}

/// Some rows and a block of columns that meet.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// The block's first column, and its weights.
    block: (usize, &'a [i8]),
    /// The first of the rows.
    row: usize,
    /// Their bytes, and those of the rows behind them.
    bytes: &'a [u8],
}

impl<'a, U: Unit, P: Products, const GELU: bool> Layer<'a, U, P, GELU> {
    #[inline(always)]
    fn new(input: &'a Rows, matrix: &'a Matrix<'a>) -> Self {
        Self { input, matrix, way: std::marker::PhantomData }
    }

    #[inline(always)]
    fn run<const TILE: usize>(&self, output: &mut [f32]) {
        let count = self.input.scales.len();
        let inputs = self.matrix.inputs;
        let (mut rows, mut room) = (Vec::new(), Vec::new());
        let arranged = P::arrange_rows::<TILE>(&self.input.bytes, inputs, &mut rows);
        let rows = if arranged { &rows } else { &self.input.bytes };
        // The block stays in the cache while all rows pass by.
        for (number, weights) in self.matrix.weights.chunks_exact(BLOCK * inputs).enumerate() {
            let weights = if P::arrange_blocks::<BLOCK>(weights, inputs, &mut room) { &room } else { weights };
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
        let outputs = self.matrix.outputs;
        let part = |values: &'_ [f32]| -> [f32; BLOCK] { fixed(&values[first..]) };
        let (scales, bias) = (part(self.matrix.scales), part(self.matrix.bias));
        let weights: [i32; BLOCK] = fixed(&self.matrix.sums[first..]);
        let mut sums = [[0i32; BLOCK]; R];
        for (r, sums) in sums.iter_mut().enumerate() {
            // The sum over (byte - zero) * weight, split into what the tile adds and what the zero takes away.
            // Sums that a file made up may be beyond all bounds, and give a wrong number rather than a panic.
            let away = P::MIDDLE.wrapping_sub(self.input.zeros[row + r]);
            for (sum, weights) in sums.iter_mut().zip(&weights) {
                *sum = away.wrapping_mul(*weights);
            }
        }
        P::tile::<R, BLOCK>(bytes, block, &mut sums);
        for (r, sums) in sums.iter().enumerate() {
            let scale = self.input.scales[row + r];
            let output = &mut output[(row + r) * outputs + first..][..BLOCK];
            for lane in 0..BLOCK {
                let value = U::mul_add(sums[lane] as f32 * scale, scales[lane], bias[lane]);
                output[lane] = if GELU { gelu::<U>(value) } else { value };
            }
        }
        R
    }
}

#[inline(always)]
pub(super) fn add_and_normalize<U: Unit>(values: &mut [f32], added: &[f32], norm: &Norm<'_>) {
    let width = norm.scale.len();
    for (row, added) in values.chunks_exact_mut(width).zip(added.chunks_exact(width)) {
        for (value, added) in row.iter_mut().zip(added) {
            *value += added;
        }
        let mean = total(row) / width as f32;
        let mut squares = [0.0f32; SUMS];
        for part in row.chunks_exact(SUMS) {
            for lane in 0..SUMS {
                let difference = part[lane] - mean;
                squares[lane] = U::mul_add(difference, difference, squares[lane]);
            }
        }
        let variance = squares.iter().sum::<f32>() / width as f32;
        let inverse = 1.0 / (variance + norm.epsilon).sqrt();
        for (value, (scale, shift)) in row.iter_mut().zip(norm.scale.iter().zip(norm.shift)) {
            *value = U::mul_add((*value - mean) * inverse, *scale, *shift);
        }
    }
}

/// Returns the Gaussian error linear unit of `x` to 1e-4, a hundredth of a step of the bytes that it becomes: `x` times the
/// normal distribution, which is a polynomial up to 4.2 from 0 and 0 or 1 beyond. Of all such polynomials that are odd, of
/// degree 15 and go through these ends, this one has the least greatest error (iteratively weighted least squares).
#[inline(always)]
fn gelu<U: Unit>(x: f32) -> f32 {
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
    let within = x.clamp(-END, END);
    let square = within * within;
    let mut sum = P[0];
    for coefficient in &P[1..] {
        sum = U::mul_add(sum, square, *coefficient);
    }
    x * U::mul_add(sum, within, 0.5)
}

#[inline(always)]
pub(super) fn total(row: &[f32]) -> f32 {
    let mut sums = [0.0f32; SUMS];
    for part in row.chunks_exact(SUMS) {
        for lane in 0..SUMS {
            sums[lane] += part[lane];
        }
    }
    sums.iter().sum()
}

/// Returns the first `N` values.
#[inline(always)]
pub(super) fn fixed<T: Copy, const N: usize>(values: &[T]) -> [T; N] {
    *values.first_chunk().expect("slices are cut to whole blocks")
}
