/** One line of /proc/<pid>/stat. */
export interface ProcessStat {
  readonly pid: number;
  readonly parentPid: number;
  /** CPU seconds, in user and kernel mode, of all its threads, and of its children that ended. */
  readonly cpuS: number;
}

/** The kernel counts in ticks for programs; 100 per second on every architecture that Node runs on. */
const TICKS_PER_S = 100;

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

/** From /proc/<pid>/status: the memory that is resident now, and the most that was at any time. */
export function parseMemory(status: string): { residentBytes: number | undefined; peakBytes: number | undefined } {
  const bytesOf = (name: string) => {
    const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  };
  return { residentBytes: bytesOf('VmRSS'), peakBytes: bytesOf('VmHWM') };
}

/** The first line of /proc/stat: CPU seconds that all processes of the machine have used; undefined when it is none. */
export function parseMachineCpuS(stat: string): number | undefined {
  const ticks = /^cpu +(.+)$/m.exec(stat)?.[1]?.split(' ').map(Number);
  if (ticks === undefined) return undefined;
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0] = ticks;
  return (user + nice + system + interrupts + softInterrupts) / TICKS_PER_S;
}
