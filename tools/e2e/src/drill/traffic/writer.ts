import { setTimeout as sleep } from 'node:timers/promises';
import type { Credential } from '@callout/client';
import { type Call, callApi, type Reply } from '@callout/testing';
import { companyUdf } from './entities.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Random } from '../random.ts';
import type { Write, WriteRequest, WriteSource } from './writes.ts';

export interface WriterDeps {
  readonly source: WriteSource;
  readonly random: Random;
  readonly credential: Credential;
  /** Where the API is; undefined while it is down. */
  readonly port: () => number | undefined;
  readonly isOver: () => boolean;
  /** The resource that acts in events that name none. */
  readonly ownId: number;
  /** Called when the API responds that another zone serves the client, which then sends again. */
  readonly onWrongZone?: () => Promise<void>;
  /** The longest pause between two requests, and how long one is sent again and again. Milliseconds. */
  readonly longestPauseMs?: number;
  readonly patienceMs?: number;
}

/** A client without a response tries again soon, and gives up after this time. */
const RETRY_MS = 50;
const PATIENCE_MS = 180_000;
const LONGEST_PAUSE_MS = 120;
const HANGS_UP = 0.1;
const HANGS_UP_AFTER_MS = [1, 60] as const;

/**
 * A client that writes one request after another and sends each until it gets a response: batches with the same
 * eventIDs.
 * @returns its book of its requests and their results.
 */
export async function write(deps: WriterDeps): Promise<LedgerEntry[]> {
  const ledger: LedgerEntry[] = [];
  while (!deps.isOver()) {
    const entries = deps.source
      .next()
      .map((write): LedgerEntry => ({ write, sent: 0, outcome: 'open', recordId: write.recordId }));
    ledger.push(...entries);
    await sendUntilAnswered(deps, entries);
    await sleep(deps.random.between(0, deps.longestPauseMs ?? LONGEST_PAUSE_MS));
  }
  return ledger;
}

async function sendUntilAnswered(deps: WriterDeps, entries: readonly LedgerEntry[]): Promise<void> {
  const { patienceMs = PATIENCE_MS } = deps;
  const deadline = Date.now() + patienceMs;
  const request = entries.map(({ write }) => write);
  for (let reason = 'the API was down'; ; await sleep(RETRY_MS)) {
    if (Date.now() > deadline) throw new Error(`no answer in ${patienceMs} ms: ${reason}`);
    const port = deps.port();
    if (port === undefined) continue;
    for (const entry of entries) entry.sent += 1;
    const reply = await send(deps, port, request);
    if (deps.onWrongZone && reply.kind === 'answered' && reply.status === 421) {
      reason = 'it is in the wrong zone';
      await deps.onWrongZone();
      continue;
    }
    // With 503 the database may have gone away in the middle of the commit: just as uncertain as no response at all.
    if (reply.kind === 'answered' && reply.status !== 503) return note(entries, reply);
    reason = JSON.stringify(reply);
  }
}

/** At times the client hangs up: its request may be carried out all the same, without a response. */
function send({ credential, ownId, random }: WriterDeps, port: number, request: WriteRequest): Promise<Reply> {
  const impatience = random.chance(HANGS_UP) ? { patienceMs: random.between(...HANGS_UP_AFTER_MS) } : {};
  return callApi(port, credential, { ...callOf(request, ownId), ...impatience });
}

function callOf(request: WriteRequest, ownId: number): Call {
  const [first] = request;
  if (first?.way !== 'record') {
    return { method: 'POST', path: '/EntityEvents', body: { events: request.map((write) => asEvent(write, ownId)) } };
  }
  const { action, recordId, fields } = first;
  if (action === 'Delete') return { method: 'DELETE', path: `/Companies/${recordId}` };
  const body = { ...valuesOf(fields), ...(recordId !== null && { id: recordId }) };
  return { method: action === 'Create' ? 'POST' : 'PATCH', path: '/Companies', body };
}

function asEvent(write: Write, ownId: number): Record<string, unknown> {
  const { name, entityType, action, recordId, personId, eventTime, fields, changedFields } = write;
  return {
    eventID: name,
    entityType,
    action,
    id: recordId,
    ...eventValuesOf(fields),
    ...(personId !== ownId && { resourceID: personId }),
    ...(eventTime !== null && { eventTime }),
    ...(changedFields !== null && { changedFields }),
  };
}

const { name: udfName, label: udfLabel } = companyUdf.definition;

/** Values as a record write has them: user-defined fields in an array of their own. */
function valuesOf({ [udfLabel]: grade, ...fields }: Write['fields']): Record<string, unknown> {
  return { ...fields, ...(grade !== undefined && { userDefinedFields: [{ name: udfName, value: grade }] }) };
}

/** Values as an event has them. */
function eventValuesOf({ [udfLabel]: grade, ...fields }: Write['fields']): Record<string, unknown> {
  return { fields, ...(grade !== undefined && { userDefinedFields: { [udfLabel]: grade } }) };
}

const OUTCOMES: Readonly<Record<string, LedgerEntry['outcome']>> = {
  accepted: 'taken',
  duplicate: 'duplicate',
  unchanged: 'unchanged',
};

/** Books a response. Throws on one that this client's requests cannot get. */
function note(entries: readonly LedgerEntry[], reply: Reply & { kind: 'answered' }): void {
  const [first] = entries;
  const body = reply.body as { items?: { eventID: string; status: string }[]; itemId?: number };
  if (first?.write.way === 'record' && reply.status === 200 && body.itemId !== undefined) {
    first.outcome = 'taken';
    first.recordId = body.itemId;
  } else if (first?.write.way === 'record' && (reply.status === 404 || reply.status === 409)) {
    first.outcome = 'refused';
  } else if (first?.write.way === 'EntityEvents' && reply.status === 202) {
    for (const [index, entry] of entries.entries()) {
      const item = body.items?.[index];
      const outcome = OUTCOMES[item?.status ?? ''];
      if (outcome === undefined || item?.eventID !== entry.write.name) throw unexpected(entries, reply);
      entry.outcome = outcome;
    }
  } else throw unexpected(entries, reply);
}

function unexpected(entries: readonly LedgerEntry[], reply: Reply): Error {
  const request = JSON.stringify(entries.map(({ write }) => write)).slice(0, 1000);
  return new Error(`unexpected answer ${JSON.stringify(reply).slice(0, 1000)} to ${request}`);
}
