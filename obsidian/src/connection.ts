// Requests to `tars serve`. Every request of the plugin passes through here.
//
// Obsidian sends them outside of its window, so they have no Origin and need no CORS header; the token is their only key.

import { Problem, asProblem } from "./problem";

/** Longest wait for an answer, in milliseconds: longer than the 30 s after which tars itself gives up. */
const TIMEOUT = 35_000;
const MAKE_TOKEN = "make one with: tars serve token add obsidian, and put it into the settings of this plugin";

/** Address and token. */
export interface Settings {
  address: string;
  token: string;
}

/** A request as Obsidian's `requestUrl` takes it. */
export interface Outgoing {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
  throw: false;
}

/** The parts of an answer that are read. */
export interface Incoming {
  status: number;
  headers: Record<string, string>;
  text: string;
}

export type Send = (request: Outgoing) => PromiseLike<Incoming>;

/** Asks tars. */
export class Connection {
  private readonly settings: () => Settings;
  private readonly send: Send;
  /** Versions of the memory folder by the operation whose answer named them. */
  private readonly versions = new Map<string, string>();

  constructor(settings: () => Settings, send: Send) {
    this.settings = settings;
    this.send = send;
  }

  /**
   * Calls an operation and returns its answer. `restsOn` names the operation whose answer a write rests on: tars refuses the write if the
   * memory folder has changed since. Throws a `Problem` otherwise.
   */
  async ask<Answer>(operation: string, request: object, restsOn?: string): Promise<Answer> {
    const { address, token } = this.settings();
    if (token === "") throw new Problem("tars wants a token", MAKE_TOKEN, 401);
    const version = restsOn === undefined ? undefined : this.versions.get(restsOn);
    const answer = await this.answer(address, {
      url: `${address}/v1/${operation}`,
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...(version === undefined ? {} : { "If-Match": version }) },
      body: JSON.stringify(request),
      throw: false,
    });
    const content = parsed(answer.text);
    if (answer.status === 401) throw new Problem("tars refuses the token", MAKE_TOKEN, 401);
    if (answer.status < 200 || answer.status > 299) throw refusal(address, answer.status, content);
    if (content === undefined) throw foreign(address);
    const etag = Object.entries(answer.headers).find(([name]) => name.toLowerCase() === "etag")?.[1];
    if (etag !== undefined) this.versions.set(operation, etag);
    return content as Answer;
  }

  private async answer(address: string, request: Outgoing): Promise<Incoming> {
    const silent = () => new Problem(`tars does not answer at ${address}`, "start it with: tars serve");
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(silent()), TIMEOUT);
    });
    try {
      return await Promise.race([this.send(request), late]);
    } catch {
      // Obsidian's message names an error of its network library, which says no more than that nobody answered.
      throw silent();
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Runs requests, and drops the answers to all but the newest. */
export class Latest {
  private count = 0;

  /** Returns the result, or undefined if a newer call or `drop` has replaced this one; so for an error. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    const own = ++this.count;
    try {
      const result = await work();
      return own === this.count ? result : undefined;
    } catch (error) {
      if (own === this.count) throw asProblem(error);
      return undefined;
    }
  }

  /** Drops the answer that is still to come. */
  drop(): void {
    this.count += 1;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(address: string, status: number, content: unknown): Problem {
  const told = (typeof content === "object" && content !== null ? content : {}) as { title?: unknown; detail?: unknown; hint?: unknown };
  const message = [told.detail, told.title].find((text): text is string => typeof text === "string" && text !== "");
  if (message === undefined) return foreign(address);
  return new Problem(message, typeof told.hint === "string" ? told.hint : "", status);
}

function foreign(address: string): Problem {
  return new Problem(`the program at ${address} does not answer like tars`, "start it with: tars serve, and compare the address in the settings of this plugin");
}
