import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readQuery } from './promql.fixture.ts';
import { declaredNames, scraped } from './scraped.fixture.ts';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool)
  process.stderr.write('== not run: when the alerts of Prometheus fire, since promtool is not on PATH\n');

const root = path.resolve(import.meta.dirname, '../../../..');
const read = (file: string): Promise<string> => readFile(path.join(root, file), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook: string };
}

async function rules(): Promise<Rule[]> {
  const { groups } = parse(await read('deploy/prometheus/rules.yaml')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap((group) => group.rules);
}

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}

/** The queries of the dashboard, with the interval that Grafana would put in. */
async function queries(): Promise<string[]> {
  const { panels } = JSON.parse(await read('deploy/grafana/callout.json')) as { panels: Panel[] };
  expect(panels.filter(({ type, targets }) => type !== 'row' && !targets?.length)).toEqual([]);
  return panels.flatMap(({ targets }) => targets ?? []).map(({ expr }) => expr.replaceAll('$__rate_interval', '1m'));
}

/** Labels that Prometheus adds, and the metric that it makes itself. */
const ofPrometheus = new Set(['job', 'instance', 'le']);

/** Every name in a query that the processes do not report. */
function unknownIn(query: string): string[] {
  const text = `${scraped.api}\n${scraped.worker}`;
  const names = new Set([...declaredNames(text), 'up']);
  const unknown: string[] = [];
  const { selected, groupedBy } = readQuery(query);
  for (const { metric, labels } of selected) {
    const base = names.has(metric) ? metric : metric.replace(/_(bucket|sum|count)$/, '');
    if (!names.has(base)) unknown.push(metric);
    for (const label of [...labels.map(([name]) => name), ...groupedBy]) {
      if (ofPrometheus.has(label)) continue;
      // A counter without an event has no labels yet; then the declaration in the code is the only source.
      const samples = [...text.matchAll(new RegExp(`^${metric}\\{(.*?)\\} `, 'gm'))];
      if (samples.length > 0 && !samples.some(([, found = '']) => found.includes(`${label}="`))) {
        unknown.push(`${metric}{${label}}`);
      }
    }
  }
  return unknown;
}

describe('the alerts', () => {
  it('name nothing that a running API and worker do not report', async () => {
    const all = await rules();
    expect(all.length).toBeGreaterThan(15);
    expect(all.flatMap(({ expr }) => unknownIn(expr))).toEqual([]);
    expect(all.every(({ expr }) => readQuery(expr).selected.length > 0)).toBe(true);
  });

  it('look back over some time, since a failed scrape leaves no value', async () => {
    const selected = (await rules()).flatMap(({ expr }) => readQuery(expr).selected);
    // Prometheus makes `up` itself, also of a failed scrape.
    expect(selected.filter(({ metric, isRange }) => !isRange && metric !== 'up')).toEqual([]);
  });

  it('are each expected to fire by a test, which promtool runs', async () => {
    const tested = [
      ...(await read('deploy/prometheus/rules.test.yaml')).matchAll(/alertname="(\w+)"\}', value: [12]/g),
    ];
    const names = (await rules()).map(({ alert }) => alert);
    expect(new Set(tested.map(([, name = '']) => name))).toEqual(new Set(names));
  });

  if (hasPromtool) {
    it('fire where they should, and where they should not do not', async () => {
      const test = promisify(execFile)('promtool', ['test', 'rules', 'rules.test.yaml'], {
        cwd: path.join(root, 'deploy/prometheus'),
      });
      expect((await test).stdout).toContain('SUCCESS');
    });
  }

  it('wait, say how severe they are, and have a row on what to do, in alphabetical order', async () => {
    const page = await read('docs/troubleshooting.md');
    expect(page).toMatch(/^## Alerts$/mu);
    const rows = [...page.matchAll(/^\| `(Callout\w+)` +\| \S/gmu)].map(([, alert]) => alert);
    expect(rows).toEqual((await rules()).map(({ alert }) => alert).toSorted());
    for (const { for: lasting, labels, annotations } of await rules()) {
      expect(lasting).toMatch(/^\d+[smh]$/);
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary.length * annotations.description.length).toBeGreaterThan(0);
      expect(annotations.runbook).toBe('docs/troubleshooting.md#alerts');
    }
  });
});

it('the dashboard queries nothing that a running API and worker do not report', async () => {
  const all = await queries();
  expect(all.length).toBeGreaterThan(40);
  expect(all.flatMap(unknownIn)).toEqual([]);
});

it('a name that does not exist would be found', () => {
  expect(unknownIn('sum(rate(callout_calls_totl{outcome="failed"}[5m])) > 0')).toEqual(['callout_calls_totl']);
  expect(unknownIn('sum by (hostname) (callout_calls_total)')).toEqual(['callout_calls_total{hostname}']);
  expect(() => readQuery('sum(rate(callout_calls_total[5m])')).toThrow('not understood');
});

describe('the profile `watch` of Docker Compose', () => {
  it('mounts files that exist, and scrapes jobs by the names that the alerts use', async () => {
    const compose = parse(await read('docker/compose.yaml'), { merge: true }) as {
      services: Record<string, { profiles?: string[]; volumes?: string[]; image: string }>;
    };
    const watching = Object.values(compose.services).filter(({ profiles }) => profiles?.includes('watch'));
    expect(watching).toHaveLength(3);
    const files = watching.flatMap(({ volumes = [] }) => volumes).map((one) => one.split(':')[0] ?? '');
    const mounted = files.filter((file) => file.startsWith('.'));
    expect(mounted).toHaveLength(6);
    for (const file of mounted) expect(parse(await read(path.join('docker', file)))).toBeTruthy();
    expect(watching.every(({ image }) => /:v?\d+\.\d+\.\d+$/.test(image))).toBe(true);
    const { scrape_configs: jobs } = parse(await read('docker/prometheus.yaml')) as {
      scrape_configs: { job_name: string }[];
    };
    expect(jobs.map((job) => job.job_name)).toEqual(['callout-api', 'callout-worker']);
  });

  it('gives Grafana a data source, which the dashboard lets one choose', async () => {
    const { templating } = JSON.parse(await read('deploy/grafana/callout.json')) as {
      templating: { list: { name: string; type: string }[] };
    };
    expect(templating.list).toContainEqual(expect.objectContaining({ name: 'datasource', type: 'datasource' }));
  });
});
