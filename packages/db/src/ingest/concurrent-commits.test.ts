import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import * as fc from 'fast-check';
import { named, openIntake, type IntakeRig } from '../fixtures/intake.ts';
import { anEvent, insertTenant, values } from '../fixtures/tenant.ts';
import { applyMigrations } from '../schema/migrations.ts';
import { createIntakeCommit } from './commit.ts';
import type { IntakeEvent, IntakeRequest, IntakeResult } from '@callout/core/ingest';

let rig: IntakeRig;

beforeAll(async () => {
  rig = openIntake(await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) }));
});
afterAll(() => rig.close());

const RECORDS = 8;

/** Events of few records under few eventIDs, some of them sure to clash, some refused: the first to commit decides. */
const event = fc
  .record({
    recordId: fc.integer({ min: 1, max: RECORDS }),
    action: fc.constantFrom<IntakeEvent['action']>('Create', 'Update', 'Update', 'Update', 'Delete'),
    expects: fc.constantFrom<IntakeEvent['expects']>('anything', 'anything', 'anything', 'present'),
    eventKey: fc.option(fc.integer({ min: 1, max: 12 }).map((key) => `e-${key}`)),
    companyName: fc.string({ maxLength: 3 }),
  })
  .map(({ eventKey, companyName, ...rest }) =>
    anEvent({
      ...rest,
      fields: values({ companyName }),
      ...(eventKey !== null && named(eventKey, `${companyName} ${JSON.stringify(rest)}`)),
    }),
  );
const request = fc.record({
  events: fc.array(event, { minLength: 1, maxLength: 6 }),
  key: fc.option(fc.integer({ min: 1, max: 4 })),
});
/** What comes at once: commits, each of some requests. */
const commits = fc.array(fc.array(request, { minLength: 1, maxLength: 4 }), { minLength: 8, maxLength: 24 });

function asRequest(tenantId: number, { events, key }: { events: IntakeEvent[]; key: number | null }): IntakeRequest {
  if (key === null) return { tenantId, events };
  const repeatKey = {
    ...{ credentialId: tenantId, route: 'POST /EntityEvents', key: `k-${key}`, requestHash: Buffer.from(`${key}`) },
    answer: { kind: 'batch', remarks: {}, ofEvents: [] } as const,
  };
  return { tenantId, events, repeatKey };
}

const acceptedIn = (results: readonly IntakeResult[]) =>
  results
    .flatMap((result) => (result.kind === 'accepted' ? result.items : []))
    .filter(({ status }) => status === 'accepted');

describe('commits that lock records, eventIDs and idempotency keys in any order', () => {
  it('never deadlock, take each eventID and key once, and give every record versions without a gap', async () => {
    // Two processes, as far as PostgreSQL can tell.
    const processes = [rig.commit, createIntakeCommit(rig.database.pool)];
    await fc.assert(
      fc.asyncProperty(commits, async (all) => {
        const tenantId = await insertTenant(rig.database.pool);
        const done = await Promise.all(
          all.map((requests, nth) =>
            (processes[nth % 2] ?? rig.commit)(requests.map((one) => asRequest(tenantId, one))),
          ),
        );
        const accepted = acceptedIn(done.flatMap(({ results }) => results));
        const stored = await rig.storedEvents(tenantId);
        expect(stored).toHaveLength(accepted.length);
        const eventIds = accepted.map(({ eventId }) => eventId);
        expect(new Set(eventIds).size).toBe(eventIds.length);
        for (let recordId = 1; recordId <= RECORDS; recordId += 1) {
          const versions = stored.filter((one) => one.recordId === recordId).map((one) => one.recordVersion);
          expect(versions).toEqual(versions.map((_, index) => index + 1));
        }
        const { rows } = await rig.database.pool.query<{ placeholders: number; keys: number }>(
          `SELECT (SELECT count(*)::int FROM records WHERE tenant_id = $1 AND version = 0) AS placeholders,
             (SELECT count(*)::int FROM idempotency_keys WHERE credential_id = $1 AND status <> 202) AS keys`,
          [tenantId],
        );
        expect(rows).toEqual([{ placeholders: 0, keys: 0 }]);
      }),
      { numRuns: 12 },
    );
  });
});
