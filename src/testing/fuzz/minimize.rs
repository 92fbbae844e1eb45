//! Minimizes a failing input.

/// Maximum number of attempts.
const ATTEMPTS: usize = 4000;

/// Returns a shorter input for which `fails` still holds. It removes pieces, from halves down to single bytes, until
/// none can be removed.
pub(super) fn minimized(input: &[u8], fails: &dyn Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut input = input.to_vec();
    let mut attempts = 0;
    let mut length = input.len().div_ceil(2);
    while length > 0 {
        let (mut at, before) = (0, input.len());
        while at < input.len() && attempts < ATTEMPTS {
            let mut shorter = input.clone();
            shorter.drain(at..input.len().min(at + length));
            attempts += 1;
            match fails(&shorter) {
                true => input = shorter,
                false => at += length,
            }
        }
        // Repeats the pass over single bytes if it helped: one byte may have kept another.
        if length > 1 || input.len() == before || attempts >= ATTEMPTS {
            length /= 2;
        }
    }
    input
}
