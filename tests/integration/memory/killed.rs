//! Writes that are killed at any moment.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::{MEMORY, bytes, days, run, vault_with};
use crate::harness::TestVault;

const ROUNDS: u32 = 60;
const OF_OLD: &str = "# Memory\n\nA person's words.\n\n## Facts\n- of old\n  - nested\n\n## Other\n\n- more of old";

/// Pseudo-random numbers that are the same in every run (xorshift64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Asserts that each line of the memory is an old one or one of those `sent`, and that no old line is lost.
#[track_caller]
fn assert_whole(vault: &TestVault, sent: &BTreeSet<String>) {
    let memory = vault.read(MEMORY);
    let mut of_old = OF_OLD.lines().peekable();
    let mut files = vec![memory.clone()];
    files.extend(days(vault).iter().map(|day| vault.read(day)));
    for line in memory.lines() {
        of_old.next_if(|old| *old == line);
    }
    assert_eq!(of_old.next(), None, "is gone from\n{memory}");
    for line in files.iter().flat_map(|text| text.lines()).filter(|line| !OF_OLD.lines().any(|old| old == *line)) {
        let said = line.strip_prefix("- ").map(|said| if said.as_bytes()[2] == b':' { &said[6..] } else { said });
        let title = line.strip_prefix("# 20").is_some_and(|rest| rest.len() == 8);
        assert!(title || said.is_some_and(|said| sent.contains(said)), "torn: {line}");
    }
}

#[test]
fn a_killed_write_loses_no_line_and_can_be_undone() {
    let vault = vault_with(OF_OLD);
    let mut chance = Chance(0x7a72_7301);
    let mut sent = BTreeSet::new();
    let mut longest = Duration::ZERO;
    for round in 0..ROUNDS {
        // Some are longer than a page.
        let text = format!("round{round} {}to its end", "and so on ".repeat([1, 30, 700][chance.below(3) as usize]));
        let target = format!("round{}", chance.below(u64::from(round) + 1));
        let arguments: &[&str] = match chance.below(8) {
            0..3 => &["daily", "--append", &text],
            3..5 => &["remember", "--force", &text],
            5..7 => &["forget", &target, "--yes", "--all"],
            _ => &["undo"],
        };
        sent.insert(text.clone());
        let started = Instant::now();
        if round % 10 == 0 {
            // A run that ends by itself measures the time to kill within.
            run(&vault, &["remember", "--force", &text]).success();
            longest = started.elapsed();
        } else {
            let running = vault.tars(arguments).start();
            let moment = Duration::from_micros(chance.below(longest.as_micros().try_into().unwrap()));
            while started.elapsed() < moment {
                std::hint::spin_loop();
            }
            running.kill();
        }
        assert_whole(&vault, &sent);
    }

    let before = bytes(&vault, MEMORY);
    run(&vault, &["remember", "one more"]).success();
    assert!(vault.read(MEMORY).contains("\n- one more\n"));
    run(&vault, &["undo"]).success();
    assert_eq!(bytes(&vault, MEMORY), before);
    while run(&vault, &["undo"]).status.success() {
        assert_whole(&vault, &sent);
    }
    run(&vault, &["undo"]).code(1).says(&["nothing to take back"]);
    assert_eq!(vault.read(MEMORY), OF_OLD);
    assert_eq!(days(&vault), [""; 0]);
}
