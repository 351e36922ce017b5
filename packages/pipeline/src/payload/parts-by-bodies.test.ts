import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { countingValues } from '@callout/database/fixtures/counting-values';
import { anEvent, insertTenant, insertWebhook, values } from '@callout/database/fixtures/tenant';
import { createIngestCommit } from '../ingest/ingest.ts';
import { matchDeps } from '../match/match-deps.fixture.ts';
import { matchEvents } from '../match/match.ts';
import { partsByBodies, readBodies } from './callout-bodies.ts';

const database = useDatabase(createDisposableDatabase);
const megabyte = 1024 * 1024;
let tenant: Awaited<ReturnType<typeof aTenantWithCallouts>>;

beforeEach(async () => {
  tenant = await aTenantWithCallouts(database);
});

async function addAll(megabytes: readonly number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [nth, size] of megabytes.entries()) ids.push(await tenant.add(nth + 1, 0, 'x'.repeat(size * megabyte)));
  return ids;
}

describe('callouts with long bodies', () => {
  it('are divided into parts that fit into memory, in their order', async () => {
    const ids = await addAll([3, 3, 3, 3, 1, 20, 1]);
    const parts = (idsOf: (id: string) => string[]) => partsByBodies(database.pool, ids, idsOf);
    expect(await parts((id) => [id])).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4, 6), ids.slice(6)]);
    // Those of one item are read together.
    const together = await parts((id) => (id === ids[0] ? ids : [id]));
    expect(together).toEqual([[0], [1, 2], [3, 4], [5], [6]].map((part) => part.map((nth) => ids[nth])));
    expect(await partsByBodies(database.pool, [], () => [])).toEqual([]);
  });

  it('that are short are one part', async () => {
    const ids = [await tenant.add(1), await tenant.add(2)];
    expect(await partsByBodies(database.pool, ids, (id) => [id])).toEqual([ids]);
  });
});

describe('callouts of long events', () => {
  it('are read in parts that fit into memory, however short their bodies are', async () => {
    const { pool } = database;
    const tenantId = await insertTenant(pool);
    const webhookKeys = [await insertWebhook(pool, tenantId, 1), await insertWebhook(pool, tenantId, 2)];
    // Neither webhook shows user-defined fields.
    const udfFields = values({ 1: 'x'.repeat(250_000) });
    const events = Array.from({ length: 40 }, (_, nth) =>
      anEvent({ recordId: nth + 1, fields: values({ companyName: `Company ${nth}` }), udfFields }),
    );
    const { eventIds } = await createIngestCommit(pool)([{ tenantId, events }]);
    const deps = await matchDeps(database, (error) => {
      throw error;
    });
    for (let left = eventIds; left.length > 0;) ({ leftEventIds: left } = await matchEvents(deps, left));
    const { rows: callouts } = await pool.query<{ id: string; bytes: number; number: number }>(
      `SELECT callout_id AS id, body_bytes AS bytes, record_id AS number FROM open_callouts WHERE webhook_key = ANY($1)
       ORDER BY callout_id DESC`,
      [webhookKeys],
    );
    const counting = countingValues(pool);
    const bodies = await inTransaction(counting.pool, (transaction) =>
      readBodies(
        transaction,
        callouts.map(({ id }) => id),
      ),
    );
    expect(bodies.size).toBe(80);
    for (const { id, bytes, number } of callouts) {
      expect(bodies.get(id)).toContain(`"Company ${number - 1}"`);
      expect(Buffer.byteLength(bodies.get(id) ?? '')).toBe(bytes);
    }
    expect(counting.rows.reduce((sum, rows) => sum + rows)).toBe(80);
    expect(Math.max(...counting.rows)).toBeLessThan(20);
  });
});
