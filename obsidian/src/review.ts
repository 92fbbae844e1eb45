// The pane of what waits for a decision: proposals, and lines that tars noted. Each is decided by one key.

import { Notice } from "obsidian";
import type { Decided, Proposal, Settled, WaitingLine } from "./answers";
import { addButton, addText } from "./dom";
import { Pane, VAULT } from "./pane";
import { asProblem } from "./problem";

export const REVIEW = "tars-review";
const CHANGES: Record<string, string> = {
  add: "Add", page: "Put on the project's page", merge: "Make one line of these", replace: "Reword", supersede: "Mark as outdated",
  remove: "Remove", link: "Fix a link", move: "Move to another file",
};
const SOURCES: Record<string, string> = { correction: "Correction", reward: "Praise", extracted: "From a session" };

/** A decision: its key, its label, and what carries it out and returns a message. */
interface Choice {
  key: string;
  label: string;
  act: () => Promise<string>;
}

export class ReviewPane extends Pane {
  /** The choices of each row. */
  private choices: Choice[][] = [];
  /** The row that gets the focus after the next load. */
  private next: number | null = null;
  private isDeciding = false;

  override getViewType(): string {
    return REVIEW;
  }

  override getDisplayText(): string {
    return "tars: review";
  }

  override getIcon(): string {
    return "list-checks";
  }

  override async refresh(): Promise<void> {
    const ask = async () => ({
      proposals: (await this.tars.connection.ask<Proposal[]>("proposals", {})).filter(({ word }) => word === "open"),
      waiting: await this.tars.connection.ask<WaitingLine[]>("review", {}),
    });
    await this.show(ask, (list, { proposals, waiting }) => this.draw(list, proposals, waiting));
  }

  private draw(list: HTMLElement, proposals: Proposal[], waiting: WaitingLine[]): void {
    this.choices = [];
    if (proposals.length + waiting.length === 0) addText(list, "p", "tars-empty", "Nothing waits for your decision.");
    else addText(list, "p", "tars-count", "j and k move; o opens the note; the letters of the buttons decide");
    for (const proposal of proposals) this.drawProposal(list, proposal);
    for (const line of waiting) this.drawWaiting(list, line);
    if (this.next !== null) this.rows.focus(this.next);
    this.next = null;
  }

  private drawProposal(list: HTMLElement, proposal: Proposal): void {
    const { change, path, section, text, page = [], lines = [], stays, link, sources = [] } = proposal;
    const card = this.addCard(list, `${CHANGES[change] ?? change} · ${path}${section === "" ? "" : ` › ${section}`}`, path, null, [
      { key: "a", label: "Accept", act: () => this.decide(proposal, true) },
      { key: "d", label: "Dismiss", act: () => this.decide(proposal, false) },
    ]);
    for (const part of page) {
      addText(card, "div", "tars-heading", part.section);
      for (const line of part.lines) addText(card, "div", "tars-line", line);
    }
    // A proposal without words of its own repeats one of its lines.
    if (page.length === 0 && !lines.includes(text)) addText(card, "div", "tars-words", text);
    for (const line of lines) addText(card, "del", "tars-gone", line);
    if (stays !== undefined) addText(card, "div", "tars-line", `Stays: ${stays}`);
    if (link !== undefined) addText(card, "div", "tars-line", `[[${link.target}]] → ${link.to === null ? "plain words" : `[[${link.to}]]`}`);
    for (const source of sources) addText(card, "div", "tars-source", `rests on: ${source}`);
  }

  private drawWaiting(list: HTMLElement, line: WaitingLine): void {
    const card = this.addCard(list, `${SOURCES[line.source] ?? line.source} · ${line.path}:${line.line}`, line.path, line.line, [
      { key: "m", label: "Keep as a fact", act: () => this.settle(line, { promote: { to: "semantic" } }) },
      { key: "p", label: "Keep as a rule", act: () => this.settle(line, { promote: { to: "procedural" } }) },
      { key: "d", label: "Dismiss", act: () => this.settle(line, "drop") },
    ]);
    addText(card, "div", "tars-words", line.proposal);
  }

  /** Adds a card, and returns the place for its text. */
  private addCard(list: HTMLElement, title: string, path: string, line: number | null, choices: Choice[]): HTMLElement {
    const card = list.createEl("div", { cls: "tars-card", attr: { role: "group" } });
    addText(card, "div", "tars-place", title);
    const body = card.createEl("div");
    const actions = card.createEl("div", { cls: "tars-actions" });
    const index = this.rows.length;
    const open: Choice = {
      key: "o",
      label: "Open",
      act: async () => {
        await this.tars.open({ collection: VAULT, path, line });
        return "";
      },
    };
    for (const choice of [...choices, open]) {
      const button = addButton(actions, `${choice.label} (${choice.key})`, () => void this.choose(index, choice));
      button.setAttribute("aria-keyshortcuts", choice.key);
    }
    this.rows.add(card);
    this.choices[index] = [...choices, open];
    return body;
  }

  protected override key(event: KeyboardEvent): void {
    if (this.rows.move(event) || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const choice = this.choices[this.rows.at]?.find(({ key }) => key === event.key);
    if (choice === undefined) return;
    event.preventDefault();
    void this.choose(this.rows.at, choice);
  }

  /** Carries out a choice, and shows what is left. */
  private async choose(index: number, choice: Choice): Promise<void> {
    // A second key before the answer would decide on the same card again.
    if (this.isDeciding) return;
    this.isDeciding = true;
    try {
      const said = await choice.act();
      if (said !== "") new Notice(said);
    } catch (error) {
      const { isOutdated, message, hint } = asProblem(error);
      new Notice(isOutdated ? "The memory has changed meanwhile. Nothing was done; this is how it is now." : `${message}${hint === "" ? "" : `\n${hint}`}`);
    } finally {
      this.isDeciding = false;
    }
    if (choice.key === "o") return;
    this.next = index;
    await this.refresh();
  }

  private async decide({ id }: Proposal, accept: boolean): Promise<string> {
    const { status } = await this.tars.connection.ask<Decided>("decide", { id, accept }, "proposals");
    return { accepted: "Accepted; tars undo takes it back", refused: "Dismissed", gone: "A line that it is about does not exist any more" }[status];
  }

  private async settle({ id, path }: WaitingLine, settlement: object | string): Promise<string> {
    const answer = await this.tars.connection.ask<Settled>("settle", { id, path, settlement }, "review");
    if (settlement === "drop") return "Dismissed; tars undo takes it back";
    return answer.status === "known" ? "It was remembered already" : `Kept in ${answer.path ?? "the memory"}; tars undo takes it back`;
  }
}
