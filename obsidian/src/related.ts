// The pane of notes that are related to the open one, by links and by meaning.

import type { TFile } from "obsidian";
import type { RelatedAnswer, RelatedNote } from "./answers";
import { addText } from "./dom";
import { Pane } from "./pane";
import { Problem } from "./problem";

export const RELATED = "tars-related";

export class RelatedPane extends Pane {
  override getViewType(): string {
    return RELATED;
  }

  override getDisplayText(): string {
    return "tars: related notes";
  }

  override getIcon(): string {
    return "waypoints";
  }

  override async onOpen(): Promise<void> {
    this.registerEvent(this.app.workspace.on("file-open", () => void this.refresh()));
    await super.onOpen();
  }

  override async refresh(): Promise<void> {
    const file = this.app.workspace.getActiveFile();
    if (file === null) {
      this.latest.drop();
      addText(this.clear(), "p", "tars-empty", "Open a note to see the notes that are related to it.");
      return;
    }
    await this.show(() => this.related(file), (list, answer) => this.draw(list, file, answer));
  }

  private async related(file: TFile): Promise<RelatedAnswer> {
    const place = (await this.tars.places()).ofNote(file.path);
    if (place === null) throw new Problem(`${file.path} is in none of the folders that tars searches`, "tars config list shows them");
    try {
      return await this.tars.connection.ask<RelatedAnswer>("related", { name: place.path, collections: [place.collection] });
    } catch (error) {
      // tars tells programs nothing of a private note, not even that there is one.
      if (error instanceof Problem && error.status === 404) {
        throw new Problem(`tars knows no note ${file.path}`, "it is private, left out of the index, or not indexed yet");
      }
      throw error;
    }
  }

  private draw(list: HTMLElement, file: TFile, answer: RelatedAnswer): void {
    addText(list, "p", "tars-count", `Related to ${file.basename}`);
    if (answer.degraded !== null) addText(list, "p", "tars-warning", answer.degraded);
    if (answer.notes.length === 0) addText(list, "p", "tars-empty", "No note is related to it.");
    for (const note of answer.notes) this.addPlace(list, note.title, note, ` · ${reason(note)}`);
  }
}

function reason({ is_target, is_source }: RelatedNote): string {
  if (is_target && is_source) return "each links to the other";
  return is_target ? "linked from here" : is_source ? "links here" : "the same subject";
}
