import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { itemsOf, named, openIngest, type IngestSetup } from '../fixtures/ingest.ts';
import { anEvent, insertTenant, values } from '@callout/database/fixtures/tenant';
import { newId } from '@callout/database/schema/ids';
import { applyMigrations } from '@callout/database/schema/migrations';
import type { IngestEvent } from './request.rules.ts';

let rig: IngestSetup;

beforeAll(async () => {
  rig = openIngest(await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) }));
});
afterAll(() => rig.close());

describe('eventIDs', () => {
  it('make one event of repeats with equal content, which are answered as duplicates', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const first = itemsOf(await rig.take(tenantId, anEvent(named('e-1', 'Ant'))));
    const second = itemsOf(await rig.take(tenantId, anEvent(named('e-1', 'Ant')), anEvent(named('e-2', 'Bee'))));
    expect(first.map((item) => [item.eventId, item.status])).toEqual([['e-1', 'accepted']]);
    expect(second.map((item) => [item.eventId, item.status])).toEqual([
      ['e-1', 'duplicate'],
      ['e-2', 'accepted'],
    ]);
    expect(await rig.storedEvents(tenantId)).toHaveLength(2);
  });

  it('are refused with other content, also within one request', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    await rig.take(tenantId, anEvent(named('e-1', 'Ant')));
    const clash = await rig.take(tenantId, anEvent(named('e-2', 'Bee')), anEvent(named('e-1', 'Cat')));
    expect(clash).toMatchObject({ kind: 'refused', index: 1, problem: { kind: 'conflict' } });
    const within = await rig.take(tenantId, anEvent(named('e-3', 'Dog')), anEvent(named('e-3', 'Emu')));
    expect(within).toMatchObject({ kind: 'refused', index: 1, problem: { kind: 'conflict' } });
    // EventIDs that a refused request claimed are free again.
    expect(itemsOf(await rig.take(tenantId, anEvent(named('e-3', 'Emu'))))[0]?.status).toBe('accepted');
  });

  it('keep the content of the event that was accepted, not of one that was refused before it', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const refused = anEvent({ ...named('e-1', 'Ant'), recordId: 9, expects: 'present' });
    const { results } = await rig.commit([
      { tenantId, events: [refused] },
      { tenantId, events: [anEvent(named('e-1', 'Bee'))] },
    ]);
    expect(results.map((result) => result.kind)).toEqual(['refused', 'accepted']);
    expect(itemsOf(await rig.take(tenantId, anEvent(named('e-1', 'Bee'))))[0]?.status).toBe('duplicate');
    expect(await rig.take(tenantId, anEvent(named('e-1', 'Ant')))).toMatchObject({
      kind: 'refused',
      problem: { kind: 'conflict' },
    });
  });

  it('make one event when the same eventID is sent twice at once, in one commit or in two', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const request = { tenantId, events: [anEvent(named('e-1', 'Ant'))] };
    const commits = await Promise.all([rig.commit([request, request]), rig.commit([request]), rig.commit([request])]);
    const statuses = commits.flatMap(({ results }) =>
      results.flatMap((result) => itemsOf(result).map((i) => i.status)),
    );
    expect(statuses.toSorted()).toEqual(['accepted', 'duplicate', 'duplicate', 'duplicate']);
    expect(await rig.storedEvents(tenantId)).toHaveLength(1);
  });

  it('are free again after 24 hours', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    await rig.take(tenantId, anEvent(named('e-1', 'Ant')));
    await rig.database.pool.query(
      "UPDATE event_keys SET accepted_at = accepted_at - interval '24 hours 1 second' WHERE tenant_id = $1",
      [tenantId],
    );
    expect(itemsOf(await rig.take(tenantId, anEvent(named('e-1', 'Bee'))))[0]?.status).toBe('accepted');
  });

  it('of two tenants are kept apart', async () => {
    const [one, two] = [await insertTenant(rig.database.pool), await insertTenant(rig.database.pool)];
    await rig.take(one, anEvent(named('e-1', 'Ant')));
    expect(itemsOf(await rig.take(two, anEvent(named('e-1', 'Bee'))))[0]?.status).toBe('accepted');
  });
});

describe('eventIDs that the service made', () => {
  const change = { changed: null, fields: values({ companyName: 'Ant' }) };
  const again = (eventKey: string, differently: Partial<IngestEvent> = {}) =>
    anEvent({ ...named(eventKey, 'any'), ...change, ...differently });

  it('are recognised when a caller posts them: as a duplicate of the same event, or as a conflict', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const eventTime = new Date('2026-01-02T03:04:05Z');
    await rig.take(tenantId, anEvent({ recordId: 1, fields: values({ phone: '1' }) }));
    const [item] = itemsOf(await rig.take(tenantId, anEvent({ ...change, recordId: 1, eventTime })));
    const id = item?.eventId ?? '';
    const same = [{}, { eventTime }, { changed: { fields: ['companyName'], udfs: [] } }, { fields: values({}) }];
    for (const one of same) {
      expect(itemsOf(await rig.take(tenantId, again(id, one)))).toEqual([
        { eventId: id, recordId: 1, status: 'duplicate' },
      ]);
    }
    const others: Partial<IngestEvent>[] = [
      { recordId: 2 },
      { action: 'Delete' },
      { entityType: 'Contact' },
      { personId: 5 },
      { eventTime: new Date('2026-01-02T03:04:06Z') },
      { fields: values({ companyName: 'Bee' }) },
      { fields: values({ city: 'Oslo' }) },
      { udfFields: values({ 1: 'x' }) },
      { changed: { fields: ['phone'], udfs: [] } },
      { changed: { fields: ['companyName'], udfs: [1] } },
    ];
    for (const one of others) {
      expect(await rig.take(tenantId, again(id, one))).toMatchObject({
        kind: 'refused',
        problem: { kind: 'conflict' },
      });
    }
    expect(await rig.storedEvents(tenantId)).toHaveLength(2);
    const { rows } = await rig.database.pool.query('SELECT FROM event_keys WHERE tenant_id = $1', [tenantId]);
    expect(rows).toEqual([]);
  });

  it('mean nothing to another tenant, and callers may make ids of the same form', async () => {
    const [one, two] = [await insertTenant(rig.database.pool), await insertTenant(rig.database.pool)];
    const [item] = itemsOf(await rig.take(one, anEvent(change)));
    expect(itemsOf(await rig.take(two, again(item?.eventId ?? '', { recordId: 3 })))).toMatchObject([
      { eventId: item?.eventId, status: 'accepted' },
    ]);
    const own = newId();
    expect(itemsOf(await rig.take(one, again(own, { recordId: 2 })))).toMatchObject([
      { eventId: own, status: 'accepted' },
    ]);
    expect(itemsOf(await rig.take(one, again(own, { recordId: 2 })))).toMatchObject([
      { eventId: own, status: 'duplicate' },
    ]);
  });
});
