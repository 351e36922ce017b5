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
import { deliver } from '@callout/pipeline/deliver/deliver';
import { createEngine } from '@callout/pipeline/deliver/engine/engine';
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

const nowMs = () => performance.now();

/** The deliver role of one worker, without Redis: the test enqueues by itself. */
function aWorker(receive: (arrival: Arrival) => Promise<AttemptOutcome | null>) {
  const { pool } = database;
  const { leaseMs } = claimRules;
  const engine = createEngine({ pool, maxInFlight: 8, maxInFlightPerWebhook: 4, gatherMs: 1, leaseMs, nowMs, log });
  const running = engine.start({
    claim: (requested) => withLeaseEnd(() => claimDueCallouts(pool, requested, claimRules), leaseMs, nowMs),
    release: async () => [],
    deliver: (callout, answered) =>
      deliver(
        {
          targetOf: async () => ({
            webhookVersion: 1,
            url: 'http://127.0.0.1/in',
            deactivationUrl: 'http://127.0.0.1/off',
            mergesWhileWaiting: false,
            signingKeys: { hmac: { current: prepareSecret('a secret key of a webhook') } },
          }),
          send: async () => {
            const outcome = await receive(callout);
            if (outcome === null) throw new Error('this worker is dead');
            return outcome;
          },
          tokenFor: () => Promise.reject(new Error('no token is needed')),
          reschedule: (one, waitMs) => rescheduleCallout(pool, one, waitMs),
          fixBody: async (one) => one,
          schedule: { waitsMs, jitter: 0 },
          leaseMs,
          callTimeoutMs: 10_000,
          nowMs,
          isClockRight: () => true,
          userAgent: 'Callout/1.0',
          random: Math.random,
          results: {
            async add(settlement) {
              const rules = { ...settleRules, deactivateAfter: 0 };
              engine.enqueue((await settleAttempts(pool, [settlement], rules)).dueWebhookKeys);
            },
            hurry: () => undefined,
          },
          metrics: { onCall: () => undefined, onNotMade: () => undefined },
          log,
        },
        callout,
        answered,
      ),
    hurry: () => undefined,
  });
  return { enqueue: (keys: readonly number[]) => engine.enqueue(keys), drain: running.drain };
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
            for (const worker of workers) worker.enqueue(due);
            await sleep(15);
          }
        })();
        for (const { webhook, recordId } of made) {
          await insertCallout(pool, { tenantId, webhookKey: keys[webhook] ?? 0, recordId });
          for (const worker of workers) worker.enqueue(keys);
        }
        await eventually(async () => expect(await openCallouts(tenantId)).toBe(0));
        done.abort();
        await sweeping;
        await Promise.all(workers.map((worker) => worker.drain()));

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
