import { readdir, readFile } from 'node:fs/promises';

/** What a process and all processes below it have used so far. */
export interface TreeUse {
  readonly cpuS: number;
  /**
   * Of the largest process of the tree. Not the sum: PostgreSQL's processes share most of their memory, and each would
   * count it again.
   */
  readonly peakBytes: number;
}

/** One line of /proc/<pid>/stat. */
interface ProcessStat {
  readonly pid: number;
  readonly parentPid: number;
  /** CPU seconds, in user and kernel mode, of all its threads, and of its children that ended. */
  readonly cpuS: number;
}

/** The kernel counts in ticks for programs; 100 per second on every architecture that Node runs on. */
const TICKS_PER_S = 100;

/** Undefined where there is no /proc, or no such process. */
export async function readTree(rootPid: number): Promise<TreeUse | undefined> {
  const tree = treeOf(rootPid, await allProcesses());
  if (tree.length === 0) return undefined;
  const peaks = await Promise.all(tree.map(async ({ pid }) => parsePeakBytes((await readProc(pid, 'status')) ?? '')));
  return {
    cpuS: tree.reduce((sum, { cpuS }) => sum + cpuS, 0),
    peakBytes: Math.max(...peaks),
  };
}

/** The words of a process's command line; undefined where there is no such process. */
async function commandOf(pid: number): Promise<string | undefined> {
  const line = await readProc(pid, 'cmdline');
  return line?.replaceAll('\0', ' ').trim();
}

/** The topmost process whose command line contains `text`. */
export async function processWithCommand(text: string): Promise<number | undefined> {
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
async function readProc(pid: number, file: string): Promise<string | undefined> {
  try {
    return (await readFile(`/proc/${pid}/${file}`, 'utf8')).trim();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(code)) return undefined;
    throw error;
  }
}

/** Reads `pid (command) state ppid …`; the command may hold blanks and brackets, so fields count from the last bracket. */
export function parseProcessStat(text: string): ProcessStat {
  const [state, parentPid, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [userTicks, kernelTicks, childrenUserTicks, childrenKernelTicks] = rest.slice(9, 13).map(Number);
  if (state === undefined || childrenKernelTicks === undefined) throw new Error(`no line of /proc/<pid>/stat: ${text}`);
  const ticks = (userTicks ?? 0) + (kernelTicks ?? 0) + (childrenUserTicks ?? 0) + childrenKernelTicks;
  return { pid: Number.parseInt(text, 10), parentPid: Number(parentPid), cpuS: ticks / TICKS_PER_S };
}

/** The processes below `root`, and itself. */
export function treeOf(root: number, all: readonly ProcessStat[]): ProcessStat[] {
  const tree = all.filter((process) => process.pid === root);
  for (const member of tree) tree.push(...all.filter((process) => process.parentPid === member.pid));
  return tree;
}

/** From /proc/<pid>/status: the most memory that was resident at any time; 0 of a process of the kernel. */
export function parsePeakBytes(status: string): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
