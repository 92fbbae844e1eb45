// The latest writes of tars, line by line.

import { call } from "../api.js";
import { el, show } from "../dom.js";
import { originText } from "../places.js";
import { ago, fold, moment } from "../shell.js";

/** Most writes shown, and lines of each. */
const [WRITES, LINES] = [15, 6];

/** Shows the latest writes in a collapsible section, which keeps its state. */
export async function changes(root) {
  const isOpen = root.querySelector("details")?.open ?? false;
  const writes = await call("log", { limit: WRITES });
  if (writes.length === 0) return show(root);
  const box = fold("Last changes", el("ul", { class: "changes" }, writes.map(write)));
  box.open = isOpen;
  show(root, box);
}

/** Says who wrote the lines, unless the person did. */
function authors(by = []) {
  const told = by.filter((origin) => !["person", "machine"].includes(origin.by)).map(originText);
  return told.length > 0 && el("span", { class: "dim" }, ` · ${told.join("; ")}`);
}

function write({ time, command, channel, path, undone, undoes, moved_to: movedTo, by, changes: made }) {
  const rows = made.flatMap(({ removed, inserted }) => [
    ...removed.map((line) => el("del", { dir: "auto" }, line)), ...inserted.map((line) => el("ins", { dir: "auto" }, line)),
  ]);
  return el("li", { class: undone ? "undone" : undefined },
    el("p", {}, el("time", { datetime: time, title: moment(time) }, ago(time)), ` · ${command}`, channel && ` by ${channel}`, ` · ${path}`,
      movedTo && ` moved to ${movedTo}`, undoes && ` takes back write ${undoes}`, undone && !undoes && " (taken back)", authors(by)),
    el("div", { class: "diff" }, rows.slice(0, LINES), rows.length > LINES && el("span", { class: "dim" }, `… ${rows.length - LINES} more lines`)));
}
