import os from 'node:os';

/** The machine in words. */
export function describeMachine(): string {
  const cpus = os.cpus();
  const memory = `${Math.round(os.totalmem() / 2 ** 30)} GiB`;
  const system = `${os.type()} ${os.release()}`;
  return `${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown CPU'}, ${memory}, ${system}, Node ${process.version}`;
}
