import { expect, it } from '@jest/globals';
import { testMetrics } from './test/fixtures/test-metrics.ts';
import type { MadeCall } from '@callout/pipeline/settle/delivery-metrics';

const accepted = new Date('2026-01-15T09:30:00Z');

/** A first call for an event that was accepted two seconds before. */
function aCall(attempt: Partial<MadeCall['attempt']>, callout: Partial<MadeCall['callout']> = {}): MadeCall {
  return {
    callout: {
      kind: 'event',
      attemptsMade: 0,
      isRedelivery: false,
      acceptedAt: accepted,
      traceParent: null,
      ...callout,
    },
    attempt: {
      startedAt: new Date('2026-01-15T09:30:02Z'),
      durationMs: 40,
      status: 204,
      failureReason: null,
      ...attempt,
    },
  };
}

it('counts calls by outcome and reason, with labels that receivers cannot multiply', async () => {
  const { onCall, text } = testMetrics();
  onCall(aCall({}));
  for (const status of [500, 503, 599]) onCall(aCall({ status }));
  onCall(aCall({ status: null, failureReason: 'timeout', durationMs: 10_000 }));
  const lines = await text();
  expect(lines).toContain('callout_calls_total{outcome="delivered",reason="2xx"} 1\n');
  expect(lines).toContain('callout_calls_total{outcome="rejected",reason="5xx"} 3\n');
  expect(lines).toContain('callout_calls_total{outcome="failed",reason="timeout"} 1\n');
  expect(lines).toContain('callout_call_duration_seconds_bucket{le="0.05",outcome="delivered"} 1\n');
  expect(lines).toContain('callout_call_duration_seconds_sum{outcome="failed"} 10\n');
});

it('observes the time to the first attempt, and not to later ones, redeliveries and calls without an event', async () => {
  const { onCall, text } = testMetrics();
  onCall(aCall({}));
  onCall(aCall({ startedAt: new Date(accepted.getTime() - 50) }));
  onCall(aCall({}, { attemptsMade: 1 }));
  onCall(aCall({}, { isRedelivery: true }));
  onCall(aCall({}, { kind: 'test', acceptedAt: null }));
  const lines = await text();
  expect(lines).toContain('callout_first_attempt_delay_seconds_count 2\n');
  expect(lines).toContain('callout_first_attempt_delay_seconds_sum 2\n');
});

it('has the trace of a call where the text format supports it', async () => {
  const { onCall, text } = testMetrics(true);
  onCall(aCall({}, { traceParent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }));
  const lines = await text();
  const name = '# \\{trace_id="4bf92f3577b34da6a3ce929d0e0e4736"\\}';
  expect(lines).toMatch(
    new RegExp(`^callout_call_duration_seconds_bucket\\{le="0.05",outcome="delivered"\\} 1 ${name} 0.04 `, 'm'),
  );
  expect(lines).toMatch(new RegExp(`^callout_first_attempt_delay_seconds_bucket\\{le="2.5"\\} 1 ${name} 2 `, 'm'));
});
