import { describe, expect, it } from '@jest/globals';
import { helpText } from './help.ts';
import { numberOptions, parseOptions, type BenchOptions } from './options.ts';

function optionsOf(...args: string[]): BenchOptions {
  const parsed = parseOptions(args);
  if (parsed.kind !== 'run') throw new Error(`not accepted: ${JSON.stringify(parsed)}`);
  return parsed.options;
}

function problemsOf(...args: string[]): string {
  const parsed = parseOptions(args);
  if (parsed.kind !== 'refused') throw new Error(`not refused: ${JSON.stringify(parsed)}`);
  return parsed.problems.join('\n');
}

describe('parseOptions', () => {
  it('has a default for everything', () => {
    expect(optionsOf()).toEqual({
      events: 20_000,
      batch: 100,
      fanout: 1,
      payload: 1024,
      slow: 0,
      failing: 0,
      workers: 1,
      rate: 0,
      connections: 8,
      warmup: 0,
      search: 0,
      viewers: 0,
      log: 0,
      history: 0,
      keep: false,
      isolation: false,
      cycles: 2,
      acceptFirst: false,
      json: false,
      profile: undefined,
    });
  });

  it('reads every option, in both spellings', () => {
    const args =
      '--events 1_000 --batch=10 --fanout 4 --payload 512 --slow .25 --failing 0.5 --workers 2 --rate 50 --connections 64 --warmup 20_000';
    expect(optionsOf(...args.split(' '), '--accept-first', '--json', '--profile', 'here')).toEqual({
      events: 1000,
      batch: 10,
      fanout: 4,
      payload: 512,
      slow: 0.25,
      failing: 0.5,
      workers: 2,
      rate: 50,
      connections: 64,
      warmup: 20_000,
      search: 0,
      viewers: 0,
      log: 0,
      history: 0,
      keep: false,
      isolation: false,
      cycles: 2,
      acceptFirst: true,
      json: true,
      profile: 'here',
    });
  });

  it.each(['0', '1.5', '-1', 'many', '', '1e3', '1000001'])('refuses --events %j and says what it may be', (value) => {
    expect(problemsOf(`--events=${value}`)).toContain('--events must be a whole number from 1 to 1000000');
  });

  it('tells everything that is wrong at once', () => {
    expect(problemsOf('--events', 'x', '--slow', '2').split('\n')).toHaveLength(2);
  });

  it.each(['--nonsense', 'stray'])('refuses %s', (arg) => {
    expect(problemsOf(arg)).toContain(arg);
  });

  it('refuses a share that is no whole number of webhooks, and says which fan-out makes it one', () => {
    expect(problemsOf('--slow', '0.2')).toBe('--slow 0.2 of --fanout 1 is no whole number of webhooks: try --fanout 5');
    expect(optionsOf('--slow', '0.2', '--fanout', '5').slow).toBe(0.2);
    expect(optionsOf('--failing', '1').failing).toBe(1);
  });

  it('refuses shares that are more than everything', () => {
    expect(problemsOf('--slow', '0.5', '--failing', '1', '--fanout', '2')).toContain('more than all webhooks');
  });

  it('prefers help to everything else', () => {
    expect(parseOptions(['--help', '--events', 'x'])).toEqual({ kind: 'help' });
  });
});

describe('helpText', () => {
  it('names every option', () => {
    for (const name of [...Object.keys(numberOptions), 'json', 'profile', 'help']) {
      expect(helpText()).toContain(`--${name}`);
    }
  });
});
