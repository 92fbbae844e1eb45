//! A real `tars serve` over temporary vaults, and a client that sends valid and invalid requests.

mod answers;
mod browser;
mod chat;
mod connections;
mod events;
mod keys;
mod life;
mod page;
mod reference;
mod versions;

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::Value;

use crate::harness::{DEADLINE, Running, TestVault, eventually};

/// A running `tars serve` with a token. It ends with the test.
struct Serving<'a> {
    vault: &'a TestVault,
    process: Running,
    address: SocketAddr,
    token: String,
}

impl<'a> Serving<'a> {
    /// Starts a server on a free port of this machine and returns when it answers.
    fn start(vault: &'a TestVault) -> Self {
        Self::start_with(vault, &["--listen", "127.0.0.1:0"])
    }

    fn start_with(vault: &'a TestVault, arguments: &[&str]) -> Self {
        let token = new_token(vault, "test");
        let process = vault.tars(["serve"]).args(arguments).start();
        process.wait_for("serving on http://");
        let address = listening(vault).unwrap();
        let serving = Self { vault, process, address, token };
        eventually("it has begun to work", || {
            serving.vault.tars(["watch", "--status", "--json"]).run().json()["pending"] == 0
        });
        serving
    }

    /// Sends a request unchanged, with `Host` and the length of the body.
    #[track_caller]
    fn send(&self, first: &str, headers: &[&str], body: &str) -> Reply {
        let mut stream = self.connect();
        let mut head = format!("{first} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            head += &format!("Host: {}\r\n", self.address);
        }
        for header in headers {
            head += &format!("{header}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        // A server that answers before it has read everything may close at once.
        let _ = stream.write_all(head.as_bytes());
        Reply::read(&mut BufReader::new(stream))
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream
    }

    fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.token)
    }

    /// Sends a request with the token.
    #[track_caller]
    fn ask(&self, operation: &str, request: &Value) -> Reply {
        self.send(&format!("POST /v1/{operation}"), &[&self.bearer()], &request.to_string())
    }

    /// Does the same, and requires an answer.
    #[track_caller]
    fn answer(&self, operation: &str, request: &Value) -> Value {
        self.ask(operation, request).expect(200).json()
    }

    #[track_caller]
    fn get(&self, path: &str) -> Reply {
        self.send(&format!("GET {path}"), &[&self.bearer()], "")
    }

    /// Signs a browser in by a one-time link, and returns its cookie.
    #[track_caller]
    fn sign_in(&self) -> String {
        let link = self.vault.tars(["open"]).run().success();
        let path = link.stdout().trim_end().strip_prefix(&format!("http://{}", self.address)).unwrap().to_owned();
        let reply = self.send(&format!("GET {path}"), &[], "").expect(200);
        let cookie = reply.header("set-cookie").unwrap();
        for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        assert!(!cookie.contains("Domain"), "{cookie}");
        format!("Cookie: {}", cookie.split(';').next().unwrap())
    }
}

fn new_token(vault: &TestVault, name: &str) -> String {
    vault.tars(["serve", "token", "add", name]).run().success().stdout().trim_end().to_owned()
}

/// Returns the address that the lock file names.
fn listening(vault: &TestVault) -> Option<SocketAddr> {
    let text = std::fs::read_to_string(vault.data().join("watch.lock")).ok()?;
    let holder: Value = serde_json::from_str(&text).ok()?;
    holder["listen"].as_str()?.parse().ok()
}

/// An HTTP response.
#[derive(Debug)]
struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Reply {
    fn read(reader: &mut impl BufRead) -> Self {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no response, but '{line}'"));
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            match line.trim_end().split_once(": ") {
                Some((name, value)) => headers.push((name.to_lowercase(), value.to_owned())),
                None => break,
            }
        }
        let mut reply = Self { status, headers, body: String::new() };
        let length = reply.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        reply.body = String::from_utf8(body).unwrap();
        reply
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    #[track_caller]
    fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:#?}");
        self
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Asserts that it is a problem of this status with all of these texts, and returns it.
    #[track_caller]
    fn problem(self, status: u16, says: &[&str]) -> Value {
        let reply = self.expect(status);
        assert_eq!(reply.header("content-type"), Some("application/problem+json"), "{reply:#?}");
        let problem = reply.json();
        assert_eq!(problem["status"], status, "{reply:#?}");
        for text in says {
            assert!(reply.body.contains(text), "'{text}' is not said by {reply:#?}");
        }
        problem
    }
}
