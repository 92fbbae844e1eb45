//! Events that are spooled and finished.

use super::*;

pub(super) fn input(message: &str) -> HookInput {
    let text = serde_json::json!({"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": message});
    HookInput::parse(tars_agent::client::AgentClient::ClaudeCode, text.to_string().as_bytes()).unwrap()
}

/// Takes the right to finish events. Retries, because a process that another test starts inherits all locks of this one between fork and
/// exec.
pub(super) fn taken(spool: &Spool) -> SpoolLock<'_> {
    loop {
        if let Some(taken) = spool.lock().unwrap() {
            return taken;
        }
        std::thread::yield_now();
    }
}

#[test]
fn events_are_finished_in_order_and_once() {
    let data = tempfile::tempdir().unwrap();
    let spool = Spool::new(data.path(), Some(data.path()));
    assert!(!spool.is_waiting());
    ["one", "two"].into_iter().for_each(|message| drop(spool.put(&input(message), Timestamp::now()).unwrap()));
    let mut seen = Vec::new();
    let taken = taken(&spool);
    assert!(spool.lock().unwrap().is_none(), "one at a time");
    taken.each(|spooled| {
        if seen.is_empty() {
            spool.put(&input("three"), Timestamp::now()).unwrap();
        }
        seen.push(spooled.last_message.clone());
        Ok(())
    });
    assert_eq!(seen, ["one", "two", "three"]);
    assert!(!spool.is_waiting());
}

#[test]
fn a_failing_event_is_retried_and_then_given_up() {
    let data = tempfile::tempdir().unwrap();
    let spool = Spool::new(data.path(), Some(data.path()));
    spool.put(&input("one"), Timestamp::now()).unwrap();
    let mut tries = 0;
    for _ in 0..10 {
        taken(&spool).each(|_| {
            tries += 1;
            tars_service::bail!("no")
        });
    }
    assert_eq!(tries, MAX_ATTEMPTS);
    assert!(!spool.is_waiting());
}

#[test]
fn an_event_that_kills_its_process_is_given_up_and_blocks_nothing() {
    let data = tempfile::tempdir().unwrap();
    let spool = Spool::new(data.path(), Some(data.path()));
    spool.put(&input("one"), Timestamp::now()).unwrap();
    spool.put(&input("two"), Timestamp::now()).unwrap();
    let mut taken_up: Vec<String> = Vec::new();
    for _ in 0..10 {
        let died = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            taken(&spool).each(|spooled| {
                taken_up.push(spooled.last_message.clone());
                assert_ne!(spooled.last_message, "one", "this ends the process");
                Ok(())
            });
        }));
        if died.is_ok() {
            break;
        }
    }
    let count = |session: &str| taken_up.iter().filter(|taken| *taken == session).count();
    assert_eq!((count("one"), count("two")), (MAX_ATTEMPTS as usize, 1));
    assert_eq!((spool.is_waiting(), spool.given_up_count()), (false, 1));
}

#[test]
fn an_unmounted_vault_costs_no_note() {
    let data = tempfile::tempdir().unwrap();
    let spool = Spool::new(data.path(), Some(data.path()));
    spool.put(&input("one"), Timestamp::now()).unwrap();
    for _ in 0..2 * MAX_ATTEMPTS {
        let away = || WriteError::NotAFolder { path: "/vault".into() };
        taken(&spool).each(|_| Err(MemoryError::Write(away()).into()));
        taken(&spool).each(|_| Err(tars_service::Error::from(away()).context("a note")));
    }
    let mut noted = 0;
    taken(&spool).each(|_| {
        noted += 1;
        Ok(())
    });
    assert_eq!(noted, 1);
}

#[test]
fn spooled_events_contain_no_secret() {
    let data = tempfile::tempdir().unwrap();
    let spool = Spool::new(data.path(), Some(data.path()));
    spool.put(&input("the password is Hunter2!xK9zz"), Timestamp::now()).unwrap();
    taken(&spool).each(|spooled| {
        assert!(!spooled.last_message.contains("Hunter2"), "{}", spooled.last_message);
        Ok(())
    });
}

#[test]
fn long_messages_are_cut_between_characters() {
    let data = tempfile::tempdir().unwrap();
    let spool = Spool::new(data.path(), Some(data.path()));
    spool.put(&input(&"é".repeat(MAX_MESSAGE_BYTES)), Timestamp::now()).unwrap();
    taken(&spool).each(|spooled| {
        assert!(spooled.last_message.len() <= MAX_MESSAGE_BYTES);
        Ok(())
    });
}

#[test]
fn a_turn_waits_in_the_fallback_until_the_disk_has_room() {
    let (home, runtime) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let data = home.path().join("data");
    let spool = Spool::new(&data, Some(runtime.path()));
    fs::write(&data, "no folder").unwrap();
    let PutResult::Aside(folder, reason) =
        spool.put(&input("the password is Hunter2!xK9zz, and more"), Timestamp::now()).unwrap()
    else {
        panic!("it was put into a file")
    };
    assert!(folder.starts_with(runtime.path()) && format!("{reason:#}").contains("data/spool"), "{reason:#}");
    let kept = fs::read_to_string(folder.join(&names(&folder)[0])).unwrap();
    assert!(kept.contains("and more") && !kept.contains("Hunter2"), "{kept}");
    assert!(spool.is_waiting() && spool.lock().is_err());
    fs::remove_file(&data).unwrap();
    // An unreadable entry does not block the others.
    fs::create_dir(folder.join("0.json")).unwrap();
    let mut seen = 0;
    taken(&spool).each(|_| {
        seen += 1;
        Ok(())
    });
    assert_eq!((seen, spool.is_waiting(), names(&folder).len()), (1, false, 0));
}

#[test]
fn foreign_files_in_the_spool_are_given_up_unread() {
    let data = tempfile::tempdir().unwrap();
    let spool = Spool::new(data.path(), Some(data.path()));
    spool.put(&input("one"), Timestamp::now()).unwrap();
    let at = |name: &str| spool.folder.join(name);
    fs::rename(at(&names(&spool.folder)[0]), data.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(data.path().join("elsewhere"), at("1.json")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(at("2.json")).status().unwrap().success());
    fs::write(at("3.json"), "{").unwrap();
    taken(&spool).each(|spooled| panic!("{spooled:?} was read through a link"));
    assert!(!spool.is_waiting(), "it is set aside for good");
}

#[test]
fn given_up_events_and_shown_lines_expire() {
    let data = tempfile::tempdir().unwrap();
    let spool = Spool::new(data.path(), Some(data.path()));
    let sessions = data.path().join("hook-sessions");
    fs::create_dir(&sessions).unwrap();
    let lock = taken(&spool);
    let given_up = spool.folder.join("1-1.given-up");
    let (session, unfinished) = (sessions.join("0123456789abcdef"), sessions.join(".tmpA1"));
    [&given_up, &session, &unfinished].into_iter().for_each(|path| fs::write(path, "").unwrap());
    let sweep_after = |days: i64| {
        let now = Timestamp::now() + jiff::SignedDuration::from_hours(24 * days);
        lock.sweep(now);
        crate::ShownLines::sweep(data.path(), &lock, now);
    };
    sweep_after(13);
    assert!(given_up.exists() && session.exists());
    sweep_after(15);
    assert!(!given_up.exists() && !session.exists());
    assert!(unfinished.exists(), "somebody is writing it, whatever the clock says");
}

#[test]
fn unfinished_files_of_a_crash_are_removed() {
    let data = tempfile::tempdir().unwrap();
    let spool = Spool::new(data.path(), Some(data.path()));
    spool.put(&input("one"), Timestamp::now()).unwrap();
    let sessions = data.path().join("hook-sessions");
    fs::create_dir(&sessions).unwrap();
    let old = std::time::SystemTime::now() - Duration::from_secs(7200);
    let (left, young) = ([spool.folder.join(".tmpA1"), sessions.join(".tmpB2")], spool.folder.join(".tmpC3"));
    for path in &left {
        File::create(path).unwrap().set_modified(old).unwrap();
    }
    File::create(&young).unwrap();
    let lock = taken(&spool);
    lock.sweep(Timestamp::now());
    crate::ShownLines::sweep(data.path(), &lock, Timestamp::now());
    assert!(left.iter().all(|path| !path.exists()) && young.exists() && spool.is_waiting());
}

#[test]
fn late_and_given_up_events_are_counted() {
    let data = tempfile::tempdir().unwrap();
    let spool = Spool::new(data.path(), Some(data.path()));
    let put: Timestamp = "2026-03-15T10:00:00Z".parse().unwrap();
    spool.put(&input("one"), put).unwrap();
    let late = |minutes: i64| spool.late_count(put + jiff::SignedDuration::from_mins(minutes));
    assert_eq!([-61, 59, 61].map(late), [0, 0, 1]);
    (0..MAX_ATTEMPTS).for_each(|_| taken(&spool).each(|_| tars_service::bail!("no")));
    assert_eq!((late(61), spool.given_up_count()), (0, 1));
}
