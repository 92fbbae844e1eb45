// Why something could not be done, in words for a person.

/** A message, and the next step. */
export class Problem extends Error {
  readonly hint: string;
  /** The status of the answer; 0 if there was none. */
  readonly status: number;

  constructor(message: string, hint = "", status = 0) {
    super(message);
    this.hint = hint;
    this.status = status;
  }

  /** Whether the memory folder has changed since the answer that a write rests on. */
  get isOutdated(): boolean {
    return this.status === 412;
  }
}

/** Returns an error as a problem. */
export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(error instanceof Error ? error.message : String(error));
}
