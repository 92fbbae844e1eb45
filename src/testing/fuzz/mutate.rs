//! Mutates seeds into new inputs.

/// Maximum size of a generated input, in bytes. Unoptimised parsers are slow, and disproportionate growth shows
/// earlier.
const MAX_INPUT: usize = 32 << 10;

/// Tokens that parsers often mishandle, in text and in binary files.
#[rustfmt::skip]
const TOKENS: &[&[u8]] = &[
    // Invalid or invisible characters, and characters that change when folded.
    b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\x1b[2J", b"\x7f",
    "\u{202e}".as_bytes(), "\u{2066}".as_bytes(), "\u{200b}".as_bytes(), "\u{ad}".as_bytes(), "\u{2028}".as_bytes(),
    "\u{85}".as_bytes(), "\u{a0}".as_bytes(), "\u{3000}".as_bytes(), "e\u{301}".as_bytes(), "\u{130}".as_bytes(),
    "\u{1e9e}".as_bytes(), "\u{fb03}".as_bytes(), "\u{ff33}".as_bytes(), "\u{1f600}".as_bytes(), "日本".as_bytes(),
    // Line ends and blanks.
    b"\n", b"\r\n", b"\r", b"\n\n", b"\t", b"    ", b"\n\n\n\n",
    // Numbers.
    b"0", b"-1", b"255", b"65536", b"4294967295", b"9223372036854775808", b"18446744073709551615", b"1e309", b"-0.0",
    b"99999999999999999999999999", b"0x7f", b"NaN",
    // Halves of escapes.
    b"\\", b"\\u", b"\\ud83d", b"\\udc00", b"\\u0000", b"%00", b"&#x0;",
    // Markdown and YAML.
    b"---\n", b"...\n", b"```", b"~~~", b"# ", b"###### ", b"> ", b"- ", b"1. ", b"| ", b"|-|\n", b"[[", b"]]",
    b"![[", b"](", b"[^1]:", b"<!--", b"-->", b"<div>", b"$$", b"%%", b"`", b"**", b"&a ", b"*a", b"<<: ",
    b"!!binary ", b"? ", b": ", b"|-\n",
    // Other syntax.
    b"{", b"}", b"[", b"]", b"\"", b"'", b",", b":", b"=", b"null", b"true", b"[[a]]", b"\"\"\"", b"#", b"//",
    b"tag:", b"path:", b"after:", b"before:", b"type:", b"-", b"<private>", b"</private>", b"password=",
    b"[redacted:",
    // Dates.
    b"2023-02-29", b"2024-02-29", b"0000-00-00", b"9999-12-31", b"0001-01-01", b"May", b"yesterday", "年".as_bytes(),
];

/// Generates inputs from seeds.
pub(super) struct Mutator<'a> {
    seeds: &'a [Vec<u8>],
    random: Random,
}

impl<'a> Mutator<'a> {
    /// `number` seeds all random choices.
    pub(super) fn new(seeds: &'a [Vec<u8>], number: u64) -> Self {
        Self { seeds, random: Random(number) }
    }

    /// Returns the next input: a seed with one or more mutations.
    pub(super) fn next(&mut self) -> Vec<u8> {
        let mut input = self.seed().to_vec();
        let limit = MAX_INPUT.max(input.len());
        loop {
            self.change(&mut input);
            input.truncate(limit);
            if self.random.below(3) == 0 {
                return input;
            }
        }
    }

    fn seed(&mut self) -> &'a [u8] {
        &self.seeds[self.random.below(self.seeds.len())]
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let (start, end) = self.range(input.len());
        match self.random.below(12) {
            0 if start < input.len() => input[start] ^= 1 << self.random.below(8),
            1 if start < input.len() => input[start] = self.random.below(256) as u8,
            2 => drop(input.drain(start..end)),
            3 => input.truncate(start),
            // A piece of this or another seed, replacing a piece or inserted.
            4 | 5 => {
                let other = self.seed();
                let (from, to) = self.range(other.len());
                let end = if self.random.below(2) == 0 { start } else { end };
                drop(input.splice(start..end, other[from..to].iter().copied()));
            }
            // Repetition: nesting, long lines, lists.
            6 => {
                let piece = match self.random.below(2) {
                    0 => input[start..end].to_vec(),
                    _ => self.token().to_vec(),
                };
                let limit = if self.random.below(8) == 0 { 14 } else { 6 };
                let times = 1 << self.random.below(limit);
                let limit = MAX_INPUT / piece.len().max(1);
                drop(input.splice(start..start, piece.repeat(times.min(limit))));
            }
            7 => self.write_number(input, start),
            8 => {
                let piece: Vec<u8> = input.drain(start..end).collect();
                let at = self.random.below(input.len() + 1);
                drop(input.splice(at..at, piece));
            }
            _ => {
                let end = if self.random.below(2) == 0 { start } else { end };
                let token = self.token();
                drop(input.splice(start..end, token.iter().copied()));
            }
        }
    }

    /// Overwrites the bytes at `at` with a number that stresses lengths and offsets.
    fn write_number(&mut self, input: &mut [u8], at: usize) {
        let length = input.len() as u64;
        let numbers = [0, 1, 2, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 32, i64::MAX as u64, u64::MAX];
        let number = match self.random.below(3) {
            0 => length.wrapping_add(self.random.below(3) as u64).wrapping_sub(1),
            1 => numbers[self.random.below(numbers.len())],
            // f32: not a number, or infinite.
            _ => [0x7fc0_0000, 0x7f80_0000, 0xff80_0000][self.random.below(3)],
        };
        let bytes = u64::to_le_bytes(number);
        let width = 1 << self.random.below(4);
        // Most numbers of a file are aligned to their width.
        let at = if self.random.below(2) == 0 { at / width * width } else { at };
        for (place, byte) in input.iter_mut().skip(at).zip(&bytes[..width]) {
            *place = *byte;
        }
    }

    fn token(&mut self) -> &'static [u8] {
        TOKENS[self.random.below(TOKENS.len())]
    }

    /// Returns a range, usually short. It often starts near the front, where formats have their headers.
    fn range(&mut self, length: usize) -> (usize, usize) {
        let first = [256, 4096, usize::MAX][self.random.below(3)];
        let start = self.random.below(length.min(first) + 1);
        let limit = 1 << self.random.below(12);
        (start, (start + self.random.below(limit) + 1).min(length))
    }
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
struct Random(u64);

impl Random {
    /// Returns a number below `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % bound as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_inputs_within_the_size_limit() {
        let seeds = [b"one\ntwo\n".to_vec(), Vec::new()];
        let inputs = |number| {
            let mut mutator = Mutator::new(&seeds, number);
            (0..500).map(|_| mutator.next()).collect::<Vec<_>>()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
        assert!(inputs(3).iter().all(|input| input.len() <= MAX_INPUT));
        assert!(inputs(3).iter().any(|input| input.len() > MAX_INPUT / 4));
    }
}
