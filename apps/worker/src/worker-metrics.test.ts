import { expect, it } from '@jest/globals';
import { eventually, forThisFile, startScriptedReceiver } from '@callout/testing';
import { testMetrics } from './test/fixtures/test-metrics.ts';
import { useWorker } from './test/fixtures/use-worker.ts';
import { aWebhook } from './test/fixtures/webhook-under-test.ts';

const worker = useWorker({ RETRY_SCHEDULE: '100ms', CALLOUT_THRESHOLD: '3' });
const receiver = forThisFile(startScriptedReceiver, ({ stop }) => stop());

/** Waits until the metrics have all of these lines. */
async function hasLines(...lines: string[]): Promise<void> {
  await eventually(async () => {
    const text = await worker.metrics.text();
    for (const line of lines) expect(text).toContain(`\n${line}\n`);
  });
}

it('cover its roles, from the match to the result', async () => {
  const webhook = await aWebhook(worker, { urlOf: receiver.url, secretKey: 'a secret of the receiver' });
  receiver.script(webhook.callouts, (_request, nth) => ({ status: nth === 1 ? 500 : 200 }));
  await webhook.change(1);
  await webhook.allEnded();
  await webhook.change(2, 3);
  await webhook.allEnded();
  await hasLines(
    'callout_matched_events_total 3',
    'callout_created_callouts_total 3',
    'callout_calls_total{outcome="rejected",reason="5xx"} 1',
    'callout_calls_total{outcome="delivered",reason="2xx"} 3',
    'callout_attempts_total{kind="event",result="retry"} 1',
    'callout_attempts_total{kind="event",result="delivered"} 3',
    'callout_first_attempt_delay_seconds_count 3',
    'callout_calls_in_flight 0',
  );
  expect(await worker.metrics.text()).toMatch(/\ncallout_sweeps_total\{result="done"\} [1-9]/);
  expect(await worker.metrics.text()).toMatch(
    /\ncallout_chore_last_done_timestamp_seconds\{chore="retention"\} 1\d{9}/,
  );
  await webhook.change(4, 5);
  await hasLines('callout_held_callouts_total 2');
});

it('cover its pool, Redis, its clock, its event loop, its memory and its version', async () => {
  const text = await testMetrics().text();
  for (const line of [
    'callout_database_pool_connections{pool="sets",state="busy"} 3',
    'callout_database_pool_waiting{pool="sets"} 1',
    'callout_redis_connected 1',
    'callout_redis_refuses_writes{reason=""} 0',
    'callout_clock_ahead_seconds 0.25',
    'callout_build_info{version="1.2.3"} 1',
    '# TYPE nodejs_eventloop_lag_p99_seconds gauge',
    '# TYPE nodejs_gc_duration_seconds histogram',
  ]) {
    expect(text).toContain(`\n${line}\n`);
  }
});
