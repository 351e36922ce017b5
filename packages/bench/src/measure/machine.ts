import { open, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { median, nowMs } from './latency.ts';

const PROBES = 50;
const PROBE_BYTES = 8192;

/** The machine in words. @param dataDir where our servers keep their data; undefined when they are not ours. */
export async function describeMachine(dataDir: string | undefined): Promise<string> {
  const cpus = os.cpus();
  const words = [
    `${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown CPU'}`,
    `${Math.round(os.totalmem() / 2 ** 30)} GiB`,
    `${os.type()} ${os.release()}`,
    `Node ${process.version}`,
  ];
  if (dataDir !== undefined) words.push(`fdatasync of 8 KiB takes ${(await fdatasyncMs(dataDir)).toFixed(2)} ms`);
  return words.join(', ');
}

/** Median of some writes: what a commit has to wait for at least. On a disk in memory it is next to nothing. */
async function fdatasyncMs(dir: string): Promise<number> {
  const file = path.join(dir, 'fdatasync-probe');
  const handle = await open(file, 'w');
  try {
    const block = Buffer.alloc(PROBE_BYTES, 1);
    const tookMs: number[] = [];
    for (let probe = 0; probe < PROBES; probe += 1) {
      const startedAtMs = nowMs();
      await handle.write(block, 0, block.length, probe * PROBE_BYTES);
      await handle.datasync();
      tookMs.push(nowMs() - startedAtMs);
    }
    return median(tookMs);
  } finally {
    await handle.close();
    await rm(file);
  }
}
