//! The Gaussian error linear unit (Hendrycks & Gimpel 2016) to single precision, for what is computed once per text.

/// Returns the linear unit of `x`.
pub(crate) fn gelu(x: f32) -> f32 {
    x * 0.5 * (1.0 + error_function(f64::from(x) / std::f64::consts::SQRT_2) as f32)
}

/// The error function, within 2e-7 (Abramowitz and Stegun 1964, 7.1.26, has 1.5e-7).
fn error_function(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let polynomial = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let sum = polynomial.iter().fold(0.0, |sum, factor| sum * t + factor) * t;
    (1.0 - sum * (-x * x).exp()).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_function_matches_known_values() {
        let known =
            [(0.0, 0.0), (0.1, 0.112_462_916), (0.5, 0.520_499_878), (1.0, 0.842_700_793), (2.0, 0.995_322_265)];
        for (x, value) in known {
            assert!((error_function(x) - value).abs() < 2e-7, "{x}");
            assert!((error_function(-x) + value).abs() < 2e-7, "{x}");
        }
    }
}
