import { expect, it } from '@jest/globals';
import { createApiMetrics } from './api-metrics.ts';

const pools = { sets: { totalCount: 5, idleCount: 2, waitingCount: 1 } };

it('counts requests by method, route and status, with labels that callers cannot multiply', async () => {
  const { onAnswer, text } = createApiMetrics({ version: '1.2.3', pools });
  onAnswer({ method: 'GET', route: '/Companies/:id', status: 200, durationMs: 3 });
  onAnswer({ method: 'BREW', route: undefined, status: 404, durationMs: 1 });
  onAnswer({ method: 'BOIL', route: undefined, status: 404, durationMs: 1 });
  const lines = await text();
  const name = 'callout_http_request_duration_seconds';
  expect(lines).toContain(`${name}_bucket{le="0.005",method="GET",route="/Companies/:id",status="200"} 1\n`);
  expect(lines).toContain(`${name}_count{method="other",route="other",status="404"} 2\n`);
});

it('counts commits with their events, those that failed apart', async () => {
  const { onCommit, text } = createApiMetrics({ version: '1.2.3', pools });
  onCommit(3, 12, true, () => []);
  onCommit(40, 5_000, false, () => []);
  const lines = await text();
  expect(lines).toContain('callout_intake_commit_duration_seconds_count{result="stored"} 1\n');
  expect(lines).toContain('callout_intake_commit_duration_seconds_count{result="failed"} 1\n');
  expect(lines).toContain('callout_intake_commit_events_sum 3\n');
  expect(lines).toContain('callout_intake_events_total 3\n');
});

it('tells how the pools of the process are used, and its version', async () => {
  const lines = await createApiMetrics({ version: '1.2.3', pools }).text();
  expect(lines).toContain('callout_database_pool_connections{pool="sets",state="idle"} 2\n');
  expect(lines).toContain('callout_database_pool_connections{pool="sets",state="busy"} 3\n');
  expect(lines).toContain('callout_database_pool_waiting{pool="sets"} 1\n');
  expect(lines).toContain('callout_build_info{version="1.2.3"} 1\n');
});
