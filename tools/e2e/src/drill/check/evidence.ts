import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AppProcess } from '@callout/testing';
import type { LedgerEntry } from '../traffic/ledger.ts';

/** Stores the evidence of a failed drill: inconsistencies, logs, and the client's book. @returns the directory. */
export async function keepEvidence(
  seed: string,
  processes: readonly AppProcess[],
  ledger: readonly LedgerEntry[],
  problems: readonly string[],
): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), `callout-drill-failed-${seed.replaceAll(/\W/g, '_')}-`));
  for (const [nth, process] of processes.entries()) {
    await writeFile(path.join(dir, `${nth} ${process.name}.log`), process.output());
  }
  await writeFile(path.join(dir, 'problems.txt'), problems.join('\n'));
  await writeFile(path.join(dir, 'ledger.json'), JSON.stringify(ledger, null, 1));
  return dir;
}
