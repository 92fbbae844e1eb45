// Shared by all views: messages, problems, and the sign-in page.

import { button, el, show } from "./dom.js";

const said = () => document.getElementById("said");

/** Announces a change to screen readers. */
export function say(text) {
  said().textContent = "";
  // Set in a new frame, so that screen readers also announce a repeated text.
  requestAnimationFrame(() => { said().textContent = text; });
}

/** How long a message stays, in milliseconds: one with an action takes time to decide. */
const [SHORT, LONG] = [4000, 8000];
let leaving = 0;

/** Shows a message, with an optional action `{ label, act }`. It goes by itself, with the next message, and when the view changes. */
export function toast(text, action) {
  const box = el("div", { class: "toast" }, el("span", { dir: "auto" }, text));
  if (action) box.append(button(action.label, () => { dismissToast(); action.act(); }));
  box.append(button("×", dismissToast, { class: "quiet", "aria-label": "Close the message" }));
  const wait = () => {
    clearTimeout(leaving);
    leaving = setTimeout(dismissToast, action ? LONG : SHORT);
  };
  // It waits while the person reads it or reaches for its button.
  box.addEventListener("pointerenter", () => clearTimeout(leaving));
  box.addEventListener("pointerleave", wait);
  show(document.getElementById("toasts"), box);
  wait();
  say(text);
}

/** Removes the message, and returns whether there was one. */
export function dismissToast() {
  clearTimeout(leaving);
  const toasts = document.getElementById("toasts");
  const wasShown = toasts !== null && toasts.hasChildNodes();
  toasts?.replaceChildren();
  return wasShown;
}

/** Creates the box for a problem and its remedy. */
export function problemBox(error) {
  return el("div", { class: "problem", role: "alert" }, el("p", {}, error.message), error.hint && el("p", { class: "dim" }, "To do: ", el("code", {}, error.hint)));
}

/** Shows a problem as a temporary message. */
export function toastProblem(error) {
  toast(error.hint ? `${error.message} (${error.hint})` : error.message);
}

/** Replaces the page with the instructions for signing in. */
export function locked() {
  document.body.classList.remove("with-preview");
  show(document.body, el("main", { class: "locked" },
    el("h1", {}, "This page is locked"),
    el("p", {}, "It shows your notes, so it opens only through a link that you ask for in a terminal:"),
    el("pre", {}, el("code", {}, "tars open")),
    el("p", { class: "dim" }, "The link works once. For a phone, the command shows it as a QR code too.")));
}

/** Creates a collapsible section. */
export function fold(summary, ...children) {
  return el("details", {}, el("summary", {}, summary), children);
}

/** Returns a time in local form for people. */
export function moment(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** Returns the elapsed time since then, in words. */
export function ago(time) {
  const seconds = Math.round((Date.now() - new Date(time).getTime()) / 1000);
  const steps = [[60, "second"], [3600, "minute", 60], [86400, "hour", 3600], [Infinity, "day", 86400]];
  if (seconds < 5) return "just now";
  const [, unit, size = 1] = steps.find(([limit]) => seconds < limit);
  const number = Math.floor(seconds / size);
  return `${number} ${unit}${number === 1 ? "" : "s"} ago`;
}
