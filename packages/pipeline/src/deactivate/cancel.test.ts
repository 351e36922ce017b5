import { byResource } from '@callout/domain/changes/actor';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { newId } from '@callout/database/schema/ids';
import { storeMatched, reserveSequenceNumbers } from '../match/store.ts';
import { removeResource, updateResource } from '@callout/tenancy/resource-changes';
import { rules } from '@callout/webhooks/activation-rules.fixture';
import { endWebhook, updateWebhook } from '@callout/webhooks/webhook-changes';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { claimDueCallouts } from '../deliver/claim.ts';

const claimRules = { leaseMs: 60_000, threshold: 0 };

const database = useDatabase(createDisposableDatabase);
let tenantId: number;
/** The callouts of webhooks 1 and 2. */
let keys: [number, number];

beforeAll(async () => {});

beforeEach(async () => {
  tenantId = await insertTenant(database.pool);
  // Owner of the webhooks that fixtures make.
  await database.prisma.resource.create({ data: { tenantId, id: 1, email: 'owner@example.com' } });
  keys = [await insertWebhook(database.pool, tenantId, 1), await insertWebhook(database.pool, tenantId, 2)];
});

/** Stores a callout as match does. */
async function makeCallout(webhookKey: number, recordId: number, state: 'due' | 'waiting' = 'due'): Promise<string> {
  return inTransaction(database.pool, async (transaction) => {
    const numbers = await reserveSequenceNumbers(transaction, new Map([[webhookKey, 1]]));
    const sequenceNumber = numbers.get(webhookKey)?.firstSequenceNumber ?? 0;
    const event = { eventId: newId(), publicEventId: 'e', acceptedAt: new Date(), traceParent: null };
    const callout = { id: newId(), tenantId, webhookKey, sequenceNumber, ...event };
    const made = { action: 'Update' as const, state, body: '{}', bodyBytes: 2, layout: null };
    const rest = { entityType: 'Account', recordId, ...made };
    await storeMatched(transaction, { verdicts: [], callouts: [{ ...callout, ...rest }], layouts: [] });
    return callout.id;
  });
}

/** One callout of each kind: leased, waiting behind it, due later, held. */
async function makeOneOfEach(webhookKey: number): Promise<void> {
  await makeCallout(webhookKey, 1);
  await claimDueCallouts(database.pool, [{ webhookKey, slots: 1 }], claimRules);
  await makeCallout(webhookKey, 1, 'waiting');
  const [later, held] = [await makeCallout(webhookKey, 2), await makeCallout(webhookKey, 3)];
  await database.pool.query("UPDATE open_callouts SET due_at = now() + interval '1 hour' WHERE callout_id = $1", [
    later,
  ]);
  await database.pool.query("UPDATE open_callouts SET state = 'held' WHERE callout_id = $1", [held]);
}

async function statesOf(webhookKey: number): Promise<{ states: string[]; open: number; unfinished: number }> {
  const { rows } = await database.pool.query<{ state: string; isOpen: boolean; isFinished: boolean }>(
    `SELECT c.state, o.callout_id IS NOT NULL AS "isOpen", c.finished_at IS NOT NULL AS "isFinished"
     FROM callouts c LEFT JOIN open_callouts o ON o.callout_id = c.id WHERE c.webhook_key = $1 AND c.kind = 'event' ORDER BY c.sequence_number`,
    [webhookKey],
  );
  return {
    states: rows.map((row) => row.state),
    open: rows.filter((row) => row.isOpen).length,
    unfinished: rows.filter((row) => !row.isFinished).length,
  };
}

const address = (id: number) => ({ tenantId, entityType: 'Account', id });
const allCancelled = { states: ['cancelled', 'cancelled', 'cancelled', 'cancelled'], open: 0, unfinished: 0 };
const allOpen = { states: ['open', 'open', 'open', 'open'], open: 4, unfinished: 4 };

describe('open callouts', () => {
  beforeEach(async () => {
    for (const key of keys) await makeOneOfEach(key);
  });

  it('are cancelled when their webhook is deactivated, and no others', async () => {
    await updateWebhook(database, address(1), { settings: { isActive: false } }, rules, byResource(1));
    expect(await statesOf(keys[0])).toEqual(allCancelled);
    expect(await statesOf(keys[1])).toEqual(allOpen);
  });

  it('are cancelled when their webhook is deleted, and no others', async () => {
    await endWebhook(database, address(2), 'deleted', byResource(1));
    expect(await statesOf(keys[0])).toEqual(allOpen);
    expect(await statesOf(keys[1])).toEqual(allCancelled);
  });

  it.each(['update', 'remove'] as const)(
    "are cancelled when their webhooks' owner is deactivated or deleted: %s",
    async (change) => {
      if (change === 'update') await updateResource(database, tenantId, 1, { isActive: 'false' }, byResource(1));
      else await removeResource(database, tenantId, 1, byResource(1));
      for (const key of keys) expect(await statesOf(key)).toEqual(allCancelled);
    },
  );

  it('stay when anything else about their webhook changes', async () => {
    await updateWebhook(
      database,
      address(1),
      { settings: { name: 'new', isActive: true, webhookUrl: 'http://127.0.0.1/x' } },
      rules,
      byResource(1),
    );
    await database.pool.query('DELETE FROM webhook_fields WHERE webhook_key = $1', [keys[0]]);
    await updateResource(database, tenantId, 1, { email: 'new@example.com' }, byResource(1));
    expect(await statesOf(keys[0])).toEqual(allOpen);
  });

  it('are all cancelled, however many there are', async () => {
    const count = 10_010;
    const ids = Array.from({ length: count }, () => newId());
    // Tests have no sequence number, so all of them have the same position.
    await database.pool.query(
      `WITH new AS (
         SELECT id, CASE WHEN n > 20 THEN n ELSE 0 END AS n, CASE WHEN n > 20 THEN 'event' ELSE 'test' END AS kind
         FROM unnest($1::uuid[]) WITH ORDINALITY AS u (id, n)
       ), history AS (
         INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action, kind)
         SELECT id, $2, $3, n, 'Account', n, 'Update', kind FROM new
       )
       INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, kind, sequence_number,
         state, due_at)
       SELECT id, $2, $3, 'Account', n, 'Update', kind, n, 'due', now() FROM new`,
      [ids, tenantId, keys[1]],
    );
    await endWebhook(database, address(2), 'deleted', byResource(1));
    const where = { webhookKey: keys[1] };
    expect(await database.prisma.callout.count({ where: { ...where, state: 'cancelled' } })).toBe(count + 4);
    expect(await database.prisma.openCallout.findMany({ where })).toMatchObject([{ kind: 'deactivation' }]);
  });

  it('keep their sequence numbers: the next callout after reactivation continues', async () => {
    await updateWebhook(database, address(1), { settings: { isActive: false } }, rules, byResource(1));
    await updateWebhook(database, address(1), { settings: { isActive: true } }, rules, byResource(1));
    await makeCallout(keys[0], 1);
    expect((await statesOf(keys[0])).states).toEqual([...allCancelled.states, 'open']);
    // The fifth number is that of the deactivation call.
    const { rows } = await database.pool.query('SELECT last_sequence FROM webhooks WHERE key = $1', [keys[0]]);
    expect(rows).toEqual([{ last_sequence: 6 }]);
  });
});

describe('cancelling a callout that is being sent', () => {
  it('stores its lease, and no other', async () => {
    const [sent, waiting] = [await makeCallout(keys[0], 1), await makeCallout(keys[0], 2)];
    const [claimed] = await claimDueCallouts(database.pool, [{ webhookKey: keys[0], slots: 1 }], claimRules);
    await updateWebhook(database, address(1), { settings: { isActive: false } }, rules, byResource(1));
    const { rows } = await database.pool.query('SELECT id, cancelled_lease FROM callouts WHERE id = ANY($1::uuid[])', [
      [sent, waiting],
    ]);
    expect(new Map(rows.map((row) => [row.id, row.cancelled_lease]))).toEqual(
      new Map([
        [sent, claimed?.id === sent ? claimed.leaseOwner : null],
        [waiting, claimed?.id === waiting ? claimed.leaseOwner : null],
      ]),
    );
    expect(claimed).toBeDefined();
  });
});
