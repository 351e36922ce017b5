import { describe, expect, it } from '@jest/globals';
import { countCommands } from './usage.ts';

describe('countCommands', () => {
  it('adds up the calls of all commands except INFO', () => {
    const info =
      '# Commandstats\r\ncmdstat_info:calls=9,usec=9\r\ncmdstat_evalsha:calls=25,usec=900\r\ncmdstat_config|get:calls=2,usec=1\r\n';
    expect(countCommands(info)).toBe(27);
    expect(countCommands('')).toBe(0);
  });
});
