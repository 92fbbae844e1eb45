//! The source of file system events.

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, SystemTime};

use notify::{Config, Event, RecommendedWatcher, RecursiveMode, Watcher};

use super::relevance::{Relevance, judge};
use super::{Cookies, Inbox};

/// The options of a source.
#[derive(Debug, Clone)]
pub struct EventSourceOptions {
    /// Absolute paths of the folders to watch recursively.
    pub roots: Vec<PathBuf>,
    /// Extensions of notes, lower-case.
    pub extensions: Vec<String>,
    /// The folder for cookies: outside the roots and used by nobody else. It need not exist.
    pub cookies: PathBuf,
}

/// Whether the system delivers the events of all watched folders in the order in which they happened.
const EVENTS_ARE_ORDERED: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// How long the watcher's thread may take to process the events that it has read. Most of it goes into watching new folders on a
/// slow disk; a longer time means that the thread is stuck.
const WATCH_TIMEOUT: Duration = Duration::from_secs(10);

/// The system's events are unavailable; the vault must be compared periodically instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EventsUnavailable(String);

/// A running source of events, which stops when dropped.
pub struct EventSource {
    /// `None` once its thread missed the timeout.
    watcher: Option<RecommendedWatcher>,
    cookies: Option<Arc<Cookies>>,
    /// The roots, each with the identity of the folder that is watched.
    roots: Vec<(PathBuf, Option<Identity>)>,
}

impl EventSource {
    /// Starts delivering events about `options.roots` to `inbox`.
    ///
    /// # Errors
    /// A system limit is reached, a root is missing, or a root's file system does not report changes by other machines.
    pub fn start(options: &EventSourceOptions, inbox: &Arc<Inbox>) -> Result<Self, EventsUnavailable> {
        if let Some((root, kind)) = options.roots.iter().find_map(|root| Some((root, silent_file_system(root)?))) {
            return Err(EventsUnavailable(format!(
                "{} lies on {kind}, which does not report every change",
                root.display()
            )));
        }
        let cookies = cookies(options);
        let mut roots: Vec<_> = options.roots.iter().map(|root| (root.clone(), identity(root))).collect();
        let handler = handler(options, inbox, cookies.clone());
        let mut watcher = RecommendedWatcher::new(handler, Config::default().with_follow_symlinks(false))
            .map_err(|error| explain(&error))?;
        for root in &options.roots {
            let watched = watcher.watch(root, RecursiveMode::Recursive);
            watched.map_err(|error| EventsUnavailable(format!("{}: {}", root.display(), explain(&error))))?;
        }
        if let Some(cookies) = &cookies {
            let watched = watcher.watch(cookies.folder(), RecursiveMode::NonRecursive);
            watched.map_err(|error| explain(&error))?;
            roots.push((cookies.folder().to_owned(), identity(cookies.folder())));
        }
        Ok(Self { watcher: Some(watcher), cookies, roots })
    }

    /// Returns the cookies that show how far events have been delivered; `None` if events arrive out of order.
    pub fn cookies(&self) -> Option<Arc<Cookies>> {
        self.cookies.clone()
    }

    /// Waits until the folders in the events so far are watched. Writes into a new folder before that raise no event, so a folder
    /// must be read after this call. Returns whether the watcher answered: after ten seconds the source counts as stale.
    pub fn wait_until_watched(&mut self) -> bool {
        self.wait_until_watched_within(WATCH_TIMEOUT)
    }

    fn wait_until_watched_within(&mut self, time: Duration) -> bool {
        if !EVENTS_ARE_ORDERED {
            return true;
        }
        let Some(mut watcher) = self.watcher.take() else { return false };
        let (sender, receiver) = mpsc::channel();
        // `configure` has no timeout of its own. This thread drops a watcher that answers too late.
        thread::spawn(move || {
            // The watcher's thread handles this message after all events that it has read.
            let _ = watcher.configure(Config::default());
            let _ = sender.send(watcher);
        });
        self.watcher = receiver.recv_timeout(time).ok();
        self.watcher.is_some()
    }

    /// Whether the source must be replaced: the watcher is stuck, or another folder has replaced a root or the cookie folder, while
    /// events still report the old one.
    pub fn is_stale(&self) -> bool {
        self.watcher.is_none() || self.roots.iter().any(|(root, watched)| identity(root) != *watched)
    }
}

impl Drop for EventSource {
    fn drop(&mut self) {
        if let Some(cookies) = &self.cookies {
            cookies.close();
        }
    }
}

/// Inode and creation time: some file systems reuse a free inode for the next folder at once.
type Identity = (u64, Option<SystemTime>);

/// Returns the identity of a folder; `None` if it does not exist.
fn identity(root: &Path) -> Option<Identity> {
    let metadata = std::fs::metadata(root).ok()?;
    Some((std::os::unix::fs::MetadataExt::ino(&metadata), metadata.created().ok()))
}

/// Returns the name of the file system of `root` if its events are known to be incomplete: network shares, and Windows drives
/// mounted by WSL.
#[cfg(target_os = "linux")]
fn silent_file_system(root: &Path) -> Option<&'static str> {
    // Magic numbers of statfs(2).
    match rustix::fs::statfs(root).ok()?.f_type as u64 & 0xffff_ffff {
        0x6969 => Some("NFS"),
        0xff53_4d42 => Some("CIFS"),
        0xfe53_4d42 => Some("SMB"),
        0x0102_1997 => Some("9P"),
        _ => None,
    }
}

#[cfg(not(target_os = "linux"))]
fn silent_file_system(_root: &Path) -> Option<&'static str> {
    None
}

/// Returns the cookies, if they are useful on this system and their folder can be created.
fn cookies(options: &EventSourceOptions) -> Option<Arc<Cookies>> {
    if !EVENTS_ARE_ORDERED {
        return None;
    }
    match Cookies::new(&options.cookies) {
        Ok(cookies) if options.roots.iter().any(|root| cookies.folder().starts_with(root)) => None,
        Ok(cookies) => Some(Arc::new(cookies)),
        Err(error) => {
            let folder = options.cookies.display();
            tracing::warn!(%error, "{folder} cannot be used: each question scans the disk");
            None
        }
    }
}

fn handler(
    options: &EventSourceOptions,
    inbox: &Arc<Inbox>,
    cookies: Option<Arc<Cookies>>,
) -> impl FnMut(notify::Result<Event>) + Send + use<> {
    let (roots, extensions, inbox) = (options.roots.clone(), options.extensions.clone(), Arc::clone(inbox));
    let lost = move |inbox: &Inbox, cookies: Option<&Cookies>| {
        inbox.record_everything();
        if let Some(cookies) = cookies {
            cookies.record_loss();
        }
    };
    move |event| match event {
        Ok(event) if event.need_rescan() => lost(&inbox, cookies.as_deref()),
        Ok(event) => {
            for path in &event.paths {
                if cookies.as_ref().is_some_and(|cookies| cookies.record_event(path)) {
                    continue;
                }
                for root in roots.iter().filter(|root| path.starts_with(root) || root.starts_with(path)) {
                    match judge(event.kind, path, root, &extensions) {
                        Relevance::None => {}
                        Relevance::Place => inbox.record(path.clone()),
                        Relevance::Everything => inbox.record_everything(),
                    }
                }
            }
        }
        Err(error) => {
            tracing::warn!(%error, "the system reported an error about its events");
            lost(&inbox, cookies.as_deref());
        }
    }
}

/// Explains why the system's events are unavailable, and how to fix it.
fn explain(error: &notify::Error) -> EventsUnavailable {
    // Number of "too many open files" on every Unix: inotify uses it for its limit of instances.
    const EMFILE: i32 = 24;
    EventsUnavailable(match &error.kind {
        notify::ErrorKind::MaxFilesWatch => "the system's limit of watched folders is reached; to raise it: \
             sudo sysctl fs.inotify.max_user_watches=524288"
            .to_owned(),
        notify::ErrorKind::Io(error) if error.raw_os_error() == Some(EMFILE) => "the system's limit of watchers is \
             reached; to raise it: sudo sysctl fs.inotify.max_user_instances=512"
            .to_owned(),
        _ => error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_an_exhausted_limit_names_its_setting() {
        let text = explain(&notify::Error::new(notify::ErrorKind::MaxFilesWatch)).to_string();
        assert!(text.contains("fs.inotify.max_user_watches"), "{text}");
    }

    #[test]
    fn the_error_names_a_missing_root() {
        let inbox = Arc::new(Inbox::new(std::time::Duration::from_millis(10)));
        let home = tempfile::tempdir().unwrap();
        let options = EventSourceOptions {
            roots: vec!["/nowhere/at/all".into()],
            extensions: vec!["md".into()],
            cookies: home.path().join("cookies"),
        };
        let error = EventSource::start(&options, &inbox).err().unwrap();
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[test]
    fn a_stuck_watcher_times_out() {
        let folder = tempfile::tempdir().unwrap();
        let (reached, at_work) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        let handler = move |_: notify::Result<Event>| {
            let _ = reached.send(());
            // Ends when the test drops `release`.
            let _ = released.recv();
        };
        let mut watcher = RecommendedWatcher::new(handler, Config::default()).unwrap();
        watcher.watch(folder.path(), RecursiveMode::Recursive).unwrap();
        let mut source = EventSource { watcher: Some(watcher), cookies: None, roots: Vec::new() };
        assert!(source.wait_until_watched_within(WATCH_TIMEOUT) && !source.is_stale());
        std::fs::write(folder.path().join("a.md"), "text").unwrap();
        at_work.recv().unwrap();
        assert!(!source.wait_until_watched_within(Duration::from_millis(1)) && source.is_stale());
        assert!(!source.wait_until_watched(), "a stuck watcher is not waited for again");
        drop(release);
    }
}
