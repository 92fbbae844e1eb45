// Built from obsidian/src in the repository of tars by obsidian/build.mjs. Change the sources, not this file.
"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// src/main.ts
var main_exports = {};
__export(main_exports, {
  default: () => TarsPlugin
});
module.exports = __toCommonJS(main_exports);
var import_node_fs = require("node:fs");
var import_obsidian5 = require("obsidian");

// src/problem.ts
var Problem = class extends Error {
  hint;
  /** The status of the answer; 0 if there was none. */
  status;
  constructor(message, hint = "", status = 0) {
    super(message);
    this.hint = hint;
    this.status = status;
  }
  /** Whether the memory folder has changed since the answer that a write rests on. */
  get isOutdated() {
    return this.status === 412;
  }
};
function asProblem(error) {
  return error instanceof Problem ? error : new Problem(error instanceof Error ? error.message : String(error));
}

// src/connection.ts
var TIMEOUT = 35e3;
var MAKE_TOKEN = "make one with: tars serve token add obsidian, and put it into the settings of this plugin";
var Connection = class {
  settings;
  send;
  /** Versions of the memory folder by the operation whose answer named them. */
  versions = /* @__PURE__ */ new Map();
  constructor(settings, send) {
    this.settings = settings;
    this.send = send;
  }
  /**
   * Calls an operation and returns its answer. `restsOn` names the operation whose answer a write rests on: tars refuses the write if the
   * memory folder has changed since. Throws a `Problem` otherwise.
   */
  async ask(operation, request, restsOn) {
    const { address, token } = this.settings();
    if (token === "") throw new Problem("tars wants a token", MAKE_TOKEN, 401);
    const version = restsOn === void 0 ? void 0 : this.versions.get(restsOn);
    const answer = await this.answer(address, {
      url: `${address}/v1/${operation}`,
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...version === void 0 ? {} : { "If-Match": version } },
      body: JSON.stringify(request),
      throw: false
    });
    const content = parsed(answer.text);
    if (answer.status === 401) throw new Problem("tars refuses the token", MAKE_TOKEN, 401);
    if (answer.status < 200 || answer.status > 299) throw refusal(address, answer.status, content);
    if (content === void 0) throw foreign(address);
    const etag = Object.entries(answer.headers).find(([name]) => name.toLowerCase() === "etag")?.[1];
    if (etag !== void 0) this.versions.set(operation, etag);
    return content;
  }
  async answer(address, request) {
    const silent = () => new Problem(`tars does not answer at ${address}`, "start it with: tars serve");
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(silent()), TIMEOUT);
    });
    try {
      return await Promise.race([this.send(request), late]);
    } catch {
      throw silent();
    } finally {
      clearTimeout(timer);
    }
  }
};
var Latest = class {
  count = 0;
  /** Returns the result, or undefined if a newer call or `drop` has replaced this one; so for an error. */
  async run(work) {
    const own = ++this.count;
    try {
      const result = await work();
      return own === this.count ? result : void 0;
    } catch (error) {
      if (own === this.count) throw asProblem(error);
      return void 0;
    }
  }
  /** Drops the answer that is still to come. */
  drop() {
    this.count += 1;
  }
};
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}
function refusal(address, status, content) {
  const told = typeof content === "object" && content !== null ? content : {};
  const message = [told.detail, told.title].find((text) => typeof text === "string" && text !== "");
  if (message === void 0) return foreign(address);
  return new Problem(message, typeof told.hint === "string" ? told.hint : "", status);
}
function foreign(address) {
  return new Problem(`the program at ${address} does not answer like tars`, "start it with: tars serve, and compare the address in the settings of this plugin");
}

// src/pane.ts
var import_obsidian = require("obsidian");

// src/lines.ts
var [BEFORE, AFTER] = [1, 3];
var MAX_LINE = 400;
var UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
var RULE = /^[-=_*|:\s]{3,200}$/;
function answeringLines(hit) {
  const all = hit.content.split("\n");
  const at = Math.min(Math.max(0, hit.line - hit.start_line), all.length - 1);
  return all.map((line, index) => ({ text: withoutMarker(line), answers: index === at, index })).slice(Math.max(0, at - BEFORE), at + AFTER + 1).filter(({ text, answers }) => answers || !(text === "" || text.startsWith("<!--") || RULE.test(text))).map(({ text, answers }) => ({ text: shortened(text), answers }));
}
function withoutMarker(line) {
  return line.trim().replace(/^(#{1,6}|>|[-*+]|\d{1,9}[.)]) +/, "").replace(/^\[[ xX]\] +/, "");
}
function clean(text) {
  return text.replace(UNSEEN, (letter) => letter === "\r" ? "" : `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
function shortened(text) {
  return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)} …` : text;
}

// src/dom.ts
function addText(parent, tag, cls, text) {
  return parent.createEl(tag, { cls, text: clean(text), attr: { dir: "auto" } });
}
function addButton(parent, label, act) {
  const button = parent.createEl("button", { text: label, attr: { type: "button" } });
  button.addEventListener("click", act);
  return button;
}
function showProblem(parent, problem, again) {
  parent.empty();
  const box = parent.createEl("div", { cls: "tars-problem", attr: { role: "alert" } });
  addText(box, "p", "tars-message", problem.message);
  if (problem.hint !== "") addText(box, "p", "tars-hint", problem.hint);
  addButton(box, "Try again", again);
}
var Rows = class {
  rows = [];
  current = -1;
  /** Forgets all rows. */
  clear() {
    this.rows = [];
    this.current = -1;
  }
  /** Adds a row, which can have the focus itself. */
  add(row) {
    const index = this.rows.push(row) - 1;
    row.setAttribute("tabindex", "0");
    row.addEventListener("focusin", () => {
      this.current = index;
    });
  }
  /** The row that has, or last had, the focus. */
  get at() {
    return this.current;
  }
  get length() {
    return this.rows.length;
  }
  /** Gives the focus to a row, or to the nearest one that exists. Returns whether there is one. */
  focus(index) {
    const row = this.rows[Math.min(Math.max(0, index), this.rows.length - 1)];
    row?.focus();
    return row !== void 0;
  }
  /** Moves the focus if the key says so. Returns whether it did. */
  move(event) {
    const step = event.key === "ArrowDown" || event.key === "j" ? 1 : event.key === "ArrowUp" || event.key === "k" ? -1 : 0;
    const next = this.current + step;
    if (step === 0 || event.ctrlKey || event.metaKey || event.altKey || next < 0 || next >= this.rows.length) return false;
    event.preventDefault();
    return this.focus(next);
  }
};

// src/pane.ts
var VAULT = "vault";
var Pane = class extends import_obsidian.ItemView {
  tars;
  rows = new Rows();
  latest = new Latest();
  /** The part that a load replaces. */
  list;
  navigation = false;
  constructor(leaf, tars) {
    super(leaf);
    this.tars = tars;
  }
  async onOpen() {
    this.contentEl.empty();
    this.contentEl.addClass("tars-pane");
    this.head(this.contentEl);
    this.list = this.contentEl.createEl("div", { cls: "tars-list" });
    this.contentEl.addEventListener("keydown", (event) => this.key(event));
    await this.refresh();
  }
  async onClose() {
    this.latest.drop();
  }
  /** Adds what stands above the list. */
  head(parent) {
    addButton(parent.createEl("div", { cls: "tars-head" }), "Refresh", () => void this.refresh());
  }
  /** Gives the focus to what the keys act on. */
  takeFocus() {
    this.rows.focus(0);
  }
  key(event) {
    this.rows.move(event);
  }
  /** Empties the list. */
  clear() {
    this.rows.clear();
    this.list.empty();
    return this.list;
  }
  /** Asks, and shows what `draw` makes of the latest answer, or the problem. */
  async show(ask, draw) {
    try {
      const answer = await this.latest.run(ask);
      if (answer !== void 0) draw(this.clear(), answer);
    } catch (error) {
      this.rows.clear();
      showProblem(this.list, asProblem(error), () => void this.refresh());
    }
  }
  /** Adds a row that opens a place in a note. */
  addPlace(parent, name, place, about = "") {
    const row = parent.createEl("button", { cls: "tars-row", attr: { type: "button" } });
    row.addEventListener("click", (event) => void this.tars.open(place, event));
    addText(row, "div", "tars-name", name);
    const where = place.collection === VAULT ? "" : ` in ${place.collection}`;
    addText(row, "div", "tars-place", `${place.path}${place.line === null ? "" : `:${place.line}`}${where}${about}`);
    this.rows.add(row);
    return row;
  }
};

// src/places.ts
var Places = class {
  base;
  roots;
  constructor(base, collections, realPath2) {
    const real = (path) => realPath2(path).replace(/\/+$/, "");
    this.base = real(base);
    this.roots = new Map(collections.map(({ name, root }) => [name, real(root)]));
  }
  /** Returns the path within the open vault of a note of tars; null if it lies elsewhere. */
  inVault(collection, path) {
    const root = this.roots.get(collection);
    return root === void 0 ? null : below(this.base, `${root}/${path}`);
  }
  /** Returns the collection that holds a note of the open vault, and its path there; null if none does. */
  ofNote(path) {
    for (const [collection, root] of this.roots) {
      const inner = below(root, `${this.base}/${path}`);
      if (inner !== null) return { collection, path: inner };
    }
    return null;
  }
  /** Returns the folder of tars' vault if no collection shares a folder with the open vault; null if one does. */
  get elsewhere() {
    const shares = (root) => `${root}/`.startsWith(`${this.base}/`) || `${this.base}/`.startsWith(`${root}/`);
    return [...this.roots.values()].some(shares) ? null : this.roots.get("vault") ?? [...this.roots.values()][0] ?? "";
  }
};
function below(folder, path) {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : null;
}

// src/recalled.ts
var RECALLED = "tars-recalled";
var USES = { expanded: "looked up", quoted: "quoted", helpful: "helpful", not_helpful: "not helpful" };
var RecalledPane = class extends Pane {
  getViewType() {
    return RECALLED;
  }
  getDisplayText() {
    return "tars: recalled today";
  }
  getIcon() {
    return "history";
  }
  async refresh() {
    await this.show(() => this.today(), (list, events) => this.draw(list, events));
  }
  /** Returns today's lookups that brought lines, the newest first. */
  async today() {
    const now = /* @__PURE__ */ new Date();
    const sessions = await this.tars.connection.ask("recalled", {});
    const events = [];
    for (const { session } of sessions.filter(({ last }) => isSameDay(new Date(last), now))) {
      const answer = await this.tars.connection.ask("why", { session });
      const own = answer.events.map((event) => ({ ...event, pieces: event.pieces.filter(({ always }) => !always) }));
      events.push(...own.filter(({ at, pieces }) => isSameDay(new Date(at), now) && pieces.length > 0));
    }
    return events.sort((one, other) => new Date(other.at).getTime() - new Date(one.at).getTime());
  }
  draw(list, events) {
    if (events.length === 0) addText(list, "p", "tars-empty", "No agent got lines of your notes today.");
    for (const { at, question, pieces } of events) {
      const time = new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
      addText(list, "h4", "tars-question", `${time} ${question === "" ? "a session began" : question}`);
      for (const { collection, path, start_line, heading, lines } of pieces) {
        const line = lines.find(({ line: line2 }) => line2 !== null)?.line ?? start_line;
        const row = this.addPlace(list, heading === "" ? path.replace(/^.*\/|\.md$/g, "") : heading.replaceAll(" > ", " › "), { collection, path, line });
        for (const { text, used } of lines) {
          const uses = used.map((use) => USES[use] ?? use).join(", ");
          addText(row, "div", "tars-line", withoutMarker(text) + (uses === "" ? "" : ` (${uses})`));
        }
      }
    }
  }
};
function isSameDay(one, other) {
  return one.toDateString() === other.toDateString();
}

// src/related.ts
var RELATED = "tars-related";
var RelatedPane = class extends Pane {
  getViewType() {
    return RELATED;
  }
  getDisplayText() {
    return "tars: related notes";
  }
  getIcon() {
    return "waypoints";
  }
  async onOpen() {
    this.registerEvent(this.app.workspace.on("file-open", () => void this.refresh()));
    await super.onOpen();
  }
  async refresh() {
    const file = this.app.workspace.getActiveFile();
    if (file === null) {
      this.latest.drop();
      addText(this.clear(), "p", "tars-empty", "Open a note to see the notes that are related to it.");
      return;
    }
    await this.show(() => this.related(file), (list, answer) => this.draw(list, file, answer));
  }
  async related(file) {
    const place = (await this.tars.places()).ofNote(file.path);
    if (place === null) throw new Problem(`${file.path} is in none of the folders that tars searches`, "tars config list shows them");
    try {
      return await this.tars.connection.ask("related", { name: place.path, collections: [place.collection] });
    } catch (error) {
      if (error instanceof Problem && error.status === 404) {
        throw new Problem(`tars knows no note ${file.path}`, "it is private, left out of the index, or not indexed yet");
      }
      throw error;
    }
  }
  draw(list, file, answer) {
    addText(list, "p", "tars-count", `Related to ${file.basename}`);
    if (answer.degraded !== null) addText(list, "p", "tars-warning", answer.degraded);
    if (answer.notes.length === 0) addText(list, "p", "tars-empty", "No note is related to it.");
    for (const note of answer.notes) this.addPlace(list, note.title, note, ` · ${reason(note)}`);
  }
};
function reason({ is_target, is_source }) {
  if (is_target && is_source) return "each links to the other";
  return is_target ? "linked from here" : is_source ? "links here" : "the same subject";
}

// src/remember.ts
var import_obsidian2 = require("obsidian");
var MAX_NEAR = 5;
var RELATIONS = { equal: "says the same", close: "says nearly the same", conflict: "says otherwise" };
async function remember(connection, text, kind, choose) {
  const request = { text, memory_type: kind };
  let answer = await connection.ask("remember", { ...request, ask: true });
  if (answer.status === "close") {
    const choice = await choose(answer.near.slice(0, MAX_NEAR));
    if ("leave" in choice) return "Nothing was written";
    answer = await connection.ask("remember", { ...request, ...choice });
  }
  const place = answer.path === void 0 ? "" : ` in ${answer.path}${answer.line === void 0 ? "" : `:${answer.line}`}`;
  const words = { added: "Remembered", replaced: "Replaced", known: "It was remembered already", close: "Not written: nearly the same is remembered" };
  const left = answer.removed.length === 0 ? [] : [`Left out: ${answer.removed.join(", ")}`];
  return [`${words[answer.status]}${place}`, ...left, ...answer.warnings ?? []].join("\n");
}
var SimilarLines = class extends import_obsidian2.Modal {
  choice = { leave: true };
  near;
  done;
  constructor(app, near, done) {
    super(app);
    this.near = near;
    this.done = done;
  }
  onOpen() {
    const isConflict = this.near.some(({ relation }) => relation === "conflict");
    this.titleEl.textContent = isConflict ? "Something else is remembered" : "Nearly the same is remembered";
    this.contentEl.addClass("tars-pane");
    for (const line of this.near) {
      const card = this.contentEl.createEl("div", { cls: "tars-card" });
      addText(card, "div", "tars-words", line.text);
      addText(card, "div", "tars-place", `${line.path}:${line.line} ${RELATIONS[line.relation ?? ""] ?? ""}`);
      addButton(card, "Replace it", () => this.end({ replace: line.id }));
    }
    const actions = this.contentEl.createEl("div", { cls: "tars-actions" });
    addButton(actions, "Add it beside", () => this.end({ force: true }));
    addButton(actions, "Leave it", () => this.end({ leave: true }));
  }
  onClose() {
    this.done(this.choice);
  }
  end(choice) {
    this.choice = choice;
    this.close();
  }
};

// src/review.ts
var import_obsidian3 = require("obsidian");
var REVIEW = "tars-review";
var CHANGES = {
  add: "Add",
  page: "Put on the project's page",
  merge: "Make one line of these",
  replace: "Reword",
  supersede: "Mark as outdated",
  remove: "Remove",
  link: "Fix a link",
  move: "Move to another file"
};
var SOURCES = { correction: "Correction", reward: "Praise", extracted: "From a session" };
var ReviewPane = class extends Pane {
  /** The choices of each row. */
  choices = [];
  /** The row that gets the focus after the next load. */
  next = null;
  isDeciding = false;
  getViewType() {
    return REVIEW;
  }
  getDisplayText() {
    return "tars: review";
  }
  getIcon() {
    return "list-checks";
  }
  async refresh() {
    const ask = async () => ({
      proposals: (await this.tars.connection.ask("proposals", {})).filter(({ word }) => word === "open"),
      waiting: await this.tars.connection.ask("review", {})
    });
    await this.show(ask, (list, { proposals, waiting }) => this.draw(list, proposals, waiting));
  }
  draw(list, proposals, waiting) {
    this.choices = [];
    if (proposals.length + waiting.length === 0) addText(list, "p", "tars-empty", "Nothing waits for your decision.");
    else addText(list, "p", "tars-count", "j and k move; o opens the note; the letters of the buttons decide");
    for (const proposal of proposals) this.drawProposal(list, proposal);
    for (const line of waiting) this.drawWaiting(list, line);
    if (this.next !== null) this.rows.focus(this.next);
    this.next = null;
  }
  drawProposal(list, proposal) {
    const { change, path, section, text, page = [], lines = [], stays, link, sources = [] } = proposal;
    const card = this.addCard(list, `${CHANGES[change] ?? change} · ${path}${section === "" ? "" : ` › ${section}`}`, path, null, [
      { key: "a", label: "Accept", act: () => this.decide(proposal, true) },
      { key: "d", label: "Dismiss", act: () => this.decide(proposal, false) }
    ]);
    for (const part of page) {
      addText(card, "div", "tars-heading", part.section);
      for (const line of part.lines) addText(card, "div", "tars-line", line);
    }
    if (page.length === 0 && !lines.includes(text)) addText(card, "div", "tars-words", text);
    for (const line of lines) addText(card, "del", "tars-gone", line);
    if (stays !== void 0) addText(card, "div", "tars-line", `Stays: ${stays}`);
    if (link !== void 0) addText(card, "div", "tars-line", `[[${link.target}]] → ${link.to === null ? "plain words" : `[[${link.to}]]`}`);
    for (const source of sources) addText(card, "div", "tars-source", `rests on: ${source}`);
  }
  drawWaiting(list, line) {
    const card = this.addCard(list, `${SOURCES[line.source] ?? line.source} · ${line.path}:${line.line}`, line.path, line.line, [
      { key: "m", label: "Keep as a fact", act: () => this.settle(line, { promote: { to: "semantic" } }) },
      { key: "p", label: "Keep as a rule", act: () => this.settle(line, { promote: { to: "procedural" } }) },
      { key: "d", label: "Dismiss", act: () => this.settle(line, "drop") }
    ]);
    addText(card, "div", "tars-words", line.proposal);
  }
  /** Adds a card, and returns the place for its text. */
  addCard(list, title, path, line, choices) {
    const card = list.createEl("div", { cls: "tars-card", attr: { role: "group" } });
    addText(card, "div", "tars-place", title);
    const body = card.createEl("div");
    const actions = card.createEl("div", { cls: "tars-actions" });
    const index = this.rows.length;
    const open = {
      key: "o",
      label: "Open",
      act: async () => {
        await this.tars.open({ collection: VAULT, path, line });
        return "";
      }
    };
    for (const choice of [...choices, open]) {
      const button = addButton(actions, `${choice.label} (${choice.key})`, () => void this.choose(index, choice));
      button.setAttribute("aria-keyshortcuts", choice.key);
    }
    this.rows.add(card);
    this.choices[index] = [...choices, open];
    return body;
  }
  key(event) {
    if (this.rows.move(event) || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const choice = this.choices[this.rows.at]?.find(({ key }) => key === event.key);
    if (choice === void 0) return;
    event.preventDefault();
    void this.choose(this.rows.at, choice);
  }
  /** Carries out a choice, and shows what is left. */
  async choose(index, choice) {
    if (this.isDeciding) return;
    this.isDeciding = true;
    try {
      const said = await choice.act();
      if (said !== "") new import_obsidian3.Notice(said);
    } catch (error) {
      const { isOutdated, message, hint } = asProblem(error);
      new import_obsidian3.Notice(isOutdated ? "The memory has changed meanwhile. Nothing was done; this is how it is now." : `${message}${hint === "" ? "" : `
${hint}`}`);
    } finally {
      this.isDeciding = false;
    }
    if (choice.key === "o") return;
    this.next = index;
    await this.refresh();
  }
  async decide({ id }, accept) {
    const { status } = await this.tars.connection.ask("decide", { id, accept }, "proposals");
    return { accepted: "Accepted; tars undo takes it back", refused: "Dismissed", gone: "A line that it is about does not exist any more" }[status];
  }
  async settle({ id, path }, settlement) {
    const answer = await this.tars.connection.ask("settle", { id, path, settlement }, "review");
    if (settlement === "drop") return "Dismissed; tars undo takes it back";
    return answer.status === "known" ? "It was remembered already" : `Kept in ${answer.path ?? "the memory"}; tars undo takes it back`;
  }
};

// src/search.ts
var SEARCH = "tars-search";
var PAUSE = 150;
var LIMIT = 12;
var MIN_SCORE = 0.25;
var SearchPane = class extends Pane {
  field;
  count;
  timer;
  /** Whether Enter waits for the answer to open its first hit. */
  opensFirst = false;
  getViewType() {
    return SEARCH;
  }
  getDisplayText() {
    return "tars: search";
  }
  getIcon() {
    return "search";
  }
  async onClose() {
    clearTimeout(this.timer);
    await super.onClose();
  }
  takeFocus() {
    this.field.focus();
  }
  head(parent) {
    this.field = parent.createEl("input", {
      cls: "tars-field",
      attr: { type: "search", placeholder: "What do you want to find?", "aria-label": "Question", spellcheck: "false" }
    });
    this.field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.opensFirst = false;
      this.timer = setTimeout(() => void this.refresh(), PAUSE);
    });
    this.count = parent.createEl("p", { cls: "tars-count", attr: { role: "status" } });
  }
  async refresh() {
    clearTimeout(this.timer);
    this.timer = void 0;
    const query = this.field.value.trim();
    this.count.textContent = "";
    if (query === "") {
      this.latest.drop();
      this.clear();
      return;
    }
    await this.show(
      () => this.tars.connection.ask("search", { query, limit: LIMIT }),
      (list, answer) => this.draw(list, answer)
    );
  }
  draw(list, answer) {
    const hits = answer.results.filter(({ score }) => score >= MIN_SCORE);
    const waiting = answer.index.pending > 0 ? `; ${answer.index.pending} changed notes are not indexed yet` : "";
    this.count.textContent = (hits.length === 0 ? "Nothing relevant was found" : `${hits.length} found`) + waiting;
    for (const remark of [answer.degraded, ...answer.remarks]) {
      if (remark !== null) addText(list, "p", "tars-warning", remark);
    }
    for (const hit of hits) this.drawHit(list, hit);
    const first = hits[0];
    if (this.opensFirst && first !== void 0) void this.tars.open(first);
    this.opensFirst = false;
  }
  drawHit(list, hit) {
    const name = (hit.heading || hit.title).replaceAll(" > ", " › ");
    const row = this.addPlace(list, name, hit, ` · ${hit.relevance}`);
    if (hit.superseded) addText(row, "div", "tars-warning", `No longer true since ${hit.superseded.until}; now: ${hit.superseded.by}`);
    for (const { text, answers } of answeringLines(hit)) {
      if (answers) addText(row.createEl("div", { cls: "tars-line" }), "mark", "", text);
      else addText(row, "div", "tars-line", text);
    }
  }
  key(event) {
    if (event.target !== this.field) {
      if (!this.rows.move(event) && event.key === "ArrowUp") this.field.focus();
      return;
    }
    if (event.isComposing) return;
    if (event.key === "ArrowDown" && this.rows.focus(0)) event.preventDefault();
    if (event.key === "Enter") {
      event.preventDefault();
      this.opensFirst = true;
      void this.refresh();
    }
  }
};

// src/settings.ts
var import_obsidian4 = require("obsidian");

// src/address.ts
var DEFAULT_ADDRESS = "http://127.0.0.1:8746";
var HOSTS = ["127.0.0.1", "localhost", "[::1]"];
function parseAddress(text) {
  const typed = text.trim() === "" ? DEFAULT_ADDRESS : text.trim();
  const refused = (why) => new Problem(`the address '${typed}' ${why}`, `use the one that tars serve prints, such as ${DEFAULT_ADDRESS}`);
  let url;
  try {
    url = new URL(typed);
  } catch {
    throw refused("cannot be read");
  }
  if (url.protocol !== "http:" || !HOSTS.includes(url.hostname)) throw refused("is not on this machine");
  if (url.username !== "" || url.password !== "" || url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw refused("holds more than a name and a port");
  }
  return url.origin;
}

// src/settings.ts
var KEY = "tars-connection";
function load(app) {
  const kept = app.loadLocalStorage(KEY);
  const { address, token } = typeof kept === "object" && kept !== null ? kept : {};
  return { address: validAddress(address), token: typeof token === "string" && isToken(token) ? token : "" };
}
function save(app, address, token) {
  const settings = { address: parseAddress(address), token: token.trim() };
  if (settings.token !== "" && !isToken(settings.token)) {
    throw new Problem("this is no token", "paste the line that tars serve token add obsidian prints");
  }
  app.saveLocalStorage(KEY, settings);
  return settings;
}
function validAddress(address) {
  try {
    return typeof address === "string" ? parseAddress(address) : DEFAULT_ADDRESS;
  } catch {
    return DEFAULT_ADDRESS;
  }
}
function isToken(text) {
  return /^[\x21-\x7e]{8,200}$/.test(text);
}
async function check(connection, tars) {
  const { files } = await connection.ask("status", {});
  const { elsewhere } = await tars.places();
  return elsewhere === null ? `tars answers, with ${files} notes` : `tars answers, but its vault is ${elsewhere}: its notes cannot be opened here`;
}
var TarsSettings = class extends import_obsidian4.PluginSettingTab {
  tars;
  constructor(app, plugin) {
    super(app, plugin);
    this.tars = plugin;
  }
  display() {
    this.containerEl.empty();
    let { address, token } = this.tars.access;
    new import_obsidian4.Setting(this.containerEl).setName("Address").setDesc(`Where tars serve listens on this machine: ${DEFAULT_ADDRESS} unless you chose another port.`).addText((field) => field.setValue(address).onChange((text) => {
      address = text;
    }));
    new import_obsidian4.Setting(this.containerEl).setName("Token").setDesc("tars serve token add obsidian prints one. It stays on this machine, outside of the vault.").addText((field) => {
      field.inputEl.type = "password";
      field.setValue(token).onChange((text) => {
        token = text;
      });
    });
    new import_obsidian4.Setting(this.containerEl).setName("Save").setDesc("Keeps both, and asks tars whether they are right.").addButton((button) => button.setButtonText("Save and check").setCta().onClick(async () => {
      try {
        this.tars.configure(address, token);
        new import_obsidian4.Notice(await check(this.tars.connection, this.tars));
      } catch (error) {
        const { message, hint } = asProblem(error);
        new import_obsidian4.Notice(hint === "" ? message : `${message}
${hint}`);
      }
    }));
  }
};

// src/main.ts
var TarsPlugin = class extends import_obsidian5.Plugin {
  access = load(this.app);
  connection = new Connection(() => this.access, import_obsidian5.requestUrl);
  knownPlaces = null;
  async onload() {
    const panes = [
      [SEARCH, "Search", (leaf) => new SearchPane(leaf, this)],
      [RELATED, "Show related notes", (leaf) => new RelatedPane(leaf, this)],
      [RECALLED, "Show what was recalled today", (leaf) => new RecalledPane(leaf, this)],
      [REVIEW, "Review proposals", (leaf) => new ReviewPane(leaf, this)]
    ];
    for (const [type, name, create] of panes) {
      this.registerView(type, create);
      this.addCommand({ id: type.replace("tars-", ""), name, callback: () => void this.show(type) });
    }
    const kinds = [
      ["remember-fact", "Remember the selection", "semantic"],
      ["remember-rule", "Remember the selection as a rule", "procedural"]
    ];
    for (const [id, name, kind] of kinds) {
      this.addCommand({ id, name, editorCallback: (editor) => void this.rememberSelection(editor, kind) });
    }
    this.addRibbonIcon("search", "tars: search", () => void this.show(SEARCH));
    this.addSettingTab(new TarsSettings(this.app, this));
  }
  configure(address, token) {
    this.access = save(this.app, address, token);
    this.knownPlaces = null;
  }
  places() {
    const known = this.knownPlaces ?? this.askPlaces();
    this.knownPlaces = known;
    known.catch(() => {
      this.knownPlaces = null;
    });
    return known;
  }
  async askPlaces() {
    const { collections } = await this.connection.ask("status", {});
    const adapter = this.app.vault.adapter;
    const base = adapter instanceof import_obsidian5.FileSystemAdapter ? adapter.getBasePath() : "";
    return new Places(base, collections, realPath);
  }
  async open({ collection, path, line }, event) {
    try {
      const place = (await this.places()).inVault(collection, path);
      const file = place === null ? null : this.app.vault.getFileByPath(place);
      if (place === null) new import_obsidian5.Notice(`${path} is in the collection ${collection} of tars, outside of this vault`);
      else if (file === null) new import_obsidian5.Notice(`${place} is not in this vault any more`);
      else {
        const leaf = this.app.workspace.getLeaf(import_obsidian5.Keymap.isModEvent(event));
        await leaf.openFile(file, { active: true, ...line === null ? {} : { eState: { line: line - 1 } } });
      }
    } catch (error) {
      this.tell(error);
    }
  }
  async show(type) {
    const leaf = this.app.workspace.getLeavesOfType(type)[0] ?? this.app.workspace.getRightLeaf(false);
    if (leaf === null) return;
    if (leaf.view.getViewType() !== type) await leaf.setViewState({ type, active: true });
    await this.app.workspace.revealLeaf(leaf);
    if (leaf.view instanceof Pane) leaf.view.takeFocus();
  }
  async rememberSelection(editor, kind) {
    const text = editor.getSelection().trim();
    if (text === "") {
      new import_obsidian5.Notice("Select the text to remember first");
      return;
    }
    try {
      const choose = (near) => new Promise((resolve) => new SimilarLines(this.app, near, resolve).open());
      new import_obsidian5.Notice(await remember(this.connection, text, kind, choose));
    } catch (error) {
      this.tell(error);
    }
  }
  tell(error) {
    const { message, hint } = asProblem(error);
    new import_obsidian5.Notice(hint === "" ? message : `${message}
${hint}`);
  }
};
function realPath(path) {
  try {
    return (0, import_node_fs.realpathSync)(path);
  } catch {
    return path;
  }
}
