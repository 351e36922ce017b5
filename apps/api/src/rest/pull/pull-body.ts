import { z } from 'zod';
import type { PullResult } from '@callout/domain/outcome/pull-outcome';
import type { ProblemDetail } from '@callout/domain/problem';
import { foldKeys, knownKeys } from '@callout/domain/input/fold-keys';
import { textInput } from '@callout/domain/input/input-schemas';
import { judged, readWhole, refuse } from '../../http/route/read-parameters.ts';

/** The most callouts of a request. */
export const mostCallouts = 500;
export const longestWaitS = 60;
/** Of a lease, in seconds. */
export const shortestLeaseS = 5;
export const longestLeaseS = 3_600;
export const shortestLifeS = 60;
export const longestLifeS = 86_400;
/** The most acknowledgements in a request. */
export const mostAcks = 1_000;
export const longestReason = 1_000;
export const longestRetryS = 86_400;

/** The request of a program for callouts. */
export interface PullRequest {
  readonly max: number;
  readonly waitSeconds: number;
  readonly leaseSeconds: number;
  /** The webhook is deleted after so long without a fetch; null: never. */
  readonly expireSeconds: number | null;
}

export const pullDefaults = { max: 100, waitSeconds: 20, leaseSeconds: 60 };

export const knownPullKeys = knownKeys({ max: null, waitSeconds: null, leaseSeconds: null, expireSeconds: null });

/** Reads the body of a pull; absent and null are the defaults. @throws a 400 Problem with all errors. */
export function parsePull(body: unknown): PullRequest {
  const bodyFields = foldKeys(body ?? {}, knownPullKeys);
  return judged((problems) => ({
    expireSeconds: readWhole(bodyFields['expireSeconds'], 'expireSeconds', shortestLifeS, problems, longestLifeS),
    max: readWhole(bodyFields['max'], 'max', 1, problems, mostCallouts) ?? pullDefaults.max,
    waitSeconds:
      readWhole(bodyFields['waitSeconds'], 'waitSeconds', 0, problems, longestWaitS) ?? pullDefaults.waitSeconds,
    leaseSeconds:
      readWhole(bodyFields['leaseSeconds'], 'leaseSeconds', shortestLeaseS, problems, longestLeaseS) ??
      pullDefaults.leaseSeconds,
  }));
}

/** A program's acknowledgements of fetched callouts, by `ackID`. */
export type GivenAcks = ReadonlyMap<string, Extract<PullResult, { kind: 'acked' | 'nacked' }>>;

export const knownAckKeys = knownKeys({
  acks: null,
  nacks: { ackID: null, reason: null, retryAfterSeconds: null },
});

/**
 * Reads `{"acks":["…"],"nacks":["…", {"ackID","reason","retryAfterSeconds"}]}`. @throws a 400 Problem with all errors.
 */
export function parseAck(body: unknown): GivenAcks {
  const bodyFields = foldKeys(body ?? {}, knownAckKeys);
  return judged((problems) => {
    const byId = new Map<string, Extract<PullResult, { kind: 'acked' | 'nacked' }>>();
    const acks = readList(bodyFields, 'acks', problems);
    const nacks = readList(bodyFields, 'nacks', problems);
    if (acks.length + nacks.length === 0 && problems.length === 0) {
      problems.push({ code: 'required', message: 'acks or nacks must name at least one callout' });
    }
    if (acks.length + nacks.length > mostAcks) {
      refuse(problems, 'acks', `and nacks must together name ${mostAcks} callouts or fewer`);
      return byId;
    }
    for (const [at, one] of acks.entries()) {
      const ackID = readAckID(one, `acks[${at}]`, problems);
      if (ackID !== undefined) byId.set(ackID, { kind: 'acked' });
    }
    for (const [at, one] of nacks.entries()) {
      const field = `nacks[${at}]`;
      const bodyFields =
        typeof one === 'object' && one !== null && !Array.isArray(one) ? (one as Given) : { ackID: one };
      const isBare = bodyFields['ackID'] === one;
      const ackID = readAckID(bodyFields['ackID'], isBare ? field : `${field}.ackID`, problems);
      const reason = readReason(bodyFields['reason'], `${field}.reason`, problems);
      const retryAfter = bodyFields['retryAfterSeconds'];
      const retryAfterS = readWhole(retryAfter, `${field}.retryAfterSeconds`, 1, problems, longestRetryS);
      if (ackID === undefined) continue;
      if (byId.has(ackID)) refuse(problems, field, 'is named twice');
      else byId.set(ackID, { kind: 'nacked', reason, retryAfterS });
    }
    return byId;
  });
}

type Given = Readonly<Record<string, unknown>>;

function readList(bodyFields: Given, key: string, problems: ProblemDetail[]): readonly unknown[] {
  const list = bodyFields[key] ?? [];
  if (Array.isArray(list)) return list as unknown[];
  refuse(problems, key, 'must be a list');
  return [];
}

const ackIDInput = z.string().min(1).max(100);

/** Any text: an unknown ackID gets the status `unknown`, and is no error. */
function readAckID(value: unknown, field: string, problems: ProblemDetail[]): string | undefined {
  const read = ackIDInput.safeParse(value);
  if (read.success) return read.data.toLowerCase();
  refuse(problems, field, 'must be the ackID of a callout');
  return undefined;
}

const reasonInput = textInput(longestReason);

/** Kept in the delivery log, on a single line. */
function readReason(value: unknown, field: string, problems: ProblemDetail[]): string | null {
  if (value === undefined || value === null || value === '') return null;
  const read = reasonInput.safeParse(value);
  if (read.success) return read.data.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  for (const { message } of read.error.issues) refuse(problems, field, message);
  return null;
}
