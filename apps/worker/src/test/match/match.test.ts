import { withBodies } from '@callout/pipeline/payload/callout-bodies';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createIngestCommit } from '@callout/pipeline/ingest/ingest';
import { anEvent, insertTenant, insertWebhook, values } from '@callout/database/fixtures/tenant';
import * as fc from 'fast-check';
import { matchEvents, type MatchDeps } from '@callout/pipeline/match/match';
import { matchDeps } from '@callout/pipeline/match/match-deps.fixture';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { createDisposableDatabase } from '@callout/local/test-run';

const database = useDatabase(createDisposableDatabase);
let deps: MatchDeps;
const errors: unknown[] = [];
let commit: ReturnType<typeof createIngestCommit>;
let tenantId: number;

beforeAll(async () => {
  deps = await matchDeps(database, (error) => errors.push(error));
  commit = createIngestCommit(database.pool);
});

beforeEach(async () => {
  tenantId = await insertTenant(database.pool);
});

async function take(...events: ReturnType<typeof anEvent>[]): Promise<string[]> {
  return (await commit([{ tenantId, events }])).eventIds;
}

const named = (recordId: number, companyName: string) => anEvent({ recordId, fields: values({ companyName }) });

/** The id of a row made 24 hours before this one. */
function aDayEarlier(id: string): string {
  const hex = (Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - 86_400_000).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${id.slice(13)}`;
}

async function calloutsOf(webhookKey: number) {
  const { rows } = await database.pool.query<{
    id: string;
    sequenceNumber: number;
    recordId: number;
    state: string;
  }>(
    `SELECT c.id, c.sequence_number AS "sequenceNumber", c.record_id AS "recordId", o.state
     FROM callouts c JOIN open_callouts o ON o.callout_id = c.id
     WHERE c.webhook_key = $1 ORDER BY c.sequence_number`,
    [webhookKey],
  );
  return (await withBodies(database.pool, rows)).map(({ id: _id, ...row }) => row);
}

async function verdictsOf(eventId: string | undefined): Promise<unknown> {
  const { rows } = await database.pool.query<{ verdicts: unknown }>(
    'SELECT verdicts FROM event_matches WHERE event_id = $1',
    [eventId],
  );
  return rows[0]?.verdicts;
}

describe('matching', () => {
  it('makes one callout for each webhook with the verdict, and stores every verdict', async () => {
    const matching = await insertWebhook(database.pool, tenantId, 1);
    const inactive = await insertWebhook(database.pool, tenantId, 2);
    await database.pool.query('UPDATE webhooks SET is_active = false, version = 7 WHERE key = $1', [inactive]);
    const [eventId] = await take(named(4, 'Ant'));
    expect(await matchEvents(deps, [eventId ?? ''])).toEqual({
      matched: 1,
      callouts: 1,
      webhookKeys: [matching],
      pulledKeys: [],
      leftEventIds: [],
      traceParents: [null],
    });
    const [callout] = await calloutsOf(matching);
    expect(callout).toMatchObject({ sequenceNumber: 1, recordId: 4, state: 'due' });
    expect(JSON.parse(callout?.body ?? '')).toMatchObject({
      Action: 'Update',
      EntityType: 'Account',
      Id: 4,
      Fields: { CompanyName: 'Ant' },
      SequenceNumber: 1,
      PersonID: 1,
    });
    expect(await calloutsOf(inactive)).toEqual([]);
    expect(await verdictsOf(eventId)).toEqual({ passed: [[matching, 1, 1]], inactive: [[inactive, 7]] });
  });

  it('stores the exact text of a body', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const companyName = 'é \u2028 "\\" \b \ud83d\ude00 1.0 </script>';
    await matchEvents(deps, await take(named(1, companyName)));
    const [callout] = await calloutsOf(webhookKey);
    const parsed: unknown = JSON.parse(callout?.body ?? '');
    expect(callout?.body).toBe(JSON.stringify(parsed));
    expect(parsed).toMatchObject({ Fields: { CompanyName: companyName } });
  });

  it('does nothing the second time', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const eventIds = await take(named(1, 'Ant'));
    await matchEvents(deps, eventIds);
    expect(await matchEvents(deps, eventIds)).toEqual({
      matched: 0,
      callouts: 0,
      webhookKeys: [],
      pulledKeys: [],
      leftEventIds: [],
      traceParents: [],
    });
    expect(await calloutsOf(webhookKey)).toHaveLength(1);
  });

  it('lets the later callouts of a record wait for its first, and no other record', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const first = await take(named(1, 'Ant'), named(1, 'Bee'), named(2, 'Cat'));
    await matchEvents(deps, first);
    await matchEvents(deps, await take(named(1, 'Dog')));
    expect((await calloutsOf(webhookKey)).map((callout) => [callout.recordId, callout.state])).toEqual([
      [1, 'due'],
      [1, 'waiting'],
      [2, 'due'],
      [1, 'waiting'],
    ]);
  });

  it('matches an older event of a record first, whichever is given', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    await take(named(1, 'Ant'));
    const [later] = await take(named(1, 'Bee'));
    expect((await matchEvents(deps, [later ?? ''])).matched).toBe(2);
    const bodies = (await calloutsOf(webhookKey)).map(({ body }): unknown => JSON.parse(body));
    expect(bodies).toMatchObject([{ Fields: { CompanyName: 'Ant' } }, { Fields: { CompanyName: 'Bee' } }]);
  });

  it.each(['older', 'newer'])('matches events of two days together when the %s one is given', async (which) => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const [today = ''] = await take(named(1, 'Ant'));
    const yesterday = aDayEarlier(today);
    await database.pool.query('UPDATE events SET id = $2 WHERE id = $1', [today, yesterday]);
    await database.pool.query('UPDATE pending_events SET event_id = $2 WHERE event_id = $1', [today, yesterday]);
    const [later = ''] = await take(named(1, 'Bee'));
    expect((await matchEvents(deps, [which === 'older' ? yesterday : later])).matched).toBe(2);
    expect((await calloutsOf(webhookKey)).map(({ body }): unknown => JSON.parse(body))).toMatchObject([
      { Fields: { CompanyName: 'Ant' } },
      { Fields: { CompanyName: 'Bee' } },
    ]);
    // The day of the first event is dropped before that of its callout, so its body is stored.
    const { rows } = await database.pool.query<{ state: string }>(
      `SELECT CASE WHEN c.layout_id IS NULL THEN 'stored' ELSE 'made' END AS state, count(b)::int AS bodies
       FROM callouts c LEFT JOIN callout_bodies b ON b.callout_id = c.id
       WHERE c.webhook_key = $1 GROUP BY c.id ORDER BY c.id`,
      [webhookKey],
    );
    expect(rows).toEqual([
      { state: 'stored', bodies: 1 },
      { state: 'made', bodies: 0 },
    ]);
  });

  it('makes no callout for events accepted before the webhook was created or last activated', async () => {
    const [before] = await take(named(1, 'Ant'));
    // Times are compared in milliseconds, and one may be enough for all of this.
    await database.pool.query("UPDATE events SET accepted_at = accepted_at - interval '1 second' WHERE id = $1", [
      before,
    ]);
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    await matchEvents(deps, [before ?? '']);
    expect(await verdictsOf(before)).toEqual({ acceptedBeforeActivation: [[webhookKey, 1]] });
    const [after] = await take(named(1, 'Bee'));
    await matchEvents(deps, [after ?? '']);
    expect(await verdictsOf(after)).toEqual({ passed: [[webhookKey, 1, 1]] });
  });

  it('judges with the configuration that is committed, also when it changes between judging and locking', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const eventIds = await take(named(1, 'Ant'));
    const readThenChange: MatchDeps['readSubscriptions'] = async (client, groups) => {
      const subscriptions = await deps.readSubscriptions(client, groups);
      await database.pool.query(
        'UPDATE webhooks SET is_active = false, version = version + 1 WHERE key = $1 AND is_active',
        [webhookKey],
      );
      return subscriptions;
    };
    await matchEvents({ ...deps, readSubscriptions: readThenChange }, eventIds);
    expect(await verdictsOf(eventIds[0])).toEqual({ inactive: [[webhookKey, 2]] });
    expect(await calloutsOf(webhookKey)).toEqual([]);
  });

  it('judges pending events by the condition that is stored when they are matched, with the values before them', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const require = (condition: object) =>
      database.pool.query('UPDATE webhooks SET condition = $2, version = version + 1 WHERE key = $1', [
        webhookKey,
        JSON.stringify(condition),
      ]);
    await require({ op: 'eq', field: 'companyName', value: 'cat' });
    const [ant, bee] = await take(named(1, 'Ant'), named(1, 'Bee'));
    await matchEvents(deps, await take(named(2, 'Ant')));
    await require({ op: 'changedFrom', field: 'companyName', value: 'ant' });
    await matchEvents(deps, [bee ?? '']);
    expect([await verdictsOf(ant), await verdictsOf(bee)]).toEqual([
      { condition: [[webhookKey, 3]] },
      { passed: [[webhookKey, 3, 1]] },
    ]);
  });

  it('matches no more events than its limit and returns the others', async () => {
    await insertWebhook(database.pool, tenantId, 1);
    const eventIds = await take(named(1, 'Ant'), named(1, 'Bee'), named(2, 'Cat'));
    const few = { ...deps, maxEvents: 2 };
    expect(await matchEvents(few, eventIds)).toMatchObject({ matched: 2, leftEventIds: [eventIds[2]] });
    expect(await matchEvents(few, eventIds)).toMatchObject({ matched: 1, leftEventIds: [] });
  });

  it('does not make other events wait because of one that cannot be matched', async () => {
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const strange = await insertWebhook(database.pool, tenantId, 2);
    const deletion = anEvent({ action: 'Delete', recordId: 3, fields: values({}) });
    const eventIds = await take(named(1, 'Ant'), named(2, 'Bee'), deletion, named(4, 'Cat'), named(5, 'Dog'));
    // Of an entity that is not in this worker's catalogue.
    await database.pool.query("UPDATE webhooks SET entity_type = 'Martian' WHERE key = $1", [strange]);
    await database.pool.query("UPDATE events SET entity_type = 'Martian' WHERE id = $1", [eventIds[2]]);
    await database.pool.query("UPDATE pending_events SET entity_type = 'Martian' WHERE event_id = $1", [eventIds[2]]);
    errors.length = 0;
    expect(await matchEvents(deps, eventIds)).toMatchObject({ matched: 4, webhookKeys: [webhookKey] });
    expect((await calloutsOf(webhookKey)).map((callout) => callout.recordId)).toEqual([1, 2, 4, 5]);
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('no entity Martian') as unknown }),
    ]);
    await expect(matchEvents(deps, eventIds.slice(2, 3))).rejects.toThrow('no entity Martian');
  });

  it('numbers without a gap and keeps each record in order, with any distribution of events and jobs', async () => {
    const changes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(changes, fc.integer({ min: 1, max: 5 }), async (recordIds, jobSize) => {
        tenantId = await insertTenant(database.pool);
        const webhookKey = await insertWebhook(database.pool, tenantId, 1);
        const eventIds: string[] = [];
        for (const [n, recordId] of recordIds.entries()) eventIds.push(...(await take(named(recordId, `${n}`))));
        const jobs = Array.from({ length: Math.ceil(eventIds.length / jobSize) }, (_, i) =>
          eventIds.slice(i * jobSize, (i + 1) * jobSize),
        );
        await Promise.all([...jobs, ...jobs.toReversed()].map((job) => matchEvents(deps, job)));
        const callouts = await calloutsOf(webhookKey);
        expect(callouts.map((callout) => callout.sequenceNumber)).toEqual(recordIds.map((_, i) => i + 1));
        for (const recordId of new Set(recordIds)) {
          const mine = callouts.filter((callout) => callout.recordId === recordId);
          const found = mine.map(
            ({ body }) => (JSON.parse(body) as { Fields: { CompanyName: string } }).Fields.CompanyName,
          );
          const matching = recordIds.flatMap((id, n) => (id === recordId ? [`${n}`] : []));
          expect(found).toEqual(matching);
          expect(mine.map((callout) => callout.state)).toEqual(matching.map((_, i) => (i === 0 ? 'due' : 'waiting')));
        }
      }),
      { numRuns: 8 },
    );
  });
});
