import { expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { useStallingReceiver, useWorker } from './fixtures/use-worker.ts';
import { aWebhook } from './fixtures/webhook-under-test.ts';

const receiver = useStallingReceiver();
/** Its sweep runs long after this test. */
const worker = useWorker({ RETRY_SCHEDULE: '300ms,300ms' }, { sweepEveryMs: 60_000 });

it('the next attempt is made when its time has come, whenever the next sweep is', async () => {
  const webhook = await aWebhook(worker, { urlOf: receiver.url, secretKey: 'a secret of the receiver' });
  const soon = { timeoutMs: 30_000 };
  await webhook.change(1);
  for (const [nth, status] of [500, 503, 200].entries()) {
    await eventually(() => receiver.calls(webhook.callouts).length > nth, soon);
    await receiver.calls(webhook.callouts)[nth]?.answer(status);
  }
  await webhook.allEnded();
  expect((await webhook.attempts()).map(({ number, status }) => [number, status])).toEqual([
    [1, 500],
    [2, 503],
    [3, 200],
  ]);
});
