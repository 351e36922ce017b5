import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { chainStart, chainValue } from './chain.ts';

it('a chain has the values that the program in docs/digests.md computes and shows', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/digests.md'), 'utf8');
  const [, program = '', shown = ''] = /```js\n(.+?)```\n\n```\n(.+?)```/su.exec(page) ?? [];
  const args = ['--input-type=module', '--eval', program];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe(shown);
  const bodies = [...program.matchAll(/body: '(.+)',/gu)].map(([, body = '']) => body);
  let value = chainStart;
  const values = bodies.map((body, index) => {
    const sequenceNumber = index + 1;
    const id = `019bc0de-0000-7000-8000-00000000000${sequenceNumber}`;
    value = chainValue(value, { sequenceNumber, id, body });
    return `${sequenceNumber} ${value}\n`;
  });
  expect(values.join('')).toBe(shown);
});
