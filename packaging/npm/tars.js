#!/usr/bin/env node
// Starts the program for this platform, which npm installs as an optional dependency of this package.
"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");
const os = require("node:os");

function programOfPlatform() {
  const name = `tars-memory-${process.platform}-${process.arch}`;
  try {
    return path.join(path.dirname(require.resolve(`${name}/package.json`)), "bin", "tars");
  } catch {
    console.error(`tars: the package ${name} is not installed`);
    console.error("try: npm install tars-memory without --omit=optional; on other systems see docs/install.md");
    process.exit(2);
  }
}

const program = spawn(programOfPlatform(), process.argv.slice(2), { stdio: "inherit" });

// A terminal sends its signals to the program too. Signals of other processes are passed on.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => program.kill(signal));
}
program.on("error", (error) => {
  console.error(`tars: the program cannot be started: ${error.message}`);
  process.exit(2);
});
program.on("exit", (code, signal) => {
  process.exit(signal ? 128 + os.constants.signals[signal] : code);
});
