import { describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { runTestApi } from '../fixtures/run-test-api.ts';
import type { OpenApiDocument } from './document-types.ts';
import { operationsOf } from './fixtures/operations.ts';
import { documentPage } from './page.ts';

const api = runTestApi();

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(api.url + path, { method, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe.each(['/openapi.json', '/docs'])('%s', (path) => {
  it('is unchanged for who has it already', async () => {
    const first = await get(path);
    expect(first.status).toBe(200);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{43}"$/);
    // fetch asks for a new copy by itself when a validator is among the headers, unless it is told otherwise.
    const revalidate = async (known: string) => {
      const { status, text } = await get(path, { 'If-None-Match': known, 'Cache-Control': 'max-age=0' });
      return { status, isSame: text === first.text, isEmpty: text === '' };
    };
    expect(await revalidate(etag)).toEqual({ status: 304, isSame: false, isEmpty: true });
    expect(await revalidate('"another"')).toEqual({ status: 200, isSame: true, isEmpty: false });
  });

  it('is compressed for who can read it so', async () => {
    const plain = await get(path, { 'Accept-Encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(Number(plain.headers.get('content-length'))).toBe(Buffer.byteLength(plain.text));
    const gzipped = await get(path, { 'Accept-Encoding': 'gzip' });
    expect(gzipped.headers.get('content-encoding')).toBe('gzip');
    expect(gzipped.headers.get('vary')).toBe('Accept-Encoding');
    expect(Number(gzipped.headers.get('content-length'))).toBeLessThan(100_000);
    expect(gzipped.text === plain.text).toBe(true);
  });

  it('answers HEAD without a body and refuses to be written', async () => {
    await expect(get(path, {}, 'HEAD')).resolves.toMatchObject({ status: 200, text: '' });
    const refused = await get(path, {}, 'POST');
    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('GET /docs', () => {
  it('shows every operation of the document and every schema', async () => {
    const { text } = await get('/docs');
    const document = JSON.parse((await get('/openapi.json')).text) as OpenApiDocument;
    const shown: string[] = [];
    for (const { method, path } of operationsOf(document)) {
      shown.push(`>${method}</b> <code>/atservicesrest${path}</code>`);
    }
    shown.push(...Object.keys(document.components.schemas).map((name) => `id="schema-${name}"`));
    shown.push(...[...text.matchAll(/href="#([^"]+)"/g)].map(([, target]) => `id="${target}"`));
    // Not one by one, or a failure would print the whole page each time.
    expect(shown.filter((one) => !text.includes(one))).toEqual([]);
  });

  it('does nothing that its policy forbids', async () => {
    const { headers, text } = await get('/docs');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(text.match(/<script|<link|<img|<iframe|<[^>]*\s(style|on\w+|src)=|javascript:|="https?:/gi)).toBeNull();
    const styles = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style = '']) => style);
    expect(styles).toHaveLength(1);
    for (const style of styles) expect(policy).toContain(`'sha256-${hash('sha256', style, 'base64')}'`);
  });
});

describe('documentPage', () => {
  it('escapes everything that the document brings', async () => {
    const document = JSON.parse((await get('/openapi.json')).text) as OpenApiDocument;
    const hostile = `<img src=x onerror="alert('1')">&`;
    const spoil = (value: unknown): unknown => {
      if (typeof value === 'string') return value.startsWith('#/') ? value : hostile;
      if (Array.isArray(value)) return value.map(spoil);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, spoil(one)]));
    };
    const spoiled = spoil(document) as OpenApiDocument;
    const paths = { [hostile]: Object.values(spoiled.paths)[0] ?? {} };
    const schemas = { [hostile]: { enum: [hostile], [hostile]: 1 } };
    const page = documentPage({ ...spoiled, paths, components: { ...spoiled.components, schemas } });
    const tells = ['&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;', '<img', 'onerror="', "onerror='"];
    expect(tells.map((one) => page.includes(one))).toEqual([true, false, false, false]);
  });
});
