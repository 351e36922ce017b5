import { describe, expect, it } from '@jest/globals';
import { helpText } from './help.ts';
import { isolationSize } from './isolation/isolation-bench.ts';
import { numberOptions, parseOptions } from './options.ts';
import { usualLoads } from './plan.ts';
import { optionsOf } from './small-run.fixture.ts';

function problemsOf(...args: string[]): string {
  const parsed = parseOptions(args);
  if (parsed.kind !== 'refused') throw new Error(`not refused: ${JSON.stringify(parsed)}`);
  return parsed.problems.join('\n');
}

describe('parseOptions', () => {
  it('has a default for everything, which is to run the usual loads', () => {
    expect(optionsOf()).toEqual({
      loads: usualLoads,
      load: { name: 'the load', events: 20_000, batch: 100, fanout: 1, rate: 0, connections: 8, warmup: 0 },
      workers: 1,
      history: 0,
      isolation: false,
      json: false,
    });
    expect(optionsOf('--workers', '2').loads).toBe(usualLoads);
  });

  it('reads every option, in both spellings', () => {
    const args = '--events 1_000 --batch=10 --fanout 4 --workers 2 --rate 50 --connections 64 --warmup 20_000';
    const load = { events: 1000, batch: 10, fanout: 4, rate: 50, connections: 64, warmup: 20_000 };
    expect(optionsOf(...args.split(' '), '--json')).toMatchObject({
      loads: [load],
      ...{ load, workers: 2, json: true },
    });
  });

  it.each(['0', '1.5', '-1', 'many', '', '1e3', '1000001'])('refuses --events %j and says what it may be', (value) => {
    expect(problemsOf(`--events=${value}`)).toContain('--events must be a whole number from 1 to 1000000');
  });

  it('reports everything that is wrong at once', () => {
    expect(problemsOf('--events', 'x', '--batch', '0').split('\n')).toHaveLength(2);
  });

  it.each(['--nonsense', 'stray'])('refuses %s', (arg) => {
    expect(problemsOf(arg)).toContain(arg);
  });

  it.each([
    [['--isolation', '--fanout', '3'], '--isolation does not go with --fanout'],
    [['--history', '1000', '--rate', '5'], '--history does not go with --rate'],
    [['--target', 'a.json', '--fanout', '3'], '--target does not go with --fanout'],
  ])('refuses %j', (args, problem) => {
    expect(problemsOf(...args)).toBe(problem);
  });

  it('lets the rate of --isolation be chosen', () => {
    expect(isolationSize(optionsOf('--isolation', '--rate', '8'))).toMatchObject({ eventsPerS: 8, eventsPerRound: 80 });
  });

  it('prefers help to everything else', () => {
    expect(parseOptions(['--help', '--events', 'x'])).toEqual({ kind: 'help' });
  });
});

describe('helpText', () => {
  it('names every option', () => {
    for (const name of [...Object.keys(numberOptions), 'json', 'help']) {
      expect(helpText()).toContain(`--${name}`);
    }
  });
});
