//! Limits the load of the daemon: pauses embedding and lowers the priority.

use std::path::Path;

/// The conditions for a pause of embedding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Throttle {
    /// Load per core above which embedding pauses; 0: never.
    pub(super) max_load: f64,
    /// Whether embedding pauses on battery.
    pub(super) pause_on_battery: bool,
}

impl Throttle {
    /// Returns the reason for a pause; `None` if embedding may go on.
    pub(super) fn pause(&self) -> Option<&'static str> {
        if self.pause_on_battery && on_battery(Path::new("/sys/class/power_supply")) {
            return Some("the machine runs on battery");
        }
        if self.max_load > 0.0 && load_per_core().is_some_and(|load| load > self.max_load) {
            return Some("the machine is busy");
        }
        None
    }
}

/// Lowers the priority of the calling thread (Linux). A refusal is harmless.
pub(super) fn step_back() {
    if let Err(error) = rustix::process::nice(10) {
        tracing::debug!(%error, "the priority could not be lowered");
    }
}

fn load_per_core() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(load / std::thread::available_parallelism().map_or(1, usize::from) as f64)
}

/// Returns whether a battery is discharging, according to the Linux power supplies in `folder`.
fn on_battery(folder: &Path) -> bool {
    let Ok(supplies) = std::fs::read_dir(folder) else { return false };
    supplies.flatten().any(|supply| {
        let is = |name: &str, value: &str| {
            std::fs::read_to_string(supply.path().join(name)).is_ok_and(|text| text.trim() == value)
        };
        is("type", "Battery") && is("status", "Discharging")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_discharging_battery_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let battery = folder.path().join("BAT0");
        std::fs::create_dir(&battery).unwrap();
        std::fs::write(battery.join("type"), "Battery\n").unwrap();
        std::fs::write(battery.join("status"), "Charging\n").unwrap();
        assert!(!on_battery(folder.path()));
        std::fs::write(battery.join("status"), "Discharging\n").unwrap();
        assert!(on_battery(folder.path()));
        assert!(!on_battery(Path::new("/nowhere")));
    }

    #[test]
    fn defaults_never_pause() {
        assert_eq!(Throttle { max_load: 0.0, pause_on_battery: false }.pause(), None);
    }
}
