import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { answers } from './answers.ts';
import { failures, makeFailure, type FailureKind } from './failures.ts';
import { attemptFailureReasons } from './outcome.ts';

const kinds = Object.keys(failures) as FailureKind[];
/** The cells of its tables, without the padding of the formatter. */
const cells = new Set(
  readFileSync(new URL('../../../../docs/deliveries.md', import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line) => line.split('|'))
    .map((cell) => cell.trim()),
);

describe('a failure', () => {
  it.each(kinds)('%s has two sentences, what happened and what to do', (kind) => {
    const { reason, message } = makeFailure(kind, 'hooks.example.com', '$& 10 s');
    expect(attemptFailureReasons).toContain(reason);
    expect(message).toMatch(/^[^{}]+\. [A-Z][^{}]+\.$/u);
    if (failures[kind].says.includes('{host}')) expect(message).toContain('hooks.example.com');
    if (failures[kind].says.includes('{detail}')) expect(message).toContain('$& 10 s');
  });

  it.each(attemptFailureReasons)('has a sentence for the reason %s', (reason) => {
    expect(Object.values(failures).map((failure) => failure.reason)).toContain(reason);
  });

  it.each(kinds)('%s is in docs/deliveries.md with its remedy', (kind) => {
    const { reason, says, remedy } = failures[kind];
    // These are no attempts, and nothing about them is stored.
    if (reason === 'busy' || reason === 'aborted' || reason === 'proxyUnavailable')
      return expect(cells).not.toContain(`\`${reason}\``);
    expect(cells).toContain(`\`${reason}\``);
    expect(cells).toContain(says.replace('{host}', '_host_').replace('{detail}', '…'));
    expect(cells).toContain(remedy);
  });

  it.each(Object.entries(answers))(
    '%s of a receiver is in docs/deliveries.md with its remedy',
    (status, [what, remedy]) => {
      for (const cell of [status, what, remedy]) expect(cells).toContain(cell);
    },
  );
});
