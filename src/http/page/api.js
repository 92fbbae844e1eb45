// Asks tars: every request of the page goes through here, to the address that the page came from.

/** The versions that answers rested on, by operation: a write that rests on one sends it back. */
const versions = new Map();

/** Why a request was not answered, in words for people. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `the server answered ${status}`);
    this.status = status;
    this.hint = body.hint || "";
  }
}

/**
 * Asks for an operation, as docs/json.md names it, and returns its answer. `restsOn` names the operation whose answer a write rests
 * on: it is refused with status 412 if the notes changed since. `signal` gives a request up.
 */
export async function ask(operation, request = {}, { restsOn, signal } = {}) {
  const headers = restsOn && versions.has(restsOn) ? { "If-Match": versions.get(restsOn) } : {};
  const answer = await reach(`/v1/${operation}`, { method: "POST", headers, body: JSON.stringify(request), signal });
  const version = answer.headers.get("ETag");
  if (version) versions.set(operation, version);
  return answer.json().catch(() => ({}));
}

/** Sends a request to an address of tars, and returns the answer if it is a good one. */
export async function reach(address, { headers = {}, ...options } = {}) {
  let answer;
  try {
    answer = await fetch(address, { ...options, headers: { "Content-Type": "application/json", "X-Tars": "1", ...headers } });
  } catch (error) {
    if (isGivenUp(error)) throw error;
    throw new Problem(0, { detail: "tars does not answer", hint: "is `tars serve` running?" });
  }
  if (answer.ok) return answer;
  if (answer.status === 401) document.dispatchEvent(new CustomEvent("tars:locked"));
  throw new Problem(answer.status, await answer.json().catch(() => ({})));
}

/** Whether an error says that a request was given up by the page itself. */
export const isGivenUp = (error) => error.name === "AbortError";

/** Whether an error says that the notes changed since they were read. */
export const isOutdated = (error) => error instanceof Problem && error.status === 412;

/** Answers one question at a time: the answer to an older one is dropped. */
export class Latest {
  #controller = null;

  /** Asks, and returns the answer, or `undefined` where another question was asked meanwhile. */
  async ask(operation, request) {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      const answer = await ask(operation, request, { signal: controller.signal });
      return controller === this.#controller ? answer : undefined;
    } catch (error) {
      if (isGivenUp(error) || controller !== this.#controller) return undefined;
      throw error;
    }
  }

  /** Drops the answer that is awaited. */
  drop() {
    this.#controller?.abort();
    this.#controller = null;
  }
}

/**
 * Listens to what happens: `heard(name, data)` for `indexed`, `written` and `recalled`, `connected(isConnected)` as that changes.
 * The browser connects again by itself.
 */
export function listen(heard, connected) {
  const source = new EventSource("/events");
  source.addEventListener("open", () => connected(true));
  source.addEventListener("error", () => connected(false));
  for (const name of ["indexed", "written", "recalled"]) {
    source.addEventListener(name, (event) => {
      let data = {};
      try { data = JSON.parse(event.data); } catch { /* An event without data still says that something happened. */ }
      heard(name, data);
    });
  }
  return source;
}
