import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { anEvent, insertTenant, insertWebhook, values } from '@callout/database/fixtures/tenant';
import { createIngestCommit } from '../ingest/ingest.ts';
import { claimPendingEvents } from './load.ts';
import { matchDeps } from './match-deps.fixture.ts';
import { matchEvents, type MatchDeps } from './match.ts';

const database = useDatabase(createDisposableDatabase);
let deps: MatchDeps;
let tenantId: number;

beforeAll(async () => {
  deps = await matchDeps(database, (error) => {
    throw error;
  });
});

beforeEach(async () => {
  tenantId = await insertTenant(database.pool);
});

/** Accepts an event for each record, whose values have so many characters. */
async function accept(...lengths: [recordId: number, characters: number][]): Promise<string[]> {
  const events = lengths.map(([recordId, characters], nth) =>
    anEvent({ recordId, fields: values({ companyName: String(nth).padEnd(characters, 'x') }) }),
  );
  return (await createIngestCommit(database.pool)([{ tenantId, events }])).eventIds;
}

/** The records whose events one claim reads, in their order, and the characters that it reads. */
async function claimed(eventIds: string[], maxCharacters: number, maxEvents = 500) {
  const { events } = await inTransaction(database.pool, (transaction) =>
    claimPendingEvents(transaction, eventIds, { maxEvents, maxCharacters }),
  );
  const read = events.map(({ fields, udfFields, previous }) => JSON.stringify([fields, udfFields, previous]).length);
  return {
    records: events.map(({ recordId, recordVersion }) => `${recordId}/${recordVersion}`),
    characters: read.reduce((sum, length) => sum + length, 0),
  };
}

describe('a claim of long events', () => {
  it('reads no more characters than it may, but for the last event', async () => {
    const eventIds = await accept(...Array.from({ length: 20 }, (_, nth): [number, number] => [nth + 1, 50_000]));
    const { records, characters } = await claimed(eventIds, 200_000);
    expect(records).toHaveLength(4);
    expect(characters).toBeLessThan(250_000);
    expect((await claimed(eventIds, 2_000_000)).records).toHaveLength(20);
    expect((await claimed(eventIds, 2_000_000, 7)).records).toHaveLength(7);
  });

  it('reads one event however long it is', async () => {
    const eventIds = await accept([1, 200_000], [1, 200_000]);
    expect((await claimed(eventIds, 1)).records).toEqual(['1/1']);
  });

  it('reads short events before long ones, those of a record in their order', async () => {
    const eventIds = await accept([1, 100_000], [1, 10], [2, 90_000], [3, 10], [3, 10], [3, 100_000], [4, 50]);
    expect((await claimed(eventIds, 1_000)).records).toEqual(['2/1', '3/1', '3/2', '4/1']);
    expect((await claimed(eventIds, 150_000)).records).toEqual(['1/1', '2/1', '3/1', '3/2', '4/1']);
  });

  it('counts the values before the change', async () => {
    await accept([1, 100_000]);
    const [eventId = ''] = await accept([1, 110_000]);
    const { rows } = await database.pool.query<{ characters: number }>('SELECT characters FROM events WHERE id = $1', [
      eventId,
    ]);
    expect(rows[0]?.characters).toBeGreaterThan(200_000);
  });

  it('leaves the others pending, and they are matched after it in the order of their records', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    let left = await accept([1, 60_000], [1, 60_000], [2, 60_000], [1, 60_000], [2, 10]);
    const all = left.length;
    const matched: number[] = [];
    while (left.length > 0) {
      const result = await matchEvents({ ...deps, maxCharacters: 100_000 }, left);
      matched.push(result.matched);
      expect(result.leftEventIds).toHaveLength(left.length - result.matched);
      left = result.leftEventIds;
    }
    expect(matched.reduce((sum, count) => sum + count, 0)).toBe(all);
    expect(matched.length).toBeGreaterThan(1);
    expect(await recordsOf(webhookKey)).toEqual([
      ['1/1', '1/2', '1/3'],
      ['2/1', '2/2'],
    ]);
  });
});

/** The records and versions of a webhook's callouts, in their order, of the records 1 and 2. */
async function recordsOf(webhookKey: number): Promise<(string[] | undefined)[]> {
  const { rows } = await database.pool.query<{ records: string[] }>(
    `SELECT array_agg(e.record_id || '/' || record_version ORDER BY c.sequence_number) AS records
       FROM callouts c JOIN events e ON e.id = c.event_id WHERE c.webhook_key = $1`,
    [webhookKey],
  );
  return [1, 2].map((recordId) => rows[0]?.records.filter((one) => one.startsWith(`${recordId}/`)));
}

describe('conditions that look for texts in long events', () => {
  const looking = {
    op: 'or',
    items: ['xx', 'south'].map((value) => ({ op: 'contains', field: 'companyName', value })),
  };

  it('search no more characters in one match than it may read, for all webhooks together', async () => {
    const [first = 0] = await Promise.all([1, 2, 3, 4].map((id) => insertWebhook(database.pool, tenantId, id)));
    const matchAll = async (...records: [number, number][]) => {
      let left = await accept(...records);
      const matched: number[] = [];
      while (left.length > 0) {
        const result = await matchEvents({ ...deps, maxCharacters: 100_000 }, left);
        matched.push(result.matched);
        left = result.leftEventIds;
      }
      return matched;
    };
    expect(await matchAll([3, 10_000], [4, 10_000], [5, 10_000], [6, 10_000])).toEqual([4]);
    const set = 'UPDATE webhooks SET condition = $2, version = version + 1 WHERE tenant_id = $1';
    await database.pool.query(set, [tenantId, JSON.stringify(looking)]);
    // 40,000 characters for each event, and twice that with values before the change.
    expect(await matchAll([7, 10_000], [8, 10_000], [9, 10_000], [10, 10_000])).toEqual([2, 2]);
    expect(await matchAll([1, 10_000], [2, 10_000], [1, 10_000], [2, 10_000])).toEqual([1, 1, 1, 1]);
    expect(await recordsOf(first)).toEqual([
      ['1/1', '1/2'],
      ['2/1', '2/2'],
    ]);
  });
});
