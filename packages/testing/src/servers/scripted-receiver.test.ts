import { describe, expect, it } from '@jest/globals';
import { eventually } from '../eventually.ts';
import { forThisFile } from '../for-this-file.ts';
import { startScriptedReceiver } from './scripted-receiver.ts';

const receiver = forThisFile(startScriptedReceiver, (started) => started.stop());

const post = (path: string, body: string | Buffer = '', signal: AbortSignal | null = null) =>
  fetch(receiver.url(path), { method: 'POST', body, signal });

describe('startScriptedReceiver', () => {
  it('responds with 200 by default, and keeps the bytes as they arrived', async () => {
    const bytes = Buffer.from([0x7b, 0x00, 0xff, 0xfe, 0x7d]);
    expect((await post('/plain?a=b', bytes)).status).toBe(200);
    const [request] = receiver.requests('/plain?a=b');
    expect(request).toMatchObject({ method: 'POST', path: '/plain?a=b', headers: { 'content-length': '5' } });
    expect(request?.body.equals(bytes)).toBe(true);
  });

  it('responds on each path according to its script', async () => {
    receiver.script('/busy', { status: 429, headers: { 'retry-after': '7' }, body: 'later' });
    const answer = await post('/busy');
    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([429, '7', 'later']);
    expect((await post('/other')).status).toBe(200);
  });

  it('asks a function for every request, with how many that path has had', async () => {
    receiver.script('/flaky', ({ body }, nth) => ({ status: nth < 3 ? 500 : 200, body: `${nth} ${String(body)}` }));
    const answers = [];
    for (const body of ['a', 'b', 'c']) answers.push(await (await post('/flaky', body)).text());
    expect(answers).toEqual(['1 a', '2 b', '3 c']);
    expect(receiver.count('/flaky')).toBe(3);
    expect(receiver.count()).toBeGreaterThan(3);
  });

  it('breaks the connection, or reads the request and never responds', async () => {
    receiver.script('/reset', 'reset');
    await expect(post('/reset')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    receiver.script('/hang', 'hang');
    const impatient = new AbortController();
    const hanging = post('/hang', '', impatient.signal);
    await eventually(() => receiver.count('/hang') === 1);
    impatient.abort();
    await expect(hanging).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('responds after a delay', async () => {
    receiver.script('/slow', { status: 202, delayMs: 30 });
    expect((await post('/slow')).status).toBe(202);
  });

  it('can be stopped while a request hangs', async () => {
    const other = await startScriptedReceiver();
    other.script('/', 'hang');
    const hanging = fetch(other.url(), { method: 'POST' });
    await eventually(() => other.count() === 1);
    await Promise.all([other.stop(), expect(hanging).rejects.toThrow('fetch failed')]);
  });
});
