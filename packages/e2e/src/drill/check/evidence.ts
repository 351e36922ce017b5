import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AppProcess } from '@callout/testing';
import type { LedgerEntry } from '../traffic/ledger.ts';

/** Keeps what is needed to find out why a drill failed: each process's log and the client's book. @returns where. */
export async function keepEvidence(
  seed: string,
  processes: readonly AppProcess[],
  ledger: readonly LedgerEntry[],
): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), `callout-drill-failed-${seed.replaceAll(/\W/g, '_')}-`));
  for (const [nth, process] of processes.entries()) {
    await writeFile(path.join(dir, `${nth} ${process.name}.log`), process.output());
  }
  await writeFile(path.join(dir, 'ledger.json'), JSON.stringify(ledger, null, 1));
  return dir;
}
