//! The terminal: raw mode on an alternate screen, and the loop of the picker. The terminal is restored when the picker ends in any way.

use std::io::{self, Stdout, Write};
use std::os::unix::net::UnixStream;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{
    self, DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::style::force_color_output;
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap, EndSynchronizedUpdate,
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute, queue};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Signal, kill_current_process_group};

use crate::aligned::Aligned;
use crate::input::Input;
use crate::place::roots;
use crate::request::{Reply, Request};
use crate::state::{Action, State};
use crate::view::draw;
use crate::worker::{Queue, message, work};
use crate::{CommandLine, Options};
use tars_service::{App, Context, Result};

/// How long the picker waits for an event while an answer is under way.
const SOON: Duration = Duration::from_millis(4);
/// How long it waits otherwise, between looks for a signal.
const IDLE: Duration = Duration::from_millis(500);
/// How long an answer takes before the picker says that it is under way.
const LATE: Duration = Duration::from_millis(300);
/// Longest text to copy, in bytes: terminals ignore longer ones.
const LONGEST_COPY: usize = 74_000;
/// Exit code of a program whose terminal is gone, as a shell reports it.
const HUNG_UP: i32 = 129;

pub(crate) fn run(app: &App, line: &dyn CommandLine, options: &Options) -> Result<()> {
    let (queue, (sender, replies)) = (&Queue::default(), mpsc::channel());
    let (picker, ended) = UnixStream::pair().context("cannot watch the terminal")?;
    let is_idle = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            work(app, line, queue, &sender);
            is_idle.store(true, Ordering::Release);
        });
        scope.spawn(move || end_with_terminal(&ended, queue, is_idle));
        // The worker ends whatever happens here, or this scope would wait for it.
        let closing = Closing(queue);
        let done = Screen::open(options.color).context("cannot use the terminal").and_then(|mut screen| {
            let size = screen.terminal.size().context("cannot read the size of the terminal")?;
            let mut state = State {
                size: (size.width, size.height),
                color: options.color,
                roots: roots(app)?,
                query: Input::new(&options.query),
                ..State::default()
            };
            let (screen, state) = (&mut screen, &mut state);
            Picker { screen, state, line, queue, replies: &replies, waiting: 0, busy_since: None }.run()
        });
        drop(closing);
        drop(picker);
        // A request that runs, such as a write, is finished first.
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        done
    })
}

/// Ends the program when its terminal is gone, once the request that runs is finished: the wait for an event would then never return, and
/// take a whole core. Returns when the other end of `ended` is closed.
fn end_with_terminal(ended: &UnixStream, queue: &Queue, is_idle: &AtomicBool) {
    let input = io::stdin();
    loop {
        let mut both = [PollFd::new(&input, PollFlags::empty()), PollFd::new(ended, PollFlags::IN)];
        match poll(&mut both, None) {
            Err(Errno::INTR) => continue,
            Err(_) => return,
            Ok(_) if !both[1].revents().is_empty() => return,
            Ok(_) => break,
        }
    }
    queue.close();
    while !is_idle.load(Ordering::Acquire) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::process::exit(HUNG_UP);
}

struct Closing<'q>(&'q Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

struct Picker<'p> {
    screen: &'p mut Screen,
    state: &'p mut State,
    line: &'p dyn CommandLine,
    queue: &'p Queue,
    replies: &'p Receiver<Reply>,
    /// Requests without a reply, apart from questions.
    waiting: usize,
    /// Since when answers are under way without a pause.
    busy_since: Option<Instant>,
}

impl Picker<'_> {
    fn run(mut self) -> Result<()> {
        let first = self.state.ask();
        if !self.act(first)? {
            return Ok(());
        }
        self.draw()?;
        while !self.line.is_interrupted() {
            let mut is_changed = false;
            if event::poll(if self.is_busy() { SOON } else { IDLE }).context("cannot read from the terminal")? {
                // Everything that was typed meanwhile is one step: only the last question is asked.
                while event::poll(Duration::ZERO).context("cannot read from the terminal")? {
                    let event = event::read().context("cannot read from the terminal")?;
                    let action = self.state.handle(&event);
                    if !self.act(action)? {
                        return Ok(());
                    }
                }
                is_changed = true;
            }
            loop {
                let reply = match self.replies.try_recv() {
                    Ok(reply) => reply,
                    Err(TryRecvError::Empty) => break,
                    // The worker has panicked, and said so.
                    Err(TryRecvError::Disconnected) => return Ok(()),
                };
                self.waiting = self.waiting.saturating_sub(usize::from(!is_answer(&reply)));
                let action = self.state.apply(reply);
                if !self.act(action)? {
                    return Ok(());
                }
                is_changed = true;
            }
            if let Some(request) = self.state.missing_text() {
                self.waiting += usize::from(self.queue.add(request));
            }
            for notice in self.line.notices() {
                self.state.message = notice;
                is_changed = true;
            }
            if self.marks_late() || is_changed {
                self.draw()?;
            }
        }
        Ok(())
    }

    /// Notes whether an answer is late. Returns whether that has changed.
    fn marks_late(&mut self) -> bool {
        self.busy_since = self.is_busy().then(|| self.busy_since.unwrap_or_else(Instant::now));
        let is_late = self.busy_since.is_some_and(|since| since.elapsed() >= LATE);
        std::mem::replace(&mut self.state.is_late, is_late) != is_late
    }

    /// Takes a step outside of the state. Returns whether the picker goes on.
    fn act(&mut self, action: Option<Action>) -> Result<bool> {
        match action {
            None => {}
            Some(Action::Quit) => return Ok(false),
            Some(Action::Ask(request)) => {
                // The state itself knows whether its question waits.
                let is_question = matches!(request, Request::Search { .. });
                self.waiting += usize::from(self.queue.add(request) && !is_question);
            }
            Some(Action::Redraw) => self.screen.clear().context("cannot write to the terminal")?,
            Some(Action::Copy { label, text }) => self.state.message = copy(label, &text),
            // A stopped process would hold the locks of a write.
            Some(Action::Suspend) if self.is_busy() => {
                self.state.message = "Ctrl-Z works once the answer is there".into()
            }
            Some(Action::Suspend) => {
                let stopped = self.away(|_| kill_current_process_group(Signal::TSTP))?;
                stopped.map_err(io::Error::from).context("cannot stop")?;
                let reload = self.state.reload();
                return self.act(reload);
            }
            Some(Action::Open(place)) => {
                self.state.message = match &self.away(|line| line.open(&place))? {
                    Ok(()) => format!("opened {}", place.shown()),
                    Err(error) => message(error),
                };
                let reload = self.state.reload();
                return self.act(reload);
            }
        }
        Ok(true)
    }

    fn is_busy(&self) -> bool {
        self.waiting > 0 || self.state.is_waiting
    }

    /// Gives the terminal back while something else has it.
    fn away<T>(&mut self, does: impl FnOnce(&dyn CommandLine) -> T) -> Result<T> {
        self.screen.leave();
        let done = does(self.line);
        self.screen.enter().context("cannot use the terminal")?;
        let size = self.screen.terminal.size().context("cannot read the size of the terminal")?;
        self.state.size = (size.width, size.height);
        Ok(done)
    }

    /// Draws the screen as one update, so that no half of it is ever seen.
    fn draw(&mut self) -> Result<()> {
        let drawn = (|| {
            queue!(io::stdout(), BeginSynchronizedUpdate)?;
            self.screen.terminal.draw(|frame| draw(frame, self.state))?;
            execute!(io::stdout(), EndSynchronizedUpdate)
        })();
        drawn.context("cannot write to the terminal")
    }
}

fn is_answer(reply: &Reply) -> bool {
    matches!(reply, Reply::Hits { .. } | Reply::Unanswered { .. })
}

/// Copies a text through the terminal (OSC 52), which works over ssh too, and returns the message about it.
fn copy(label: &str, text: &str) -> String {
    if text.len() > LONGEST_COPY {
        return format!("the {label} is too long to copy through the terminal");
    }
    let mut out = io::stdout();
    match write!(out, "{}", clipboard(text)).and_then(|()| out.flush()) {
        Ok(()) => format!("gave the {label} to the terminal's clipboard (OSC 52)"),
        Err(error) => format!("cannot copy the {label}: {error}"),
    }
}

fn clipboard(text: &str) -> String {
    format!("\x1b]52;c;{}\x1b\\", STANDARD.encode(text))
}

/// A terminal in raw mode, on its alternate screen.
struct Screen {
    terminal: Terminal<Aligned<CrosstermBackend<Stdout>>>,
}

impl Screen {
    fn open(color: bool) -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let earlier = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                restore();
                earlier(panic);
            }));
        });
        if color {
            force_color_output(true);
        }
        // Made first: its drop restores the terminal if a later step fails.
        let mut screen = Self { terminal: terminal()? };
        screen.enter()?;
        Ok(screen)
    }

    fn enter(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        // A terminal that counts more columns than the picker must not continue a row in the next one.
        execute!(io::stdout(), EnterAlternateScreen, DisableLineWrap, EnableBracketedPaste, EnableMouseCapture)?;
        self.clear()
    }

    /// Clears the screen, so that all of it is drawn next. The terminal's own method would wait for its answer to a question.
    fn clear(&mut self) -> io::Result<()> {
        execute!(io::stdout(), Clear(ClearType::All))?;
        self.terminal = terminal()?;
        Ok(())
    }

    fn leave(&mut self) {
        restore();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn terminal() -> io::Result<Terminal<Aligned<CrosstermBackend<Stdout>>>> {
    Terminal::new(Aligned::new(CrosstermBackend::new(io::stdout())))
}

/// Gives the terminal back as it was. A terminal that is gone cannot be restored, so errors are ignored.
fn restore() {
    let _ = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        DisableMouseCapture,
        DisableBracketedPaste,
        EnableLineWrap,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = disable_raw_mode();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copied_text_cannot_end_its_sequence() {
        assert_eq!(clipboard("a\u{1b}\\\u{7}"), "\u{1b}]52;c;YRtcBw==\u{1b}\\");
    }
}
