//! Runs the schedules of the configuration with the assistant.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use super::commands::is_command;
use super::conversation::Conversations;
use super::{Assistant, Channel, ChatFrontend, Decision, Options, PermissionRequest, TurnEvent};
use tars_base::domain::sanitize_line;
use tars_chat::CancelToken;
use tars_config::schedule::{Deliver, MAX_SLEEP, Runner};
use tars_config::{ScheduleSettings, UserFile};
use tars_memory::MAX_BULLET_BYTES;
use tars_service::memory::DailyRequest;
use tars_service::{App, Backend, ChatChoice, Result, Service};

/// How often a waiting runner checks whether to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// End of a result that does not fit into the day's log.
const CUT: &str = "\n… cut: the whole result is longer than a line of the log";

/// Longest fence of a code block that is closed where a result is cut.
const MAX_FENCE: usize = 16;

/// Number of conversations kept per schedule.
const KEPT_RUNS: usize = 20;

/// Runs `work`, and meanwhile runs schedules in another thread with its own `app`. If another process runs the schedules,
/// this one checks now and then whether that has ended. `shows` receives results for standard output.
pub fn with_schedules_running<T>(app: &App, shows: &(dyn Fn(&str) + Sync), work: impl FnOnce() -> T) -> T {
    let app = App::of(app.environment.clone(), app.settings.clone()).without_private_files();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| run_schedules(&app, &stop, shows));
        // The flag also stops the thread if `work` panics.
        let _end = SetOnDrop(&stop);
        work()
    })
}

/// Sets a flag on drop.
struct SetOnDrop<'f>(&'f AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Runs schedules when they are due, until `stop` is set. Those that the person adds, changes or removes meanwhile count at once.
fn run_schedules(app: &App, stop: &AtomicBool, shows: &dyn Fn(&str)) {
    let mut file = WatchedFile::of(app);
    let schedules = app.settings.schedules.clone();
    let mut runner = Runner::new(&app.settings.config.data.dir, schedules, app.environment.clone());
    let deliveries = Deliveries { app, shows };
    while !stop.load(Ordering::SeqCst) {
        let now = app.environment.clock.now();
        match runner.tick(&now, &deliveries, &mut |schedule| Ok(run(app, schedule, stop)?)) {
            Ok(ran) => {
                ran.iter().for_each(|ran| tracing::info!(name = ran.name, result = ?ran.result, "a schedule ran"))
            }
            Err(error) => tracing::warn!(%error, "schedules cannot run"),
        }
        app.mcp_servers().end_idle();
        let now = app.environment.clock.now();
        let until = runner.next_due(&now).and_then(|next| Duration::try_from(next.duration_since(&now)).ok());
        let begun = Instant::now();
        let wait = until.unwrap_or(MAX_SLEEP).min(MAX_SLEEP);
        while begun.elapsed() < wait && !stop.load(Ordering::SeqCst) {
            if let Some(schedules) = file.changed_schedules(app) {
                runner.set_schedules(schedules);
                break;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}

/// The person's configuration file, from which schedules are read again when it changes.
struct WatchedFile {
    path: Option<PathBuf>,
    seen: Option<FileVersion>,
}

/// Time, length and inode of a file.
type FileVersion = (SystemTime, u64, u64);

impl WatchedFile {
    /// Returns the file in the version that the settings may have been read from, so that the first look reads it again.
    fn of(app: &App) -> Self {
        Self { path: app.settings.path().map(Path::to_owned), seen: None }
    }

    /// Returns the schedules if the file was changed since the last call. If it cannot be read now, the former ones stay.
    fn changed_schedules(&mut self, app: &App) -> Option<Vec<ScheduleSettings>> {
        let version = self.path.as_ref().and_then(|path| {
            let metadata = std::fs::metadata(path).ok()?;
            Some((metadata.modified().ok()?, metadata.len(), metadata.ino()))
        });
        if version == self.seen {
            return None;
        }
        self.seen = version;
        let read = UserFile::locate(&app.environment).and_then(|file| file.schedules());
        read.map_err(|error| tracing::warn!(%error, "the former schedules stay")).ok()
    }
}

/// Runs an action in its own conversation. Nobody can be asked, so writes that need permission become proposals.
fn run(app: &App, schedule: &ScheduleSettings, stop: &AtomicBool) -> Result<String> {
    let service = Service::new(app, Backend::Fallback);
    service.set_client(Some("schedule"));
    let conversations = Conversations::new(app.data_dir()?);
    let conversation = conversations.begin(&app.environment.clock.now(), Some(&schedule.name))?;
    if is_command(&schedule.action) {
        let mut assistant = Assistant::new(&service, conversation, None, Options { tools: false });
        return Ok(assistant.command(&schedule.action, Channel::Program, &mut Unattended)?.text);
    }
    let model = app.conversation_model(&ChatChoice::default())?;
    if let Err(error) = conversations.delete_old_runs(&schedule.name, KEPT_RUNS - 1) {
        tracing::warn!(%error, "conversations of earlier runs stay");
    }
    let mut assistant = Assistant::new(&service, conversation, Some(model), Options { tools: true });
    let cancel = CancelToken::default();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let begun = Instant::now();
            while !done.load(Ordering::SeqCst) {
                if stop.load(Ordering::SeqCst) || begun.elapsed() > schedule.timeout {
                    cancel.cancel();
                }
                std::thread::sleep(POLL_INTERVAL);
            }
        });
        let _end = SetOnDrop(&done);
        let end = assistant.run_turn(&schedule.action, &mut Unattended, &cancel)?;
        tars_service::ensure!(!end.is_stopped, "it was stopped after {} s", schedule.timeout.as_secs());
        Ok(end.text)
    })
}

/// The front end of a run without a person.
struct Unattended;

impl ChatFrontend for Unattended {
    fn show(&mut self, event: TurnEvent<'_>) {
        if let TurnEvent::Notice(line) = event {
            tracing::info!("{line}");
        }
    }

    fn request_permission(&mut self, _: PermissionRequest<'_>) -> Decision {
        Decision::Unavailable
    }
}

struct Deliveries<'p> {
    app: &'p App,
    shows: &'p dyn Fn(&str),
}

impl Deliver for Deliveries<'_> {
    fn stdout(&self, schedule: &ScheduleSettings, text: &str) {
        (self.shows)(&format!("{}:\n{text}", schedule.name));
    }

    fn daily_memory(&self, schedule: &ScheduleSettings, text: &str) -> anyhow::Result<()> {
        let service = Service::new(self.app, Backend::Local);
        service.set_client(Some("schedule"));
        // The result becomes one bullet: its headings and lists go below the first line.
        let plain = |line: &'_ str| {
            line.strip_prefix('#').map_or(line, |rest| rest.trim_start_matches('#').trim_start()).to_owned()
        };
        let lines: Vec<String> = text.lines().map(plain).collect();
        let said = format!("{}: {}", sanitize_line(&schedule.name), lines.join("\n").trim());
        service.call(&DailyRequest { append: Some(cut_to_bullet(said)), ..DailyRequest::default() })?;
        Ok(())
    }
}

/// Returns a text that fits into one bullet: a longer one ends with its last whole line that fits, and says that it was cut.
fn cut_to_bullet(text: String) -> String {
    let most = MAX_BULLET_BYTES - CUT.len() - MAX_FENCE;
    if text.len() <= MAX_BULLET_BYTES {
        return text;
    }
    let fits = &text[..text.floor_char_boundary(most)];
    // One long line has no end to cut at.
    let whole = fits.rfind('\n').filter(|end| *end > most / 2).map_or(fits, |end| &fits[..end]);
    // A code block without an end would swallow the lines of the log below.
    let close = open_fence(whole).map(|fence| format!("\n{fence}")).unwrap_or_default();
    format!("{}{close}{CUT}", whole.trim_end())
}

/// Returns the fence of a code block that is open at the end of a text.
fn open_fence(text: &str) -> Option<&str> {
    let mut open: Option<&str> = None;
    for line in text.lines().map(str::trim) {
        let mark = if line.starts_with("```") { '`' } else { '~' };
        let fence = &line[..line.len() - line.trim_start_matches(mark).len()];
        match open {
            None if (3..MAX_FENCE).contains(&fence.len()) => open = Some(fence),
            Some(begun) if line.len() == fence.len() && fence.starts_with(begun) => open = None,
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_result_is_cut_to_one_bullet() {
        assert_eq!(cut_to_bullet("brief: short".into()), "brief: short");
        let lines = format!("brief: {}", "one line of the result\n".repeat(1_000));
        let cut = cut_to_bullet(lines);
        assert!(
            cut.len() <= MAX_BULLET_BYTES && cut.ends_with(&format!("one line of the result{CUT}")),
            "{}",
            cut.len()
        );
        let code = cut_to_bullet(format!("brief:\n~~~~sh\n{}", "~~~\necho\n".repeat(3_000)));
        assert!(
            code.len() <= MAX_BULLET_BYTES && code.ends_with(&format!("\n~~~~{CUT}")),
            "{}",
            &code[code.len() - 100..]
        );
        let long = cut_to_bullet("ä".repeat(MAX_BULLET_BYTES));
        assert!(long.len() <= MAX_BULLET_BYTES && long.ends_with(CUT) && long.len() > MAX_BULLET_BYTES - 100);
    }
}
