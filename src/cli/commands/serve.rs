//! `tars serve` and `tars open`

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use fast_qr::QRBuilder;
use serde_json::json;

use super::watch::{DAEMON_TIMEOUT, POLL_INTERVAL, request_stop};
use crate::args::{Serve, ServeCommand, Token};
use crate::terminal::sanitize;
use crate::times::ago;
use crate::{Outcome, interrupt, json, terminal, watch_log};
use tars_assistant::with_schedules_running;
use tars_serve::daemon::{self, DaemonLock, Engine, LockHolder, WatchOptions};
use tars_serve::http::{CODE_LIFETIME, KeyKind, Keys, Server};
use tars_service::{App, Context, Daemon, Error, Refusal, Result, bail};

/// Quiet zone around a QR code, in modules. The standard requires four; two let it fit on a screen of 80x24.
const QUIET_ZONE: usize = 2;

pub(crate) fn run(app: App, args: &Serve) -> Result<Outcome> {
    match &args.command {
        Some(ServeCommand::Token(command)) => token(&app, command),
        None => serve(app),
    }
}

/// Watches and serves HTTP in this process until it is stopped.
fn serve(app: App) -> Result<Outcome> {
    let app = app.without_caller();
    app.roots()?;
    let data = app.data_dir()?.to_owned();
    watch_log::start(&app.environment.clock);
    if let Some(LockHolder { pid, listen: Some(address), .. }) = DaemonLock::holder(&data) {
        writeln!(anstream::stdout(), "already serving on http://{address} (process {pid})")?;
        return Ok(Outcome::Done);
    }
    let wanted = app.settings.config.http.listen;
    check_openness(&app, wanted, &data)?;
    // Bind before the watcher is stopped, so that it continues if this fails.
    let listener = listen(wanted)?;
    let address = listener.local_addr().context("the address is not known")?;
    let mut lock = take_over(&app, &data)?;
    lock.set_listen_address(&address.to_string()).context("cannot write the watcher's lock")?;
    let socket = Daemon::of(&app).socket();
    let engine = Arc::new(Engine::new(app.without_private_files(), None, &[]));
    let stopping = Arc::clone(&engine);
    interrupt::on_signal(move || stopping.stop());
    let server = Server::start(&engine, listener)?;
    let ready = || tracing::info!(pid = std::process::id(), "serving on http://{address}");
    let shows = |text: &str| tracing::info!("{}", sanitize(text));
    let watched = with_schedules_running(engine.app(), &shows, || {
        daemon::watch(&lock, &engine, &WatchOptions { socket: &socket, ready: &ready })
    });
    server.stop();
    watched?;
    tracing::info!("ended");
    Ok(Outcome::Done)
}

/// Refuses to listen for other machines while there is no token to authenticate them.
fn check_openness(app: &App, address: SocketAddr, data: &Path) -> Result<()> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    let keys = Keys::new(data).list(app.environment.clock.timestamp())?;
    if !keys.iter().any(|key| key.kind == KeyKind::Token) {
        let message = format!("{address} can be reached from other machines, and there is no token yet");
        return Err(Refusal { message, hint: "tars serve token add NAME".into() }.into());
    }
    tracing::warn!(
        "{address} can be reached from other machines, and its traffic is not encrypted: prefer 127.0.0.1 behind \
         Tailscale or Caddy (docs/http.md)"
    );
    Ok(())
}

fn listen(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).map_err(|error| {
        let message = format!("cannot listen on {address}: {error}");
        Refusal { message, hint: "tars serve --listen 127.0.0.1:0 takes any free port".into() }.into()
    })
}

/// Takes the watcher's lock, and stops a watcher that holds it. Retries, because hooks may start another one meanwhile.
fn take_over(app: &App, data: &Path) -> Result<DaemonLock> {
    let deadline = Instant::now() + DAEMON_TIMEOUT;
    let mut asked = 0;
    loop {
        let lock = DaemonLock::try_acquire(data, app.environment.clock.timestamp());
        if let Some(lock) = lock.with_context(|| format!("cannot take the watcher's lock in {}", data.display()))? {
            return Ok(lock);
        }
        let Some(holder) = DaemonLock::holder(data) else { continue };
        if let Some(address) = holder.listen {
            bail!("process {} has just started to serve on http://{address}", holder.pid);
        }
        if holder.pid != asked {
            tracing::info!(pid = holder.pid, "the watcher is handing over");
            request_stop(app, &holder)?;
            asked = holder.pid;
        }
        if Instant::now() >= deadline {
            bail!("the watcher (process {}) has not ended yet", holder.pid);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

fn token(app: &App, command: &Token) -> Result<Outcome> {
    let keys = Keys::new(app.data_dir()?);
    let now = app.environment.clock.now();
    let mut out = anstream::stdout().lock();
    match command {
        Token::List { json } => {
            let all = keys.list(now.timestamp())?;
            for key in &all {
                if *json {
                    let shown = json!({"id": key.id, "name": key.name, "kind": key.kind,
                        "created": key.created, "expires": key.expires});
                    json::line(&mut out, &shown)?;
                } else {
                    let kind = if key.kind == KeyKind::Cookie { "browser" } else { "token" };
                    writeln!(out, "{}  {kind:<7}  {}  ({})", key.id, key.name, ago(key.created, &now))?;
                }
            }
            return Ok(if all.is_empty() { Outcome::Nothing } else { Outcome::Done });
        }
        Token::Add { name } => {
            writeln!(out, "{}", keys.add(name, now.timestamp())?)?;
            terminal::print_note("this is shown once: keep it where the program finds it");
        }
        Token::Rotate { name } => {
            writeln!(out, "{}", keys.rotate(name, now.timestamp())?)?;
            terminal::print_note("this is shown once; the former token is invalid from now on");
        }
        Token::Revoke { name } => {
            for key in keys.revoke(name, now.timestamp())? {
                writeln!(out, "revoked {} ({})", key.name, key.id)?;
            }
        }
    }
    Ok(Outcome::Done)
}

/// `tars open` without a note: prints the link that signs a browser in.
pub(crate) fn open(app: &App, qr: bool) -> Result<Outcome> {
    let base = page_address(app, qr)?;
    let code = Keys::new(app.data_dir()?).create_code(app.environment.clock.timestamp())?;
    let link = format!("{base}/open?code={code}");
    let mut out = anstream::stdout().lock();
    if qr {
        write!(out, "{}", drawn_as_qr(&link)?)?;
    }
    writeln!(out, "{link}")?;
    terminal::print_note(&format!("it can be opened once, for {} minutes", CODE_LIFETIME.as_secs() / 60));
    Ok(Outcome::Done)
}

/// Returns the address of the page, for a browser on this machine or on a phone.
pub(super) fn page_address(app: &App, from_phone: bool) -> Result<String> {
    let data = app.data_dir()?;
    let Some(address) = DaemonLock::holder(data).and_then(|holder| holder.listen) else {
        return Err(Refusal { message: "no server runs".into(), hint: "tars serve".into() }.into());
    };
    let address: SocketAddr =
        address.parse::<SocketAddr>().map_err(Error::without_hint).context("the server's address cannot be read")?;
    match &app.settings.config.http.url {
        Some(url) => Ok(url.clone()),
        None => Ok(format!("http://{}", reachable(address, from_phone)?)),
    }
}

/// Returns the address at which a browser reaches the server: from this machine, or from a phone.
fn reachable(address: SocketAddr, from_phone: bool) -> Result<SocketAddr> {
    if from_phone && address.ip().is_loopback() {
        let message = format!("{address} accepts only this machine, so a phone cannot reach it");
        let hint = "tars config set http.url https://NAME, once Tailscale or Caddy leads there (docs/http.md)";
        return Err(Refusal { message, hint: hint.into() }.into());
    }
    let ip = match address.ip() {
        ip if !ip.is_unspecified() => ip,
        ip if from_phone => outward(ip).context("the address of this machine in its network is not known")?,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    Ok(SocketAddr::new(ip, address.port()))
}

/// Returns this machine's outward address. Connecting a datagram socket sends nothing.
fn outward(any: IpAddr) -> std::io::Result<IpAddr> {
    let socket = UdpSocket::bind((any, 0))?;
    // Documentation addresses, which belong to nobody.
    match any {
        IpAddr::V4(_) => socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?,
        IpAddr::V6(_) => socket.connect((Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), 9))?,
    }
    Ok(socket.local_addr()?.ip())
}

/// Draws a link as a QR code, two modules per character, dark on light regardless of the terminal's colours.
fn drawn_as_qr(link: &str) -> Result<String> {
    let code = QRBuilder::new(link)
        .ecl(fast_qr::ECL::L)
        .build()
        .map_err(Error::without_hint)
        .context("the link is too long for a QR code")?;
    let is_dark = |row: usize, column: usize| {
        let (row, column) = (row.wrapping_sub(QUIET_ZONE), column.wrapping_sub(QUIET_ZONE));
        row < code.size && column < code.size && code[row][column].value()
    };
    let style = anstyle::Style::new()
        .fg_color(Some(anstyle::AnsiColor::Black.into()))
        .bg_color(Some(anstyle::AnsiColor::BrightWhite.into()));
    let width = code.size + 2 * QUIET_ZONE;
    let mut drawn = String::new();
    for row in (0..width).step_by(2) {
        let module = |column| match (is_dark(row, column), is_dark(row + 1, column)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        };
        drawn += &format!("{style}{}{style:#}\n", (0..width).map(module).collect::<String>());
    }
    Ok(drawn)
}
