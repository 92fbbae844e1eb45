// Builds plugin/main.js from src; with --tests, the tests of tests/ into build/, against a stub of Obsidian's interface.
//
// Usage: node build.mjs [--tests | --out FILE]

import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const banner = "// Built from obsidian/src in the repository of tars by obsidian/build.mjs. Change the sources, not this file.";
const common = { bundle: true, charset: "utf8", target: "es2022", logLevel: "warning", legalComments: "none" };
const [option, file = "plugin/main.js"] = process.argv.slice(2);

if (option === "--tests") {
  const stub = { alias: { obsidian: "./tests/stub.ts" } };
  const tests = readdirSync("tests").filter((name) => name.endsWith(".test.ts")).map((name) => `tests/${name}`);
  rmSync("build", { recursive: true, force: true });
  await build({ ...common, ...stub, entryPoints: tests, outdir: "build", outExtension: { ".js": ".mjs" }, format: "esm", platform: "node" });
  // The page of the browser's check has no files of the machine.
  const browser = { alias: { ...stub.alias, "node:fs": "./tests/no-files.ts" } };
  await build({ ...common, ...browser, entryPoints: ["tests/page.ts"], outfile: "build/page.js", format: "iife", platform: "browser" });
} else {
  await build({
    ...common, banner: { js: banner }, entryPoints: ["src/main.ts"], outfile: file, format: "cjs", platform: "browser",
    external: ["obsidian", "node:fs"],
  });
}
