import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { commandOf, processWithCommand, readTree } from './process-table.ts';

/** Elsewhere everything is unknown. */
const hasProc = process.platform === 'linux';

describe('the process table', () => {
  it('counts what a child has used, also after it ended, as part of the tree', async () => {
    const before = await readTree(process.pid);
    // Until it has used 0.2 s, however long that takes.
    const child = spawn(process.execPath, ['-e', 'while (process.cpuUsage().user < 200_000);']);
    await once(child, 'exit');
    const after = await readTree(process.pid);
    expect(after !== undefined).toBe(hasProc);
    if (!hasProc) return;
    expect((after?.cpuS ?? 0) - (before?.cpuS ?? 0)).toBeGreaterThan(0.1);
    expect(after?.peakBytes).toBeGreaterThan(1e6);
  });

  it('finds the topmost process that names a text', async () => {
    const mark = `mark-${process.pid}-${Date.now()}`;
    // The inner shell inherits the command line's text; both wait for a line that never comes.
    const child = spawn('/bin/sh', ['-c', `/bin/sh -c 'read line; : ${mark}'; : ${mark}`]);
    await once(child, 'spawn');
    const command = await commandOf(child.pid ?? 0);
    expect(await processWithCommand(mark)).toBe(hasProc ? child.pid : undefined);
    expect(command?.includes(mark)).toBe(hasProc ? true : undefined);
    child.stdin.end();
    await once(child, 'exit');
  });

  it('knows nothing of a process that does not exist', async () => {
    expect(await readTree(2 ** 22 + 1)).toBeUndefined();
    expect(await commandOf(2 ** 22 + 1)).toBeUndefined();
  });
});
