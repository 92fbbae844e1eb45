//! Sixteen numbers that an instruction set computes with together.
//!
//! The loops beside the matrix products are written with these instead of being left to the compiler: a build for size vectorises none.

/// Number of lanes.
pub(super) const LANES: usize = 16;

/// Sixteen numbers in as many registers as an instruction set needs for them. All functions are inlined into functions that are compiled
/// for the set.
pub(super) trait Lanes: Copy {
    /// Returns the same number in each lane.
    fn splat(number: f32) -> Self;

    /// Reads the numbers.
    fn load(numbers: &[f32; LANES]) -> Self;

    /// Converts integers.
    fn from_integers(integers: &[i32; LANES]) -> Self;

    /// Writes the numbers.
    fn store(self, numbers: &mut [f32; LANES]);

    /// Adds.
    fn plus(self, other: Self) -> Self;

    /// Subtracts.
    fn minus(self, other: Self) -> Self;

    /// Multiplies.
    fn times(self, other: Self) -> Self;

    /// Returns `self * factor + addend`, with one or two roundings.
    fn mul_add(self, factor: Self, addend: Self) -> Self;

    /// Returns the lesser of each two numbers.
    fn least(self, other: Self) -> Self;

    /// Returns the greater of each two numbers.
    fn greatest(self, other: Self) -> Self;

    /// Multiplies each number by 2 to the power of the integer in the low bits of `power`, which it adds to the exponent.
    fn times_power_of_two(self, power: Self) -> Self;

    /// Writes the lowest byte of each number's bits.
    fn store_bytes(self, bytes: &mut [u8; LANES]);

    /// Writes words of the lowest bytes of four numbers' bits, the first number's byte lowest.
    fn store_words(four: [Self; 4], words: &mut [u32; LANES]);

    /// Writes integers multiplied by `factor`, wrapping.
    fn multiply_integers(integers: &[i32; LANES], factor: i32, products: &mut [i32; LANES]);
}

/// Defines a reduction of many lanes by halves: combining them one after another would make each step wait for the previous one.
macro_rules! by_halves {
    ($(#[$doc:meta])* $name:ident, |$one:ident, $other:ident| $joined:expr) => {
        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $name<L: Lanes>(lanes: L) -> f32 {
            let mut numbers = [0.0; LANES];
            lanes.store(&mut numbers);
            let mut half = LANES / 2;
            while half > 0 {
                for lane in 0..half {
                    let ($one, $other) = (numbers[lane], numbers[lane + half]);
                    numbers[lane] = $joined;
                }
                half /= 2;
            }
            numbers[0]
        }
    };
}

by_halves!(
    /// Returns the minimum of the lanes.
    minimum,
    |one, other| if other < one { other } else { one }
);
by_halves!(
    /// Returns the maximum of the lanes.
    maximum,
    |one, other| if other > one { other } else { one }
);

/// Returns the sum of the lanes.
#[inline(always)]
pub(super) fn sum<L: Lanes>(lanes: L) -> f32 {
    let mut numbers = [0.0; LANES];
    lanes.store(&mut numbers);
    numbers.iter().sum()
}

/// Returns the lanes of a slice whose length is a multiple of [`LANES`].
#[inline(always)]
pub(super) fn lanes<L: Lanes>(numbers: &[f32]) -> impl Iterator<Item = L> {
    // A closure may be compiled without the set's instructions; `Loaded` is not.
    Loaded(numbers.as_chunks().0.iter(), std::marker::PhantomData)
}

struct Loaded<'a, L>(std::slice::Iter<'a, [f32; LANES]>, std::marker::PhantomData<L>);

impl<L: Lanes> Iterator for Loaded<'_, L> {
    type Item = L;

    #[inline(always)]
    fn next(&mut self) -> Option<L> {
        Some(L::load(self.0.next()?))
    }
}

/// Sixteen numbers for any processor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sixteen([f32; LANES]);

/// Computes each lane from those of the operands.
macro_rules! each_lane {
    (|$($operand:ident),+| $result:expr) => {{
        let mut found = [Default::default(); LANES];
        for lane in 0..LANES {
            $(let $operand = $operand[lane];)+
            found[lane] = $result;
        }
        found
    }};
}

impl Lanes for Sixteen {
    #[inline(always)]
    fn splat(number: f32) -> Self {
        Self([number; LANES])
    }

    #[inline(always)]
    fn load(numbers: &[f32; LANES]) -> Self {
        Self(*numbers)
    }

    #[inline(always)]
    fn from_integers(integers: &[i32; LANES]) -> Self {
        Self(each_lane!(|integers| integers as f32))
    }

    #[inline(always)]
    fn store(self, numbers: &mut [f32; LANES]) {
        *numbers = self.0;
    }

    #[inline(always)]
    fn plus(self, Self(other): Self) -> Self {
        let one = self.0;
        Self(each_lane!(|one, other| one + other))
    }

    #[inline(always)]
    fn minus(self, Self(other): Self) -> Self {
        let one = self.0;
        Self(each_lane!(|one, other| one - other))
    }

    #[inline(always)]
    fn times(self, Self(other): Self) -> Self {
        let one = self.0;
        Self(each_lane!(|one, other| one * other))
    }

    #[inline(always)]
    fn mul_add(self, Self(factor): Self, Self(addend): Self) -> Self {
        let one = self.0;
        // `f32::mul_add` would be a slow call on processors without this instruction.
        Self(each_lane!(|one, factor, addend| one * factor + addend))
    }

    #[inline(always)]
    fn least(self, Self(other): Self) -> Self {
        let one = self.0;
        Self(each_lane!(|one, other| if one < other { one } else { other }))
    }

    #[inline(always)]
    fn greatest(self, Self(other): Self) -> Self {
        let one = self.0;
        Self(each_lane!(|one, other| if one > other { one } else { other }))
    }

    #[inline(always)]
    fn times_power_of_two(self, Self(power): Self) -> Self {
        let one = self.0;
        Self(each_lane!(|one, power| f32::from_bits(one.to_bits().wrapping_add(power.to_bits() << 23))))
    }

    #[inline(always)]
    fn store_bytes(self, bytes: &mut [u8; LANES]) {
        let one = self.0;
        *bytes = each_lane!(|one| one.to_bits() as u8);
    }

    #[inline(always)]
    fn store_words([Self(a), Self(b), Self(c), Self(d)]: [Self; 4], words: &mut [u32; LANES]) {
        *words = each_lane!(|a, b, c, d| u32::from_le_bytes([
            a.to_bits() as u8,
            b.to_bits() as u8,
            c.to_bits() as u8,
            d.to_bits() as u8
        ]));
    }

    #[inline(always)]
    fn multiply_integers(integers: &[i32; LANES], factor: i32, products: &mut [i32; LANES]) {
        *products = each_lane!(|integers| factor.wrapping_mul(integers));
    }
}

/// Implements [`Lanes`] for a type of `$count` vectors of `$width` numbers, by the instructions of a set. `$mul_add` receives factor, factor
/// and addend; `$bytes` writes the lowest byte of each integer of all vectors.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! lanes_of_vectors {
    (
        $(#[$doc:meta])*
        $type:ident($count:literal of $vector:ident, $width:literal numbers each),
        load $load:ident, store $store:ident, splat $splat:ident,
        add $add:ident, subtract $subtract:ident, multiply $multiply:ident, mul_add $mul_add:path, min $min:ident, max $max:ident,
        integers { load $load_integers:ident, store $store_integers:ident, splat $splat_integers:ident,
            convert $convert:ident, from_bits $numbers:ident, to_bits $bits:ident,
            add $add_integers:ident, multiply $multiply_integers:ident, and $and:ident, or $or:ident, shift $left:ident },
        bytes $bytes:path
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $type([$vector; $count]);

        // SAFETY of every block: only the steps of a set with these instructions use this type, and they run only where the processor has
        // them; each vector reads and writes its own `$width` of sixteen numbers.
        impl Lanes for $type {
            #[inline(always)]
            fn splat(number: f32) -> Self {
                Self([unsafe { $splat(number) }; $count])
            }

            #[inline(always)]
            fn load(numbers: &[f32; LANES]) -> Self {
                let mut found = Self::splat(0.0);
                for place in 0..$count {
                    found.0[place] = unsafe { $load(numbers.as_ptr().add(place * $width)) };
                }
                found
            }

            #[inline(always)]
            fn from_integers(integers: &[i32; LANES]) -> Self {
                let mut found = Self::splat(0.0);
                for place in 0..$count {
                    found.0[place] = unsafe { $convert($load_integers(integers.as_ptr().add(place * $width).cast())) };
                }
                found
            }

            #[inline(always)]
            fn store(self, numbers: &mut [f32; LANES]) {
                for place in 0..$count {
                    unsafe { $store(numbers.as_mut_ptr().add(place * $width), self.0[place]) };
                }
            }

            #[inline(always)]
            fn plus(mut self, other: Self) -> Self {
                for place in 0..$count {
                    self.0[place] = unsafe { $add(self.0[place], other.0[place]) };
                }
                self
            }

            #[inline(always)]
            fn minus(mut self, other: Self) -> Self {
                for place in 0..$count {
                    self.0[place] = unsafe { $subtract(self.0[place], other.0[place]) };
                }
                self
            }

            #[inline(always)]
            fn times(mut self, other: Self) -> Self {
                for place in 0..$count {
                    self.0[place] = unsafe { $multiply(self.0[place], other.0[place]) };
                }
                self
            }

            #[inline(always)]
            fn mul_add(mut self, factor: Self, addend: Self) -> Self {
                for place in 0..$count {
                    self.0[place] = unsafe { $mul_add(self.0[place], factor.0[place], addend.0[place]) };
                }
                self
            }

            #[inline(always)]
            fn least(mut self, other: Self) -> Self {
                for place in 0..$count {
                    self.0[place] = unsafe { $min(self.0[place], other.0[place]) };
                }
                self
            }

            #[inline(always)]
            fn greatest(mut self, other: Self) -> Self {
                for place in 0..$count {
                    self.0[place] = unsafe { $max(self.0[place], other.0[place]) };
                }
                self
            }

            #[inline(always)]
            fn times_power_of_two(mut self, power: Self) -> Self {
                for place in 0..$count {
                    self.0[place] = unsafe {
                        $numbers($add_integers($bits(self.0[place]), $left::<23>($bits(power.0[place]))))
                    };
                }
                self
            }

            #[inline(always)]
            fn store_bytes(self, bytes: &mut [u8; LANES]) {
                let mut integers = [unsafe { $splat_integers(0) }; $count];
                for place in 0..$count {
                    integers[place] = unsafe { $and($bits(self.0[place]), $splat_integers(0xff)) };
                }
                unsafe { $bytes(integers, bytes) }
            }

            #[inline(always)]
            fn store_words(four: [Self; 4], words: &mut [u32; LANES]) {
                let [a, b, c, d] = four;
                for place in 0..$count {
                    unsafe {
                        let byte = $splat_integers(0xff);
                        let low = $or(
                            $and($bits(a.0[place]), byte),
                            $left::<8>($and($bits(b.0[place]), byte)),
                        );
                        let high = $or($left::<16>($and($bits(c.0[place]), byte)), $left::<24>($bits(d.0[place])));
                        $store_integers(words.as_mut_ptr().add(place * $width).cast(), $or(low, high));
                    }
                }
            }

            #[inline(always)]
            fn multiply_integers(integers: &[i32; LANES], factor: i32, products: &mut [i32; LANES]) {
                for place in (0..LANES).step_by($width) {
                    unsafe {
                        let integers = $load_integers(integers.as_ptr().add(place).cast());
                        let product = $multiply_integers(integers, $splat_integers(factor));
                        $store_integers(products.as_mut_ptr().add(place).cast(), product);
                    }
                }
            }
        }
    };
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use lanes_of_vectors;
