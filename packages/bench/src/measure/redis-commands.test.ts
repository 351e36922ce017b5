import { describe, expect, it } from '@jest/globals';
import { commandsBetween, parseCommandStats } from './redis-commands.ts';

const before = parseCommandStats(
  '# Commandstats\r\ncmdstat_info:calls=3,usec=9\r\ncmdstat_evalsha:calls=10,usec=500,usec_per_call=50.00\r\n',
);
const after = parseCommandStats(
  '# Commandstats\r\ncmdstat_info:calls=9,usec=9\r\ncmdstat_evalsha:calls=25,usec=900\r\ncmdstat_config|get:calls=2,usec=1\r\n',
);

describe('parseCommandStats', () => {
  it('counts calls by command, without those that only watch', () => {
    expect(Object.fromEntries(after)).toEqual({ evalsha: 25, 'config|get': 2 });
  });
});

describe('commandsBetween', () => {
  it('is what was added, also of commands that were not known before', () => {
    expect(commandsBetween(before, after)).toBe(17);
  });
});
