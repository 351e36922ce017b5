import type { Scraped } from './scraped.fixture.ts';

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}

/** The metrics of Callout itself in a text that Prometheus reads, in its order. */
const declared = (text: string): Metric[] =>
  [...text.matchAll(/^# HELP (callout_\w+) (.+)\n# TYPE \S+ (\w+)$/gmu)].map(([, name = '', help = '', type = '']) => ({
    name,
    type,
    help,
  }));

/** The whole text of `docs/metrics.md`: what a running API and a running worker declare. */
export function metricsPage({ api, worker }: Scraped): string {
  const [ofApi, ofWorker] = [declared(api), declared(worker)];
  const isIn = (some: readonly Metric[], name: string) => some.some((one) => one.name === name);
  const only = (some: readonly Metric[], others: readonly Metric[]) => some.filter(({ name }) => !isIn(others, name));
  const both = ofWorker.filter(({ name }) => isIn(ofApi, name));
  return `# Metrics

[watching.md](watching.md) says where they are, and which of them to look at first.
This page is generated from what the processes declare.

## Worker

${table(only(ofWorker, ofApi))}

## API

${table(only(ofApi, ofWorker))}

## Both

${table(both)}

Both also report \`process_…\` and \`nodejs_…\`: CPU, memory, the delay of the event loop (\`nodejs_eventloop_lag_p99_seconds\`) and garbage collection.
`;
}

/** Padded as the formatter pads a table. */
function table(metrics: readonly Metric[]): string {
  const rows = [['Metric', 'Type', 'Meaning'], ...metrics.map(({ name, type, help }) => [`\`${name}\``, type, help])];
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width, fill)).join(' | ')} |`;
  const [head = '', ...body] = rows.map((row) => line(row));
  return [head, line([], '-'), ...body].join('\n');
}
