import { beforeAll, expect, it } from '@jest/globals';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { parseCatalogue } from '@callout/domain/catalogue/parse-catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import { ownDocument } from './documents/own-document.ts';
import { createApiMetrics } from './api-metrics.ts';

let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = parseCatalogue(await readCatalogueFiles(ownCatalogueDir, ownCatalogueDir));
});
const pools = { sets: { totalCount: 5, idleCount: 2, waitingCount: 1 } };

it('counts requests by method, route and status, with labels that callers cannot multiply', async () => {
  const { onResponse, text } = createApiMetrics({ version: '1.2.3', clockAheadMs: () => 0, catalogue, pools });
  const answered = { status: 200, durationMs: 3, mayWait: false };
  for (const route of ['/Companies/:id', '/Tickets/:id']) onResponse({ ...answered, method: 'GET', route });
  onResponse({ ...answered, method: 'BREW', route: undefined, status: 404 });
  onResponse({ ...answered, method: 'BOIL', route: undefined, status: 404 });
  const lines = await text();
  expect(lines).toContain(
    'callout_http_request_duration_seconds_bucket{le="0.005",method="GET",route="/:records/:id"} 2\n',
  );
  expect(lines).toContain('callout_http_requests_total{method="GET",route="/:records/:id",status="200"} 2\n');
  expect(lines).toContain('callout_http_requests_total{method="other",route="other",status="404"} 2\n');
});

it('counts requests that wait, and leaves their durations out of the histogram', async () => {
  const { onResponse, text } = createApiMetrics({ version: '1.2.3', clockAheadMs: () => 0, catalogue, pools });
  const route = '/CompanyWebhooks/:id/Pull';
  onResponse({ method: 'POST', route, status: 200, durationMs: 20_000, mayWait: true });
  const lines = await text();
  expect(lines).toContain('callout_http_requests_total{method="POST",route="/:webhooks/:id/Pull",status="200"} 1\n');
  expect(lines).not.toContain('callout_http_request_duration_seconds_count');
});

it('has fewer than 5,000 series when every route of the API was called and refused once', async () => {
  const { onResponse, text } = createApiMetrics({ version: '1.2.3', clockAheadMs: () => 0, catalogue, pools });
  const { paths } = (await ownDocument()).document;
  for (const [path, operations] of Object.entries(paths)) {
    const route = path.replace('/v1.0', '').replaceAll(/\{(\w+)\}/gu, ':$1');
    for (const method of Object.keys(operations)) {
      for (const status of [200, 400]) {
        onResponse({ method: method.toUpperCase(), route, status, durationMs: 3, mayWait: false });
      }
    }
  }
  const series = (await text()).split('\n').filter((line) => line.startsWith('callout_'));
  expect(series.length).toBeGreaterThan(500);
  expect(series.length).toBeLessThan(5_000);
});

it('counts commits with their events, and failed commits apart', async () => {
  const { onCommit, text } = createApiMetrics({ version: '1.2.3', clockAheadMs: () => 0, catalogue, pools });
  onCommit(3, 12, true, () => []);
  onCommit(40, 5_000, false, () => []);
  const lines = await text();
  expect(lines).toContain('callout_intake_commit_duration_seconds_count{result="stored"} 1\n');
  expect(lines).toContain('callout_intake_commit_duration_seconds_count{result="failed"} 1\n');
  expect(lines).toContain('callout_intake_commit_events_sum 3\n');
  expect(lines).toContain('callout_intake_events_total 3\n');
});

it('reports how the pools of the process are used, and its version', async () => {
  const lines = await createApiMetrics({ version: '1.2.3', clockAheadMs: () => 0, catalogue, pools }).text();
  expect(lines).toContain('callout_database_pool_connections{pool="sets",state="idle"} 2\n');
  expect(lines).toContain('callout_database_pool_connections{pool="sets",state="busy"} 3\n');
  expect(lines).toContain('callout_database_pool_waiting{pool="sets"} 1\n');
  expect(lines).toContain('callout_build_info{version="1.2.3"} 1\n');
});
