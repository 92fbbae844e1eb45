// What all views share: messages, problems, and the page that says how to get in.

import { button, el, show } from "./dom.js";

const said = () => document.getElementById("said");

/** Tells people who do not see the page what has changed. */
export function say(text) {
  said().textContent = "";
  // A text that is set anew is read out even where it is the same.
  requestAnimationFrame(() => { said().textContent = text; });
}

/** Shows a message for a while, with an action if there is one: `{ label, act }`. */
export function toast(text, action) {
  const box = el("div", { class: "toast" }, el("span", { dir: "auto" }, text));
  const close = () => box.remove();
  if (action) box.append(button(action.label, () => { close(); action.act(); }));
  box.append(button("×", close, { class: "quiet", "aria-label": "Close the message" }));
  document.getElementById("toasts").append(box);
  setTimeout(close, action ? 12000 : 5000);
  say(text);
}

/** Makes the box that says what went wrong, and what to do. */
export function problemBox(error) {
  return el("div", { class: "problem", role: "alert" }, el("p", {}, error.message), error.hint && el("p", { class: "dim" }, "To do: ", el("code", {}, error.hint)));
}

/** Shows a problem as a message. */
export function toastProblem(error) {
  toast(error.hint ? `${error.message} (${error.hint})` : error.message);
}

/** Replaces the page by the words that say how to get in. */
export function locked() {
  document.body.classList.remove("with-preview");
  show(document.body, el("main", { class: "locked" },
    el("h1", {}, "This page is locked"),
    el("p", {}, "It shows your notes, so it opens only through a link that you ask for in a terminal:"),
    el("pre", {}, el("code", {}, "tars open")),
    el("p", { class: "dim" }, "The link works once. For a phone, the command shows it as a QR code too.")));
}

/** Makes a fold. */
export function fold(summary, ...children) {
  return el("details", {}, el("summary", {}, summary), children);
}

/** Returns a moment as people read it, in local time. */
export function moment(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** Returns how long ago something was. */
export function ago(time) {
  const seconds = Math.round((Date.now() - new Date(time).getTime()) / 1000);
  const steps = [[60, "second"], [3600, "minute", 60], [86400, "hour", 3600], [Infinity, "day", 86400]];
  if (seconds < 5) return "just now";
  const [, unit, size = 1] = steps.find(([limit]) => seconds < limit);
  const number = Math.floor(seconds / size);
  return `${number} ${unit}${number === 1 ? "" : "s"} ago`;
}
