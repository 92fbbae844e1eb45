//! Documents why tars has its own debouncer: tests of the features that notify-debouncer-full lacks.
//!
//! If one of these tests fails with a newer version of the crate, that version may well replace the debouncer.

use std::cell::RefCell;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use notify::event::CreateKind;
use notify::{Config, Event, EventHandler, EventKind, RecursiveMode, Watcher, WatcherKind};
use notify_debouncer_full::{DebounceEventResult, Debouncer, NoCache, new_debouncer_opt};

thread_local! {
    /// The handler that the debouncer passed to the watcher that it wraps.
    static HANDLER: RefCell<Option<Box<dyn EventHandler>>> = const { RefCell::new(None) };
}

/// A watcher whose events come from the test.
struct ByHand;

impl Watcher for ByHand {
    fn new<F: EventHandler>(handler: F, _: Config) -> notify::Result<Self> {
        HANDLER.set(Some(Box::new(handler)));
        Ok(Self)
    }

    fn watch(&mut self, _: &Path, _: RecursiveMode) -> notify::Result<()> {
        Ok(())
    }

    fn unwatch(&mut self, _: &Path) -> notify::Result<()> {
        Ok(())
    }

    fn kind() -> WatcherKind {
        WatcherKind::NullWatcher
    }
}

fn debouncer(pause: Duration) -> (Debouncer<ByHand, NoCache>, Receiver<DebounceEventResult>) {
    let (sender, receiver) = channel();
    let look = Some(Duration::from_millis(1));
    (new_debouncer_opt(pause, look, sender, NoCache, Config::default()).unwrap(), receiver)
}

fn created(path: &str) {
    let event = Event::new(EventKind::Create(CreateKind::File)).add_path(path.into());
    HANDLER.with_borrow_mut(|handler| handler.as_mut().unwrap().handle_event(Ok(event)));
}

#[test]
fn the_crate_cannot_flush_pending_events() {
    let (debouncer, events) = debouncer(Duration::from_secs(3600));
    created("/vault/a.md");
    created("/cookies/1");
    // The crate has no call to flush them; even stopping it does not.
    debouncer.stop();
    assert!(events.recv().is_err());
}

#[test]
fn the_crate_keeps_every_path_of_a_burst() {
    let (_debouncer, events) = debouncer(Duration::from_millis(1));
    for number in 0..5_000 {
        created(&format!("/vault/{number}.md"));
    }
    let mut given = 0;
    while given < 5_000 {
        given += events.recv().unwrap().unwrap().len();
    }
    assert_eq!(given, 5_000, "the own debouncer requests one full comparison instead");
}
