import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ask } from './ask.ts';
import type { Question } from './question.ts';
import { idsOf } from './read-answer.ts';

let server: Server | undefined;

afterEach(async () => {
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

/** An API that answers everything alike. */
async function apiWith(status: number, body: unknown): Promise<string> {
  const started = createServer((_, response) => {
    response.writeHead(status, { Connection: 'close' }).end(JSON.stringify(body));
  });
  server = started;
  await new Promise((resolve) => started.listen(0, '127.0.0.1', () => resolve(undefined)));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

const question: Question = {
  name: 'a page',
  read: idsOf,
  look: () => Promise.resolve(),
  ask: () => ({ path: '/Callouts', expected: ['2', '1'] }),
};
const askAll = (apiUrl: string) => ask({ apiUrl, headers: {}, random: () => 0, times: 4 }, question);

describe('ask', () => {
  it('measures answers that are right, after some to warm up', async () => {
    const apiUrl = await apiWith(200, { items: [{ id: '2' }, { id: '1' }] });
    await expect(askAll(apiUrl)).resolves.toMatchObject({ refused: 0, asked: 7, tookMs: { length: 4 } });
  });

  it.each([[['1', '2']], [['2']], [[]]])('does not take %j for an answer', async (ids) => {
    const apiUrl = await apiWith(200, { items: ids.map((id) => ({ id })) });
    await expect(askAll(apiUrl)).rejects.toThrow(/^a page: \/Callouts was answered with .*, not \["2","1"\]$/);
  });

  it('asks once what is refused for taking too long', async () => {
    const apiUrl = await apiWith(400, { errors: [{ message: 'The query took longer than 10 s: narrow the filter' }] });
    await expect(askAll(apiUrl)).resolves.toMatchObject({ refused: 1, asked: 1, tookMs: { length: 1 } });
  });

  it('fails at every other refusal, and says what it was', async () => {
    const apiUrl = await apiWith(400, { errors: ['recordID must be an integer'] });
    await expect(askAll(apiUrl)).rejects.toThrow(/answered 400: .*recordID must be/);
  });
});
