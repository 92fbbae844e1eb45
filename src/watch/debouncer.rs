//! Why the coalescer is tars' own: what notify-debouncer-full, which would take its place, does not do.
//!
//! If one of these tests fails with a newer version of the crate, that version may well take the coalescer's place.

use std::cell::RefCell;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use notify::event::CreateKind;
use notify::{Config, Event, EventHandler, EventKind, RecursiveMode, Watcher, WatcherKind};
use notify_debouncer_full::{DebounceEventResult, Debouncer, NoCache, new_debouncer_opt};

thread_local! {
    /// What the debouncer has given to the watcher that it wraps.
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
fn the_crate_does_not_give_out_what_it_has_when_a_question_waits() {
    let (debouncer, events) = debouncer(Duration::from_secs(3600));
    created("/vault/a.md");
    created("/cookies/1");
    // It has no call that asks for them; not even its end gives them out.
    debouncer.stop();
    assert!(events.recv().is_err());
}

#[test]
fn the_crate_keeps_every_place_of_a_storm() {
    let (_debouncer, events) = debouncer(Duration::from_millis(1));
    for number in 0..5_000 {
        created(&format!("/vault/{number}.md"));
    }
    let mut given = 0;
    while given < 5_000 {
        given += events.recv().unwrap().unwrap().len();
    }
    assert_eq!(given, 5_000, "where the coalescer asks for one comparison of everything");
}
