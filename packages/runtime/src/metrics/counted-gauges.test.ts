import { expect, it } from '@jest/globals';
import { addCountedGauges } from './counted-gauges.ts';
import { createRegistry } from './registry.ts';

/** Two gauges of one count, which fails while it is away. */
function gaugesOfOneCount() {
  const state = { nowMs: 1_000_000, counted: 0, isAway: false, errors: [] as unknown[] };
  const count = async () => {
    state.counted += 1;
    if (state.isAway) throw new Error('away');
    return { rows: state.counted, sinceMs: 1_000_000 };
  };
  const registry = createRegistry();
  const known = { name: 'is_known', help: 'Known.' };
  const onError = (error: unknown) => void state.errors.push(error);
  addCountedGauges(registry, { count, nowMs: () => state.nowMs, onError, known }, [
    { name: 'rows', help: 'Rows by kind.', label: 'kind', value: ({ rows }) => ({ new: rows, 'say "old"': 7 }) },
    { name: 'age_seconds', help: 'Age.', value: ({ sinceMs }, countedMs) => (countedMs - sinceMs) / 1000 },
  ]);
  return { state, scrape: () => registry.metrics() };
}

it('has all gauges by one count, with help, type and labels', async () => {
  const { state, scrape } = gaugesOfOneCount();
  expect(await scrape()).toBe(
    [
      '# HELP is_known Known.\n# TYPE is_known gauge\nis_known 1\n',
      '# HELP rows Rows by kind.\n# TYPE rows gauge\nrows{kind="new"} 1\nrows{kind="say \\"old\\""} 7\n',
      '# HELP age_seconds Age.\n# TYPE age_seconds gauge\nage_seconds 0\n',
    ].join('\n'),
  );
  expect(state.counted).toBe(1);
});

it('counts again after 15 s and not before, and what it found ages no further until then', async () => {
  const { state, scrape } = gaugesOfOneCount();
  await scrape();
  state.nowMs += 14_999;
  expect(await scrape()).toContain('age_seconds 0\n');
  expect(state.counted).toBe(1);
  state.nowMs += 1;
  const text = await scrape();
  expect(text).toContain('rows{kind="new"} 2\n');
  expect(text).toContain('age_seconds 15\n');
});

it('has no value while the count fails, says so, and asks no more often then', async () => {
  const { state, scrape } = gaugesOfOneCount();
  await scrape();
  state.isAway = true;
  state.nowMs += 15_000;
  for (const _scrape of [1, 2]) {
    const text = await scrape();
    expect(text).toContain('is_known 0\n');
    expect(text).not.toMatch(/^(rows|age_seconds)/m);
  }
  expect(state.counted).toBe(2);
  expect(state.errors).toEqual([new Error('away')]);
  state.isAway = false;
  state.nowMs += 15_000;
  expect(await scrape()).toContain('age_seconds 30\n');
});
