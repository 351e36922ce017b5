import { nowMs } from '../clock.ts';
import { residentBytes } from './process-table.ts';

/** The memory of a process that was resident at some moment. */
export interface MemorySample {
  readonly atMs: number;
  readonly bytes: number;
}

const EVERY_MS = 100;

/** Watches the memory of a process until it is told to stop. */
export function sampleMemory(pid: number): { stop(): Promise<readonly MemorySample[]> } {
  const samples: MemorySample[] = [];
  let looking = Promise.resolve();
  const look = async () => {
    const bytes = await residentBytes(pid);
    if (bytes !== undefined) samples.push({ atMs: nowMs(), bytes });
  };
  const timer = setInterval(() => {
    looking = look();
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
      return samples;
    },
  };
}

/** Bytes on average in each third of a time; undefined where there is no sample. */
export interface MemoryOverTime {
  readonly first: number | undefined;
  readonly middle: number | undefined;
  readonly last: number | undefined;
}

export function memoryOverTime(samples: readonly MemorySample[]): MemoryOverTime {
  const fromMs = samples[0]?.atMs ?? 0;
  const tookMs = (samples.at(-1)?.atMs ?? 0) - fromMs;
  const third = (atMs: number) => (tookMs === 0 ? 2 : Math.min(2, Math.floor(((atMs - fromMs) / tookMs) * 3)));
  const thirds: number[][] = [[], [], []];
  for (const { atMs, bytes } of samples) thirds[third(atMs)]?.push(bytes);
  const [first, middle, last] = thirds.map((all) =>
    all.length === 0 ? undefined : all.reduce((sum, bytes) => sum + bytes, 0) / all.length,
  );
  return { first, middle, last };
}
