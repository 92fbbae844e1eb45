//! The spool on a failing disk.

use super::tests::{input, taken};
use super::*;
use tars_base::disk::{Fault, FaultKind, with_fault};

/// A turn is either kept, in the spool or the fallback, or reported as lost; never both.
#[test]
fn a_turn_is_kept_or_reported_lost_wherever_the_disk_fails() {
    for kind in [FaultKind::Broken, FaultKind::Full, FaultKind::NoDescriptors, FaultKind::Interrupted] {
        for after in 0.. {
            let (data, aside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let spool = Spool::new(data.path(), Some(aside.path()));
            let (kept, struck) = with_fault(Fault { after, kind }, || spool.put(&input("one"), Timestamp::now()));
            let mut noted = 0;
            taken(&spool).each(|spooled| {
                noted += usize::from(spooled.last_message == "one");
                Ok(())
            });
            assert_eq!(noted, usize::from(kept.is_ok()), "{kind:?} at call {after}: {kept:?}");
            if !struck {
                break;
            }
        }
    }
}

/// The event waits in the spool or in the fallback when the fault strikes.
#[test]
fn a_transient_fault_neither_loses_a_turn_nor_finishes_it_twice() {
    for (kind, is_aside) in [FaultKind::Broken, FaultKind::NoDescriptors, FaultKind::Interrupted]
        .into_iter()
        .flat_map(|kind| [(kind, false), (kind, true)])
    {
        for after in 0.. {
            let (data, runtime) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let spool = Spool::new(data.path(), Some(runtime.path()));
            spool.put(&input("one"), Timestamp::now()).unwrap();
            if is_aside {
                let name = &names(&spool.folder)[0];
                let aside = spool.fallback.folder().unwrap().join(name);
                fs::copy(spool.folder.join(name), &aside).unwrap();
                fs::remove_file(spool.folder.join(name)).unwrap();
            }
            let lock = taken(&spool);
            let finished = |most: u32| {
                let mut count = 0;
                lock.each(|_| {
                    count += 1;
                    assert!(count <= most, "{kind:?} at call {after}: it is finished again and again");
                    Ok(())
                });
                count
            };
            let (first, struck) = with_fault(Fault { after, kind }, || finished(1));
            let case = format!("{kind:?} at call {after}, aside: {is_aside}");
            assert!(first == 1 || spool.is_waiting(), "{case}: the turn is lost");
            assert!(first + finished(1) > 0 && !spool.is_waiting(), "{case}: the turn is given up");
            assert!(after > 0 || struck, "{case}: no fault struck");
            if !struck {
                break;
            }
        }
    }
}

#[test]
fn only_permanently_unreadable_events_are_given_up() {
    use rustix::io::Errno;
    let of_system = [Errno::MFILE, Errno::IO, Errno::NOMEM, Errno::ACCESS, Errno::NOENT].map(io::Error::from);
    for error in of_system.into_iter().chain([io::ErrorKind::OutOfMemory.into()]) {
        assert!(!is_hopeless(&error), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    File::create(at("long")).unwrap().set_len(MAX_EVENT_BYTES as u64 + 1).unwrap();
    std::os::unix::fs::symlink(at("long"), at("link")).unwrap();
    for path in [at("long"), at("link"), folder.path().to_owned()] {
        assert!(is_hopeless(&read(&path).unwrap_err()), "{}", path.display());
    }
}
