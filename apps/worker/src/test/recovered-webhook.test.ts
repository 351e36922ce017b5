import { expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { useStallingReceiver, useWorker } from './fixtures/use-worker.ts';
import { aWebhook } from './fixtures/webhook-under-test.ts';

const receiver = useStallingReceiver();
/** Every failure counts as failing at once, and is retried long after this test. */
const worker = useWorker({ RETRY_SCHEDULE: '1h', ALERT_AFTER: '0' });

it('a recovered webhook gets its waiting callouts, in the order of each record', async () => {
  const webhook = await aWebhook(worker, { urlOf: receiver.url, secretKey: 'a secret of the receiver' });
  const calls = () => receiver.calls(webhook.callouts);
  await webhook.change(1, 2);
  await eventually(() => calls().length === 2);
  await Promise.all(calls().map((call) => call.answer(503)));
  await eventually(async () => (await webhook.attempts()).length === 2);
  await webhook.change(1, 3);
  await eventually(() => calls().length === 3);
  await calls()[2]?.answer(200);
  await eventually(() => calls().length === 5);
  await Promise.all(
    calls()
      .slice(3)
      .map((call) => call.answer(200)),
  );
  await eventually(() => calls().length === 6);
  await calls()[5]?.answer(200);
  await webhook.allEnded();
  const callouts = await webhook.stored();
  const numberOf = new Map(callouts.map(({ id, sequenceNumber }) => [id, Number(sequenceNumber)]));
  const recordOf = new Map(callouts.map(({ id, recordId }) => [id, Number(recordId)]));
  const made = await webhook.attempts();
  expect(made.map(({ calloutId }) => recordOf.get(calloutId)).toSorted((a, b) => Number(a) - Number(b))).toEqual([
    1, 1, 1, 2, 2, 3,
  ]);
  const ofFirst = made.filter(({ calloutId }) => recordOf.get(calloutId) === 1);
  expect(ofFirst.map(({ calloutId }) => numberOf.get(calloutId))).toEqual(
    ofFirst.map(({ calloutId }) => numberOf.get(calloutId)).toSorted((a, b) => Number(a) - Number(b)),
  );
});
