import { expect, it, jest } from '@jest/globals';
import { addCounter, addHistogram, addTracedHistogram } from './observed.ts';
import { addProcessMetrics } from './process-metrics.ts';
import { addReadGauge } from './read-gauge.ts';
import { createRegistry, metricsOf } from './registry.ts';

it('observes values with their labels', async () => {
  const registry = createRegistry();
  const observe = addHistogram(registry, { name: 'took_seconds', help: 'Took.', labels: ['route'], buckets: [0.1, 1] });
  const count = addCounter(registry, { name: 'done_total', help: 'Done.' });
  observe(0.05, '/a');
  observe(0.5, '/a');
  count(3);
  const text = await registry.metrics();
  expect(text).toContain('took_seconds_bucket{le="0.1",route="/a"} 1\n');
  expect(text).toContain('took_seconds_count{route="/a"} 2\n');
  expect(text).toContain('done_total 3\n');
});

it('counts a value in each bucket whose bound is not below it, and refuses what is no number', async () => {
  const registry = createRegistry();
  const observe = addHistogram(registry, { name: 'took_seconds', help: 'Took.', labels: ['route'], buckets: [0.1, 1] });
  for (const value of [0, 0.1, 0.5, 7]) observe(value, '/a');
  expect(() => observe(Number.NaN, '/a')).toThrow(TypeError);
  const text = await registry.metrics();
  const lines = text
    .split('\n')
    .flatMap((line) => /^took_seconds_(.*)\{(?:le="(.*?)",)?route="\/a"\} (.*)$/u.exec(line)?.slice(1).join(' ') ?? []);
  expect(lines).toEqual(['bucket 0.1 2', 'bucket 1 3', 'bucket +Inf 4', 'sum  7.6', 'count  4']);
});

it('keeps one value for each combination of labels, and refuses too few or too many', async () => {
  const registry = createRegistry();
  const count = addCounter(registry, { name: 'done_total', help: 'Done.', labels: ['method', 'status'] });
  for (const status of ['200', '404', '200']) count(1, 'GET', status);
  count(1, '200', 'GET');
  const text = await registry.metrics();
  for (const line of ['method="GET",status="200"} 2', 'method="GET",status="404"} 1', 'method="200",status="GET"} 1']) {
    expect(text).toContain(`done_total{${line}\n`);
  }
  expect(() => count(1, 'GET')).toThrow('labels are method, status');
  expect(() => count(1, 'GET', '200', 'more')).toThrow('labels are method, status');
});

it('shows known values of a label as 0 before they come, so that the first failure has a rate', async () => {
  const registry = createRegistry();
  const known = { labels: ['result'], known: ['done', 'failed'] };
  addHistogram(registry, { name: 'took_seconds', help: 'Took.', ...known, buckets: [0.1] })(0.05, 'done');
  addCounter(registry, { name: 'rounds_total', help: 'Rounds.', ...known })(1, 'done');
  const text = await registry.metrics();
  expect(text).toContain('took_seconds_bucket{le="0.1",result="failed"} 0\n');
  expect(text).toContain('took_seconds_count{result="done"} 1\n');
  expect(text).toContain('rounds_total{result="done"} 1\nrounds_total{result="failed"} 0\n');
});

it('reads gauges anew at each scrape, and forgets labels that are gone', async () => {
  const registry = createRegistry();
  let states: Record<string, number> = { idle: 1 };
  addReadGauge(registry, {
    name: 'connections',
    help: 'Connections.',
    labels: ['state'],
    read: () => Object.entries(states).map(([state, number]) => [number, state] as const),
  });
  expect(await registry.metrics()).toContain('connections{state="idle"} 1\n');
  states = { busy: 2 };
  const text = await registry.metrics();
  expect(text).toContain('connections{state="busy"} 2\n');
  expect(text).not.toContain('idle');
});

it('reports on the process itself', async () => {
  const registry = createRegistry();
  addProcessMetrics(registry, { version: '1.2.3', clockAheadMs: () => 0 });
  const text = await registry.metrics();
  expect(text).toContain('callout_build_info{version="1.2.3"} 1\n');
  for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds', 'nodejs_heap_size_used_bytes']) {
    expect(text).toContain(`# TYPE ${name}`);
  }
});

const traceId = 'a'.repeat(32);

it('names the trace of a value only where the form of the text can', async () => {
  const options = { name: 'took_seconds', help: 'Took.', labels: ['route'], buckets: [0.1, 1] };
  const asked = jest.fn(() => [null, `00-${traceId}-00f067aa0ba902b7-01`]);
  const plain = createRegistry();
  addTracedHistogram(plain, options)(0.05, asked, '/a');
  expect(asked).not.toHaveBeenCalled();
  expect(metricsOf(plain).contentType).toMatch(/^text\/plain/);
  expect(await metricsOf(plain).text()).toContain('took_seconds_bucket{le="0.1",route="/a"} 1\n');

  const open = createRegistry({ hasExemplars: true });
  const observe = addTracedHistogram(open, options);
  addCounter(open, { name: 'done_total', help: 'Done.' })(1);
  observe(0.05, asked, '/a');
  observe(0.5, () => [], '/a');
  expect(metricsOf(open).contentType).toMatch(/^application\/openmetrics-text/);
  const text = await metricsOf(open).text();
  expect(text).toMatch(/took_seconds_bucket\{le="0.1",route="\/a"\} 1 # \{trace_id="a{32}"\} 0.05 \d/);
  expect(text).toMatch(/took_seconds_bucket\{le="1",route="\/a"\} 2\n/);
  expect(text).toContain('\ndone_total 1\n');
  expect(text.endsWith('# EOF\n')).toBe(true);
});
