import { describe, expect, it } from '@jest/globals';
import { Problem } from '@callout/domain/problem';
import { emptyFieldValues } from '@callout/domain/values/values';
import type { IngestEvent, IngestRequest, IngestResult } from '@callout/pipeline/ingest/request.rules';
import type { IngestCommit } from '@callout/pipeline/ingest/ingest';
import type { ApiResponse } from '../http/api-response.ts';
import type { UnconfirmedAuthentication } from '../http/auth/authentication-cache.ts';
import { createTenantBudget } from '../http/limits/tenant-budget.ts';
import { createIngest, type IngestInput } from './ingest.ts';

const event = (recordId: number): IngestEvent => ({
  entityType: 'Account',
  action: 'Update',
  recordId,
  expects: 'anything',
  personId: 1,
  eventTime: null,
  eventKey: null,
  contentHash: null,
  fields: emptyFieldValues(),
  udfFields: emptyFieldValues(),
  changed: null,
});

/** The same of another tenant, or with another authentication. */
const inputOf = (
  { tenantId = 1, authentication }: { tenantId?: number; authentication?: UnconfirmedAuthentication | undefined },
  ...recordIds: number[]
): IngestInput => ({
  ...input(...recordIds),
  call: { caller: { tenantId }, authentication, traceParent: undefined },
});

/** A request with one event for each record; its response has their ids. */
const input = (...recordIds: number[]): IngestInput => ({
  call: { caller: { tenantId: 1 }, authentication: undefined, traceParent: undefined },
  events: recordIds.map(event),
  key: undefined,
  isIndexed: true,
  response: { kind: 'batch', remarks: {}, ofEvents: [] },
});

const items = ({ events }: IngestRequest) =>
  events.map(({ recordId }) => ({ eventId: `of ${recordId}`, recordId: recordId ?? 0, status: 'accepted' as const }));

/** The ids of the events that a response names. */
const outcomesOf = ({ body }: ApiResponse) =>
  (body as { items: { eventID: string }[] }).items.map(({ eventID }) => eventID);

function anIngest(commit: (requests: readonly IngestRequest[]) => Promise<IngestCommit>, maxWaitingEvents = 1000) {
  const enqueued: string[] = [];
  const ingest = createIngest({
    commit,
    enqueueMatch: (eventIds) => void enqueued.push(...eventIds),
    maxEventsPerCommit: 500,
    waiting: createTenantBudget(maxWaitingEvents, {
      unavailable: 'full',
      tooManyRequests: 'half full',
      retryAfterS: 1,
    }),
  });
  return { ingest, enqueued };
}

/** Commits everything on command. */
function heldCommit() {
  const commits: { requests: readonly IngestRequest[]; finish: () => void }[] = [];
  const commit = (requests: readonly IngestRequest[]) =>
    new Promise<IngestCommit>((resolve) => {
      const results = requests.map((request) => ({ kind: 'accepted' as const, items: items(request) }));
      commits.push({
        requests,
        finish: () => resolve({ results, eventIds: [`of commit ${commits.length}`], tenantIds: [1] }),
      });
    });
  return { commits, commit };
}

describe('the ingest', () => {
  it('lets requests that come during a commit share the next one, and enqueues the events of each commit', async () => {
    const { commits, commit } = heldCommit();
    const { ingest, enqueued } = anIngest(commit);
    const answers = [input(1), input(2), input(3, 4)].map((one) => ingest.accept(one));
    expect(commits.map(({ requests }) => requests.length)).toEqual([1]);
    commits[0]?.finish();
    await answers[0];
    expect(commits.map(({ requests }) => requests.length)).toEqual([1, 2]);
    commits[1]?.finish();
    expect((await Promise.all(answers)).map(outcomesOf)).toEqual([['of 1'], ['of 2'], ['of 3', 'of 4']]);
    expect(enqueued).toHaveLength(2);
  });

  it('turns requests away before more wait than may, but accepts one of any size when nothing waits', async () => {
    const { commits, commit } = heldCommit();
    const { ingest } = anIngest(commit, 4);
    const first = ingest.accept(input(1, 2, 3, 4, 5));
    await expect(ingest.accept(inputOf({ tenantId: 2 }, 6))).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterS: 1,
    });
    commits[0]?.finish();
    await first;
    const again = ingest.accept(input(6));
    commits[1]?.finish();
    expect(outcomesOf(await again)).toEqual(['of 6']);
  });

  it('lets no tenant have more than half of what may wait', async () => {
    const { commits, commit } = heldCommit();
    const { ingest } = anIngest(commit, 4);
    const mine = [input(1), input(2)].map((one) => ingest.accept(one));
    await expect(ingest.accept(input(3))).rejects.toMatchObject({ kind: 'tooMany', retryAfterS: 1 });
    const theirs = ingest.accept(inputOf({ tenantId: 2 }, 4, 5));
    commits[0]?.finish();
    await mine[0];
    commits[1]?.finish();
    await Promise.all([...mine, theirs]);
  });

  it('has all capacity again when a commit fails', async () => {
    const { ingest } = anIngest(() => Promise.reject(new Error('Connection terminated')), 2);
    for (let nth = 0; nth < 3; nth += 1) await expect(ingest.accept(input(1))).rejects.toThrow('terminated');
  });

  it('commits each request by itself when one of them breaks the commit that they share', async () => {
    let isFirst = true;
    const { ingest } = anIngest(async (requests) => {
      if (isFirst) {
        isFirst = false;
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (requests.some(({ events }) => events[0]?.recordId === 13)) throw new Error('out of range');
      return { results: requests.map((one) => ({ kind: 'accepted', items: items(one) })), eventIds: [], tenantIds: [] };
    });
    const outcomes = await Promise.allSettled([1, 12, 13, 14].map((id) => ingest.accept(input(id))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('does not try again when the database is away', async () => {
    let commits = 0;
    const { ingest } = anIngest(async () => {
      commits += 1;
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('Connection terminated');
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map((id) => ingest.accept(input(id))));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(commits).toBe(2);
  });

  it('lets each commit confirm its own authentication, and accepts nothing where it has changed', async () => {
    const proof = (version: string) => ({
      proof: { foldedUserName: 'me', address: 'here', version },
      state: 'open' as const,
    });
    const [valid, changed, lost]: UnconfirmedAuthentication[] = ['valid', 'changed', 'lost'].map(proof);
    const { ingest } = anIngest(async (requests) => {
      if (requests.some(({ authentication }) => authentication?.version === 'lost'))
        throw new Error('Connection terminated');
      const results = requests.map((one): IngestResult =>
        one.authentication?.version === 'changed'
          ? { kind: 'staleAuthentication' }
          : { kind: 'accepted', items: items(one) },
      );
      return { results, eventIds: [], tenantIds: [] };
    });
    expect(outcomesOf(await ingest.accept(inputOf({ authentication: valid }, 1)))).toEqual(['of 1']);
    await expect(ingest.accept(inputOf({ authentication: changed }, 1))).rejects.toMatchObject({
      kind: 'unauthorized',
    });
    await expect(ingest.accept(inputOf({ authentication: lost }, 1))).rejects.toThrow('terminated');
    expect([valid, changed, lost].map((one) => one?.state)).toEqual(['confirmed', 'stale', 'asked']);
  });

  it('names the index of a refused event, but not for a problem of the whole request', async () => {
    let index: number | null = 1;
    const { ingest } = anIngest(async () => ({
      results: [{ kind: 'refused', index, problem: Problem.conflict('no', 'eventID') }],
      eventIds: [],
      tenantIds: [],
    }));
    await expect(ingest.accept(input(1, 2))).rejects.toMatchObject({
      kind: 'conflict',
      details: [{ field: 'events[1].eventID', message: 'events[1]: no' }],
    });
    index = null;
    await expect(ingest.accept(input(1, 2))).rejects.toMatchObject({ details: [{ field: 'eventID', message: 'no' }] });
  });
});
