import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type AttemptOutcome, prepareSecret } from '@callout/core/deliver';
import { claimDueCallouts, rescheduleCallout, webhooksWithDueCallouts } from '@callout/db/claim';
import { type Database, openDatabase } from '@callout/db/connection';
import { claimRules, insertCallout, insertTenant, insertWebhook, settleRules } from '@callout/db/fixtures';
import { settleAttempts } from '@callout/db/settle';
import { createLogger } from '@callout/runtime/log';
import { createTestDatabase, eventually } from '@callout/testing';
import * as fc from 'fast-check';
import { attempt, nothingLearned, type AttemptDeps } from './deliver/attempt.ts';
import { createLanes, type Lanes } from './deliver/lanes/lanes.ts';
import { withLeaseEnd } from './deliver/lease.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ url: testDatabase.url, poolSize: 12, applicationName: 'test', onError: () => undefined });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** What a receiver does with one call. `lost`: it has the callout, and the worker dies before it can say so. */
type Behaviour = 'ok' | 'error' | 'reject' | 'hang' | 'lost';

interface Arrival {
  webhookKey: number;
  recordId: number;
  sequenceNumber: number;
}

const waitsMs = [0, 1, 5, 1];

/** A receiver that does as it is told, one call after another, and writes down what arrives. */
function aReceiver(script: readonly Behaviour[]) {
  const arrivals: Arrival[] = [];
  /** Calls whose workers died: their leases are still to end. */
  const lost: Arrival[] = [];
  let calls = 0;
  return {
    arrivals,
    lost,
    receive: async (arrival: Arrival): Promise<AttemptOutcome | null> => {
      arrivals.push(arrival);
      const behaviour = script[calls++ % script.length];
      await sleep(behaviour === 'hang' ? 20 : 1);
      if (behaviour === 'lost') {
        lost.push(arrival);
        return null;
      }
      if (behaviour === 'hang') return { kind: 'failed', reason: 'timeout', message: 'no answer', durationMs: 20 };
      const status = { ok: 200, error: 500, reject: 404 }[behaviour ?? 'ok'];
      return { kind: 'answered', status, headers: {}, body: Buffer.alloc(0), bodyCut: null, durationMs: 1 };
    },
  };
}

const log = createLogger({ service: 'test', level: 'silent' });

/** One worker's deliver role, without Redis: the test enqueues by hand. */
function aWorker(receive: (arrival: Arrival) => Promise<AttemptOutcome | null>): Lanes {
  const { pool } = database;
  const lanes = createLanes({
    claim: (wanted) =>
      withLeaseEnd(
        () => claimDueCallouts(pool, wanted, claimRules),
        claimRules.leaseMs,
        () => performance.now(),
      ),
    deliver: async (callout, answered) => {
      const { webhookKey, recordId, sequenceNumber } = callout;
      const lost = new Error('this worker is dead');
      const deps: AttemptDeps = {
        targetOf: async () => ({
          webhookVersion: 1,
          url: 'http://127.0.0.1/in',
          deactivationUrl: 'http://127.0.0.1/off',
          secretKeys: { current: prepareSecret('a secret key of a webhook') },
        }),
        send: async () => {
          const outcome = await receive({ webhookKey, recordId, sequenceNumber });
          if (outcome === null) throw lost;
          return outcome;
        },
        reschedule: (one, waitMs) => rescheduleCallout(pool, one, waitMs),
        schedule: { waitsMs, jitter: 0 },
        callTimeoutMs: 10_000,
        nowMs: () => performance.now(),
        userAgent: 'Callout/1.0',
        random: Math.random,
        onNotMade: () => undefined,
        log,
      };
      try {
        const settlement = await attempt(deps, callout, answered);
        if (settlement === null) return;
        const { dueWebhookKeys } = await settleAttempts(pool, [settlement], { ...settleRules, deactivateAfter: 0 });
        lanes.enqueue(dueWebhookKeys);
      } catch (error) {
        if (error !== lost) throw error;
        answered(nothingLearned);
      }
    },
    maxInFlight: 8,
    maxInFlightPerWebhook: 4,
    gatherMs: 1,
    nowMs: () => performance.now(),
    onAwaited: () => undefined,
    onError: (error) => {
      throw error;
    },
  });
  return lanes;
}

async function openCallouts(tenantId: number): Promise<number> {
  const { rows } = await database.pool.query<{ open: number }>(
    'SELECT count(*) AS open FROM open_callouts WHERE tenant_id = $1',
    [tenantId],
  );
  return rows[0]?.open ?? 0;
}

const behaviour = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Behaviour>('ok') },
  { weight: 2, arbitrary: fc.constantFrom<Behaviour>('error', 'reject', 'hang', 'lost') },
);

it('callouts of one record arrive in order, whatever receivers do and whichever of three workers sends them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(behaviour, { minLength: 5, maxLength: 30 }),
      fc.array(fc.record({ webhook: fc.nat(1), recordId: fc.integer({ min: 1, max: 4 }) }), {
        minLength: 5,
        maxLength: 30,
      }),
      async (script, made) => {
        const { pool } = database;
        const tenantId = await insertTenant(pool);
        const keys = [await insertWebhook(pool, tenantId, 1), await insertWebhook(pool, tenantId, 2)];
        const { arrivals, lost, receive } = aReceiver([...script, 'ok']);
        const workers = [1, 2, 3].map(() => aWorker(receive));
        // What ends a pause, a lease and a wait, as the sweep does.
        const done = new AbortController();
        const sweeping = (async () => {
          while (!done.signal.aborted) {
            await pool.query('UPDATE webhook_health SET paused_until = now() WHERE paused_until > now()');
            // Those of the dead alone: a lease that runs out under a worker that is slow makes a call come twice.
            for (const { webhookKey, sequenceNumber } of lost.splice(0)) {
              await pool.query(
                'UPDATE open_callouts SET lease_until = now() WHERE webhook_key = $1 AND sequence_number = $2',
                [webhookKey, sequenceNumber],
              );
            }
            const due = await webhooksWithDueCallouts(pool, 0, 100);
            for (const lanes of workers) lanes.enqueue(due);
            await sleep(15);
          }
        })();
        for (const { webhook, recordId } of made) {
          await insertCallout(pool, { tenantId, webhookKey: keys[webhook] ?? 0, recordId });
          for (const lanes of workers) lanes.enqueue(keys);
        }
        await eventually(async () => expect(await openCallouts(tenantId)).toBe(0));
        done.abort();
        await sweeping;
        await Promise.all(workers.map((lanes) => lanes.drain()));

        for (const key of keys) {
          for (const recordId of [1, 2, 3, 4]) {
            const numbers = arrivals
              .filter((arrival) => arrival.webhookKey === key && arrival.recordId === recordId)
              .map(({ sequenceNumber }) => sequenceNumber);
            expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
          }
        }
        const received = new Set(arrivals.map(({ webhookKey, sequenceNumber }) => `${webhookKey}/${sequenceNumber}`));
        expect(received.size).toBe(made.length);
      },
    ),
    { numRuns: 8 },
  );
});
