import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { AttemptOutcome } from '@callout/domain/outcome/outcome';
import { prepareSecret } from '@callout/pipeline/deliver/sign.rules';
import { claimDueCallouts, rescheduleCallout, withLeaseEnd } from '@callout/pipeline/deliver/claim';
import { webhooksWithDueCallouts } from '@callout/pipeline/sweep/find-due';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { claimRules, insertCallout, settleRules } from '@callout/pipeline/fixtures/callouts';
import { settleAttempts } from '@callout/pipeline/settle/settle';
import { createLogger } from '@callout/runtime/log/logger';
import { eventually } from '@callout/testing';
import * as fc from 'fast-check';
import { attempt, noSignal, type AttemptDeps } from '@callout/pipeline/deliver/attempt';
import { createLanes, type Lanes } from '@callout/pipeline/deliver/lanes';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { createDisposableDatabase } from '@callout/local/test-run';

const database = useDatabase(createDisposableDatabase);

/** The behaviour of a receiver for one call. `lost`: it gets the callout, and the worker dies before the response. */
type Behaviour = 'ok' | 'error' | 'reject' | 'hang' | 'lost';

interface Arrival {
  webhookKey: number;
  recordId: number;
  sequenceNumber: number;
}

const waitsMs = [0, 1, 5, 1];

/** A receiver with a given behaviour for each call, which records the callouts that arrive. */
function aReceiver(script: readonly Behaviour[]) {
  const arrivals: Arrival[] = [];
  /** Calls whose workers died: their leases have not ended yet. */
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

/** The deliver role of one worker, without Redis: the test enqueues by itself. */
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
          mergesWhileWaiting: false,
          signingKeys: { hmac: { current: prepareSecret('a secret key of a webhook') } },
        }),
        send: async () => {
          const outcome = await receive({ webhookKey, recordId, sequenceNumber });
          if (outcome === null) throw lost;
          return outcome;
        },
        tokenFor: () => Promise.reject(new Error('no token is needed')),
        reschedule: (one, waitMs) => rescheduleCallout(pool, one, waitMs),
        fixBody: async (one) => one,
        schedule: { waitsMs, jitter: 0 },
        leaseMs: claimRules.leaseMs,
        callTimeoutMs: 10_000,
        nowMs: () => performance.now(),
        isClockRight: () => true,
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
        answered(noSignal);
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

it('callouts of one record arrive in order, with any behaviour of receivers and any of three workers', async () => {
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
        // Ends a pause, a lease and a wait, as the sweep does.
        const done = new AbortController();
        const sweeping = (async () => {
          while (!done.signal.aborted) {
            await pool.query('UPDATE webhook_health SET paused_until = now() WHERE paused_until > now()');
            // Only leases of dead workers: a lease that ends under a slow worker would repeat a call.
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
