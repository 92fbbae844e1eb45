//! Many clients at once, some of them hostile.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use super::{Watcher, known};
use crate::harness::{DEADLINE, TestVault, eventually};

/// Connects and reads the greeting.
fn connect(vault: &TestVault) -> BufReader<UnixStream> {
    let stream = UnixStream::connect(vault.data().join("watch.sock")).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream.set_write_timeout(Some(DEADLINE)).unwrap();
    BufReader::new(stream)
}

fn line(reader: &mut BufReader<UnixStream>) -> Value {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in '{line}'"))
}

#[test]
fn the_watcher_identifies_itself_and_answers_line_by_line() {
    let vault = TestVault::of_words();
    let watcher = Watcher::start(&vault);
    let mut talk = connect(&vault);
    let greeting = line(&mut talk);
    assert_eq!((&greeting["protocol"], &greeting["pid"]), (&json!(4), &json!(watcher.pid)));
    for _ in 0..3 {
        talk.get_mut().write_all(b"\"watch\"\n").unwrap();
        assert_eq!(line(&mut talk)["watch"]["pid"], watcher.pid);
    }
}

#[test]
fn garbage_on_the_socket_does_no_harm() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md"]);
    let huge = vec![b'x'; 2 << 20];
    let deep = format!("{}\n", "[".repeat(100_000));
    let rubbish: &[&[u8]] = &[
        b"",
        b"\n",
        b"rubbish\n",
        b"\xff\xfe\x00\n",
        b"{\"search\":{}}\n",
        b"{\"search\":",
        b"\"watch\"",
        b"GET / HTTP/1.1\r\n\r\n",
        b"{\"expand\":{\"id\":\"'; DROP TABLE files; --\",\"extent\":\"file\"}}\n",
        deep.as_bytes(),
        &huge,
    ];
    for bytes in rubbish {
        let mut talk = connect(&vault);
        line(&mut talk);
        // The watcher may hang up before it has read all of it.
        let _ = talk.get_mut().write_all(bytes);
        let _ = talk.get_ref().shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = talk.read_to_end(&mut answer);
    }
    // Clients that hang up without a request.
    for _ in 0..50 {
        drop(UnixStream::connect(vault.data().join("watch.sock")).unwrap());
    }
    watcher.eventually("it answers as before", |state| state["pid"] == watcher.pid);
    vault.write("b.md", "otter\n");
    watcher.finds("otter", &["b.md"]);
    let output = watcher.stop().success();
    assert!(!output.stderr().contains("panicked"), "{output}");
}

#[test]
fn many_simultaneous_clients_lock_nobody_out() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md"]);
    let mut silent: Vec<_> = (0..100).map(|_| connect(&vault)).collect();
    for _ in 0..5 {
        assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
    }
    vault.write("b.md", "otter\n");
    watcher.finds("otter", &["b.md"]);
    silent.clear();
    watcher.eventually("it answers again", |state| state["pid"] == watcher.pid);
}

#[test]
fn watching_indexing_and_searching_work_together() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").index();
    let watcher = Watcher::start(&vault);
    for round in 0..6 {
        for number in 0..40 {
            vault.write(&format!("storm/{number}.md"), format!("otter{round} {number}\n"));
        }
        let commands: &[&[&str]] = &[
            &["index"],
            &["index", "--full"],
            &["sgrep", "walrus"],
            &["search", "walrus", "--json"],
            &["sgrep", "walrus", "--no-sync"],
            &["status", "--json"],
        ];
        let running: Vec<_> = commands.iter().map(|arguments| vault.tars(*arguments).start()).collect();
        for command in running {
            command.finish().success();
        }
        eventually("all are searchable", || known(&vault, &format!("otter{round}")).len() == 40);
    }
    let output = watcher.stop().success();
    assert!(!output.stderr().contains("WARN") && !output.stderr().contains("ERROR"), "{output}");
}

#[test]
#[ignore = "nightly: embeds many notes, 20 s"]
fn the_watcher_answers_while_it_embeds() {
    let vault = TestVault::new();
    vault.write("a.md", "# A\n\nwalrus\n").index();
    for number in 0..150 {
        vault.write(&format!("many/{number}.md"), format!("# Note {number}\n\nThe otter came by {number} times.\n"));
    }
    let watcher = Watcher::start(&vault);
    let waiting = || vault.count("SELECT count(*) FROM passages WHERE vector_id IS NULL");
    eventually("the words are in", || vault.count("SELECT count(*) FROM files") == 151);
    loop {
        let rest = waiting();
        assert_eq!(known(&vault, "walrus"), ["a.md"]);
        vault.tars(["search", "walrus on the ice", "--json"]).run().success().quiet();
        if rest == 0 {
            break;
        }
    }
    vault.write("last.md", "puffin\n");
    watcher.finds("puffin", &["last.md"]);
}

#[test]
fn searches_a_second_indexer_and_memory_writes_never_fail_beside_the_watcher() {
    let vault = TestVault::of_words();
    for number in 0..60 {
        vault.write(&format!("{number}.md"), format!("# Note {number}\n\nwalrus {number}\n"));
    }
    let watcher = Watcher::start(&vault);
    let (vault, rounds) = (&vault, 12);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            (0..rounds).for_each(|_| drop(vault.tars(["index"]).run().success()));
        });
        scope.spawn(move || {
            for round in 0..rounds * 3 {
                let output = vault.tars(["search", "--no-sync", "walrus", &round.to_string()]).run();
                assert!(matches!(output.status.code(), Some(0 | 1)), "{output}");
            }
        });
        scope.spawn(move || {
            for round in 0..rounds * 2 {
                vault.write(&format!("storm/{round}.md"), format!("otter {round}\n"));
            }
        });
        for writer in 0..2 {
            scope.spawn(move || {
                for round in 0..rounds {
                    let fact = format!("Machine{writer}x{round} stands in room r{writer}x{round}");
                    vault.tars(["remember", "--force", &fact]).run().success();
                    vault.tars(["daily", "--append", &fact]).run().success();
                }
            });
        }
    });
    let memory = vault.read("tars/Memory.md");
    assert_eq!(memory.matches("stands in room").count(), 2 * rounds, "{memory}");
    eventually("what was remembered is known", || {
        !known(vault, "r1x11").is_empty() && !known(vault, "otter").is_empty()
    });
    let output = watcher.stop().success();
    assert!(!output.stderr().contains("panicked") && !output.stderr().contains("ERROR"), "{output}");
}
