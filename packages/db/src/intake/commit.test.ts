import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local';
import { openDatabase, type Database } from '../database.ts';
import { anEvent, insertTenant, values } from '../fixtures/tenant.ts';
import { newId } from '../ids.ts';
import { applyMigrations } from '../migrations.ts';
import { createIntakeCommit } from './commit.ts';
import type { IntakeEvent, IntakeRequest, IntakeResult } from './request.ts';

let disposable: DisposableDatabase;
let database: Database;
let commit: ReturnType<typeof createIntakeCommit>;

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  database = openDatabase({ url: disposable.url, poolSize: 8, applicationName: 'test', onError: () => undefined });
  commit = createIntakeCommit(database.pool);
});

afterAll(async () => {
  await database.close();
  await disposable.drop();
});

async function take(tenantId: number, ...events: IntakeEvent[]): Promise<IntakeResult> {
  const { results } = await commit([{ tenantId, events }]);
  const [result] = results;
  if (!result) throw new Error('a commit answers every request');
  return result;
}

function itemsOf(result: IntakeResult | undefined) {
  if (result?.kind !== 'accepted') throw new Error(`expected it to be accepted: ${JSON.stringify(result)}`);
  return result.items;
}

function named(eventKey: string, content: string): Pick<IntakeEvent, 'eventKey' | 'contentHash' | 'fields'> {
  const contentHash = createHash('sha256').update(content).digest();
  return { eventKey, contentHash, fields: values({ companyName: content }) };
}

async function storedEvents(tenantId: number) {
  const { rows } = await database.pool.query<{
    action: string;
    recordId: number;
    recordVersion: number;
    changedFields: string[];
    fields: Record<string, string | null>;
    isPending: boolean;
  }>(
    `SELECT e.action, e.record_id AS "recordId", e.record_version AS "recordVersion", e.changed_fields AS "changedFields",
       e.fields, p.event_id IS NOT NULL AS "isPending"
     FROM events e LEFT JOIN pending_events p ON p.event_id = e.id
     WHERE e.tenant_id = $1 ORDER BY e.record_id, e.record_version`,
    [tenantId],
  );
  return rows;
}

describe('taking events', () => {
  it('stores an event with all values known right after it, pending, with the names that changed', async () => {
    const tenantId = await insertTenant(database.pool);
    await take(tenantId, anEvent({ action: 'Create', fields: values({ companyName: 'Ant', phone: null }) }));
    await take(tenantId, anEvent({ fields: values({ companyName: 'Bee', phone: null }) }));
    expect(await storedEvents(tenantId)).toEqual([
      {
        action: 'Create',
        recordId: 1,
        recordVersion: 1,
        changedFields: ['companyName', 'phone'],
        fields: { companyName: 'Ant', phone: null },
        isPending: true,
      },
      {
        action: 'Update',
        recordId: 1,
        recordVersion: 2,
        changedFields: ['companyName'],
        fields: { companyName: 'Bee', phone: null },
        isPending: true,
      },
    ]);
  });

  it('makes no event of an update that changes nothing', async () => {
    const tenantId = await insertTenant(database.pool);
    const same = values({ companyName: 'Ant' });
    await take(tenantId, anEvent({ fields: same }));
    const items = itemsOf(await take(tenantId, anEvent({ fields: same })));
    expect(items.map((item) => item.status)).toEqual(['unchanged']);
    expect(await storedEvents(tenantId)).toHaveLength(1);
  });

  it('keeps the order of several events of one record within a request', async () => {
    const tenantId = await insertTenant(database.pool);
    const names = ['Ant', 'Bee', 'Cat'];
    await take(tenantId, ...names.map((companyName) => anEvent({ fields: values({ companyName }) })));
    const events = await storedEvents(tenantId);
    expect(events.map((event) => [event.recordVersion, event.fields['companyName']])).toEqual([
      [1, 'Ant'],
      [2, 'Bee'],
      [3, 'Cat'],
    ]);
  });

  it('cuts the time of an event to seconds, whether it was given or not', async () => {
    const tenantId = await insertTenant(database.pool);
    const before = Math.floor(Date.now() / 1000) * 1000;
    await take(tenantId, anEvent({ recordId: 1, eventTime: new Date('2026-01-02T03:04:05.999Z') }));
    await take(tenantId, ...Array.from({ length: 20 }, () => anEvent({ recordId: 2 })));
    const after = Math.floor(Date.now() / 1000) * 1000;
    const { rows } = await database.pool.query<{ eventTime: Date }>(
      'SELECT event_time AS "eventTime" FROM events WHERE tenant_id = $1 ORDER BY record_id',
      [tenantId],
    );
    const [given, ...made] = rows.map((row) => row.eventTime.getTime());
    expect(given).toBe(Date.parse('2026-01-02T03:04:05Z'));
    expect(Math.min(...made)).toBeGreaterThanOrEqual(before);
    expect(Math.max(...made)).toBeLessThanOrEqual(after);
  });

  it('stores text that PostgreSQL could not hold as text: NUL, lone surrogates, __proto__', async () => {
    const tenantId = await insertTenant(database.pool);
    const fields = values({ companyName: 'a\u0000b\ud800c"\\{,}', __proto__: 'x' });
    itemsOf(await take(tenantId, anEvent({ fields })));
    const [event] = await storedEvents(tenantId);
    expect(event?.fields['companyName']).toBe('a\u0000b\ud800c"\\{,}');
  });
});

describe('refusing', () => {
  it('keeps nothing of a request with one bad event, and names its index', async () => {
    const tenantId = await insertTenant(database.pool);
    const unknown = anEvent({ recordId: 2, changed: { fields: ['phone'], udfs: [] } });
    const result = await take(tenantId, anEvent({ recordId: 1 }), unknown);
    expect(result).toMatchObject({ kind: 'refused', index: 1, problem: { status: 400 } });
    expect(await storedEvents(tenantId)).toEqual([]);
    const { rows } = await database.pool.query('SELECT * FROM records WHERE tenant_id = $1', [tenantId]);
    expect(rows).toEqual([]);
  });

  it('does not let a refused request touch the others of its commit', async () => {
    const tenantId = await insertTenant(database.pool);
    const { results } = await commit([
      { tenantId, events: [anEvent({ recordId: 1, fields: values({ companyName: 'Ant' }) })] },
      { tenantId, events: [anEvent({ recordId: 1 }), anEvent({ recordId: 9, expects: 'present' })] },
      { tenantId, events: [anEvent({ recordId: 1, fields: values({ phone: '1' }) })] },
    ]);
    expect(results.map((result) => result.kind)).toEqual(['accepted', 'refused', 'accepted']);
    const events = await storedEvents(tenantId);
    expect(events.map((event) => event.fields)).toEqual([{ companyName: 'Ant' }, { companyName: 'Ant', phone: '1' }]);
  });

  it('answers 404 for a record that is not there or deleted, and 409 for an id that is taken', async () => {
    const tenantId = await insertTenant(database.pool);
    const absent = await take(tenantId, anEvent({ expects: 'present' }));
    expect(absent).toMatchObject({ kind: 'refused', problem: { status: 404 } });
    await take(tenantId, anEvent({ action: 'Create' }));
    const taken = await take(tenantId, anEvent({ action: 'Create', expects: 'absent' }));
    expect(taken).toMatchObject({ kind: 'refused', problem: { status: 409 } });
    await take(tenantId, anEvent({ action: 'Delete', expects: 'present', fields: values({}) }));
    const gone = await take(tenantId, anEvent({ action: 'Delete', expects: 'present', fields: values({}) }));
    expect(gone).toMatchObject({ kind: 'refused', problem: { status: 404 } });
  });
});

describe('eventIDs', () => {
  it('answers a repeat with equal content as a duplicate and makes one event', async () => {
    const tenantId = await insertTenant(database.pool);
    const first = itemsOf(await take(tenantId, anEvent(named('e-1', 'Ant'))));
    const second = itemsOf(await take(tenantId, anEvent(named('e-1', 'Ant')), anEvent(named('e-2', 'Bee'))));
    expect(first.map((item) => [item.eventId, item.status])).toEqual([['e-1', 'accepted']]);
    expect(second.map((item) => [item.eventId, item.status])).toEqual([
      ['e-1', 'duplicate'],
      ['e-2', 'accepted'],
    ]);
    expect(await storedEvents(tenantId)).toHaveLength(2);
  });

  it('refuses other content under a known eventID, also within one request', async () => {
    const tenantId = await insertTenant(database.pool);
    await take(tenantId, anEvent(named('e-1', 'Ant')));
    const clash = await take(tenantId, anEvent(named('e-2', 'Bee')), anEvent(named('e-1', 'Cat')));
    expect(clash).toMatchObject({ kind: 'refused', index: 1, problem: { status: 409 } });
    const within = await take(tenantId, anEvent(named('e-3', 'Dog')), anEvent(named('e-3', 'Emu')));
    expect(within).toMatchObject({ kind: 'refused', index: 1, problem: { status: 409 } });
    // What a refused request claimed is free again.
    expect(itemsOf(await take(tenantId, anEvent(named('e-3', 'Emu'))))[0]?.status).toBe('accepted');
  });

  it('keeps the content of the event that was taken, not of one that was refused before it', async () => {
    const tenantId = await insertTenant(database.pool);
    const refused = anEvent({ ...named('e-1', 'Ant'), recordId: 9, expects: 'present' });
    const { results } = await commit([
      { tenantId, events: [refused] },
      { tenantId, events: [anEvent(named('e-1', 'Bee'))] },
    ]);
    expect(results.map((result) => result.kind)).toEqual(['refused', 'accepted']);
    expect(itemsOf(await take(tenantId, anEvent(named('e-1', 'Bee'))))[0]?.status).toBe('duplicate');
    expect(await take(tenantId, anEvent(named('e-1', 'Ant')))).toMatchObject({
      kind: 'refused',
      problem: { status: 409 },
    });
  });

  it('makes one event of the same eventID sent twice at once, in one commit or in two', async () => {
    const tenantId = await insertTenant(database.pool);
    const request = { tenantId, events: [anEvent(named('e-1', 'Ant'))] };
    const commits = await Promise.all([commit([request, request]), commit([request]), commit([request])]);
    const statuses = commits.flatMap(({ results }) =>
      results.flatMap((result) => itemsOf(result).map((i) => i.status)),
    );
    expect(statuses.toSorted()).toEqual(['accepted', 'duplicate', 'duplicate', 'duplicate']);
    expect(await storedEvents(tenantId)).toHaveLength(1);
  });

  it('forgets an eventID after 24 hours', async () => {
    const tenantId = await insertTenant(database.pool);
    await take(tenantId, anEvent(named('e-1', 'Ant')));
    await database.pool.query(
      "UPDATE event_keys SET accepted_at = accepted_at - interval '24 hours 1 second' WHERE tenant_id = $1",
      [tenantId],
    );
    expect(itemsOf(await take(tenantId, anEvent(named('e-1', 'Bee'))))[0]?.status).toBe('accepted');
  });

  it('keeps the eventIDs of two tenants apart', async () => {
    const [one, two] = [await insertTenant(database.pool), await insertTenant(database.pool)];
    await take(one, anEvent(named('e-1', 'Ant')));
    expect(itemsOf(await take(two, anEvent(named('e-1', 'Bee'))))[0]?.status).toBe('accepted');
  });
});

describe('eventIDs that the service made', () => {
  const change = { changed: null, fields: values({ companyName: 'Ant' }) };
  const again = (eventKey: string, differently: Partial<IntakeEvent> = {}) =>
    anEvent({ ...named(eventKey, 'any'), ...change, ...differently });

  it('are known when a caller posts them: as a duplicate of the same event, and not for another one', async () => {
    const tenantId = await insertTenant(database.pool);
    const eventTime = new Date('2026-01-02T03:04:05Z');
    await take(tenantId, anEvent({ recordId: 1, fields: values({ phone: '1' }) }));
    const [item] = itemsOf(await take(tenantId, anEvent({ ...change, recordId: 1, eventTime })));
    const id = item?.eventId ?? '';
    const same = [{}, { eventTime }, { changed: { fields: ['companyName'], udfs: [] } }, { fields: values({}) }];
    for (const one of same) {
      expect(itemsOf(await take(tenantId, again(id, one)))).toEqual([
        { eventId: id, recordId: 1, status: 'duplicate' },
      ]);
    }
    const others: Partial<IntakeEvent>[] = [
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
      expect(await take(tenantId, again(id, one))).toMatchObject({ kind: 'refused', problem: { status: 409 } });
    }
    expect(await storedEvents(tenantId)).toHaveLength(2);
    const { rows } = await database.pool.query('SELECT FROM event_keys WHERE tenant_id = $1', [tenantId]);
    expect(rows).toEqual([]);
  });

  it('mean nothing to another tenant, and ids of that form that callers make are theirs', async () => {
    const [one, two] = [await insertTenant(database.pool), await insertTenant(database.pool)];
    const [item] = itemsOf(await take(one, anEvent(change)));
    expect(itemsOf(await take(two, again(item?.eventId ?? '', { recordId: 3 })))).toMatchObject([
      { eventId: item?.eventId, status: 'accepted' },
    ]);
    const own = newId();
    expect(itemsOf(await take(one, again(own, { recordId: 2 })))).toMatchObject([{ eventId: own, status: 'accepted' }]);
    expect(itemsOf(await take(one, again(own, { recordId: 2 })))).toMatchObject([
      { eventId: own, status: 'duplicate' },
    ]);
  });
});

describe('values without an event', () => {
  const nothing = { fields: [], udfs: [] };

  it('are kept when the list of changed names is empty, and go with the next event', async () => {
    const tenantId = await insertTenant(database.pool);
    const told = anEvent({ recordId: 1, changed: nothing, fields: values({ companyName: 'Ant' }) });
    expect(itemsOf(await take(tenantId, told))).toMatchObject([{ status: 'unchanged' }]);
    expect(itemsOf(await take(tenantId, anEvent({ recordId: 1, fields: values({ phone: '1' }) })))).toMatchObject([
      { status: 'accepted' },
    ]);
    expect(
      itemsOf(await take(tenantId, anEvent({ recordId: 1, fields: values({ companyName: 'Ant' }) }))),
    ).toMatchObject([{ status: 'unchanged' }]);
    expect(await storedEvents(tenantId)).toMatchObject([
      { changedFields: ['phone'], fields: { companyName: 'Ant', phone: '1' } },
    ]);
  });
});

describe('repeat keys', () => {
  const request = (tenantId: number, key: string, recordId: number): IntakeRequest => ({
    tenantId,
    events: [anEvent({ recordId, fields: values({ companyName: key }) })],
    repeatKey: {
      credentialId: tenantId,
      route: 'POST /EntityEvents',
      key,
      requestHash: Buffer.from(`${key} ${recordId}`),
      answerOf: (items) => ({ status: 202, body: JSON.stringify(items.map((item) => item.recordId)) }),
    },
  });
  const kinds = (results: IntakeResult[]) =>
    results.map((result) => (result.kind === 'refused' ? result.problem.status : result.kind));

  it('let each request of a commit be taken once, in their order', async () => {
    const tenantId = await insertTenant(database.pool);
    const one = request(tenantId, 'k-1', 1);
    const { results } = await commit([one, request(tenantId, 'k-2', 2), one, request(tenantId, 'k-1', 3), one]);
    expect(kinds(results)).toEqual(['accepted', 'accepted', 'repeated', 409, 'repeated']);
    expect(results[2]).toEqual({ kind: 'repeated', answer: { status: 202, body: '[1]' } });
    expect(kinds((await commit([one, request(tenantId, 'k-1', 3)])).results)).toEqual(['repeated', 409]);
    expect(await storedEvents(tenantId)).toHaveLength(2);
  });

  it('go to the request that is taken when an earlier one of the commit was refused', async () => {
    const tenantId = await insertTenant(database.pool);
    const refused = request(tenantId, 'k-1', 9);
    refused.events = [anEvent({ recordId: 9, expects: 'present' })];
    const { results } = await commit([refused, request(tenantId, 'k-1', 1)]);
    expect(kinds(results)).toEqual([404, 'accepted']);
    expect(kinds((await commit([request(tenantId, 'k-1', 1), refused])).results)).toEqual(['repeated', 409]);
  });

  it('never deadlock commits that name the same ones', async () => {
    const tenantId = await insertTenant(database.pool);
    const rounds = Array.from({ length: 40 }, (_, round) => {
      const numbers = round % 2 === 0 ? [1, 2, 3, 4] : [4, 3, 2, 1];
      return commit(numbers.map((number) => request(tenantId, `k-${number}`, number)));
    });
    const results = (await Promise.all(rounds)).flatMap((one) => one.results);
    expect(results.filter(({ kind }) => kind === 'accepted')).toHaveLength(4);
    expect(results.filter(({ kind }) => kind === 'repeated')).toHaveLength(156);
  });
});

describe('record ids', () => {
  const create = (recordId: number | null) =>
    anEvent({ action: 'Create', expects: 'absent', recordId, fields: values({ companyName: 'Ant' }) });

  it('increase, above any id that a caller chose', async () => {
    const tenantId = await insertTenant(database.pool);
    const ids = async (...events: IntakeEvent[]) => itemsOf(await take(tenantId, ...events)).map((i) => i.recordId);
    expect(await ids(create(null), create(null))).toEqual([1, 2]);
    expect(await ids(create(40))).toEqual([40]);
    expect(await ids(create(7))).toEqual([7]);
    expect(await ids(create(null), create(100), create(null))).toEqual([101, 100, 102]);
  });

  it('are told apart also when another process chose an id in between', async () => {
    const tenantId = await insertTenant(database.pool);
    const other = createIntakeCommit(database.pool);
    expect(itemsOf(await take(tenantId, create(5)))).toMatchObject([{ recordId: 5 }]);
    const { results } = await other([{ tenantId, events: [create(null)] }]);
    expect(itemsOf(results[0])).toMatchObject([{ recordId: 6 }]);
    expect(itemsOf(await take(tenantId, create(null)))).toMatchObject([{ recordId: 7 }]);
  });
});

describe('ids that are chosen while they are given away', () => {
  const create = (recordId: number | null, companyName: string) =>
    anEvent({ action: 'Create', expects: 'absent', recordId, fields: values({ companyName }) });

  it('go to whoever stores first, and the other record gets another one', async () => {
    const tenantId = await insertTenant(database.pool);
    await take(tenantId, create(5, 'five'));
    // As if another process had reserved 6 and not stored it yet.
    await database.pool.query(
      "UPDATE counters SET next_id = 6 WHERE tenant_id = $1 AND collection = 'records:Account'",
      [tenantId],
    );
    await database.pool.query(
      `INSERT INTO records (tenant_id, entity_type, id, version, fields, udf_fields)
       VALUES ($1, 'Account', 6, 1, '{"companyName":"theirs"}', '{}')`,
      [tenantId],
    );
    expect(itemsOf(await take(tenantId, create(null, 'ours')))).toMatchObject([{ recordId: 7 }]);
    const { rows } = await database.pool.query<{ fields: unknown }>(
      'SELECT fields FROM records WHERE tenant_id = $1 AND id = 6',
      [tenantId],
    );
    expect(rows).toEqual([{ fields: { companyName: 'theirs' } }]);
  });

  it('at the top of what a number can hold do not use up all others', async () => {
    const tenantId = await insertTenant(database.pool);
    await take(tenantId, create(Number.MAX_SAFE_INTEGER, 'top'));
    expect(itemsOf(await take(tenantId, create(null, 'next'), create(null, 'next')))).toMatchObject([
      { recordId: 1 },
      { recordId: 2 },
    ]);
  });

  it('do not count when they were only asked for', async () => {
    const tenantId = await insertTenant(database.pool);
    await take(tenantId, anEvent({ expects: 'present', recordId: 700 }));
    expect(itemsOf(await take(tenantId, create(null, 'first')))).toMatchObject([{ recordId: 1 }]);
  });
});

describe('a commit that fails', () => {
  it('never lets an id be given twice', async () => {
    const tenantId = await insertTenant(database.pool);
    const create = (recordId: number | null, personId = 1) =>
      anEvent({ action: 'Create', expects: 'absent', recordId, personId });
    await expect(take(tenantId, create(50, 2 ** 40))).rejects.toThrow(/out of range/);
    await take(tenantId, create(4));
    expect(itemsOf(await take(tenantId, create(null)))).toMatchObject([{ recordId: 51 }]);
  });
});

describe('concurrent commits', () => {
  it('choose different ids for new records', async () => {
    const tenantId = await insertTenant(database.pool);
    const creates = Array.from({ length: 20 }, () =>
      createIntakeCommit(database.pool)([
        { tenantId, events: [1, 2, 3].map(() => anEvent({ action: 'Create', expects: 'absent', recordId: null })) },
      ]),
    );
    const ids = (await Promise.all(creates)).flatMap(({ results }) => itemsOf(results[0]).map((item) => item.recordId));
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
  });

  it('give the events of a record versions without a gap and never deadlock', async () => {
    const tenantId = await insertTenant(database.pool);
    const rounds = Array.from({ length: 60 }, (_, round) => {
      const recordIds = round % 2 === 0 ? [1, 2, 3, 4] : [4, 3, 2, 1];
      const events = recordIds.map((recordId) =>
        anEvent({ recordId, fields: values({ companyName: `${round}`, phone: `${round}` }) }),
      );
      return commit([{ tenantId, events }]);
    });
    const commits = await Promise.all(rounds);
    expect(commits.flatMap(({ results }) => results).every((result) => result.kind === 'accepted')).toBe(true);
    const events = await storedEvents(tenantId);
    for (const recordId of [1, 2, 3, 4]) {
      const versions = events.filter((event) => event.recordId === recordId).map((event) => event.recordVersion);
      expect(versions).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    }
  });
});
