import { describe, expect, it } from '@jest/globals';
import { logRepeats } from './log-repeats.ts';

describe('logRepeats', () => {
  it('logs an error at once, then once a minute with how often it came, and others besides', () => {
    const lines: unknown[] = [];
    let nowMs = 0;
    const refused = new Error('refused');
    const other = new Error('out of memory');
    const log = {
      lines,
      // As a logger does, it needs its `this`.
      warn(fields: Record<string, unknown>, message: string) {
        this.lines.push([message, fields]);
      },
    };
    const logError = logRepeats(log, 'away', { now: () => nowMs });
    for (const err of [refused, refused, other, refused]) logError(err);
    nowMs = 60_000;
    for (const err of [refused, refused]) logError(err);
    expect(lines).toEqual([
      ['away', { err: refused }],
      ['away', { err: other }],
      ['away', { err: refused, repeats: 2 }],
    ]);
  });

  it('says no less when the clock was set back', () => {
    let [nowMs, lines] = [3_600_000, 0];
    const logError = logRepeats({ warn: () => (lines += 1) }, 'away', { now: () => nowMs });
    logError('refused');
    nowMs = 0;
    logError('refused');
    logError('refused');
    expect(lines).toBe(2);
  });
});
