import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hit } from "../src/answers";
import { FakeElement } from "./elements";
import { quiet, Refused, start, TOKEN, typed } from "./plugin";
import { controls, type PluginSettingTab, world } from "./stub";

const HOSTILE = "<img src=x onerror=alert(1)> \u202eexe";

function hit(more: Partial<Hit> = {}): Hit {
  return {
    path: "Home/Boiler.md", collection: "vault", title: "Boiler", heading: "Boiler > Valve", start_line: 5, line: 7, date: null, score: 0.9,
    relevance: "relevant", content: `## Valve\n\n- ${HOSTILE}\n\n\n\n\nfar below`, ...more,
  };
}

const found = (...results: Hit[]) => ({ degraded: null, remarks: [], index: { pending: 0 }, results });

test("typing asks once, shows the line that answers as text, and Enter opens the note there", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { app, asked, run, pane } = await start({ search: () => found(hit(), hit({ score: 0.1, heading: "Hardly" })) }, { files: ["Home/Boiler.md"] });
  await run("search");
  const field = pane("tars-search").all("tars-field")[0]!;
  for (const text of ["v", "va", "valve"]) {
    await typed(field, text);
    context.mock.timers.tick(100);
  }
  assert.deepEqual(asked, [], "a person still types");
  context.mock.timers.tick(150);
  await quiet();
  assert.deepEqual(asked.map(({ request }) => request), [{ query: "valve", limit: 12 }]);
  const rows = pane("tars-search").all("tars-row");
  assert.equal(rows.length, 1, "a hit that is not relevant is left out");
  assert.equal(rows[0]!.all("tars-name")[0]!.textContent, "Boiler › Valve");
  assert.deepEqual(rows[0]!.all("mark").map((mark) => mark.textContent), ["<img src=x onerror=alert(1)> \\u202eexe"]);
  assert.deepEqual(rows[0]!.all("img"), []);
  field.dispatch("keydown", { key: "ArrowDown" });
  assert.equal(FakeElement.focused, rows[0]);
  rows[0]!.click();
  await quiet();
  field.dispatch("keydown", { key: "Enter" });
  await quiet();
  const opened = { path: "Home/Boiler.md", newTab: false, state: { active: true, eState: { line: 6 } } };
  assert.deepEqual(app.opened, [opened, opened]);
});

test("a hit outside of the open vault is not opened as another note of the same name", async () => {
  const roots = [{ name: "vault", root: "/vaults/other" }, { name: "wide", root: "/vaults" }];
  const answers = { search: () => found(hit(), hit({ collection: "wide", path: "notes/Home/Boiler.md" })), status: () => ({ files: 2, collections: roots }) };
  const { app, run, pane } = await start(answers, { files: ["Home/Boiler.md"] });
  await run("search");
  const field = pane("tars-search").all("tars-field")[0]!;
  field.value = "valve";
  field.dispatch("keydown", { key: "Enter" });
  await quiet();
  assert.match(world.notices.join(), /outside of this vault/);
  assert.deepEqual(app.opened, []);
  pane("tars-search").all("tars-row")[1]!.click();
  await quiet();
  assert.deepEqual(app.opened.map(({ path }) => path), ["Home/Boiler.md"], "the collection holds the open vault");
});

test("every pane says that the server is not running, and tries again", async () => {
  const { app, run, pane } = await start({ proposals: () => [], review: () => [] });
  app.active = { path: "Home/Boiler.md", basename: "Boiler" };
  const answer = world.send;
  world.send = () => Promise.reject(new Error("net::ERR_CONNECTION_REFUSED"));
  await run("search");
  const field = pane("tars-search").all("tars-field")[0]!;
  field.value = "valve";
  field.dispatch("keydown", { key: "Enter" });
  for (const command of ["related", "recalled", "review"]) await run(command);
  for (const type of ["tars-search", "tars-related", "tars-recalled", "tars-review"]) {
    const problem = pane(type).all("tars-problem")[0];
    assert.match(problem?.textContent ?? "", /does not answer at http:\/\/127\.0\.0\.1:8746\nstart it with: tars serve/, type);
  }
  world.send = answer;
  pane("tars-review").all("tars-problem")[0]!.all("button")[0]!.click();
  await quiet();
  assert.match(pane("tars-review").textContent, /Nothing waits for your decision/);
});

test("a private note has no related notes and is not named as private", async () => {
  const { app, asked, run, pane } = await start({ related: () => new Refused(404, "no note matches 'Diary.md'") });
  app.active = { path: "Diary.md", basename: "Diary" };
  await run("related");
  assert.deepEqual(asked.at(-1)?.request, { name: "Diary.md", collections: ["vault"] });
  assert.match(pane("tars-related").textContent, /tars knows no note Diary\.md/);
});

test("related notes follow the open note, and say why they are related", async () => {
  const note = { collection: "vault", path: "Home/Heating.md", title: "Heating", score: 0.3, line: 4, is_target: true, is_source: false };
  const { app, run, pane } = await start({ related: () => ({ degraded: "by words only", notes: [note] }) }, { files: ["Home/Heating.md"] });
  await run("related");
  assert.match(pane("tars-related").textContent, /Open a note/);
  app.active = { path: "Home/Boiler.md", basename: "Boiler" };
  app.listeners.filter(([event]) => event === "file-open").forEach(([, listener]) => listener());
  await quiet();
  assert.match(pane("tars-related").textContent, /Related to Boiler[^]*by words only[^]*Heating\nHome\/Heating\.md:4 · linked from here/);
});

test("recalled today leaves out other days and what every session starts with", async () => {
  const now = new Date();
  const before = new Date(now.getTime() - 3 * 86_400_000).toISOString();
  const piece = (text: string, always: boolean) =>
    ({ collection: "vault", path: "Home/Boiler.md", start_line: 7, heading: "Valve", always, lines: [{ number: 1, line: 7, text, used: ["quoted"] }] });
  const { asked, run, pane } = await start({
    recalled: () => [
      { session: "one", first: before, last: now.toISOString(), question: "" }, { session: "old", first: before, last: before, question: "" },
    ],
    why: () => ({
      events: [
        { at: before, question: "long ago", pieces: [piece("- gone", false)] },
        { at: now.toISOString(), question: "which valve", pieces: [piece("- always", true), piece("- The valve leaks", false)] },
      ],
    }),
  });
  await run("recalled");
  assert.deepEqual(asked.filter(({ operation }) => operation === "why").map(({ request }) => request), [{ session: "one" }]);
  const text = pane("tars-recalled").textContent;
  assert.match(text, /which valve[^]*The valve leaks \(quoted\)/);
  assert.doesNotMatch(text, /gone|always/);
});

test("keys decide on proposals, each on the version that was shown, and the next card gets the focus", async () => {
  const proposal = (id: string, word = "open") => ({ id, job: "tidy", change: "supersede", word, path: "tars/Memory.md", section: "Home", text: HOSTILE, lines: [HOSTILE], stays: "new" });
  let left = [proposal("one"), proposal("settled", "accepted"), proposal("two")];
  const { asked, run, pane } = await start({
    proposals: () => left,
    review: () => [{ source: "extracted", proposal: "The pump is new", id: "w", path: "tars/2026-03-01.md", line: 4 }],
    decide: ({ id, accept }) => {
      left = left.filter((one) => one.id !== id);
      return { status: accept ? "accepted" : "refused" };
    },
    settle: () => new Refused(412, "the memory folder has changed"),
  });
  await run("review");
  assert.equal(pane("tars-review").all("tars-card").length, 3);
  assert.deepEqual(pane("tars-review").all("img"), []);
  assert.equal(FakeElement.focused, pane("tars-review").all("tars-card")[0], "keys act at once");
  const press = async (key: string) => {
    FakeElement.focused!.dispatch("keydown", { key });
    await quiet();
  };
  await press("a");
  assert.equal(FakeElement.focused, pane("tars-review").all("tars-card")[0]);
  await press("d");
  await press("m");
  const decided = asked.filter(({ operation }) => operation === "decide" || operation === "settle");
  assert.deepEqual(decided.map(({ request }) => request), [
    { id: "one", accept: true }, { id: "two", accept: false }, { id: "w", path: "tars/2026-03-01.md", settlement: { promote: { to: "semantic" } } },
  ]);
  assert.deepEqual(decided.map(({ headers }) => headers["If-Match"]), ['"proposals-1"', '"proposals-1"', '"review-1"']);
  assert.deepEqual(world.notices.slice(0, 2), ["Accepted; tars undo takes it back", "Dismissed"]);
  assert.match(world.notices[2]!, /changed meanwhile\. Nothing was done/);
});

test("the selection is remembered, and similar lines are asked about before anything is written", async () => {
  const near = [{ relation: "conflict", id: "0655909e", path: "tars/Memory.md", line: 4, text: HOSTILE }];
  const { asked, run } = await start({
    remember: ({ ask }) => (ask === true ? { status: "close", removed: [], near } : { status: "replaced", path: "tars/Memory.md", line: 4, removed: ["password"], near }),
  });
  await run("remember-fact", "  ");
  assert.deepEqual(asked, [], "nothing is selected");
  await run("remember-rule", " The valve is new ");
  const modal = world.modals[0]!;
  assert.equal(modal.titleEl.textContent, "Something else is remembered");
  const buttons = (modal.contentEl as unknown as FakeElement).all("button");
  assert.deepEqual(buttons.map((button) => button.textContent), ["Replace it", "Add it beside", "Leave it"]);
  buttons[0]!.click();
  await quiet();
  const text = { text: "The valve is new", memory_type: "procedural" };
  assert.deepEqual(asked.map(({ request }) => request), [{ ...text, ask: true }, { ...text, replace: "0655909e" }]);
  assert.equal(world.notices.at(-1), "Replaced in tars/Memory.md:4\nLeft out: password");
});

test("similar lines that a person leaves are left", async () => {
  const { asked, run } = await start({ remember: () => ({ status: "close", removed: [], near: [] }) });
  await run("remember-fact", "The valve is new");
  world.modals[0]!.close();
  await quiet();
  assert.equal(asked.length, 1);
  assert.equal(world.notices.at(-1), "Nothing was written");
});

test("the token stays in the app's storage, and what is no token or no address of this machine is refused", async () => {
  const { app, plugin, run } = await start({}, { token: "" });
  await run("review");
  const tab = (plugin as unknown as { tabs: (PluginSettingTab & { display(): void })[] }).tabs[0]!;
  tab.display();
  const save = async (address: string, token: string) => {
    controls.get("Address")!.change!(address);
    controls.get("Token")!.change!(token);
    await controls.get("Save")!.click!();
    return world.notices.at(-1)!;
  };
  assert.match(await save("http://example.org", TOKEN), /is not on this machine/);
  assert.match(await save("", "two words\r\nX-Evil: 1"), /this is no token/);
  assert.equal(app.storage.size, 0);
  assert.equal(await save("http://localhost:9000", ` ${TOKEN}\n`), "tars answers, with 2 notes");
  assert.deepEqual([...app.storage.values()], [{ address: "http://localhost:9000", token: TOKEN }]);
  app.storage.set("tars-connection", { address: "http://example.org", token: 7 });
  assert.deepEqual((await import("../src/settings")).load(app as never), { address: "http://127.0.0.1:8746", token: "" });
});
