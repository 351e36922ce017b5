import type { Client } from './connection/database.ts';
import { statement } from './connection/statement/statement.ts';

/** A process and its current state. */
export interface ProcessReport {
  readonly service: 'api' | 'worker';
  /** The version of Callout. */
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: Date;
  readonly isReady: boolean;
  readonly facts: ProcessFacts;
}

/** Further facts about a process. */
export interface ProcessFacts {
  /** Roles of a worker. */
  readonly roles: readonly string[];
  /** The ids of its keys, the one that encrypts first. */
  readonly keyIDs: readonly string[];
  /** Its checks of readiness, each `ok` or the problem, without confidential data. */
  readonly checks: Readonly<Record<string, string>>;
  readonly notices: readonly string[];
  /** Days that a worker with the role `sweep` keeps history; 0: for ever. */
  readonly retentionDays?: { readonly callouts: number; readonly events: number; readonly errorLogs: number };
}

/** A process that has reported within the last day and did not stop in an orderly way. */
export interface ProcessItem extends ProcessFacts {
  readonly id: string;
  readonly service: 'api' | 'worker';
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  readonly startDateTime: Date;
  readonly seenDateTime: Date;
  readonly isReady: boolean;
  /** It has not reported for so long that it must have died, or has lost PostgreSQL. */
  readonly isGone: boolean;
}

/** The interval between reports of a process. */
export const reportEveryMs = 10_000;
/** Three missing reports. */
const goneAfterMs = 35_000;

const write = statement(
  'processes_write',
  `INSERT INTO processes (id, service, version, host, pid, started_at, is_ready, facts)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (id) DO UPDATE SET seen_at = now(), is_ready = excluded.is_ready, facts = excluded.facts
   RETURNING id`,
);

const forget = statement(
  'processes_forget',
  `DELETE FROM processes WHERE id = $1 OR seen_at < now() - interval '1 day' RETURNING id`,
);

interface Row {
  id: string;
  service: 'api' | 'worker';
  version: string;
  host: string;
  pid: number;
  startedAt: Date;
  seenAt: Date;
  isReady: boolean;
  isGone: boolean;
  facts: ProcessFacts;
}

const read = statement<Row>(
  'processes_read',
  `SELECT id, service, version, host, pid, started_at AS "startedAt", seen_at AS "seenAt", is_ready AS "isReady",
     seen_at < now() - $1 * interval '1 millisecond' AS "isGone", facts
   FROM processes WHERE seen_at >= now() - interval '1 day' ORDER BY service, host, started_at, id`,
);

/** Stores the state of a process; its own clock is used only for the time when it started. */
export async function storeProcess(client: Client, id: string, report: ProcessReport): Promise<void> {
  const { service, version, host, pid, startedAt, isReady, facts } = report;
  await write(client, [id, service, version, host, pid, startedAt, isReady, JSON.stringify(facts)]);
}

/** Removes a process that stops in an orderly way, and processes that have not reported for a day. */
export async function removeProcess(client: Client, id: string): Promise<void> {
  await forget(client, [id]);
}

/** The processes of this installation, API processes first. */
export async function listProcesses(client: Client): Promise<ProcessItem[]> {
  const rows = await read(client, [goneAfterMs]);
  return rows.map(({ startedAt, seenAt, facts, isGone, isReady, ...row }) => ({
    ...row,
    startDateTime: startedAt,
    seenDateTime: seenAt,
    isReady: isReady && !isGone,
    isGone,
    ...facts,
  }));
}
