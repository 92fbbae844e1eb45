//! `scripts/quality/memory`, with made-up clones of the benchmarks in their formats.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::TestVault;

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/quality")
}

fn write(path: PathBuf, content: &Value) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content.to_string()).unwrap();
}

/// Writes a conversation of two sessions, a chat of two exchanges and a memory of two facts.
fn write_clones(home: &Path) {
    let conversation = json!({
        "speaker_a": "Ada", "speaker_b": "Bo",
        "session_1_date_time": "1:05 pm on 8 May, 2023",
        "session_1": [{"speaker": "Ada", "dia_id": "D1:1", "text": "The walrus statue weighs nine tons."}],
        "session_2_date_time": "9:30 am on 1 June, 2023",
        "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "My bakery opens on Thursday."}],
    });
    let questions = json!([
        {"question": "How many tons does the walrus statue weigh?", "evidence": ["D1:1"], "category": 4},
        {"question": "On which day does the bakery of Bo open?", "evidence": ["D2:1"], "category": 1},
    ]);
    let entry = json!({"sample_id": "conv-26", "conversation": conversation, "qa": questions});
    write(home.join("locomo/data/locomo10.json"), &json!([entry]));

    let exchange = |id: u64, asked: &str, answered: &str| {
        let day = "March-05-2024";
        json!([
            {"role": "user", "id": id, "time_anchor": day, "content": format!("{asked} ->-> 1,{id}")},
            {"role": "assistant", "id": id + 1, "content": answered},
        ])
    };
    let turns = [
        exchange(0, "The harbour crane lifts forty tons.", "Noted."),
        exchange(2, "My tax return is due in October.", "I see."),
    ];
    write(home.join("beam/chats/100K/1/chat.json"), &json!([{"turns": turns}]));
    let probes = json!({
        "information_extraction": [{"question": "How many tons does the harbour crane lift?", "source_chat_ids": [0]}],
        "abstention": [{"question": "Which vaccine did the giraffe receive?"}],
    });
    write(home.join("beam/chats/100K/1/probing_questions/probing_questions.json"), &probes);

    let fact = |id: &str, text: &str| {
        json!({
            "_id": id, "user_id": "test-user", "type": "preference", "canonical_name": id, "aliases": [], "content": text,
            "scope": ["domain:code"], "pinned": false, "superseded_by": null, "resolved_at": null,
            "created_at": "2026-03-02T00:00:00Z",
        })
    };
    let facts = [
        fact("indentation", "Indents the Python code with tabs."),
        fact("deploys", "Ships a release to the staging cluster every Friday."),
    ];
    write(home.join("precision/fixtures/beliefs.seed.json"), &json!(facts));
    let cases = json!([{
        "caseId": "tabs", "category": "Alias resolution", "scope": ["domain:code"],
        "query": "which indentation do I use in Python code, tabs?",
        "expect": {"relevantBeliefs": {"shouldOnlyInclude": ["indentation"]}},
    }]);
    write(home.join("precision/fixtures/retrieval.cases.json"), &cases);
}

#[test]
fn conversions_and_figures_of_the_benchmarks_are_right() {
    let vault = TestVault::new();
    vault.program("python3").args(["-B", "-m", "unittest", "benchmarks.tests"]).within(&scripts()).run().success();
}

#[test]
fn the_benchmarks_measure_a_program_and_two_runs_compare() {
    let vault = TestVault::new();
    write_clones(vault.home());
    let script = scripts().join("memory");
    let memory = || vault.program("python3").arg("-B").arg(&script);
    let measured = memory().args(["--bin", env!("CARGO_BIN_EXE_tars"), "--locomo", "locomo", "--beam", "beam"]);
    let measured = measured.args(["--precision", "precision", "--json", "one.json"]).run().success();
    let table = measured.stdout();
    for line in [
        "| LoCoMo: R@5 by session | 2 | 1.000 | 1.000 to 1.000 |",
        "| LoCoMo: R@10 by session, multi-hop alone | 1 | 1.000 | 1.000 to 1.000 |",
        "| LoCoMo: evidence in a context of 1,500 tokens | 2 | 1.000 | 1.000 to 1.000 |",
        "| BEAM: R@5 by note | 1 | 1.000 | 1.000 to 1.000 |",
        "| BEAM: evidence in the first 8,000 characters | 1 | 1.000 | 1.000 to 1.000 |",
        "| BEAM: evidence in `search --budget 2000` | 1 | 1.000 | 1.000 to 1.000 |",
        "| BEAM: unanswerable questions under the gate | 1 | 1.000 | 1.000 to 1.000 |",
        "| PrecisionMemBench, one list: recall of `tars context` | 1 | 1.000 | 1.000 to 1.000 |",
        "| PrecisionMemBench, a file a scope: precision of the brief of a prompt | 1 | 1.000 | 1.000 to 1.000 |",
        "| PrecisionMemBench, the scope alone: recall of the brief of a prompt | 1 | 1.000 | 1.000 to 1.000 |",
    ] {
        assert!(table.contains(line), "{line} is missing\n{measured}");
    }
    let saved: Value = serde_json::from_slice(&fs::read(vault.home().join("one.json")).unwrap()).unwrap();
    assert_eq!(saved["figures"]["LoCoMo: R@5 by session"], json!({"26-0": 1.0, "26-1": 1.0}));

    let compared = memory().args(["--compare", "one.json", "one.json"]).run().success();
    let same = "| LoCoMo: R@5 by session | 2 | 1.000 | 1.000 | +0.000 | +0.000 to +0.000 | 1.000 |";
    assert!(compared.stdout().contains(same), "{compared}");
}

#[test]
fn a_folder_that_is_no_clone_of_a_benchmark_is_named() {
    let vault = TestVault::new();
    let script = scripts().join("memory");
    let refused = vault.program("python3").arg("-B").arg(&script).args([
        "--bin",
        env!("CARGO_BIN_EXE_tars"),
        "--beam",
        "nowhere",
    ]);
    refused.run().code(2).says(&["nowhere/chats/100K", "mohammadtavakoli78/BEAM"]);
}
