import { describe, expect, it } from '@jest/globals';
import { isolationSize } from './isolation/isolation-bench.ts';
import { parseOptions } from './options.ts';

describe('--log', () => {
  it('goes with no option about events, and needs enough to page through', () => {
    expect(parseOptions(['--log', '1000', '--rate', '5'])).toEqual({
      kind: 'refused',
      problems: ['--log sends no events, so --rate cannot go with it'],
    });
    expect(parseOptions(['--log', '999']).kind).toBe('refused');
  });
});

describe('--isolation', () => {
  it('has a load of its own, of which only the rate can be chosen', () => {
    expect(parseOptions(['--isolation', '--fanout', '3', '--rate', '8'])).toEqual({
      kind: 'refused',
      problems: ['--isolation has its own load, so --fanout cannot go with it'],
    });
    const parsed = parseOptions(['--isolation', '--rate', '8']);
    expect(parsed.kind === 'run' && isolationSize(parsed.options)).toMatchObject({ eventsPerS: 8, eventsPerRound: 80 });
    expect(parseOptions(['--cycles', '3'])).toMatchObject({ kind: 'refused' });
  });
});

describe('--search', () => {
  it('goes with no option about events', () => {
    expect(parseOptions(['--search', '10', '--rate', '5', '--fanout', '2'])).toEqual({
      kind: 'refused',
      problems: ['--search sends no events, so --rate, --fanout cannot go with it'],
    });
    expect(parseOptions(['--search', '5000001']).kind).toBe('refused');
  });
});

describe('--history', () => {
  it('has loads of its own, needs enough to page through, and can be kept', () => {
    expect(parseOptions(['--history', '1000', '--rate', '5'])).toEqual({
      kind: 'refused',
      problems: ['--history has its own loads, so --rate cannot go with it'],
    });
    expect(parseOptions(['--history', '999']).kind).toBe('refused');
    expect(parseOptions(['--keep'])).toEqual({ kind: 'refused', problems: ['--keep goes with --history only'] });
    expect(parseOptions(['--history', '1000', '--keep', '--cycles', '3'])).toMatchObject({
      kind: 'run',
      options: { history: 1000, keep: true, cycles: 3 },
    });
  });
});
