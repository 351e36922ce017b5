import { describe, expect, it } from '@jest/globals';
import { Problem } from '@callout/core/errors';
import { emptyFieldValues, type IntakeEvent, type IntakeRequest, type IntakeResult } from '@callout/core/ingest';
import type { IntakeCommit } from '@callout/db/ingest';
import type { Answer } from '../http/answer.ts';
import { StaleSignIn, type UnconfirmedSignIn } from '../http/auth/unconfirmed-sign-in.ts';
import { createTenantBudget } from '../http/limits/tenant-budget.ts';
import { createIntake, type Taking } from './intake.ts';

const event = (recordId: number): IntakeEvent => ({
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

/** A request with one event for each record, answered with their ids. */
const taking = (...recordIds: number[]): Taking => ({
  tenantId: 1,
  events: recordIds.map(event),
  key: undefined,
  signIn: undefined,
  traceParent: undefined,
  isIndexed: true,
  answer: { kind: 'batch', remarks: {}, ofEvents: [] },
});

const items = ({ events }: IntakeRequest) =>
  events.map(({ recordId }) => ({ eventId: `of ${recordId}`, recordId: recordId ?? 0, status: 'accepted' as const }));

/** The ids of the events that an answer names. */
const takenIn = ({ body }: Answer) => (body as { items: { eventID: string }[] }).items.map(({ eventID }) => eventID);

function anIntake(commit: (requests: readonly IntakeRequest[]) => Promise<IntakeCommit>, maxWaitingEvents = 1000) {
  const enqueued: string[] = [];
  const intake = createIntake({
    commit,
    isDatabaseAway: (error) => error instanceof Error && error.message === 'away',
    enqueueMatch: (eventIds) => void enqueued.push(...eventIds),
    maxEventsPerCommit: 500,
    waiting: createTenantBudget(maxWaitingEvents, { unavailable: 'full', tooManyRequests: 'half full' }),
  });
  return { intake, enqueued };
}

/** Commits everything when it is told to. */
function heldCommit() {
  const commits: { requests: readonly IntakeRequest[]; finish: () => void }[] = [];
  const commit = (requests: readonly IntakeRequest[]) =>
    new Promise<IntakeCommit>((resolve) => {
      const results = requests.map((request) => ({ kind: 'accepted' as const, items: items(request) }));
      commits.push({
        requests,
        finish: () => resolve({ results, eventIds: [`of commit ${commits.length}`], tenantIds: [1] }),
      });
    });
  return { commits, commit };
}

describe('the intake', () => {
  it('lets requests that come during a commit share the next one, and enqueues the events of each commit', async () => {
    const { commits, commit } = heldCommit();
    const { intake, enqueued } = anIntake(commit);
    const answers = [taking(1), taking(2), taking(3, 4)].map((one) => intake.take(one));
    expect(commits.map(({ requests }) => requests.length)).toEqual([1]);
    commits[0]?.finish();
    await answers[0];
    expect(commits.map(({ requests }) => requests.length)).toEqual([1, 2]);
    commits[1]?.finish();
    expect((await Promise.all(answers)).map(takenIn)).toEqual([['of 1'], ['of 2'], ['of 3', 'of 4']]);
    expect(enqueued).toHaveLength(2);
  });

  it('turns requests away before more wait than may, but accepts one of any size when nothing waits', async () => {
    const { commits, commit } = heldCommit();
    const { intake } = anIntake(commit, 4);
    const first = intake.take(taking(1, 2, 3, 4, 5));
    await expect(intake.take({ ...taking(6), tenantId: 2 })).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterS: 1,
    });
    commits[0]?.finish();
    await first;
    const again = intake.take(taking(6));
    commits[1]?.finish();
    expect(takenIn(await again)).toEqual(['of 6']);
  });

  it('lets no tenant have more than half of what may wait', async () => {
    const { commits, commit } = heldCommit();
    const { intake } = anIntake(commit, 4);
    const mine = [taking(1), taking(2)].map((one) => intake.take(one));
    await expect(intake.take(taking(3))).rejects.toMatchObject({ kind: 'tooMany', retryAfterS: 1 });
    const theirs = intake.take({ ...taking(4, 5), tenantId: 2 });
    commits[0]?.finish();
    await mine[0];
    commits[1]?.finish();
    await Promise.all([...mine, theirs]);
  });

  it('has all room again when a commit fails', async () => {
    const { intake } = anIntake(() => Promise.reject(new Error('away')), 2);
    for (let nth = 0; nth < 3; nth += 1) await expect(intake.take(taking(1))).rejects.toThrow('away');
  });

  it('commits each request by itself when one of them breaks the commit that they share', async () => {
    let isFirst = true;
    const { intake } = anIntake(async (requests) => {
      if (isFirst) {
        isFirst = false;
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (requests.some(({ events }) => events[0]?.recordId === 13)) throw new Error('out of range');
      return { results: requests.map((one) => ({ kind: 'accepted', items: items(one) })), eventIds: [], tenantIds: [] };
    });
    const outcomes = await Promise.allSettled([1, 12, 13, 14].map((id) => intake.take(taking(id))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('does not try again when the database is away', async () => {
    let commits = 0;
    const { intake } = anIntake(async () => {
      commits += 1;
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('away');
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map((id) => intake.take(taking(id))));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(commits).toBe(2);
  });

  it('has every sign-in confirmed by its own commit, and answers nothing where it has changed', async () => {
    const proof = (stamp: string) => ({
      proof: { foldedUserName: 'me', address: 'here', stamp },
      state: 'open' as const,
    });
    const [sound, changed, lost] = ['sound', 'changed', 'lost'].map((stamp): UnconfirmedSignIn => proof(stamp));
    const { intake } = anIntake(async (requests) => {
      if (requests.some(({ signIn }) => signIn?.stamp === 'lost')) throw new Error('away');
      const results = requests.map((one): IntakeResult =>
        one.signIn?.stamp === 'changed' ? { kind: 'staleSignIn' } : { kind: 'accepted', items: items(one) },
      );
      return { results, eventIds: [], tenantIds: [] };
    });
    expect(takenIn(await intake.take({ ...taking(1), signIn: sound }))).toEqual(['of 1']);
    await expect(intake.take({ ...taking(1), signIn: changed })).rejects.toThrow(StaleSignIn);
    await expect(intake.take({ ...taking(1), signIn: lost })).rejects.toThrow('away');
    expect([sound, changed, lost].map((one) => one?.state)).toEqual(['confirmed', 'stale', 'asked']);
  });

  it('names the index of a refused event, but not for a problem of the whole request', async () => {
    let index: number | null = 1;
    const { intake } = anIntake(async () => ({
      results: [{ kind: 'refused', index, problem: Problem.conflict('no', 'eventID') }],
      eventIds: [],
      tenantIds: [],
    }));
    await expect(intake.take(taking(1, 2))).rejects.toMatchObject({
      kind: 'conflict',
      details: [{ field: 'events[1].eventID', message: 'events[1]: no' }],
    });
    index = null;
    await expect(intake.take(taking(1, 2))).rejects.toMatchObject({ details: [{ field: 'eventID', message: 'no' }] });
  });
});
