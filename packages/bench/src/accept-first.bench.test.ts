import { describe, expect, it } from '@jest/globals';
import { jsonLine } from './report/json-line.ts';
import { nothingLost, smallRun } from './small-run.fixture.ts';

describe('runBench', () => {
  it('measures a small run over the real processes, delivering afterwards, and loses nothing', async () => {
    const { run, result } = await smallRun('--accept-first', '--connections', '3');
    expect(result).toMatchObject(nothingLost);
    expect(JSON.parse(jsonLine(run, result))).toMatchObject({ lost: 0, duplicates: 0, bodyBytes: expect.any(Number) });
    expect(result.acceptance !== undefined).toBe(true);
  });
});
