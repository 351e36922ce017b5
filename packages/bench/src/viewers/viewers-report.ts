import { paddedTable } from '../report/padded-table.ts';
import { mebibytes, wholeNumber } from '../report/quantities.ts';
import type { ViewersResult } from './viewers-bench.ts';

/** The result as a Markdown table, with the conditions of the run above it. */
export function renderViewersReport({ viewers, machine, residentBytesBefore, rounds }: ViewersResult): string {
  const head = ['events/s', 'told/s', 'left out', 'API, of one core', 'API, resident'];
  const rows = rounds.map(({ eventsPerS, toldPerS, lost, cpuShare, residentBytes }) => [
    wholeNumber(eventsPerS),
    wholeNumber(toldPerS),
    wholeNumber(lost),
    `${(100 * cpuShare).toFixed(1)} %`,
    mebibytes(residentBytes),
  ]);
  return [
    `Run:      ${wholeNumber(viewers)} viewers of one API, which has ${mebibytes(residentBytesBefore)} without them`,
    `Machine:  ${machine}`,
    '',
    ...paddedTable([head, ...rows]),
    '',
  ].join('\n');
}
