// Keyboard navigation in lists: j and k, arrows, Home and End move the focus from row to row.

/** Rows have this attribute; the focus moves among the visible ones. */
const ROW = "[data-row]";

const rows = (within) => [...within.querySelectorAll(ROW)].filter((row) => row.offsetParent !== null);

/** Returns the row that has or contains the focus. */
export function currentRow() {
  return document.activeElement?.closest?.(ROW) ?? null;
}

/** Focuses the row at `index`; returns false if there is none. */
export function focusRow(within, index) {
  const row = rows(within).at(index);
  row?.focus();
  return row !== undefined;
}

/** Redraws rows and keeps the focus on the same row, or on the one at its position. */
export function keepFocus(within, draw) {
  const row = currentRow();
  const at = row && within.contains(row) ? rows(within).indexOf(row) : -1;
  draw();
  if (at < 0) return;
  const all = rows(within);
  const same = all.find((other) => other.dataset.row === row.dataset.row);
  (same ?? all[Math.min(at, all.length - 1)])?.focus({ preventScroll: true });
}

/** Moves the focus for a key, and returns whether it did. Moving up from the first row calls `leaveTop`. */
export function walk(event, within, leaveTop) {
  const all = rows(within);
  if (all.length === 0) return false;
  const at = all.indexOf(currentRow());
  const to = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined || (at < 0 && ["Home", "End", "ArrowUp", "k"].includes(event.key))) return false;
  if (to < 0) leaveTop?.();
  else {
    const row = all[Math.min(to, all.length - 1)];
    row.focus();
    row.scrollIntoView({ block: "nearest" });
  }
  return true;
}
