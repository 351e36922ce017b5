import { describe, expect, it } from '@jest/globals';
import { failures, makeFailure, type FailureKind } from './failures.ts';
import { attemptFailureReasons } from './outcome.ts';

const kinds = Object.keys(failures) as FailureKind[];

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
});
