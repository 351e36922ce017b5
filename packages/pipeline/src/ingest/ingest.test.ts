import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { itemsOf, named, openIngest, type IngestSetup } from '../fixtures/ingest.ts';
import { anEvent, insertTenant, values } from '@callout/database/fixtures/tenant';
import { applyMigrations } from '@callout/database/schema/migrations';
import { createIngestCommit } from './ingest.ts';

let rig: IngestSetup;

beforeAll(async () => {
  rig = openIngest(await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) }));
});
afterAll(() => rig.close());

describe('accepting events', () => {
  it('stores an event as pending, with all values known right after it and the names that changed', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    await rig.take(tenantId, anEvent({ action: 'Create', fields: values({ companyName: 'Ant', phone: null }) }));
    await rig.take(tenantId, anEvent({ fields: values({ companyName: 'Bee', phone: null }) }));
    expect(await rig.storedEvents(tenantId)).toEqual([
      {
        action: 'Create',
        recordId: 1,
        recordVersion: 1,
        changedFields: ['companyName', 'phone'],
        previous: null,
        fields: { companyName: 'Ant', phone: null },
        isPending: true,
      },
      {
        action: 'Update',
        recordId: 1,
        recordVersion: 2,
        changedFields: ['companyName'],
        previous: ['Ant'],
        fields: { companyName: 'Bee', phone: null },
        isPending: true,
      },
    ]);
  });

  it('makes no event of an update without changes', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const same = values({ companyName: 'Ant' });
    await rig.take(tenantId, anEvent({ fields: same }));
    const items = itemsOf(await rig.take(tenantId, anEvent({ fields: same })));
    expect(items.map((item) => item.status)).toEqual(['unchanged']);
    expect(await rig.storedEvents(tenantId)).toHaveLength(1);
  });

  it('keeps the order of several events of one record within a request', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const names = ['Ant', 'Bee', 'Cat'];
    await rig.take(tenantId, ...names.map((companyName) => anEvent({ fields: values({ companyName }) })));
    const events = await rig.storedEvents(tenantId);
    expect(events.map((event) => [event.recordVersion, event.fields['companyName']])).toEqual([
      [1, 'Ant'],
      [2, 'Bee'],
      [3, 'Cat'],
    ]);
  });

  it('truncates the time of an event to seconds, whether it was given or not', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const before = Math.floor(Date.now() / 1000) * 1000;
    await rig.take(tenantId, anEvent({ recordId: 1, eventTime: new Date('2026-01-02T03:04:05.999Z') }));
    await rig.take(tenantId, ...Array.from({ length: 20 }, () => anEvent({ recordId: 2 })));
    const after = Math.floor(Date.now() / 1000) * 1000;
    const { rows } = await rig.database.pool.query<{ eventTime: Date }>(
      'SELECT event_time AS "eventTime" FROM events WHERE tenant_id = $1 ORDER BY record_id',
      [tenantId],
    );
    const [given, ...made] = rows.map((row) => row.eventTime.getTime());
    expect(given).toBe(Date.parse('2026-01-02T03:04:05Z'));
    expect(Math.min(...made)).toBeGreaterThanOrEqual(before);
    expect(Math.max(...made)).toBeLessThanOrEqual(after);
  });

  it('stores text with characters that JSON, arrays and objects treat in a special way', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const text = 'a\ufffdb\u0001\u2028c"\\{,}😀';
    const fields = values({ companyName: text, ['__proto__']: 'x' });
    itemsOf(await rig.take(tenantId, anEvent({ fields })));
    const [event] = await rig.storedEvents(tenantId);
    expect(event?.fields['companyName']).toBe(text);
    const { rows } = await rig.database.pool.query('SELECT fields FROM records WHERE tenant_id = $1', [tenantId]);
    expect(rows).toEqual([{ fields: JSON.parse(JSON.stringify(fields)) as unknown }]);
  });
});

describe('refusing', () => {
  it('stores nothing of a request with one invalid event, and names its index', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const unknown = anEvent({ recordId: 2, changed: { fields: ['phone'], udfs: [] } });
    const result = await rig.take(tenantId, anEvent({ recordId: 1 }), unknown);
    expect(result).toMatchObject({ kind: 'refused', index: 1, problem: { kind: 'invalid' } });
    expect(await rig.storedEvents(tenantId)).toEqual([]);
    const { rows } = await rig.database.pool.query('SELECT * FROM records WHERE tenant_id = $1', [tenantId]);
    expect(rows).toEqual([]);
  });

  it('does not affect the other requests of the commit', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const { results } = await rig.commit([
      { tenantId, events: [anEvent({ recordId: 1, fields: values({ companyName: 'Ant' }) })] },
      { tenantId, events: [anEvent({ recordId: 1 }), anEvent({ recordId: 9, expects: 'present' })] },
      { tenantId, events: [anEvent({ recordId: 1, fields: values({ phone: '1' }) })] },
    ]);
    expect(results.map((result) => result.kind)).toEqual(['accepted', 'refused', 'accepted']);
    const events = await rig.storedEvents(tenantId);
    expect(events.map((event) => event.fields)).toEqual([{ companyName: 'Ant' }, { companyName: 'Ant', phone: '1' }]);
  });

  it('answers notFound for a missing or deleted record, and conflict for an existing id', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const absent = await rig.take(tenantId, anEvent({ expects: 'present' }));
    expect(absent).toMatchObject({ kind: 'refused', problem: { kind: 'notFound' } });
    await rig.take(tenantId, anEvent({ action: 'Create' }));
    const taken = await rig.take(tenantId, anEvent({ action: 'Create', expects: 'absent' }));
    expect(taken).toMatchObject({ kind: 'refused', problem: { kind: 'conflict' } });
    await rig.take(tenantId, anEvent({ action: 'Delete', expects: 'present', fields: values({}) }));
    const gone = await rig.take(tenantId, anEvent({ action: 'Delete', expects: 'present', fields: values({}) }));
    expect(gone).toMatchObject({ kind: 'refused', problem: { kind: 'notFound' } });
  });
});

describe('values given without an event', () => {
  const nothing = { fields: [], udfs: [] };

  it('are stored when the list of changed names is empty, and are part of the next event', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const event = anEvent({ recordId: 1, changed: nothing, fields: values({ companyName: 'Ant' }) });
    expect(itemsOf(await rig.take(tenantId, event))).toMatchObject([{ status: 'unchanged' }]);
    expect(itemsOf(await rig.take(tenantId, anEvent({ recordId: 1, fields: values({ phone: '1' }) })))).toMatchObject([
      { status: 'accepted' },
    ]);
    expect(
      itemsOf(await rig.take(tenantId, anEvent({ recordId: 1, fields: values({ companyName: 'Ant' }) }))),
    ).toMatchObject([{ status: 'unchanged' }]);
    expect(await rig.storedEvents(tenantId)).toMatchObject([
      { changedFields: ['phone'], fields: { companyName: 'Ant', phone: '1' } },
    ]);
  });
});

describe('a commit that fails', () => {
  it('stores nothing, and its connection stays usable', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const unstorable = anEvent({ ...named('e-1', 'Ant'), recordId: 2, personId: 2 ** 40 });
    for (let times = 0; times < 20; times += 1) {
      await expect(rig.take(tenantId, anEvent({ recordId: 1 }), unstorable)).rejects.toThrow(/out of range/);
    }
    for (const table of ['events', 'pending_events', 'records', 'event_keys']) {
      const { rows } = await rig.database.pool.query(`SELECT FROM ${table} WHERE tenant_id = $1`, [tenantId]);
      expect([table, rows]).toEqual([table, []]);
    }
    expect(itemsOf(await rig.take(tenantId, { ...unstorable, personId: 1 }))[0]?.status).toBe('accepted');
  });

  it('never causes an id to be assigned twice', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const create = (recordId: number | null, personId = 1) =>
      anEvent({ action: 'Create', expects: 'absent', recordId, personId });
    await expect(rig.take(tenantId, create(null, 2 ** 40))).rejects.toThrow(/out of range/);
    expect(itemsOf(await rig.take(tenantId, create(null)))).toMatchObject([{ recordId: 2 }]);
  });
});

describe('concurrent commits', () => {
  it('choose different ids for new records', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const creates = Array.from({ length: 20 }, () =>
      createIngestCommit(rig.database.pool)([
        { tenantId, events: [1, 2, 3].map(() => anEvent({ action: 'Create', expects: 'absent', recordId: null })) },
      ]),
    );
    const ids = (await Promise.all(creates)).flatMap(({ results }) => itemsOf(results[0]).map((item) => item.recordId));
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
  });

  it('give the events of a record versions without a gap and never deadlock', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const rounds = Array.from({ length: 60 }, (_, round) => {
      const recordIds = round % 2 === 0 ? [1, 2, 3, 4] : [4, 3, 2, 1];
      const events = recordIds.map((recordId) =>
        anEvent({ recordId, fields: values({ companyName: `${round}`, phone: `${round}` }) }),
      );
      return rig.commit([{ tenantId, events }]);
    });
    const commits = await Promise.all(rounds);
    expect(commits.flatMap(({ results }) => results).every((result) => result.kind === 'accepted')).toBe(true);
    const events = await rig.storedEvents(tenantId);
    for (const recordId of [1, 2, 3, 4]) {
      const versions = events.filter((event) => event.recordId === recordId).map((event) => event.recordVersion);
      expect(versions).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    }
  });
});
