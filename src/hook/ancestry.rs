//! Finds the client process that a hook runs for.

use tars_agent::client::AgentClient;
use tars_agent::client::claude_code::PID_VARIABLE;
use tars_agent::client::codex::SERVER_ARGUMENT;
use tars_config::Environment;

/// Most ancestors checked for the client: a hook's parents are a shell or two.
const MAX_DEPTH: usize = 8;
/// Most ancestors offered where any of them may be the client: an agent's command may run nested scripts.
const MAX_ANCESTORS: usize = 32;
/// Programs that only pass a hook on.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "ash", "busybox", "env", "timeout"];

/// Returns the process id of `client`: the one in [`PID_VARIABLE`], which only Claude Code sets, else the nearest ancestor that is neither
/// a shell nor tars. `None` where the system does not report ancestors. An agent in Claude Code may have started another client, which
/// inherits the variable.
pub(super) fn client_pid(environment: &Environment, client: AgentClient) -> Option<u32> {
    let named = if client == AgentClient::ClaudeCode { named_client(environment) } else { None };
    named.or_else(|| nearest(std::os::unix::process::parent_id(), parent))
}

/// Returns the client's process id, unless the client is a server that stays when its sessions end.
pub(super) fn ending_client(environment: &Environment, client: AgentClient) -> Option<u32> {
    client_pid(environment, client).filter(|pid| !arguments(*pid).iter().any(|argument| argument == SERVER_ARGUMENT))
}

/// Returns the processes that may be the client of this one: the one in [`PID_VARIABLE`], then all ancestors, the nearest first.
pub(super) fn candidates(environment: &Environment) -> impl Iterator<Item = u32> {
    let first = std::os::unix::process::parent_id();
    let ancestors = std::iter::successors(Some(first), |pid| parent(*pid).map(|(_, above)| above));
    named_client(environment).into_iter().chain(ancestors.take_while(|pid| *pid > 1).take(MAX_ANCESTORS))
}

fn named_client(environment: &Environment) -> Option<u32> {
    environment.variable(PID_VARIABLE)?.to_str()?.parse().ok()
}

fn nearest(first: u32, parent: impl Fn(u32) -> Option<(String, u32)>) -> Option<u32> {
    let mut pid = first;
    for _ in 0..MAX_DEPTH {
        let (name, above) = parent(pid).filter(|_| pid > 1)?;
        if !SHELLS.contains(&name.as_str()) && !name.starts_with("tars") {
            return Some(pid);
        }
        pid = above;
    }
    None
}

/// Returns the arguments of a process; empty if the system does not report them.
#[cfg(target_os = "linux")]
fn arguments(pid: u32) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0).map(|argument| String::from_utf8_lossy(argument).into_owned()).collect()
}

#[cfg(not(target_os = "linux"))]
fn arguments(pid: u32) -> Vec<String> {
    let output = std::process::Command::new("/bin/ps").args(["-ww", "-o", "args=", "-p", &pid.to_string()]).output();
    let line = output.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&line).split_whitespace().map(str::to_owned).collect()
}

/// Returns the name of a process and its parent's id.
#[cfg(target_os = "linux")]
fn parent(pid: u32) -> Option<(String, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in brackets and may contain anything.
    let (head, tail) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    Some((name, tail.split_whitespace().nth(1)?.parse().ok()?))
}

/// Returns the start time of a process in a form of the system's own; `None` if no process has this id.
#[cfg(target_os = "linux")]
pub(super) fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Field 22 of proc_pid_stat(5), counted from the process id. The text after the name starts with field 3.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn started(pid: u32) -> Option<String> {
    let output = std::process::Command::new("/bin/ps").args(["-o", "lstart=", "-p", &pid.to_string()]).output();
    let text = String::from_utf8(output.ok()?.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(not(target_os = "linux"))]
fn parent(pid: u32) -> Option<(String, u32)> {
    let output = std::process::Command::new("/bin/ps").args(["-o", "ppid=,comm=", "-p", &pid.to_string()]).output();
    let text = String::from_utf8(output.ok()?.stdout).ok()?;
    let (above, name) = text.trim().split_once(char::is_whitespace)?;
    let name = name.trim().rsplit('/').next()?.trim_start_matches('-').to_owned();
    Some((name, above.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_are_skipped() {
        let tree = |pid: u32| {
            let (name, above) = match pid {
                9 => ("sh", 8),
                8 => ("dash", 7),
                7 => ("claude", 1),
                5 => ("sh", 1),
                _ => return None,
            };
            Some((name.to_owned(), above))
        };
        assert_eq!(nearest(9, tree), Some(7));
        assert_eq!(nearest(5, tree), None);
        assert_eq!(nearest(3, tree), None);
    }

    #[test]
    fn the_arguments_of_this_process_are_found() {
        assert_eq!(arguments(std::process::id())[0], std::env::args().next().unwrap());
    }

    #[test]
    fn the_parent_of_this_process_is_found() {
        let (_, above) = parent(std::process::id()).unwrap();
        assert_eq!(above, std::os::unix::process::parent_id());
    }
}
