// Elements of the panes. Text of notes is inserted as text, never as markup.

import { clean } from "./lines";
import type { Problem } from "./problem";

/** Adds an element with this text. */
export function addText(parent: HTMLElement, tag: keyof HTMLElementTagNameMap, cls: string, text: string): HTMLElement {
  // Notes are written in either direction.
  return parent.createEl(tag, { cls, text: clean(text), attr: { dir: "auto" } });
}

/** Adds a button. */
export function addButton(parent: HTMLElement, label: string, act: (event: MouseEvent) => void): HTMLElement {
  const button = parent.createEl("button", { text: label, attr: { type: "button" } });
  button.addEventListener("click", act);
  return button;
}

/** Shows a problem with its next step instead of the element's content. */
export function showProblem(parent: HTMLElement, problem: Problem, again: () => void): void {
  parent.empty();
  const box = parent.createEl("div", { cls: "tars-problem", attr: { role: "alert" } });
  addText(box, "p", "tars-message", problem.message);
  if (problem.hint !== "") addText(box, "p", "tars-hint", problem.hint);
  addButton(box, "Try again", again);
}

/** Rows that the arrow keys move between; `j` and `k` too. */
export class Rows {
  private rows: HTMLElement[] = [];
  private current = -1;

  /** Forgets all rows. */
  clear(): void {
    this.rows = [];
    this.current = -1;
  }

  /** Adds a row, which can have the focus itself. */
  add(row: HTMLElement): void {
    const index = this.rows.push(row) - 1;
    row.setAttribute("tabindex", "0");
    row.addEventListener("focusin", () => {
      this.current = index;
    });
  }

  /** The row that has, or last had, the focus. */
  get at(): number {
    return this.current;
  }

  get length(): number {
    return this.rows.length;
  }

  /** Gives the focus to a row, or to the nearest one that exists. Returns whether there is one. */
  focus(index: number): boolean {
    const row = this.rows[Math.min(Math.max(0, index), this.rows.length - 1)];
    row?.focus();
    return row !== undefined;
  }

  /** Moves the focus if the key says so. Returns whether it did. */
  move(event: KeyboardEvent): boolean {
    const step = event.key === "ArrowDown" || event.key === "j" ? 1 : event.key === "ArrowUp" || event.key === "k" ? -1 : 0;
    const next = this.current + step;
    if (step === 0 || event.ctrlKey || event.metaKey || event.altKey || next < 0 || next >= this.rows.length) return false;
    event.preventDefault();
    return this.focus(next);
  }
}
