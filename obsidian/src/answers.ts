// The fields of tars' answers that the plugin reads. docs/http.md and docs/json.md of tars describe all of them.

export interface SearchAnswer {
  degraded: string | null;
  remarks: string[];
  index: { pending: number };
  results: Hit[];
}

export interface Hit {
  path: string;
  collection: string;
  title: string;
  heading: string;
  /** The first line of `content`, and the line that answers; both count from 1. */
  start_line: number;
  line: number;
  date: string | null;
  score: number;
  relevance: string;
  content: string;
  superseded?: { until: string; by: string } | null;
}

export interface RelatedAnswer {
  degraded: string | null;
  notes: RelatedNote[];
}

export interface RelatedNote {
  collection: string;
  path: string;
  title: string;
  score: number | null;
  line: number | null;
  is_target: boolean;
  is_source: boolean;
}

export interface StatusAnswer {
  files: number;
  collections: { name: string; root: string }[];
}

export interface NearLine {
  relation: string | null;
  id: string;
  path: string;
  line: number;
  text: string;
}

export interface RememberAnswer {
  status: "added" | "replaced" | "known" | "close";
  path?: string;
  line?: number;
  removed: string[];
  near: NearLine[];
  warnings?: string[];
}

export interface RecalledSession {
  session: string;
  first: string;
  last: string;
  question: string;
}

export interface WhyAnswer {
  events: WhyEvent[];
}

export interface WhyEvent {
  at: string;
  question: string;
  pieces: WhyPiece[];
}

export interface WhyPiece {
  collection: string;
  path: string;
  start_line: number;
  heading: string;
  /** Whether every session starts with it. */
  always: boolean;
  lines: { number: number | null; line: number | null; text: string; used: string[] }[];
}

export interface Proposal {
  id: string;
  job: string;
  change: string;
  word: string;
  path: string;
  section: string;
  text: string;
  page?: { section: string; lines: string[] }[];
  lines?: string[];
  stays?: string;
  link?: { target: string; to: string | null };
  sources?: string[];
}

export interface Decided {
  status: "accepted" | "refused" | "gone";
}

export interface WaitingLine {
  source: string;
  proposal: string;
  id: string;
  path: string;
  line: number;
}

export interface Settled {
  status?: string;
  path?: string;
}
