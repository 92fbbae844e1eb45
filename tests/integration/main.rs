//! Whole commands, as a person runs them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod agents;
mod ask;
mod bad_input;
mod bad_queries;
mod batch;
mod benchmarks;
mod browse;
mod budgets;
mod carry;
mod chat;
mod circles;
mod collections;
mod command;
mod compound;
mod concurrent;
mod config;
mod conflicts;
mod context;
mod contract;
mod damage;
mod dense_models;
#[cfg(target_os = "linux")]
mod disk;
mod documents;
mod encodings;
mod eval;
mod everyday;
mod expand;
mod fact_lines;
mod facts;
mod finding_facts;
mod first_hour;
mod first_words;
mod fixture;
mod formats;
mod fresh;
mod freshness;
mod get;
mod harness;
mod hooks;
#[cfg(feature = "serve")]
mod http;
mod import;
mod inodes;
#[cfg(feature = "onnx")]
mod kernel;
mod left_out;
mod library;
mod long_lines;
// A table of characters from the unit tests.
#[cfg(feature = "onnx")]
#[path = "../../src/embed/bert/vocabulary/table.rs"]
mod charsmap;
#[cfg(feature = "serve")]
mod mcp;
mod mcp_lines;
#[cfg(feature = "serve")]
mod mcp_servers;
mod memory;
mod missing_vectors;
#[cfg(feature = "onnx")]
mod model_change;
mod models;
#[cfg(feature = "onnx")]
mod modern_models;
mod names;
mod obsidian;
#[cfg_attr(
    not(feature = "onnx"),
    expect(dead_code, reason = "models with a seed are for builds that can compare them")
)]
mod onnx_file;
mod open;
mod opencode;
mod packaging;
mod page;
mod permissions;
mod place;
#[cfg(feature = "onnx")]
mod published;
mod ranking;
mod readme;
#[cfg(feature = "onnx")]
mod reranker;
mod schedule;
mod search;
mod second_stage;
#[cfg(feature = "onnx")]
mod seeded_bert;
#[cfg(feature = "onnx")]
#[path = "../../src/embed/bert/prepare/from_safetensors/seeded_modern.rs"]
mod seeded_modern;
mod summary;
mod terminal;
mod tiny_model;
mod transcript;
mod ui;
mod unreadable;
mod untouched;
mod upgrades;
mod watch;
mod words;
