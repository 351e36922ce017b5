import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import * as fc from 'fast-check';
import { named, openIngest, type IngestSetup } from '../fixtures/ingest.ts';
import { anEvent, insertTenant, values } from '@callout/database/fixtures/tenant';
import { applyMigrations } from '@callout/database/schema/migrations';
import { createIngestCommit } from './ingest.ts';
import type { IngestEvent, IngestRequest, IngestResult } from './request.rules.ts';

let rig: IngestSetup;

beforeAll(async () => {
  rig = openIngest(await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) }));
});
afterAll(() => rig.close());

const RECORDS = 8;

/** Events of few records under few eventIDs, so that some clash and some are refused: the first to commit decides. */
const event = fc
  .record({
    recordId: fc.integer({ min: 1, max: RECORDS }),
    action: fc.constantFrom<IngestEvent['action']>('Create', 'Update', 'Update', 'Update', 'Delete'),
    expects: fc.constantFrom<IngestEvent['expects']>('anything', 'anything', 'anything', 'present'),
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
/** Concurrent commits of some requests each. */
const commits = fc.array(fc.array(request, { minLength: 1, maxLength: 4 }), { minLength: 8, maxLength: 24 });

function asRequest(tenantId: number, { events, key }: { events: IngestEvent[]; key: number | null }): IngestRequest {
  if (key === null) return { tenantId, events };
  const idempotencyKey = {
    ...{ credentialId: tenantId, route: 'POST /EntityEvents', key: `k-${key}`, requestHash: Buffer.from(`${key}`) },
    response: { kind: 'batch', remarks: {}, ofEvents: [] } as const,
  };
  return { tenantId, events, idempotencyKey };
}

describe('a record that two processes change in turn', () => {
  it('has one history: each event has the next version and the values so far', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const [here, there] = [rig.commit, createIngestCommit(rig.database.pool)];
    const change = (action: IngestEvent['action'], fields: Record<string, string>) => [
      { tenantId, events: [anEvent({ recordId: 1, action, fields: values(fields) })] },
    ];
    await here(change('Create', { companyName: 'one' }));
    await there(change('Update', { phone: '2' }));
    await here(change('Update', { companyName: 'three' }));
    await here(change('Update', { companyName: 'four' }));
    await there(change('Create', { companyName: 'five' }));
    const stored = await rig.storedEvents(tenantId);
    expect(stored.map(({ recordVersion, fields }) => [recordVersion, fields])).toEqual([
      [1, { companyName: 'one' }],
      [2, { companyName: 'one', phone: '2' }],
      [3, { companyName: 'three', phone: '2' }],
      [4, { companyName: 'four', phone: '2' }],
      [5, { companyName: 'five' }],
    ]);
  });
});

const acceptedIn = (results: readonly IngestResult[]) =>
  results
    .flatMap((result) => (result.kind === 'accepted' ? result.items : []))
    .filter(({ status }) => status === 'accepted');

describe('commits that lock records, eventIDs and idempotency keys in any order', () => {
  it('never deadlock, accept each eventID and key once, and give every record versions without a gap', async () => {
    // Two processes from PostgreSQL's point of view.
    const processes = [rig.commit, createIngestCommit(rig.database.pool)];
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
        const { rows } = await rig.database.pool.query<{ keys: number }>(
          'SELECT count(*)::int AS keys FROM idempotency_keys WHERE credential_id = $1 AND status <> 202',
          [tenantId],
        );
        expect(rows).toEqual([{ keys: 0 }]);
      }),
      { numRuns: 12 },
    );
  });
});
