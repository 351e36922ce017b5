import { expect, it } from '@jest/globals';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { anEvent, insertTenant, insertWebhook, values } from '@callout/database/fixtures/tenant';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { createDisposableDatabase } from '@callout/local/test-run';
import * as fc from 'fast-check';
import { claimDueCallouts } from '../deliver/claim.ts';
import { beginReservation } from '../deliver/engine/reservation.ts';
import { delivered, settlementOf, settleRules } from '../fixtures/callouts.ts';
import { createIngestCommit } from '../ingest/ingest.ts';
import { fixBodies, readBodies } from '../payload/callout-bodies.ts';
import { createLongBodies } from '../payload/long-bodies.ts';
import { settleAttempts } from '../settle/settle.ts';
import { matchDeps } from './match-deps.fixture.ts';
import { createFastMatch } from './match.fast.ts';
import { matchEvents, matchPlainly, type MatchTogether } from './match.ts';

const database = useDatabase(createDisposableDatabase);
const leaseMs = 60_000;
const longBodies = createLongBodies(() => undefined);

/** The webhooks of each tenant: one is usual, one merges, one has a receiver that is paused. */
const changes = [
  '',
  'UPDATE webhooks SET merge_while_waiting = true WHERE key = $1',
  `INSERT INTO webhook_health
  (webhook_key, pauses, paused_until) VALUES ($1, 1, now() + interval '1 hour')`,
];

/** A tenant whose events are matched in one way, and whose due callouts are claimed after each match. */
async function aTenant(threshold: number, makeMatch: (sent: ClaimedCallout[]) => MatchTogether) {
  const { pool } = database;
  const tenantId = await insertTenant(pool);
  const keys: number[] = [];
  for (const change of changes) {
    const key = await insertWebhook(pool, tenantId, keys.length + 1);
    if (change !== '') await pool.query(change, [key]);
    keys.push(key);
  }
  await pool.query('UPDATE tenants SET callout_threshold = $2 WHERE id = $1', [tenantId, threshold]);
  const commit = createIngestCommit(pool);
  const deps = await matchDeps(database, (error) => {
    throw error;
  });
  /** Callouts that this process has leased. */
  let leased: ClaimedCallout[] = [];
  const rows = async (text: string): Promise<unknown[]> =>
    (await pool.query<Record<string, unknown>>(text, [tenantId, keys])).rows;
  return {
    async change(companyNames: readonly (readonly [recordId: number, name: string])[]): Promise<void> {
      const events = companyNames.map(([recordId, companyName]) =>
        anEvent({ recordId, fields: values({ companyName }) }),
      );
      const { eventIds } = await commit([{ tenantId, events }]);
      const sent: ClaimedCallout[] = [];
      await matchEvents(deps, eventIds, makeMatch(sent));
      sent.push(...(await this.claim()));
      leased.push(...(await fixBodies(pool, sent)).filter((callout) => callout !== null));
    },
    claim: () =>
      claimDueCallouts(
        pool,
        keys.map((webhookKey) => ({ webhookKey, slots: 100 })),
        { leaseMs, threshold },
      ),
    /** The oldest callouts of this process are delivered, and those behind them are claimed. */
    async deliver(count: number): Promise<void> {
      leased.sort((a, b) => a.webhookKey - b.webhookKey || a.sequenceNumber - b.sequenceNumber);
      const over = leased.slice(0, count);
      leased = leased.slice(count);
      await settleAttempts(
        pool,
        over.map((callout) => settlementOf(callout, delivered)),
        settleRules,
      );
      leased.push(...(await fixBodies(pool, await this.claim())).filter((callout) => callout !== null));
    },
    /** All that is stored about the events, with the places of the webhooks in place of their keys. */
    async stored(): Promise<unknown> {
      const callouts = await pool.query<{ id: string }>('SELECT id FROM callouts WHERE tenant_id = $1', [tenantId]);
      const bodies = await readBodies(
        pool,
        callouts.rows.map(({ id }) => id),
      );
      const seen = [...bodies.values()].map((body) => {
        const { Fields, Id, SequenceNumber, Action, MergedEventIDs = [] } = JSON.parse(body) as Record<string, unknown>;
        return JSON.stringify([Id, SequenceNumber, Action, Fields, (MergedEventIDs as unknown[]).length]);
      });
      return {
        bodies: seen.toSorted(),
        callouts:
          await rows(`SELECT array_position($2, c.webhook_key) AS webhook, c.sequence_number, c.record_id, c.action,
            coalesce(o.state, c.state) AS state, o.lease_until > now() AS is_leased, o.body_bytes,
            (SELECT sequence_number FROM callouts i WHERE i.id = c.merged_into) AS merged_into
          FROM callouts c LEFT JOIN open_callouts o ON o.callout_id = c.id WHERE c.tenant_id = $1 ORDER BY 1, 2`),
        verdicts:
          await rows(`SELECT v.key AS rule, array_position($2, (w ->> 0)::bigint) AS webhook, w ->> 1 AS version,
            (w ->> 2)::bigint AS number, e.record_id, e.record_version
          FROM event_matches m JOIN events e ON e.id = m.event_id, json_each(m.verdicts) v, json_array_elements(v.value) w
          WHERE m.tenant_id = $1 ORDER BY e.record_id, e.record_version, 1, 2`),
        mergeable: await rows(`SELECT array_position($2, webhook_key) AS webhook, record_id, version,
            carried ->> 'changedFields' AS changed FROM mergeable_callouts WHERE tenant_id = $1 ORDER BY 1, 2`),
        pending: await rows(
          'SELECT record_id FROM pending_events WHERE tenant_id = $1 AND cardinality($2::bigint[]) > 0',
        ),
        layouts: await rows(`SELECT array_position($2, webhook_key) AS webhook, layout::text FROM payload_layouts
          WHERE tenant_id = $1 ORDER BY 1, 2`),
        threshold: await rows(`SELECT used, second_used + (SELECT coalesce(sum(used), 0)::int FROM threshold_use
            WHERE tenant_id = $1) AS counted, episode_started_at IS NULL AS is_calm
          FROM threshold_windows WHERE tenant_id = $1 AND cardinality($2::bigint[]) > 0`),
      };
    },
  };
}

/** The fast way, in a process with this many free slots for each webhook. */
function fastWith(slots: number, threshold: number): (sent: ClaimedCallout[]) => MatchTogether {
  return (sent) => {
    const lanes = {
      reserve: (_webhookKey: number, _tenantId: number, count: number) => Math.min(slots, count),
      returnReserved: () => undefined,
      startReserved: (callout: ClaimedCallout) => void sent.push(callout),
      addSuccessors: () => undefined,
    };
    const engine = { reserve: () => beginReservation(lanes, longBodies) };
    const { pool } = database;
    return createFastMatch({ pool, engine, leaseMs, threshold, nowMs: () => 0, onHeld: () => undefined });
  };
}

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      names: fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom('x', 'y', 'z')), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('deliver' as const), count: fc.integer({ min: 1, max: 6 }) }) },
);
/** Free slots of each webhook, and the threshold. A threshold grants the first callouts that ask: all of a match at once. */
const limits = fc.oneof(
  fc.tuple(fc.constantFrom(1, 2, 100), fc.constant(0)),
  fc.tuple(fc.constant(100), fc.integer({ min: 1, max: 12 })),
);

it('the plain and the fast way of match store the same rows', async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { minLength: 4, maxLength: 12 }), async ([slots, threshold], steps) => {
      const plain = await aTenant(threshold, () => matchPlainly);
      const fast = await aTenant(threshold, fastWith(slots, threshold));
      for (const next of steps) {
        for (const tenant of [plain, fast]) {
          if (next.kind === 'change') await tenant.change(next.names);
          else await tenant.deliver(next.count);
        }
        expect(await fast.stored()).toEqual(await plain.stored());
      }
    }),
    { numRuns: 12 },
  );
});
