import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createDisposableDatabase } from '@callout/local/test-run';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { claimDueCallouts, rescheduleCallout } from '../deliver/claim.ts';
import { claimRules } from '../fixtures/callouts.ts';
import { aTenantWithAReceiver, answer } from '../fixtures/receiver.ts';

const database = useDatabase(createDisposableDatabase);

describe('after any history of answers, probes, changes and pauses', () => {
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('add' as const), recordId: fc.integer({ min: 1, max: 3 }) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('call' as const), status: fc.constantFrom(200, 400, 503, 0) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('probe' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('due' as const), recordId: fc.integer({ min: 1, max: 3 }) }),
    },
  );

  it('numbers have no gap, records keep their order, and only attempts that were due count', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const receiver = await aTenantWithAReceiver(database);
        const deliveredOf = new Map<number, number[]>();
        const counted = new Map<string, number>();
        for (const one of steps) {
          if (one.kind === 'add') await receiver.add(one.recordId);
          if (one.kind === 'probe') await receiver.awaitProbe();
          if (one.kind === 'due')
            await receiver.query(
              `UPDATE open_callouts SET due_at = now() WHERE webhook_key = $1 AND state = 'due' AND record_id = ${one.recordId}`,
            );
          if (one.kind !== 'call') continue;
          const claimed = await claimDueCallouts(
            database.pool,
            [{ webhookKey: receiver.webhookKey, slots: 2 }],
            claimRules,
          );
          const isAhead = claimed.filter(({ aheadMs = 0 }) => aheadMs > 0);
          expect(isAhead.length === 0 || claimed.length === 1).toBe(true);
          if (one.status === 0) {
            for (const callout of claimed) await rescheduleCallout(database.pool, callout, 0);
            continue;
          }
          await receiver.answer(claimed, answer(one.status));
          for (const { id, recordId, sequenceNumber } of claimed) {
            if (one.status === 200) deliveredOf.set(recordId, [...(deliveredOf.get(recordId) ?? []), sequenceNumber]);
            else if (isAhead.length === 0) counted.set(id, (counted.get(id) ?? 0) + 1);
          }
        }
        for (const { id, attemptsMade } of await receiver.open()) expect(attemptsMade).toBe(counted.get(id) ?? 0);
        for (const numbers of deliveredOf.values()) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        const numbers = await receiver.query<{ n: number }>(
          'SELECT sequence_number::int AS n FROM callouts WHERE webhook_key = $1 ORDER BY 1',
        );
        expect(numbers.map(({ n }) => n)).toEqual(numbers.map((_, nth) => nth + 1));
      }),
      { numRuns: 40 },
    );
  });
});
