// Remembering the selection, and the choice where something similar is remembered already.

import { type App, Modal } from "obsidian";
import type { NearLine, RememberAnswer } from "./answers";
import type { Connection } from "./connection";
import { addButton, addText } from "./dom";

export type Kind = "semantic" | "procedural";

/** What a person decides about similar lines: leave it, write the new line beside them, or replace one. */
export type Choice = { leave: true } | { force: true } | { replace: string };

const MAX_NEAR = 5;
const RELATIONS: Record<string, string> = { equal: "says the same", close: "says nearly the same", conflict: "says otherwise" };

/** Remembers a text, and returns what happened in words. `choose` shows similar lines and returns the person's choice. */
export async function remember(connection: Connection, text: string, kind: Kind, choose: (near: NearLine[]) => Promise<Choice>): Promise<string> {
  const request = { text, memory_type: kind };
  let answer = await connection.ask<RememberAnswer>("remember", { ...request, ask: true });
  if (answer.status === "close") {
    const choice = await choose(answer.near.slice(0, MAX_NEAR));
    if ("leave" in choice) return "Nothing was written";
    answer = await connection.ask<RememberAnswer>("remember", { ...request, ...choice });
  }
  const place = answer.path === undefined ? "" : ` in ${answer.path}${answer.line === undefined ? "" : `:${answer.line}`}`;
  const words = { added: "Remembered", replaced: "Replaced", known: "It was remembered already", close: "Not written: nearly the same is remembered" };
  const left = answer.removed.length === 0 ? [] : [`Left out: ${answer.removed.join(", ")}`];
  return [`${words[answer.status]}${place}`, ...left, ...(answer.warnings ?? [])].join("\n");
}

/** Shows similar lines, and resolves with the person's choice. */
export class SimilarLines extends Modal {
  private choice: Choice = { leave: true };
  private readonly near: NearLine[];
  private readonly done: (choice: Choice) => void;

  constructor(app: App, near: NearLine[], done: (choice: Choice) => void) {
    super(app);
    this.near = near;
    this.done = done;
  }

  override onOpen(): void {
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

  override onClose(): void {
    this.done(this.choice);
  }

  private end(choice: Choice): void {
    this.choice = choice;
    this.close();
  }
}
