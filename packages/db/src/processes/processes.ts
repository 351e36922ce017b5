import type { Client } from '../connection/database.ts';
import { statement } from '../connection/statement/statement.ts';

/** What a process is, and how it stands now. */
export interface ProcessReport {
  readonly service: 'api' | 'worker';
  /** Of Callout. */
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: Date;
  readonly isReady: boolean;
  readonly facts: ProcessFacts;
}

/** What else is known of it. */
export interface ProcessFacts {
  /** Of a worker. */
  readonly roles: readonly string[];
  /** The ids of its keys, the one that encrypts first. */
  readonly keyIDs: readonly string[];
  /** Its checks of readiness, each `ok` or what is wrong, in words that are not confidential. */
  readonly checks: Readonly<Record<string, string>>;
  readonly notices: readonly string[];
  /** Days that a worker with the role `sweep` keeps history; 0: for ever. */
  readonly retentionDays?: { readonly callouts: number; readonly events: number; readonly errorLogs: number };
}

/** A process that told of itself within the last day and did not say that it stops. */
export interface ProcessItem extends ProcessFacts {
  readonly id: string;
  readonly service: 'api' | 'worker';
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  readonly startDateTime: Date;
  readonly seenDateTime: Date;
  readonly isReady: boolean;
  /** It was not heard of for so long that it must have died, or has lost PostgreSQL. */
  readonly isGone: boolean;
}

/** How often a process tells of itself. */
export const reportEveryMs = 10_000;
/** Three reports that did not come. */
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

/** Stores how a process stands; its clock is not used but for when it started. */
export async function storeProcess(client: Client, id: string, report: ProcessReport): Promise<void> {
  const { service, version, host, pid, startedAt, isReady, facts } = report;
  await write(client, [id, service, version, host, pid, startedAt, isReady, JSON.stringify(facts)]);
}

/** A process that stops in an orderly way is not missed. Those that were not heard of for a day are forgotten with it. */
export async function forgetProcess(client: Client, id: string): Promise<void> {
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
