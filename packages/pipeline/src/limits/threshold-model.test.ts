import { expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import * as fc from 'fast-check';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { aTenantWithThreshold, hourS, idsOf } from './threshold.fixture.ts';

const database = useDatabase(createDisposableDatabase);

it('the threshold is exact under several workers, compared with a model', async () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('add' as const),
        webhook: fc.nat(2),
        recordId: fc.integer({ min: 1, max: 6 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('work' as const),
        slots: fc.integer({ min: 1, max: 4 }),
        workers: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.constantFrom(900, 1_800, 3_600) }),
    },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.array(step, { minLength: 10, maxLength: 40 }),
      async (limit, steps) => {
        const { add, claim, release, settle, pass, states } = await aTenantWithThreshold(database, limit, 3);
        /** When each first attempt began, in seconds of the tenant's clock. */
        const begun: number[] = [];
        let nowS = 0;
        const made: string[] = [];
        const sent: string[] = [];
        const work = async (slots: number, workers: number): Promise<void> => {
          const rounds = await Promise.all(
            Array.from({ length: workers }, async () => [...(await claim(slots)), ...(await release(() => slots))]),
          );
          const callouts = rounds.flat();
          begun.push(...callouts.map(() => nowS));
          sent.push(...idsOf(callouts));
          await settle(callouts);
        };
        for (const one of steps) {
          if (one.kind === 'add') made.push(await add(one.recordId, one.webhook));
          if (one.kind === 'work') await work(one.slots, one.workers);
          if (one.kind === 'pass') {
            nowS += one.seconds;
            await pass(one.seconds);
          }
        }
        while (Object.keys(await states()).length > 0) {
          await work(100, 2);
          nowS += 1_200;
          await pass(1_200);
        }
        expect(sent.toSorted()).toEqual(made.toSorted());
        for (const endS of begun) {
          const inTheHour = begun.filter((atS) => atS > endS - hourS && atS <= endS);
          expect(inTheHour.length).toBeLessThanOrEqual(limit);
        }
      },
    ),
    { numRuns: 6 },
  );
});
