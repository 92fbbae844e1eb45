//! Tests of disk failures during a run.

use super::*;
use tars_base::disk::{Fault, FaultKind, with_fault};

const KINDS: [FaultKind; 4] = [FaultKind::Broken, FaultKind::Full, FaultKind::NoDescriptors, FaultKind::Interrupted];

fn vault() -> Vault {
    Vault::new(&[
        ("garden.md", "# Garden\n\nApples and pears grow in the garden.\n"),
        ("deep/er/walk.md", "# Walk\n\nA morning walk.\n"),
        ("gone.md", "# Gone\n\nThis one is deleted later.\n"),
    ])
}

/// A failed run keeps the known state of unread notes, and the next run completes the work.
#[test]
fn a_failed_run_loses_nothing_and_the_next_run_completes_it() {
    let embedder = Counting::new();
    for kind in KINDS {
        for after in 0.. {
            let vault = vault();
            let mut store = vault.store("index.db");
            vault.index(&mut store, &embedder);
            vault.write("garden.md", "# Garden\n\nPlums grow in the garden now.\n");
            vault.write("new/note.md", "# New\n\nA lynx in the snow.\n");
            vault.remove("gone.md");
            let index = |store: &mut SqliteStore| run(store, Some(&embedder), &[vault.root()], &options(), &NoProgress);
            let (result, struck) = with_fault(Fault { after, kind }, || index(&mut store));
            let case = format!("{kind:?} at call {after}");
            let files = store.snapshot().unwrap().statistics().unwrap().files;
            assert!((2..=3).contains(&files), "{case}: {files} notes are known");
            if let Ok(report) = &result {
                assert!(report.failed == 0 || struck, "{case}: {} failed", report.failed);
            }
            let report = index(&mut store).unwrap();
            assert_eq!(report.failed, 0, "{case}");
            let mut fresh = vault.store("fresh.db");
            vault.index(&mut fresh, &embedder);
            assert_eq!(snapshot(&store, &embedder), snapshot(&fresh, &embedder), "{case}");
            if !struck {
                break;
            }
        }
    }
}
