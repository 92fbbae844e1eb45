// The pane of the lines that agents got today.

import type { RecalledSession, WhyAnswer, WhyEvent } from "./answers";
import { addText } from "./dom";
import { withoutMarker } from "./lines";
import { Pane } from "./pane";

export const RECALLED = "tars-recalled";
const USES: Record<string, string> = { expanded: "looked up", quoted: "quoted", helpful: "helpful", not_helpful: "not helpful" };

export class RecalledPane extends Pane {
  override getViewType(): string {
    return RECALLED;
  }

  override getDisplayText(): string {
    return "tars: recalled today";
  }

  override getIcon(): string {
    return "history";
  }

  override async refresh(): Promise<void> {
    await this.show(() => this.today(), (list, events) => this.draw(list, events));
  }

  /** Returns today's lookups that brought lines, the newest first. */
  private async today(): Promise<WhyEvent[]> {
    const now = new Date();
    const sessions = await this.tars.connection.ask<RecalledSession[]>("recalled", {});
    const events: WhyEvent[] = [];
    for (const { session } of sessions.filter(({ last }) => isSameDay(new Date(last), now))) {
      const answer = await this.tars.connection.ask<WhyAnswer>("why", { session });
      // Lines that every session starts with answer no question.
      const own = answer.events.map((event) => ({ ...event, pieces: event.pieces.filter(({ always }) => !always) }));
      events.push(...own.filter(({ at, pieces }) => isSameDay(new Date(at), now) && pieces.length > 0));
    }
    return events.sort((one, other) => new Date(other.at).getTime() - new Date(one.at).getTime());
  }

  private draw(list: HTMLElement, events: WhyEvent[]): void {
    if (events.length === 0) addText(list, "p", "tars-empty", "No agent got lines of your notes today.");
    for (const { at, question, pieces } of events) {
      const time = new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
      addText(list, "h4", "tars-question", `${time} ${question === "" ? "a session began" : question}`);
      for (const { collection, path, start_line, heading, lines } of pieces) {
        const line = lines.find(({ line }) => line !== null)?.line ?? start_line;
        const row = this.addPlace(list, heading === "" ? path.replace(/^.*\/|\.md$/g, "") : heading.replaceAll(" > ", " › "), { collection, path, line });
        for (const { text, used } of lines) {
          const uses = used.map((use) => USES[use] ?? use).join(", ");
          addText(row, "div", "tars-line", withoutMarker(text) + (uses === "" ? "" : ` (${uses})`));
        }
      }
    }
  }
}

function isSameDay(one: Date, other: Date): boolean {
  return one.toDateString() === other.toDateString();
}
