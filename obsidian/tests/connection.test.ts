import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "../src/address";
import { Connection, type Incoming, Latest, type Outgoing } from "../src/connection";
import { Problem } from "../src/problem";

const SETTINGS = { address: "http://127.0.0.1:8746", token: "tars_0123456789abcdef" };

function answering(status: number, text: string): Connection {
  return new Connection(() => SETTINGS, () => Promise.resolve({ status, headers: {}, text }));
}

async function problem(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(() => assert.fail("it was answered"), (error: unknown) => error);
  assert.ok(error instanceof Problem);
  return error;
}

test("a server that is not running is said, with the command that starts it", async () => {
  const refused = new Connection(() => SETTINGS, () => Promise.reject(new Error("net::ERR_CONNECTION_REFUSED")));
  const { message, hint } = await problem(refused.ask("search", {}));
  assert.equal(message, "tars does not answer at http://127.0.0.1:8746");
  assert.equal(hint, "start it with: tars serve");
});

test("a server that is silent for 35 seconds does not answer", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const silent = new Connection(() => SETTINGS, () => new Promise<Incoming>(() => {}));
  const asked = problem(silent.ask("search", {}));
  context.mock.timers.tick(35_000);
  assert.equal((await asked).hint, "start it with: tars serve");
});

test("without a token nothing is sent", async () => {
  const sent: Outgoing[] = [];
  const connection = new Connection(() => ({ ...SETTINGS, token: "" }), (request) => {
    sent.push(request);
    return Promise.reject(new Error("sent"));
  });
  assert.match((await problem(connection.ask("search", {}))).hint, /tars serve token add obsidian/);
  assert.deepEqual(sent, []);
});

test("a refused token is said, with the command that makes one", async () => {
  const { message, hint } = await problem(answering(401, "{}").ask("search", {}));
  assert.equal(message, "tars refuses the token");
  assert.match(hint, /tars serve token add obsidian/);
});

test("a refusal of tars comes in its words", async () => {
  const { message, hint } = await problem(answering(422, '{"detail":"the query is empty","hint":"tars search WORDS..."}').ask("search", {}));
  assert.deepEqual([message, hint], ["the query is empty", "tars search WORDS..."]);
});

test("another program at the address is not taken for tars", async () => {
  for (const [status, text] of [[200, "<html>"], [404, "Not found"], [500, "[]"]] as const) {
    assert.match((await problem(answering(status, text).ask("search", {}))).message, /does not answer like tars/);
  }
});

test("a write carries the version of the answer that it rests on", async () => {
  const sent: Outgoing[] = [];
  const connection = new Connection(() => SETTINGS, (request) => {
    sent.push(request);
    return Promise.resolve({ status: 200, headers: { ETag: '"v1"' }, text: "[]" });
  });
  await connection.ask("proposals", {});
  await connection.ask("decide", { id: "a", accept: true }, "proposals");
  assert.deepEqual(sent.map(({ headers }) => headers["If-Match"]), [undefined, '"v1"']);
  assert.deepEqual(sent.map(({ url }) => url), ["http://127.0.0.1:8746/v1/proposals", "http://127.0.0.1:8746/v1/decide"]);
  assert.equal(sent[0]?.headers.Authorization, `Bearer ${SETTINGS.token}`);
});

test("an older answer that comes late is dropped", async () => {
  const latest = new Latest();
  let late: (text: string) => void = () => {};
  const first = latest.run(() => new Promise<string>((resolve) => {
    late = resolve;
  }));
  const second = latest.run(() => Promise.resolve("new"));
  late("old");
  assert.deepEqual([await first, await second], [undefined, "new"]);
});

test("only addresses of this machine are accepted", () => {
  assert.equal(parseAddress(" http://localhost:9000/ "), "http://localhost:9000");
  assert.equal(parseAddress("http://[::1]:9000"), "http://[::1]:9000");
  assert.equal(parseAddress(""), "http://127.0.0.1:8746");
  const wrong = [
    "127.0.0.1:8746", "https://127.0.0.1:8746", "http://example.org", "http://127.0.0.1.example.org", "http://me@127.0.0.1",
    "http://127.0.0.1:8746/v1", "http://localhost:8746/?a=b", "javascript:alert(1)", "file:///etc/passwd", "nonsense",
  ];
  for (const text of wrong) assert.throws(() => parseAddress(text), Problem, text);
});
