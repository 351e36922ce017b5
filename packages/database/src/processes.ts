import type { Client } from './connection/database.ts';
import { statementFrom } from './connection/statement/statement.ts';

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
  /** The ids of the encryption keys, first the key that encrypts. */
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
  /** Silent for so long that the process must have died, or has lost PostgreSQL. */
  readonly isGone: boolean;
}

/** The interval between reports of a process. */
export const reportEveryMs = 10_000;
/** Three missing reports. */
const goneAfterMs = 35_000;

const write = statementFrom('database:processes_write');

const forget = statementFrom('database:processes_forget');

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

const read = statementFrom<Row>('database:processes_read');

/** Stores the state of a process; the clock of the process only gives the time of its start. */
export async function storeProcess(client: Client, id: string, report: ProcessReport): Promise<void> {
  const { service, version, host, pid, startedAt, isReady, facts } = report;
  await write(client, [id, service, version, host, pid, startedAt, isReady, JSON.stringify(facts)]);
}

/** Removes a process that stops in an orderly way, and processes that were silent for a day. */
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
