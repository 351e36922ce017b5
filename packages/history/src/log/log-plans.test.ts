import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local/test-run';
import type { Pool } from 'pg';
import { openDatabase, openSearchPool, type Database } from '@callout/database/connection/database';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { applyMigrations } from '@callout/database/schema/migrations';
import type { CalloutFilter } from '@callout/domain/callout/callout-filter';
import { countCallouts, findCallout, listCallouts } from './callouts/callout-log.ts';
import { readFailedGroups, readWebhooksWith } from './callouts/failed-callouts.ts';
import { findEvent, listEvents, type EventFilter } from './event-log.ts';
import { CALLOUTS_PER_WEBHOOK, fillLog, OPEN_PER_WEBHOOK } from './filled-log.fixture.ts';
import { indexesOf, isScan, recordPlans, rowsMet, typesOf } from './recorded-plans.fixture.ts';
import { timeOfId } from '@callout/database/schema/ids';
import type { SearchDeps } from '../search/search-transaction.ts';
import { readThresholds } from './thresholds.ts';

let disposable: DisposableDatabase;
let database: Database;
let searchPool: Pool;
let tenantId: number;
let webhookKey: number;
let search: SearchDeps;
const { explaining, planOf } = recordPlans();

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  const options = { url: disposable.url, poolSize: 2, applicationName: 'test', onError: () => undefined };
  database = openDatabase(options);
  searchPool = openSearchPool(options);
  tenantId = await insertTenant(database.pool);
  const keys: number[] = [];
  for (let id = 1; id <= 5; id += 1) keys.push(await insertWebhook(database.pool, tenantId, id));
  webhookKey = keys[0] ?? 0;
  await fillLog(searchPool, tenantId, keys);
  search = { pool: explaining(searchPool), timeoutMs: 60_000 };
});

afterAll(async () => {
  await searchPool.end();
  await database.close();
  await disposable.drop();
});

const everything: CalloutFilter = {
  since: null,
  until: null,
  states: null,
  fromSequence: null,
  toSequence: null,
  recordId: null,
  actions: null,
  kinds: null,
};
const anyEvent: EventFilter = {
  eventId: null,
  entityType: null,
  actions: null,
  recordId: null,
  personId: null,
  since: null,
  until: null,
};
const PAGE = 50;
/** The rows that a page of 50 may read: each row in some tables, of five webhooks; and not all 120,000. */
const FEW = 2_500;
const old = { fromSequence: 10, toSequence: 1_000 };
const recently = { since: new Date(Date.now() - 3_600_000), until: new Date() };

const fiveTimes = <T>(row: T): T[] => Array.from({ length: 5 }, () => row);
const ofOne = () => ({ tenantId, webhooks: { key: webhookKey } });
const ofTenant = () => ({ tenantId, webhooks: { entityType: null, guids: null } });

describe('a page of callouts', () => {
  it.each<[string, Partial<CalloutFilter>]>([
    ['all', {}],
    ['failed ones', { states: ['failed'] }],
    ['open ones', { states: ['waiting', 'due'] }],
    ['open ones of a record', { states: ['waiting', 'held', 'due'], recordId: 3_800 }],
    ['a period', recently],
    ['a range of old numbers', old],
    ['an action that is common', { actions: ['Update'] }],
    ['an action that is rare', { actions: ['Delete'] }],
    ['actions that are rare', { actions: ['Delete', 'Create'], until: new Date() }],
    ['a record', { recordId: 777 }],
    ['a record, failed ones', { recordId: 5_000, states: ['failed'] }],
  ])('of a webhook looks at few rows, by an index: %s', async (_, filter) => {
    const nodes = await planOf(async () => {
      const { items } = await listCallouts(search, ofOne(), { ...everything, ...filter }, PAGE, null);
      expect(items.length).toBeGreaterThan(0);
    });
    expect(typesOf(nodes)).not.toContain('Seq Scan');
    expect(rowsMet(nodes)).toBeLessThan(FEW);
  });

  it.each<[string, Partial<CalloutFilter>]>([
    ['a record', { recordId: 5_000_000 }],
    ['an action', { actions: ['Deactivated'] }],
    ['deactivation calls', { kinds: ['deactivation'] }],
    ['tests', { kinds: ['test'] }],
  ])('of which there are none are not looked for among the others: %s', async (_, filter) => {
    for (const scope of [ofOne(), ofTenant()]) {
      const nodes = await planOf(async () => {
        await expect(listCallouts(search, scope, { ...everything, ...filter }, PAGE, null)).resolves.toMatchObject({
          items: [],
        });
        await expect(countCallouts(search, scope, { ...everything, ...filter })).resolves.toBe(0);
      });
      expect(typesOf(nodes)).not.toContain('Seq Scan');
      expect(rowsMet(nodes)).toBeLessThan(50);
    }
  });

  it('of several actions comes in one order, however they are looked for', async () => {
    const filter = { ...everything, actions: ['Create', 'Delete'] };
    for (const scope of [ofOne(), ofTenant()]) {
      const first = await listCallouts(search, scope, filter, 20, null);
      const second = await listCallouts(search, scope, filter, 20, first.next);
      const items = [...first.items, ...second.items];
      expect(items).toHaveLength(40);
      expect(new Set(items.map(({ action }) => action))).toEqual(new Set(filter.actions));
      const ids = items.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
      const back = await listCallouts(search, scope, filter, 20, second.previous);
      expect(back.items.map(({ id }) => id)).toEqual(ids.slice(0, 20));
    }
    await expect(countCallouts(search, ofTenant(), filter)).resolves.toBe(5 * 2 * (CALLOUTS_PER_WEBHOOK / 1_000));
  });

  it('of a webhook comes in its order without sorting, from the newest on and from anywhere', async () => {
    const first = await listCallouts(search, ofOne(), everything, PAGE, null);
    const middle =
      (await listCallouts(search, ofOne(), { ...everything, toSequence: 12_000 }, PAGE, null)).items[0]?.id ?? '';
    for (const position of [
      first.next,
      { direction: 'after', id: middle },
      { direction: 'before', id: middle },
    ] as const) {
      const nodes = await planOf(() => listCallouts(search, ofOne(), everything, PAGE, position));
      // Only the attempts of one callout are, of which the last is read.
      const sorts = nodes.filter((node) => node['Node Type'] === 'Sort');
      expect(sorts.filter((node) => node['Actual Rows'] > 1)).toEqual([]);
      expect(indexesOf(nodes)).toContain('webhook_key_id');
      expect(rowsMet(nodes)).toBeLessThan(FEW);
    }
  });

  it('of a tenant merges the newest of each webhook', async () => {
    for (const filter of [everything, { ...everything, states: ['failed' as const] }, { ...everything, ...recently }]) {
      const nodes = await planOf(async () => {
        const { items } = await listCallouts(search, ofTenant(), filter, PAGE, null);
        expect(items).toHaveLength(PAGE);
        const ids = items.map(({ id }) => id);
        expect(ids).toEqual(ids.toSorted().toReversed());
      });
      expect(typesOf(nodes)).not.toContain('Seq Scan');
      expect(rowsMet(nodes)).toBeLessThan(FEW);
    }
  });

  it('shows failed ones by the index of last attempts that failed', async () => {
    const filter = { ...everything, states: ['failed' as const] };
    const nodes = await planOf(async () => {
      const { items } = await listCallouts(search, ofOne(), filter, PAGE, null);
      expect(items.map(({ state, sequenceNumber }) => [state, sequenceNumber]).slice(0, 2)).toEqual([
        ['failed', 23_000],
        ['failed', 22_000],
      ]);
    });
    expect(indexesOf(nodes)).toMatch(/attempts_\w*webhook_key_callout_id/);
    const counting = await planOf(() => expect(countCallouts(search, ofOne(), filter)).resolves.toBe(23));
    expect(rowsMet(counting)).toBeLessThan(FEW);
    await expect(countCallouts(search, ofTenant(), filter)).resolves.toBe(5 * 23);
  });

  it('shows failed ones of a reason by that index, and counts them by webhook and reason', async () => {
    const filter = { ...everything, states: ['failed' as const] };
    for (const [reason, found] of [
      ['status5xx', 23],
      ['timeout', 0],
    ] as const) {
      const nodes = await planOf(async () => {
        await expect(countCallouts(search, ofOne(), { ...filter, reasons: [reason] })).resolves.toBe(found);
      });
      expect(typesOf(nodes)).not.toContain('Seq Scan');
      expect(rowsMet(nodes)).toBeLessThan(FEW);
    }
    const groups = await planOf(async () => {
      const found = await readFailedGroups(search, ofTenant(), { since: null, until: null });
      expect(found.map(({ reason, count }) => [reason, count])).toEqual(fiveTimes(['status5xx', 23]));
    });
    expect(typesOf(groups)).not.toContain('Seq Scan');
    expect(indexesOf(groups)).toMatch(/attempts_\w*webhook_key_callout_id/);
    expect(rowsMet(groups)).toBeLessThan(FEW);
    const webhooks = await planOf(async () => {
      const found = await readWebhooksWith(search, ofTenant(), filter);
      const numbers = found.map(({ count, fromSequence, toSequence }) => [count, fromSequence, toSequence]);
      expect(numbers).toEqual(fiveTimes([23, 1_000, 23_000]));
    });
    expect(typesOf(webhooks)).not.toContain('Seq Scan');
    expect(rowsMet(webhooks)).toBeLessThan(FEW);
    const hurried = { pool: searchPool, timeoutMs: 0.000_1 };
    await expect(readFailedGroups(hurried, ofTenant(), { since: null, until: null })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/narrow the filter, with since and until, or webhookGUID/),
    });
  });

  it('is refused when it takes too long, with advice how to narrow it', async () => {
    const hurried = { pool: searchPool, timeoutMs: 1 };
    await expect(countCallouts(hurried, ofTenant(), { ...everything, states: ['cancelled'] })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/narrow the filter, with since and until, or fromSequence/),
    });
  });
});

describe('everything else of the log', () => {
  it('counts by indexes alone', async () => {
    const nodes = await planOf(() => countCallouts(search, ofTenant(), everything));
    expect([...typesOf(nodes.filter(isScan))].toSorted()).toEqual(['Index Only Scan', 'Index Scan']);
    await expect(countCallouts(search, ofTenant(), everything)).resolves.toBe(5 * CALLOUTS_PER_WEBHOOK);
    await expect(countCallouts(search, ofOne(), { ...everything, states: ['held', 'waiting', 'due'] })).resolves.toBe(
      OPEN_PER_WEBHOOK,
    );
  });

  it('finds one callout with its attempts by keys', async () => {
    const [callout] = (await listCallouts(search, ofOne(), { ...everything, states: ['failed'] }, 1, null)).items;
    const nodes = await planOf(async () => {
      const found = await findCallout(search, tenantId, webhookKey, callout?.id ?? '');
      expect(found).toMatchObject({ state: 'failed', attempts: [{ number: 1, status: 500 }] });
    });
    expect(typesOf(nodes)).not.toContain('Seq Scan');
    expect(rowsMet(nodes)).toBeLessThan(50);
  });

  it('shows a page of events, and the result of one of them', async () => {
    const page = await planOf(() => listEvents(search, tenantId, anyEvent, PAGE, null));
    expect(typesOf(page)).not.toContain('Sort');
    expect(rowsMet(page)).toBeLessThan(FEW);
    const one = await planOf(async () => {
      const found = await findEvent(search, tenantId, 'e-777');
      expect(found?.verdicts.map(({ rule, callout }) => [rule, callout?.state, callout?.sequenceNumber])).toEqual(
        Array.from({ length: 5 }, () => ['passed', 'delivered', 777]),
      );
    });
    expect(typesOf(one)).not.toContain('Seq Scan');
    expect(rowsMet(one)).toBeLessThan(50);
    const named = await planOf(() => listEvents(search, tenantId, { ...anyEvent, eventId: 'e-777' }, PAGE, null));
    expect(rowsMet(named)).toBeLessThan(50);
    for (const [recordId, found] of [
      [777, 5],
      [5_000_000, 0],
    ] as const) {
      const ofRecord = await planOf(async () => {
        const { items } = await listEvents(search, tenantId, { ...anyEvent, recordId }, PAGE, null);
        expect(items).toHaveLength(found);
      });
      expect(rowsMet(ofRecord)).toBeLessThan(50);
    }
  });

  it('finds the callouts of verdicts from before their numbers were kept with them', async () => {
    const [event] = (await listEvents(search, tenantId, { ...anyEvent, eventId: 'e-888' }, 1, null)).items;
    await database.pool.query(`UPDATE event_matches SET verdicts = $2, matched_at = $3 WHERE event_id = $1`, [
      event?.id,
      { passed: [[webhookKey, 1]] },
      timeOfId(event?.id ?? ''),
    ]);
    const nodes = await planOf(async () => {
      const found = await findEvent(search, tenantId, 'e-888');
      expect(found?.verdicts.map(({ callout }) => callout?.sequenceNumber)).toEqual([888]);
    });
    expect(rowsMet(nodes)).toBeLessThan(FEW);
  });

  it('counts held callouts by their index', async () => {
    const nodes = await planOf(async () => {
      const [account, contact] = await readThresholds(search, tenantId, ['Account', 'Contact']);
      expect(account?.held).toBeGreaterThan(800);
      expect(contact).toMatchObject({ held: 0, oldestHeldId: null, used: 0, ownLimit: null });
    });
    expect(typesOf(nodes)).not.toContain('Seq Scan');
    expect(indexesOf(nodes)).toContain('open_callouts_held');
  });
});
