import { byResource } from '@callout/domain/changes/actor';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Settlement } from '@callout/pipeline/settle/settlement.rules';
import { claimDueCallouts } from '@callout/pipeline/deliver/claim';
import { cancelOpenCallouts, webhooksToCancel } from '@callout/pipeline/deactivate/cancel';
import { createIngestCommit } from '@callout/pipeline/ingest/ingest';
import { settleAttempts } from '@callout/pipeline/settle/settle';
import { removeResource, updateResource } from '@callout/tenancy/resource-changes';
import { rules } from '@callout/webhooks/activation-rules.fixture';
import { endWebhook, updateWebhook } from '@callout/webhooks/webhook-changes';
import { anEvent, insertTenant, insertWebhook, values } from '@callout/database/fixtures/tenant';
import { claimRules, delivered, failed, settlementOf, settleRules } from '@callout/pipeline/fixtures/callouts';
import { knownTransitions } from '@callout/domain/callout/transitions';
import { matchEvents, type MatchDeps } from '@callout/pipeline/match/match';
import { matchDeps } from '@callout/pipeline/match/match-deps.fixture';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { createDisposableDatabase } from '@callout/local/test-run';

const webhookIds = [1, 2, 3, 4];
const recordIds = [1, 2, 3];

const database = useDatabase(createDisposableDatabase);
let deps: MatchDeps;
let commit: ReturnType<typeof createIngestCommit>;
let tenantId: number;
let keys: number[];

beforeAll(async () => {
  deps = await matchDeps(database, (error) => {
    throw error;
  });
  await database.pool.query(watchTransitions);
  commit = createIngestCommit(database.pool);
});

beforeEach(async () => {
  tenantId = await insertTenant(database.pool);
  // Owner of the webhooks that fixtures make.
  await database.prisma.resource.create({ data: { tenantId, id: 1, email: 'owner@example.com' } });
  keys = [];
  for (const id of webhookIds) keys.push(await insertWebhook(database.pool, tenantId, id));
});

/**
 * Records every transition that any statement makes. The end of a callout has two halves: its row of work is deleted,
 * and its row of history is updated.
 */
const watchTransitions = `
  CREATE TABLE seen (id UUID, was TEXT, becomes TEXT);
  CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    CASE TG_TABLE_NAME || ' ' || TG_OP
      WHEN 'pending_events INSERT' THEN INSERT INTO seen VALUES (NEW.event_id, 'newEvent', 'pending');
      WHEN 'pending_events DELETE' THEN INSERT INTO seen VALUES (OLD.event_id, 'pending', 'matched');
      WHEN 'open_callouts INSERT' THEN INSERT INTO seen VALUES (NEW.callout_id, 'newCallout', NEW.state);
      WHEN 'open_callouts DELETE' THEN INSERT INTO seen VALUES (OLD.callout_id, OLD.state, NULL);
      WHEN 'open_callouts UPDATE' THEN
        IF (OLD.state, OLD.attempts_made) <> (NEW.state, NEW.attempts_made) THEN
          INSERT INTO seen VALUES (NEW.callout_id, OLD.state, NEW.state);
        END IF;
      ELSE INSERT INTO seen VALUES (NEW.id, NULL, NEW.state);
    END CASE;
    RETURN NULL;
  END $$;
  CREATE TRIGGER see AFTER INSERT OR DELETE ON pending_events FOR EACH ROW EXECUTE FUNCTION see();
  CREATE TRIGGER see AFTER INSERT OR UPDATE OR DELETE ON open_callouts FOR EACH ROW EXECUTE FUNCTION see();
  CREATE TRIGGER see AFTER UPDATE ON callouts FOR EACH ROW EXECUTE FUNCTION see();`;

async function seenTransitions(): Promise<string[]> {
  const { rows } = await database.pool.query<{ transition: string }>(
    `SELECT DISTINCT was || ' → ' || becomes AS transition FROM seen WHERE was IS NOT NULL AND becomes IS NOT NULL
     UNION
     SELECT DISTINCT coalesce(closed.was, 'nothing') || ' → ' || coalesce(stamped.becomes, 'nothing')
     FROM (SELECT * FROM seen WHERE becomes IS NULL) AS closed
     FULL JOIN (SELECT * FROM seen WHERE was IS NULL) AS stamped USING (id)`,
  );
  return rows.map((row) => row.transition);
}

const address = (id: number) => ({ tenantId, entityType: 'Account', id });
const setActive = (id: number, isActive: boolean) =>
  updateWebhook(database, address(id), { settings: { isActive } }, rules, byResource(1));

/** Accepts one event of each record, and matches them by two jobs at once, in opposite orders. */
async function produce(name: string): Promise<void> {
  const events = recordIds.map((recordId) => anEvent({ recordId, fields: values({ companyName: name }) }));
  const { eventIds } = await commit([{ tenantId, events }]);
  await Promise.all([matchEvents(deps, eventIds), matchEvents(deps, eventIds.toReversed())]);
}

/** Sends all due callouts, alternately with success and failure, as a separate worker does. */
async function deliver(round: number): Promise<void> {
  const slots = keys.map((webhookKey) => ({ webhookKey, slots: 5 }));
  const claimed = await claimDueCallouts(database.pool, slots, claimRules);
  const settlements = claimed.map((callout, n) => settlementOf(callout, nextOf(n + round)));
  await settleAttempts(database.pool, settlements.toReversed(), { ...settleRules, deactivateAfter: 1 });
}

function nextOf(round: number): Settlement['next'] {
  if (round % 3 === 0) return { kind: 'retry', waitMs: 0 };
  return round % 5 === 0 ? failed : delivered;
}

/** Cancels as the sweep does once a second. */
async function cancelDeactivated(): Promise<void> {
  for (const key of await webhooksToCancel(database.pool, 100)) {
    await cancelOpenCallouts(database.pool, key, () => false);
  }
}

/** Invariants between any two transactions, once deactivated webhooks have their callouts cancelled. */
async function expectOrder(): Promise<void> {
  await cancelDeactivated();
  const { rows: strays } = await database.pool.query(
    `SELECT c.id, c.state, o.state AS open_state, w.is_active FROM callouts c JOIN webhooks w ON w.key = c.webhook_key
     LEFT JOIN open_callouts o ON o.callout_id = c.id
     WHERE c.tenant_id = $1 AND ((c.state = 'open') <> (o.callout_id IS NOT NULL)
       OR (c.state = 'open') <> (c.finished_at IS NULL) OR (o.kind <> 'deactivation' AND NOT w.is_active))`,
    [tenantId],
  );
  expect(strays).toEqual([]);
  const { rows: heads } = await database.pool.query(
    `SELECT webhook_key, record_id, count(*) FILTER (WHERE state = 'due') AS due FROM open_callouts WHERE tenant_id = $1
     GROUP BY webhook_key, record_id HAVING count(*) FILTER (WHERE state = 'due') <> 1`,
    [tenantId],
  );
  expect(heads).toEqual([]);
  const { rows: gaps } = await database.pool.query(
    `SELECT w.key, w.last_sequence, count(c.id) AS callouts, count(DISTINCT c.sequence_number) AS numbers
     FROM webhooks w LEFT JOIN callouts c ON c.webhook_key = w.key WHERE w.tenant_id = $1
     GROUP BY w.key HAVING count(c.id) <> w.last_sequence OR count(DISTINCT c.sequence_number) <> w.last_sequence`,
    [tenantId],
  );
  expect(gaps).toEqual([]);
  const { rows: uncalled } = await database.pool.query(
    `SELECT w.key FROM webhooks w WHERE w.tenant_id = $1
       AND (SELECT count(*) FROM changes h WHERE h.webhook_key = w.key AND h.action IN ('deactivated', 'deleted'))
         <> (SELECT count(*) FROM callouts c WHERE c.webhook_key = w.key AND c.kind = 'deactivation')`,
    [tenantId],
  );
  expect(uncalled).toEqual([]);
}

async function countOf(state: string, kind = 'event'): Promise<number> {
  return database.prisma.callout.count({ where: { tenantId, state, kind } });
}

describe('webhooks that are deactivated, activated and deleted while events are matched and callouts settled', () => {
  it('leave nothing open, nothing out of order, no gap, and do not deadlock', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [one, other] = [webhookIds[round % 4] ?? 1, webhookIds[(round + 1) % 4] ?? 1];
      await Promise.all([
        produce(`a${round}`),
        deliver(round),
        setActive(one, false),
        produce(`b${round}`),
        cancelDeactivated(),
        deliver(round + 1),
        setActive(other, false).then(() => setActive(other, true)),
        deliver(round + 2),
      ]);
      await expectOrder();
      await Promise.all(webhookIds.map((id) => setActive(id, true)));
    }
    // Again without a race: each of these has happened then, whatever the result of the races.
    for (const name of ['last but one', 'last']) await produce(name);
    await deliver(1);
    await Promise.all(webhookIds.map((id) => setActive(id, false)));
    await cancelDeactivated();
    await deliver(1);
    expect(await countOf('cancelled')).toBeGreaterThan(0);
    expect(await countOf('delivered')).toBeGreaterThan(0);
    expect(await countOf('delivered', 'deactivation')).toBeGreaterThan(0);
    const causes = await database.prisma.change.groupBy({
      by: ['cause'],
      where: { tenantId, action: 'deactivated' },
      orderBy: { cause: 'asc' },
    });
    expect(causes.map(({ cause }) => cause)).toEqual(['repeatedFailure', 'user']);
  });

  it('are all deactivated together with their owner', async () => {
    for (let round = 0; round < 5; round += 1) {
      await produce(`before${round}`);
      await Promise.all([
        produce(`a${round}`),
        deliver(round),
        updateResource(database, tenantId, 1, { isActive: 'false' }, byResource(1)),
        produce(`b${round}`),
        deliver(round + 1),
      ]);
      await expectOrder();
      expect(await database.prisma.openCallout.count({ where: { tenantId, kind: 'event' } })).toBe(0);
      await updateResource(database, tenantId, 1, { isActive: 'true' }, byResource(1));
      await Promise.all(webhookIds.map((id) => setActive(id, true)));
    }
  });

  it('are deleted permanently', async () => {
    await produce('before');
    await Promise.all([
      produce('a'),
      ...webhookIds.toReversed().map((id) => endWebhook(database, address(id), 'deleted', byResource(1))),
      deliver(0),
      produce('b'),
      removeResource(database, tenantId, 1, byResource(1)),
    ]);
    await produce('after');
    await expectOrder();
    expect(await countOf('open')).toBe(0);
  });
});

it('make no transition that is missing in the table of states', async () => {
  const seen = await seenTransitions();
  expect(seen.filter((transition) => !knownTransitions.has(transition))).toEqual([]);
  const common = [
    'newEvent → pending',
    'pending → matched',
    'newCallout → due',
    'newCallout → waiting',
    'waiting → due',
  ];
  const ends = ['due → due', 'due → delivered', 'due → failed', 'due → cancelled', 'waiting → cancelled'];
  expect(seen).toEqual(expect.arrayContaining([...common, ...ends]));
});
