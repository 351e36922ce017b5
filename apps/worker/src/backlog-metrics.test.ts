import { expect, it } from '@jest/globals';
import { createRegistry } from '@callout/runtime/metrics/registry';
import { addBacklogMetrics } from './backlog-metrics.ts';

const counts = {
  pendingEvents: { count: 2, oldestDateTime: new Date('2026-01-15T09:29:30Z') },
  openCallouts: {
    due: 5,
    dueSinceDateTime: null,
    beingSent: 4,
    inLine: 9,
    rate: 7,
    toFetch: 11,
    paused: 8,
    later: 3,
    waiting: 2,
    held: 1,
    cancelling: 6,
  },
  pausedWebhooks: 1,
  unfetchedWebhooks: 0,
  waitingMails: 7,
  waitingHealthEvents: { count: 3, oldestDateTime: new Date('2026-01-15T09:29:00Z') },
  waitingOperatorMessages: { count: 0, oldestDateTime: null },
  connections: { api: 4, worker: 6, all: 12, server: 20, most: 100 },
};

it('has each count with its help and type, and ages in seconds', async () => {
  const missing = [
    { keyId: 'lost', secrets: 2 },
    { keyId: 'older', secrets: 1 },
  ];
  const nowMs = () => Date.parse('2026-01-15T09:30:00Z');
  const registry = createRegistry();
  const onError = () => undefined;
  addBacklogMetrics(registry, { count: async () => counts, missingKeys: async () => missing, nowMs, onError });
  const text = await registry.metrics();
  expect(text).toContain('\n# TYPE callout_open_callouts gauge\ncallout_open_callouts{state="due"} 5\n');
  expect(text).toContain('\ncallout_open_callouts{state="paused"} 8\n');
  expect(text).toContain('\ncallout_oldest_pending_event_seconds 30\n');
  expect(text).toContain('\ncallout_oldest_due_callout_seconds 0\n');
  expect(text).toContain('\ncallout_waiting_health_events 3\n');
  expect(text).toContain('\ncallout_oldest_waiting_health_event_seconds 60\n');
  expect(text).toContain('\ncallout_oldest_waiting_operator_message_seconds 0\n');
  expect(text).toContain('\ncallout_database_connections{of="worker"} 6\n');
  expect(text).toContain('\ncallout_unreadable_secrets 3\n');
  // The format of Prometheus: comments, or a name, labels and a number; a line end after the last.
  for (const line of text.split('\n').filter((line) => line !== '')) {
    expect(line).toMatch(/^(# (HELP|TYPE) callout_\w+ .+|callout_\w+(\{\w+="\w+"\})? \d+(\.\d+)?)$/);
  }
  expect(text.endsWith('\n')).toBe(true);
});
