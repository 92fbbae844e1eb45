// Builds elements. Text is inserted as text, never as markup. Only this module creates elements.

/** Bidirectional overrides and other invisible characters, which are shown as escapes. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Returns the text with invisible and direction-changing characters escaped. */
export function clean(text) {
  return String(text).replace(UNSEEN, (character) =>
    character === "\r" ? "" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Creates an element. In `properties`, `class`, `on` (listeners by event), `data` (data attributes) and `text` mean what their names say;
 * true and false set and omit an attribute; all others are attributes. Children are elements, texts, or nothing.
 */
export function el(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** Like `el`, for SVG elements. */
export function svg(name, properties = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") element.textContent = clean(value);
    else if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "data") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : clean(value));
  }
  append(element, children);
  return element;
}

/** Appends children like `el`. */
export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : clean(child));
  }
  return element;
}

/** Replaces all children of an element. */
export function show(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

/** Makes a button. */
export function button(label, action, properties = {}) {
  return el("button", { type: "button", ...properties, on: { click: action } }, label);
}

/** Returns a debounced `action`, which runs after so many milliseconds without another call. */
export function debounced(action, milliseconds) {
  let timer = 0;
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
  later.now = (...values) => { clearTimeout(timer); action(...values); };
  return later;
}

/** Returns "1 note" or "3 notes". */
export function count(number, noun, nouns = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : nouns}`;
}
