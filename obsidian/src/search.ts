// The search pane: hits as one types, with the lines that answer.

import type { Hit, SearchAnswer } from "./answers";
import { addText } from "./dom";
import { answeringLines } from "./lines";
import { Pane } from "./pane";

export const SEARCH = "tars-search";
/** Pause in typing after which the question is asked, in milliseconds. */
const PAUSE = 150;
const LIMIT = 12;
/** Hits below this score are not relevant: docs/search.md of tars. */
const MIN_SCORE = 0.25;

export class SearchPane extends Pane {
  private field!: HTMLInputElement;
  private count!: HTMLElement;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether Enter waits for the answer to open its first hit. */
  private opensFirst = false;

  override getViewType(): string {
    return SEARCH;
  }

  override getDisplayText(): string {
    return "tars: search";
  }

  override getIcon(): string {
    return "search";
  }

  override async onClose(): Promise<void> {
    clearTimeout(this.timer);
    await super.onClose();
  }

  override takeFocus(): void {
    this.field.focus();
  }

  protected override head(parent: HTMLElement): void {
    this.field = parent.createEl("input", {
      cls: "tars-field",
      attr: { type: "search", placeholder: "What do you want to find?", "aria-label": "Question", spellcheck: "false" },
    });
    this.field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.opensFirst = false;
      this.timer = setTimeout(() => void this.refresh(), PAUSE);
    });
    this.count = parent.createEl("p", { cls: "tars-count", attr: { role: "status" } });
  }

  override async refresh(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const query = this.field.value.trim();
    this.count.textContent = "";
    if (query === "") {
      this.latest.drop();
      this.clear();
      return;
    }
    await this.show(
      () => this.tars.connection.ask<SearchAnswer>("search", { query, limit: LIMIT }),
      (list, answer) => this.draw(list, answer),
    );
  }

  private draw(list: HTMLElement, answer: SearchAnswer): void {
    const hits = answer.results.filter(({ score }) => score >= MIN_SCORE);
    const waiting = answer.index.pending > 0 ? `; ${answer.index.pending} changed notes are not indexed yet` : "";
    this.count.textContent = (hits.length === 0 ? "Nothing relevant was found" : `${hits.length} found`) + waiting;
    for (const remark of [answer.degraded, ...answer.remarks]) {
      if (remark !== null) addText(list, "p", "tars-warning", remark);
    }
    for (const hit of hits) this.drawHit(list, hit);
    const first = hits[0];
    if (this.opensFirst && first !== undefined) void this.tars.open(first);
    this.opensFirst = false;
  }

  private drawHit(list: HTMLElement, hit: Hit): void {
    const name = (hit.heading || hit.title).replaceAll(" > ", " › ");
    const row = this.addPlace(list, name, hit, ` · ${hit.relevance}`);
    if (hit.superseded) addText(row, "div", "tars-warning", `No longer true since ${hit.superseded.until}; now: ${hit.superseded.by}`);
    for (const { text, answers } of answeringLines(hit)) {
      if (answers) addText(row.createEl("div", { cls: "tars-line" }), "mark", "", text);
      else addText(row, "div", "tars-line", text);
    }
  }

  protected override key(event: KeyboardEvent): void {
    if (event.target !== this.field) {
      // Above the first row is the field.
      if (!this.rows.move(event) && event.key === "ArrowUp") this.field.focus();
      return;
    }
    // The Enter that ends a composition belongs to the input method.
    if (event.isComposing) return;
    if (event.key === "ArrowDown" && this.rows.focus(0)) event.preventDefault();
    if (event.key === "Enter") {
      event.preventDefault();
      this.opensFirst = true;
      void this.refresh();
    }
  }
}
