import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { createDisposableDatabase } from '@callout/local/test-run';
import { delivered, failed } from '../../fixtures/callouts.ts';
import { useMerging } from './merging.fixture.ts';

const setup = useMerging(createDisposableDatabase);
type Webhook = Awaited<ReturnType<typeof setup.makeWebhook>>;
const query = (text: string, values: unknown[] = []) => setup.database.pool.query(text, values);
/** `lost`: the receiver took it, and its answer did not arrive. */
const answers = { delivered, lost: { kind: 'retry', waitMs: 0 }, refused: failed } as const;

interface Body {
  readonly Action: string;
  readonly Id: number;
  readonly Fields: Readonly<Record<string, string | null>>;
  readonly SequenceNumber: number;
  readonly MergedEventIDs?: readonly string[];
}

/** A receiver that takes each callout once, and what it notices. */
function aReceiver() {
  const bodies = new Map<string, string>();
  const numbers: number[] = [];
  const eventIds: string[] = [];
  const held = new Map<number, Body['Fields']>();
  const last = new Map<number, number>();
  return {
    numbers,
    eventIds,
    held,
    receive({ id, body: text, eventId }: ClaimedCallout): void {
      expect([id, bodies.get(id) ?? text]).toEqual([id, text]);
      if (bodies.has(id)) return;
      bodies.set(id, text);
      const { Action, Id, Fields, SequenceNumber, MergedEventIDs } = JSON.parse(text) as Body;
      numbers.push(SequenceNumber);
      expect(SequenceNumber).toBeGreaterThan(last.get(Id) ?? 0);
      last.set(Id, SequenceNumber);
      eventIds.push(...(MergedEventIDs ?? [eventId ?? '']));
      if (Action === 'Delete') held.delete(Id);
      else held.set(Id, Action === 'Create' ? Fields : { ...held.get(Id), ...Fields });
    },
  };
}

const payloadKeys: Readonly<Record<string, string>> = { city: 'City', companyName: 'CompanyName' };

/** Where a worker dies. */
const deaths = ['never', 'before its bytes are final', 'before the call', 'before the result is stored'] as const;

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      recordId: fc.integer({ min: 1, max: 2 }),
      change: fc.constantFrom(
        ...[{ city: 'x' }, { city: 'y' }, { city: null }, { companyName: 'x' }, { companyName: 'y' }],
        'create or delete' as const,
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('work' as const),
      slots: fc.integer({ min: 1, max: 3 }),
      dies: fc.constantFrom(...deaths),
      answer: fc.constantFrom('delivered', 'delivered', 'lost', 'refused' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('happen' as const),
      sql: fc.constantFrom(
        // The threshold holds what was not tried, and releases it.
        `UPDATE open_callouts SET state = 'held' WHERE webhook_key = $1 AND state = 'due' AND attempts_made = 0
           AND lease_owner IS NULL`,
        `UPDATE open_callouts SET state = 'due' WHERE webhook_key = $1 AND state = 'held'`,
        // The webhook changes, and merges or not from then on.
        'UPDATE webhooks SET version = version + 1 WHERE key = $1',
        'UPDATE webhooks SET version = version + 1, merge_while_waiting = NOT merge_while_waiting WHERE key = $1',
        // Its tenant moves.
        'DELETE FROM mergeable_callouts WHERE webhook_key = $1',
      ),
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** A city returns to a value that the receiver has refused. */
const backAndForth: Step[] = [
  { kind: 'change', recordId: 1, change: 'create or delete' },
  { kind: 'work', slots: 1, dies: 'never', answer: 'delivered' },
  { kind: 'change', recordId: 1, change: { city: 'y' } },
  { kind: 'work', slots: 1, dies: 'never', answer: 'refused' },
  { kind: 'change', recordId: 1, change: { city: 'x' } },
  { kind: 'change', recordId: 1, change: { city: 'y' } },
];

async function work(
  webhook: Webhook,
  receiver: ReturnType<typeof aReceiver>,
  { slots, dies, answer }: { slots: number; dies: (typeof deaths)[number]; answer: keyof typeof answers },
): Promise<void> {
  const claimed = await webhook.claim(slots);
  const isAlive = (at: (typeof deaths)[number]) => deaths.indexOf(dies) > deaths.indexOf(at) || dies === 'never';
  if (isAlive('before its bytes are final')) {
    const fixed = await webhook.fix(claimed);
    if (isAlive('before the call')) {
      if (answer !== 'refused') for (const callout of fixed) receiver.receive(callout);
      if (isAlive('before the result is stored')) await webhook.settle(fixed, answers[answer]);
    }
  }
  // The leases of the dead end.
  await query('UPDATE open_callouts SET lease_owner = NULL, lease_until = NULL WHERE webhook_key = $1', [webhook.key]);
}

it('a receiver of merged callouts ends with the values of one that got everything, and got every number that counts as delivered', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const [merging, plain] = [await setup.makeWebhook(), await setup.makeWebhook()];
      await query('UPDATE webhooks SET merge_while_waiting = false WHERE key = $1', [plain.key]);
      const [receiver, everything] = [aReceiver(), aReceiver()];
      const exists = new Set<number>();
      const accepted: { eventId: string; recordId: number; changed: string[] }[] = [];
      for (const one of steps) {
        if (one.kind === 'work') await work(merging, receiver, one);
        else if (one.kind === 'happen') await query(one.sql, [merging.key]);
        else {
          const { recordId, change } = one;
          const isToggle = change === 'create or delete';
          const action = !isToggle ? 'Update' : exists.has(recordId) ? 'Delete' : 'Create';
          if (action === 'Delete') exists.delete(recordId);
          else exists.add(recordId);
          const fields = !isToggle ? change : action === 'Create' ? { city: 'x', companyName: 'y' } : {};
          const ids = await merging.store(action, fields, recordId);
          const changed = isToggle ? [] : Object.keys(change).map((name) => payloadKeys[name] ?? name);
          accepted.push(...ids.map((eventId) => ({ eventId, recordId, changed })));
          await merging.match(ids);
          await plain.change(action, fields, recordId);
        }
      }
      await query(`UPDATE open_callouts SET state = 'due' WHERE webhook_key = $1 AND state = 'held'`, [merging.key]);
      const sendAll = async (webhook: Webhook, to: typeof receiver) => {
        for (;;) {
          const claimed = await webhook.fix(await webhook.claim());
          if (claimed.length === 0) return;
          for (const callout of claimed) to.receive(callout);
          await webhook.settle(claimed, delivered);
        }
      };
      await sendAll(merging, receiver);
      await sendAll(plain, everything);
      const rows = await merging.look();
      expect(rows.map(({ number }) => number)).toEqual(accepted.map((_, nth) => nth + 1));
      /** How the callout that carries the change of a number ended; `merged`: the changes undid each other. */
      const endOf = (number: number): string | undefined => {
        const row = rows[number - 1];
        return row?.into ? endOf(row.into) : row?.state;
      };
      for (const recordId of [1, 2]) {
        const own = accepted.flatMap((event, nth) =>
          event.recordId === recordId ? [{ ...event, number: nth + 1 }] : [],
        );
        const isWhole = own.every(({ changed, number }) => changed.length > 0 || endOf(number) !== 'failed');
        for (const key of isWhole ? Object.values(payloadKeys) : []) {
          const last = own.findLast(({ changed }) => changed.length === 0 || changed.includes(key));
          // What was refused for good is lost until it is redelivered, unless a later callout shows it.
          if (last === undefined || endOf(last.number) === 'failed') continue;
          const [got, wanted] = [receiver, everything].map(({ held }) => held.get(recordId)?.[key]);
          expect([recordId, key, got]).toEqual([recordId, key, wanted]);
        }
      }
      const came = accepted.flatMap(({ eventId }, nth) => (endOf(nth + 1) === 'delivered' ? eventId : []));
      expect(receiver.eventIds).toEqual(expect.arrayContaining(came));
      expect(new Set(receiver.eventIds).size).toBe(receiver.eventIds.length);
      const deliveredNumbers = rows.flatMap(({ number, state }) => (state === 'delivered' ? number : []));
      expect(receiver.numbers).toEqual(expect.arrayContaining(deliveredNumbers));
      const merged = rows.flatMap(({ number, state }) => (state === 'merged' ? number : []));
      expect(receiver.numbers.filter((number) => merged.includes(number))).toEqual([]);
    }),
    { numRuns: 20, examples: [[backAndForth]] },
  );
});
