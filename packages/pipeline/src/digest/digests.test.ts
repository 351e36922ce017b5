import { afterEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createDisposableDatabase } from '@callout/local/test-run';
import { eventually } from '@callout/testing';
import { chainStart, chainValue } from '@callout/domain/callout/chain';
import type { digestPayload } from '@callout/domain/callout/digest';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { cancelOpenCallouts } from '../deactivate/cancel.ts';
import { delivered, failed, makeOlder } from '../fixtures/callouts.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { readBodies } from '../payload/callout-bodies.ts';
import { continueChainOf, setDigestPeriod } from './chain.ts';
import { workOnDigests } from './digests.ts';

const database = useDatabase(createDisposableDatabase);
const query = (text: string, values: unknown[] = []) => database.pool.query(text, values);

afterEach(async () => {
  await query('TRUNCATE webhook_chains, chain_parts');
});

/** A webhook with digests every hour, or another one. */
async function aWebhook(period = 'hour') {
  const tenant = await aTenantWithCallouts(database);
  const key = tenant.keys[0] ?? 0;
  const setPeriod = (to: string) =>
    inTransaction(database.pool, async (transaction) => {
      await transaction.query('UPDATE webhooks SET digest_every = $2 WHERE key = $1', [key, to]);
      await setDigestPeriod(transaction, key, to);
    });
  await setPeriod(period);
  const work = async (): Promise<number> => {
    const sent: number[] = [];
    await workOnDigests(database.pool, { isStopping: () => false, onDigest: (one) => sent.push(one) });
    return sent.length;
  };
  return {
    ...tenant,
    key,
    setPeriod,
    /** Continues the chain and sends the digest, as at the end of an hour. Returns how many were sent. */
    digest: async () => {
      await query("UPDATE webhook_chains SET next_digest_at = now() - interval '3 hours' WHERE webhook_key = $1", [
        key,
      ]);
      return work();
    },
    work,
    /** Ends all due callouts of the given records. */
    end: async (recordIds: readonly number[], next: typeof delivered) => {
      const claimed = await tenant.claim();
      const meant = claimed.filter(({ recordId }) => recordIds.includes(recordId));
      await tenant.settle(meant, next);
      const others = claimed.filter((one) => !meant.includes(one)).map(({ id }) => id);
      await query('UPDATE open_callouts SET lease_owner = NULL, lease_until = NULL WHERE callout_id = ANY($1)', [
        others,
      ]);
    },
    bodies: async () => {
      const { rows } = await query(
        `SELECT b.body FROM callouts c JOIN callout_bodies b ON b.callout_id = c.id
         WHERE c.webhook_key = $1 AND c.kind = 'digest' ORDER BY c.sequence_number`,
        [key],
      );
      return rows.map(({ body }: { body: string }) => JSON.parse(body) as DigestBody);
    },
    /** The values of the chain as anybody can compute them. */
    values: async () => {
      const { rows } = await query(
        'SELECT id, sequence_number AS "sequenceNumber" FROM callouts WHERE webhook_key = $1 ORDER BY sequence_number',
        [key],
      );
      const ids = rows.map(({ id }: { id: string }) => id);
      const bodies = await readBodies(database.pool, ids);
      const values = [chainStart];
      for (const { id, sequenceNumber } of rows as { id: string; sequenceNumber: number }[]) {
        values.push(chainValue(values.at(-1) ?? '', { id, sequenceNumber, body: bodies.get(id) ?? '' }));
      }
      return values;
    },
    chain: async () => {
      const { rows } = await query(
        `SELECT last_number AS "lastNumber", encode(last_value, 'hex') AS value FROM webhook_chains WHERE webhook_key = $1`,
        [key],
      );
      return rows[0] as { lastNumber: number; value: string } | undefined;
    },
  };
}

interface DigestBody {
  Action: string;
  Id: number;
  SequenceNumber: number;
  Digest: ReturnType<typeof digestPayload>;
}

describe('the chain of a webhook', () => {
  it('leaves nothing behind when it ends while another process continues it', async () => {
    const webhook = await aWebhook();
    await webhook.add(1);
    let ending: Promise<unknown> = Promise.resolve();
    await inTransaction(database.pool, async (transaction) => {
      await transaction.query('SELECT FROM webhook_chains WHERE webhook_key = $1 FOR UPDATE', [webhook.key]);
      ending = webhook.setPeriod('none');
      await eventually(async () => {
        const { rows } = await query(
          "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        );
        return rows.length > 0;
      });
      await transaction.query(
        `INSERT INTO chain_parts (webhook_key, tenant_id, last_number, first_number, chain_values)
         VALUES ($1, $2, 1, 1, '')`,
        [webhook.key, webhook.tenantId],
      );
    });
    await ending;
    const { rows } = await query('SELECT FROM chain_parts WHERE webhook_key = $1', [webhook.key]);
    expect(rows).toEqual([]);
  });

  it('has every callout once, in order, when several processes continue it and one of them dies', async () => {
    const webhook = await aWebhook();
    for (let recordId = 1; recordId <= 40; recordId += 1) await webhook.add(recordId);
    await query(
      `CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF random() < 0.5 THEN RAISE 'killed'; END IF; RETURN NEW; END $$;
       CREATE TRIGGER die AFTER INSERT OR UPDATE ON chain_parts FOR EACH ROW EXECUTE FUNCTION die()`,
    );
    const atOnce = () => Promise.allSettled([1, 2, 3].map(() => continueChainOf(database.pool, webhook.key)));
    for (let round = 0; round < 5; round += 1) await atOnce();
    await webhook.add(41);
    for (let round = 0; round < 5; round += 1) await atOnce();
    await query('DROP TRIGGER die ON chain_parts; DROP FUNCTION die');
    await atOnce();
    expect(await webhook.chain()).toEqual({ lastNumber: 41, value: (await webhook.values())[41] });
    const { rows } = await query('SELECT last_number, length(chain_values) / 32 AS count FROM chain_parts');
    expect(rows).toEqual([{ last_number: 41, count: 42 }]);
  });

  it('begins with the next callout when digests are turned on, ends with them, and does not exist without', async () => {
    const webhook = await aWebhook('none');
    await webhook.add(1);
    expect(await webhook.work()).toBe(0);
    expect(await webhook.chain()).toBeUndefined();
    await webhook.setPeriod('day');
    await webhook.setPeriod('hour');
    await webhook.add(2);
    await webhook.digest();
    expect(await webhook.bodies()).toMatchObject([
      { Digest: { FirstSequenceNumber: 2, LastSequenceNumber: 2, PreviousChain: chainStart } },
    ]);
    await webhook.setPeriod('none');
    expect((await query('SELECT FROM chain_parts')).rowCount).toBe(0);
    expect(await webhook.chain()).toBeUndefined();
  });
});

describe('a digest', () => {
  it('is a callout with the next number that names what was not delivered, with values of the chain', async () => {
    const webhook = await aWebhook();
    for (const recordId of [1, 2, 3, 3, 4]) await webhook.add(recordId);
    await webhook.end([1, 4], delivered);
    await webhook.end([2], failed);
    expect(await webhook.digest()).toBe(1);
    const values = await webhook.values();
    const [body] = await webhook.bodies();
    expect(body).toEqual({
      Action: 'Digest',
      Guid: expect.any(String),
      EntityType: 'Account',
      Id: 1,
      Fields: {},
      EventTime: expect.any(String),
      SequenceNumber: 6,
      PersonID: null,
      Digest: {
        FirstSequenceNumber: 1,
        LastSequenceNumber: 5,
        Count: 5,
        PreviousChain: chainStart,
        Chain: values[5],
        NotDelivered: [
          { From: 2, To: 2, State: 'failed', ChainBefore: values[1], ChainAfter: values[2] },
          { From: 3, To: 4, State: 'open', ChainBefore: values[2], ChainAfter: values[4] },
        ],
        Earlier: [],
      },
    });
    const claimed = await webhook.claim();
    expect(
      claimed.map(({ kind, action, eventId, countedAt }) => ({ kind, action, eventId, countedAt })),
    ).toContainEqual({
      kind: 'digest',
      action: 'Digest',
      eventId: null,
      countedAt: null,
    });
  });

  it('says how callouts ended that an earlier one called open', async () => {
    const webhook = await aWebhook();
    for (const recordId of [1, 2, 3]) await webhook.add(recordId);
    await webhook.digest();
    await webhook.end([1], delivered);
    await webhook.end([2], failed);
    await webhook.digest();
    await webhook.end([3], delivered);
    await webhook.digest();
    const earlier = (await webhook.bodies()).map(({ Digest }) => Digest.Earlier);
    expect(earlier).toEqual([
      [],
      [
        { From: 1, To: 1, State: 'delivered' },
        { From: 2, To: 2, State: 'failed' },
      ],
      [{ From: 3, To: 3, State: 'delivered' }],
    ]);
  });

  it('causes no other one, whether it is open, delivered or failed', async () => {
    const webhook = await aWebhook();
    await webhook.add(1);
    await webhook.end([1], delivered);
    expect(await webhook.digest()).toBe(1);
    expect(await webhook.digest()).toBe(0);
    await webhook.end([-2], failed);
    expect(await webhook.digest()).toBe(0);
    await webhook.add(2);
    await webhook.end([2], delivered);
    expect(await webhook.digest()).toBe(1);
    expect((await webhook.bodies())[1]?.Digest).toMatchObject({ NotDelivered: [{ From: 2, To: 2, State: 'failed' }] });
  });

  it('is one for all hours that were missed, and none when several processes try at once', async () => {
    const webhook = await aWebhook();
    await webhook.add(1);
    await query("UPDATE webhook_chains SET next_digest_at = now() - interval '5 hours'");
    const sent = await Promise.all([1, 2, 3].map(() => webhook.work()));
    expect(sent.reduce((sum, one) => sum + one, 0)).toBe(1);
    const { rows } = await query(
      `SELECT date_trunc('hour', next_digest_at, 'UTC') = next_digest_at AND next_digest_at > now() AS "isHour"
       FROM webhook_chains`,
    );
    expect(rows).toEqual([{ isHour: true }]);
  });

  it('is not put off by a process that looks while another one continues the chain', async () => {
    const webhook = await aWebhook();
    await webhook.add(1);
    await query("UPDATE webhook_chains SET next_digest_at = now() - interval '5 hours'");
    const other = await database.pool.connect();
    await other.query('BEGIN');
    await other.query('UPDATE webhook_chains SET last_number = 1 WHERE webhook_key = $1', [webhook.key]);
    const working = webhook.work();
    await eventually(async () => {
      const { rows } = await query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
           AND query LIKE 'UPDATE webhook_chains%'`,
      );
      expect(rows).toHaveLength(1);
    });
    await other.query('COMMIT');
    other.release();
    expect(await working).toBe(0);
    const { rows } = await query('SELECT next_digest_at <= now() AS "isDue" FROM webhook_chains');
    expect(rows).toEqual([{ isDue: true }]);
  });

  it('comes after an inactive time, and calls the deactivation call by its name', async () => {
    const webhook = await aWebhook();
    await webhook.add(1);
    await query('UPDATE webhooks SET is_active = false WHERE key = $1', [webhook.key]);
    expect(await webhook.digest()).toBe(0);
    await query('UPDATE webhooks SET is_active = true WHERE key = $1', [webhook.key]);
    await query("UPDATE callouts SET kind = 'deactivation', state = 'delivered' WHERE webhook_key = $1", [webhook.key]);
    expect(await webhook.work()).toBe(1);
    expect((await webhook.bodies())[0]?.Digest.NotDelivered).toMatchObject([{ From: 1, To: 1, State: 'deactivation' }]);
  });

  it('is cancelled with the other open callouts when its webhook is deactivated', async () => {
    const webhook = await aWebhook();
    await webhook.add(1);
    await webhook.end([1], delivered);
    expect(await webhook.digest()).toBe(1);
    await webhook.add(2);
    await query('UPDATE webhooks SET is_active = false, is_cancelling = true WHERE key = $1', [webhook.key]);
    expect(await cancelOpenCallouts(database.pool, webhook.key, () => false)).toBe(true);
    const { rows } = await query(
      "SELECT kind, state FROM callouts WHERE webhook_key = $1 AND state <> 'delivered' ORDER BY sequence_number",
      [webhook.key],
    );
    expect(rows).toEqual([
      { kind: 'digest', state: 'cancelled' },
      { kind: 'event', state: 'cancelled' },
    ]);
  });

  it('begins behind callouts that were dropped before they were chained, or before they were reported', async () => {
    const webhook = await aWebhook();
    const ids: string[] = [];
    for (const recordId of [1, 2, 3, 4]) ids.push(await webhook.add(recordId));
    await query('DELETE FROM callouts WHERE id = $1', [ids[0]]);
    await webhook.work();
    const before = await webhook.chain();
    await query('DELETE FROM callouts WHERE id = $1', [ids[1]]);
    await webhook.digest();
    const [body] = await webhook.bodies();
    expect(body?.Digest).toMatchObject({
      FirstSequenceNumber: 3,
      LastSequenceNumber: 4,
      Count: 2,
      Chain: before?.value,
    });
    expect(body?.Digest.PreviousChain).not.toBe(chainStart);
  });

  it('is followed by another one at once where it has no room', async () => {
    const webhook = await aWebhook();
    for (let recordId = 1; recordId <= 1_203; recordId += 1) await webhook.add(recordId);
    await query(
      `UPDATE callouts SET state = CASE WHEN sequence_number % 2 = 0 THEN 'failed' ELSE 'delivered' END WHERE webhook_key = $1`,
      [webhook.key],
    );
    expect(await webhook.digest()).toBe(2);
    const bodies = await webhook.bodies();
    expect(bodies.map(({ Digest }) => [Digest.FirstSequenceNumber, Digest.LastSequenceNumber])).toEqual([
      [1, 1_001],
      [1_002, 1_203],
    ]);
    expect(bodies[1]?.Digest.PreviousChain).toBe(bodies[0]?.Digest.Chain);
    expect(bodies.flatMap(({ Digest }) => Digest.NotDelivered).map(({ From }) => From)).toEqual(
      Array.from({ length: 601 }, (_, index) => 2 * index + 2),
    );
  });

  it('works over days', async () => {
    const webhook = await aWebhook('day');
    await makeOlder(database.pool, await webhook.add(1), 2);
    await webhook.add(2);
    expect(await webhook.digest()).toBe(1);
    expect((await webhook.bodies())[0]?.Digest).toMatchObject({ Count: 2, Chain: (await webhook.values())[2] });
  });
});

it('digests name exactly what was not delivered, whatever happens', async () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('add' as const), recordId: fc.integer({ min: 1, max: 4 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('end' as const),
        recordIds: fc.subarray([1, 2, 3, 4, -2]),
        next: fc.constantFrom(delivered, failed),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'digest' as const }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const webhook = await aWebhook();
      for (const one of steps) {
        if (one.kind === 'add') await webhook.add(one.recordId);
        else if (one.kind === 'end') await webhook.end(one.recordIds, one.next);
        else await webhook.digest();
      }
      await webhook.add(1);
      await webhook.digest();
      const stated = new Map<number, string>();
      let next = 1;
      const values = await webhook.values();
      for (const { Digest } of await webhook.bodies()) {
        expect([Digest.FirstSequenceNumber, Digest.PreviousChain]).toEqual([next, values[next - 1]]);
        next = Digest.LastSequenceNumber + 1;
        expect(Digest.Chain).toBe(values[next - 1]);
        for (let n = Digest.FirstSequenceNumber; n < next; n += 1) stated.set(n, 'delivered');
        for (const { From, To, State } of [...Digest.NotDelivered, ...Digest.Earlier]) {
          for (let n = From; n <= To; n += 1) stated.set(n, State);
        }
      }
      const { rows } = await query(
        `SELECT sequence_number AS n, state FROM callouts WHERE webhook_key = $1 AND sequence_number < $2`,
        [webhook.key, next],
      );
      expect(stated).toEqual(new Map(rows.map(({ n, state }: { n: number; state: string }) => [n, state])));
    }),
    { numRuns: 25 },
  );
});
