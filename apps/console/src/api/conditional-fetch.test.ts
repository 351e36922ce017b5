import { expect, it } from '@jest/globals';
import { createConditionalFetch } from './conditional-fetch.ts';

/** An API whose answer at a path is its text, with the text as ETag. */
function aServer() {
  const texts = new Map<string, string>();
  const seen: string[] = [];
  const fetch = createConditionalFetch(async (request) => {
    const { pathname } = new URL(request.url);
    const etag = `"${texts.get(pathname) ?? ''}"`;
    const isKnown = request.headers.get('If-None-Match') === etag;
    seen.push(`${request.method} ${pathname} ${isKnown ? 304 : 200}`);
    if (isKnown) return new Response(null, { status: 304 });
    return new Response(texts.get(pathname) ?? '', { headers: { ETag: etag, 'X-Request-Id': String(seen.length) } });
  });
  const get = async (path: string) => (await fetch(new Request(`http://callout${path}`))).text();
  return { texts, seen, fetch, get };
}

it('reads an answer once until it changes, and keeps the answers of several paths apart', async () => {
  const { texts, seen, get } = aServer();
  texts.set('/a', 'first').set('/b', 'other');
  expect([await get('/a'), await get('/a'), await get('/b'), await get('/a')]).toEqual([
    'first',
    'first',
    'other',
    'first',
  ]);
  texts.set('/a', 'second');
  expect([await get('/a'), await get('/a')]).toEqual(['second', 'second']);
  expect(seen.map((one) => one.slice(-6))).toEqual(['/a 200', '/a 304', '/b 200', '/a 304', '/a 200', '/a 304']);
});

it('keeps no more than some answers, and asks unconditionally for the others', async () => {
  const { seen, get } = aServer();
  for (let nth = 0; nth < 31; nth += 1) await get(`/${nth}`);
  await get('/30');
  await get('/0');
  expect(seen.slice(-2)).toEqual(['GET /30 304', 'GET /0 200']);
});

it('sends writes as they are', async () => {
  const { texts, fetch, seen } = aServer();
  texts.set('/a', 'first');
  for (let nth = 0; nth < 2; nth += 1) await fetch(new Request('http://callout/a', { method: 'POST' }));
  expect(seen).toEqual(['POST /a 200', 'POST /a 200']);
});
