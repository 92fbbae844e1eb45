import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { answeringLines } from "../src/lines";
import { Places } from "../src/places";

test("no source makes elements from text, keeps data in the vault, or sends a request by another way", () => {
  const sources = readdirSync("src").map((name) => readFileSync(`src/${name}`, "utf8"));
  assert.ok(sources.length > 10);
  for (const source of [...sources, readFileSync("plugin/main.js", "utf8")]) {
    const found = source.match(/innerHTML|outerHTML|insertAdjacentHTML|MarkdownRenderer|DOMParser|\beval\(|new Function|saveData|loadData|\bfetch\(|XMLHttpRequest|WebSocket/);
    assert.equal(found, null);
  }
});

test("the lines around the one that answers are shown, without those that hold nothing", () => {
  const content = "# Title\n\n| a | b |\n|---|---|\n- [ ] the valve\n<!-- tars:session -->\n> below\nmore\n\nfar";
  assert.deepEqual(answeringLines({ content, start_line: 10, line: 14 }), [
    { text: "the valve", answers: true }, { text: "below", answers: false }, { text: "more", answers: false },
  ]);
  assert.deepEqual(answeringLines({ content: "", start_line: 1, line: 9 }), [{ text: "", answers: true }]);
  assert.equal(answeringLines({ content: "x".repeat(5000), start_line: 1, line: 1 })[0]!.text.length, 402);
});

test("a vault within a collection, around it, or reached by a link is the same place", () => {
  const real = (path: string) => path.replace(/^\/link/, "/real");
  const within = new Places("/link/notes/work", [{ name: "vault", root: "/real/notes" }], real);
  assert.equal(within.inVault("vault", "work/a.md"), "a.md");
  assert.equal(within.inVault("vault", "home/a.md"), null);
  assert.deepEqual(within.ofNote("a.md"), { collection: "vault", path: "work/a.md" });
  const around = new Places("/real/notes", [{ name: "vault", root: "/link/notes/work/" }], real);
  assert.equal(around.inVault("vault", "a.md"), "work/a.md");
  assert.equal(around.ofNote("home/a.md"), null);
  assert.equal(around.elsewhere, null);
  const other = new Places("/notes", [{ name: "vault", root: "/notes-old" }], real);
  assert.deepEqual([other.inVault("vault", "a.md"), other.elsewhere], [null, "/notes-old"]);
});
