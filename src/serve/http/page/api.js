// Requests to tars. Every request of the page passes through here, to the address that served the page.

/** Versions of the latest answers, by operation. A write that rests on an answer sends its version back. */
const versions = new Map();

/** Why a request failed, in words for people. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `the server answered ${status}`);
    this.status = status;
    this.hint = body.hint || "";
  }
}

/**
 * Calls an operation of docs/json.md and returns its answer. `restsOn` names the operation whose answer a write rests on: the server
 * refuses the write with status 412 if the notes changed since. `signal` aborts the request.
 */
export async function call(operation, request = {}, { restsOn, signal } = {}) {
  const headers = restsOn && versions.has(restsOn) ? { "If-Match": versions.get(restsOn) } : {};
  const answer = await send(`/v1/${operation}`, { method: "POST", headers, body: JSON.stringify(request), signal });
  const version = answer.headers.get("ETag");
  if (version) versions.set(operation, version);
  return answer.json().catch(() => ({}));
}

/** Sends a request to a path of tars, and returns the response if it is successful. */
export async function send(address, { headers = {}, ...options } = {}) {
  let answer;
  try {
    answer = await fetch(address, { ...options, headers: { "Content-Type": "application/json", "X-Tars": "1", ...headers } });
  } catch (error) {
    if (isAborted(error)) throw error;
    throw new Problem(0, { detail: "tars does not answer", hint: "is `tars serve` running?" });
  }
  if (answer.ok) return answer;
  if (answer.status === 401) document.dispatchEvent(new CustomEvent("tars:locked"));
  throw new Problem(answer.status, await answer.json().catch(() => ({})));
}

/** Whether an error means that the page itself aborted the request. */
export const isAborted = (error) => error.name === "AbortError";

/** Whether an error means that the notes changed since they were read. */
export const isOutdated = (error) => error instanceof Problem && error.status === 412;

/** Runs one request at a time and drops the answer to an older one. */
export class Latest {
  #controller = null;

  /** Sends the request and returns its answer, or `undefined` if a newer request has replaced it. */
  async call(operation, request) {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      const answer = await call(operation, request, { signal: controller.signal });
      return controller === this.#controller ? answer : undefined;
    } catch (error) {
      if (isAborted(error) || controller !== this.#controller) return undefined;
      throw error;
    }
  }

  /** Drops the pending answer. */
  drop() {
    this.#controller?.abort();
    this.#controller = null;
  }
}

/**
 * Listens to server events. Calls `heard(name, data)` for `indexed`, `written` and `recalled`, and `connected(isConnected)` when the
 * connection changes. The browser reconnects by itself.
 */
export function listen(heard, connected) {
  const source = new EventSource("/events");
  source.addEventListener("open", () => connected(true));
  source.addEventListener("error", () => connected(false));
  for (const name of ["indexed", "written", "recalled"]) {
    source.addEventListener(name, (event) => {
      let data = {};
      try { data = JSON.parse(event.data); } catch { /* An event without data is still an event. */ }
      heard(name, data);
    });
  }
  return source;
}
