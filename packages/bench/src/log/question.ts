import type { CalloutLog, EventLog } from '@callout/db/log';
import type { History } from './history.ts';
import type { Body } from './read-answer.ts';

/** Rows of a page that is asked for. */
export const PAGE = 100;

/** The functions that the API reads the log by. */
export interface Logs {
  readonly callouts: CalloutLog;
  readonly events: EventLog;
}

/** One request, and what its answer must be. */
export interface Asked {
  /** Below `/v1.0`. */
  readonly path: string;
  /** The answer is that of the page after this one. */
  readonly isNextPage?: boolean;
  readonly expected: unknown;
}

/** A kind of request that is measured; each time it is made with other values. */
export interface Question {
  readonly name: string;
  readonly ask: (random: () => number) => Asked;
  /** What of an answer is compared. */
  readonly read: (body: Body) => unknown;
  /** The same by the API's own functions: for the plans of its statements. */
  readonly look: (logs: Logs) => Promise<unknown>;
}

/** Whose history is asked for: by the large tenant, above all of its large webhook. */
export interface Asking {
  readonly history: History;
  readonly tenantId: number;
  readonly webhookKey: number;
  readonly webhookGuid: string;
}
