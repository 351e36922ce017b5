import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import type { ProblemDetail } from '../problem.ts';
import { eventOfTicket, ticketFields } from './condition.fixture.ts';
import { compileCondition, fulfils } from './judge-condition.ts';
import { readCondition } from './read-condition.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../../../docs/conditions.md'), 'utf8');

it('the example in the documents holds for a ticket that became complete in one of three queues', () => {
  const example: unknown = JSON.parse(/```json\n(.*?)```/su.exec(page)?.[1] ?? '');
  const problems: ProblemDetail[] = [];
  const compiled = compileCondition(readCondition(example, ticketFields, problems));
  expect(problems).toEqual([]);
  const completed = (queueID: string, priority: string) =>
    fulfils(eventOfTicket({ status: '5', queueID, priority }, { status: '1' }), compiled);
  expect([completed('2', '1'), completed('4', '1'), completed('2', '4')]).toEqual([true, false, false]);
});
