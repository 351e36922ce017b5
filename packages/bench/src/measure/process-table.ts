import { readdir, readFile } from 'node:fs/promises';
import { parseMachineCpuS, parseMemory, parseProcessStat, treeOf, type ProcessStat } from './process-stat.ts';

/** What a process and all processes below it have used so far. */
export interface TreeUse {
  readonly cpuS: number;
  /**
   * Of the largest process of the tree. Not the sum: PostgreSQL's processes share most of their memory, and each would
   * count it again.
   */
  readonly peakBytes: number;
}

/** Undefined where there is no /proc, or no such process. */
export async function readTree(rootPid: number): Promise<TreeUse | undefined> {
  const tree = treeOf(rootPid, await allProcesses());
  if (tree.length === 0) return undefined;
  const peaks = await Promise.all(
    tree.map(async ({ pid }) => parseMemory((await readProc(pid, 'status')) ?? '').peakBytes),
  );
  return {
    cpuS: tree.reduce((sum, { cpuS }) => sum + cpuS, 0),
    peakBytes: Math.max(...peaks.map((peak) => peak ?? 0)),
  };
}

/** Memory of a process that is resident now; undefined where there is no /proc, or no such process. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  return parseMemory((await readProc(pid, 'status')) ?? '').residentBytes;
}

/** CPU seconds that the whole machine has used so far; undefined where there is no /proc. */
export async function readMachineCpuS(): Promise<number | undefined> {
  return parseMachineCpuS((await readProc('', 'stat')) ?? '');
}

/** The parent of a process, provided that the command of both begins like this. */
export async function parentOf(pid: number, command: string): Promise<number | undefined> {
  const parent = (await allProcesses()).find((process) => process.pid === pid)?.parentPid;
  if (parent === undefined) return undefined;
  const commands = await Promise.all([pid, parent].map(async (pid) => await readProc(pid, 'comm')));
  return commands.every((name) => name?.startsWith(command)) ? parent : undefined;
}

/** The words of a process's command line; undefined where there is no such process. */
export async function commandOf(pid: number): Promise<string | undefined> {
  const line = await readProc(pid, 'cmdline');
  return line?.replaceAll('\0', ' ').trim();
}

/** The topmost process whose command line names `text`. */
export async function processWithCommand(text: string | undefined): Promise<number | undefined> {
  if (text === undefined) return undefined;
  const found: ProcessStat[] = [];
  for (const process of await allProcesses()) {
    if ((await commandOf(process.pid))?.includes(text) === true) found.push(process);
  }
  const pids = new Set(found.map(({ pid }) => pid));
  return found.find(({ parentPid }) => !pids.has(parentPid))?.pid;
}

async function allProcesses(): Promise<ProcessStat[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(pids.map((pid) => readProc(pid, 'stat')));
  return stats.flatMap((text) => (text === undefined ? [] : [parseProcessStat(text)]));
}

/** Undefined when the process is gone, or when there is no /proc. */
async function readProc(pid: number | '', file: string): Promise<string | undefined> {
  try {
    return (await readFile(`/proc/${pid}/${file}`, 'utf8')).trim();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(code)) return undefined;
    throw error;
  }
}
