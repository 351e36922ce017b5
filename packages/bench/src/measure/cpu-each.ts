import { readTree } from './process-table.ts';

/**
 * CPU milliseconds that some processes, and all below them, take for each piece of work; NaN where it is not known. Time on
 * the clock depends on who else is at work; CPU time hardly does.
 */
export async function withCpuEach<T extends { readonly asked: number }>(
  pids: readonly number[],
  work: () => Promise<T>,
): Promise<T & { readonly cpuMsEach: number }> {
  const before = await cpuMs(pids);
  const done = await work();
  return { ...done, cpuMsEach: ((await cpuMs(pids)) - before) / done.asked };
}

async function cpuMs(pids: readonly number[]): Promise<number> {
  const trees = await Promise.all(pids.map((pid) => readTree(pid)));
  return trees.reduce((sum, tree) => sum + (tree?.cpuS ?? Number.NaN) * 1000, 0);
}
