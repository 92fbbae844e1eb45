// The base of all panes: the plugin's parts, a place for their content, and problems in words.

import { ItemView, type WorkspaceLeaf } from "obsidian";
import { Latest, type Connection } from "./connection";
import { addButton, addText, Rows, showProblem } from "./dom";
import { asProblem } from "./problem";
import type { Places } from "./places";

/** What the panes need of the plugin. */
export interface Tars {
  readonly connection: Connection;
  /** Returns where the notes of tars lie in the open vault. */
  places(): Promise<Places>;
  /** Opens a note at a line, which counts from 1, or says why it cannot. `event` tells whether in a tab of its own. */
  open(place: { collection: string; path: string; line: number | null }, event?: MouseEvent): Promise<void>;
}

/** The collection of the vault, whose memory folder holds what tars remembers. */
export const VAULT = "vault";

/** A pane of the plugin. */
export abstract class Pane extends ItemView {
  protected readonly tars: Tars;
  protected readonly rows = new Rows();
  protected readonly latest = new Latest();
  /** The part that a load replaces. */
  protected list!: HTMLElement;
  override navigation = false;

  constructor(leaf: WorkspaceLeaf, tars: Tars) {
    super(leaf);
    this.tars = tars;
  }

  override async onOpen(): Promise<void> {
    this.contentEl.empty();
    this.contentEl.addClass("tars-pane");
    this.head(this.contentEl);
    this.list = this.contentEl.createEl("div", { cls: "tars-list" });
    this.contentEl.addEventListener("keydown", (event) => this.key(event));
    await this.refresh();
  }

  override async onClose(): Promise<void> {
    this.latest.drop();
  }

  /** Adds what stands above the list. */
  protected head(parent: HTMLElement): void {
    addButton(parent.createEl("div", { cls: "tars-head" }), "Refresh", () => void this.refresh());
  }

  /** Gives the focus to what the keys act on. */
  takeFocus(): void {
    this.rows.focus(0);
  }

  /** Asks tars and shows its answer. */
  abstract refresh(): Promise<void>;

  protected key(event: KeyboardEvent): void {
    this.rows.move(event);
  }

  /** Empties the list. */
  protected clear(): HTMLElement {
    this.rows.clear();
    this.list.empty();
    return this.list;
  }

  /** Asks, and shows what `draw` makes of the latest answer, or the problem. */
  protected async show<Answer>(ask: () => Promise<Answer>, draw: (list: HTMLElement, answer: Answer) => void): Promise<void> {
    try {
      const answer = await this.latest.run(ask);
      if (answer !== undefined) draw(this.clear(), answer);
    } catch (error) {
      this.rows.clear();
      showProblem(this.list, asProblem(error), () => void this.refresh());
    }
  }

  /** Adds a row that opens a place in a note. */
  protected addPlace(parent: HTMLElement, name: string, place: { collection: string; path: string; line: number | null }, about = ""): HTMLElement {
    const row = parent.createEl("button", { cls: "tars-row", attr: { type: "button" } });
    row.addEventListener("click", (event) => void this.tars.open(place, event));
    addText(row, "div", "tars-name", name);
    const where = place.collection === VAULT ? "" : ` in ${place.collection}`;
    addText(row, "div", "tars-place", `${place.path}${place.line === null ? "" : `:${place.line}`}${where}${about}`);
    this.rows.add(row);
    return row;
  }
}
