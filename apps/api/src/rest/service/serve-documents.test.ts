import { describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import type { OpenApiDocument } from '../../openapi/document-types.ts';
import { rolesTable } from '../../http/auth/roles-table.ts';

const api = runTestApi();

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(api.url + path, { method, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe.each(['/openapi.json', '/docs/api', '/docs/api/viewer.js', '/docs/api/start.js'])('%s', (path) => {
  it('is unchanged for who has it already', async () => {
    const first = await get(path);
    expect(first.status).toBe(200);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{43}"$/);
    // fetch requests a new copy when a validator is among the headers, unless `cache` forbids it.
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
    expect(Number(gzipped.headers.get('content-length'))).toBeLessThan(Buffer.byteLength(plain.text));
    expect(gzipped.text === plain.text).toBe(true);
  });

  it('responds to HEAD without a body and refuses to be written', async () => {
    await expect(get(path, {}, 'HEAD')).resolves.toMatchObject({ status: 200, text: '' });
    const refused = await get(path, {}, 'POST');
    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('GET /docs/api', () => {
  it('asks nothing of another host, and runs no script but those of this server', async () => {
    const { headers, text } = await get('/docs/api');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    expect(text.match(/https?:|<style|\son\w+=|javascript:/gi)).toBeNull();
    expect([...text.matchAll(/<script([^>]*)>([^<]*)/g)].map(([, attributes, inline]) => [attributes, inline])).toEqual(
      [
        [' src="/docs/api/viewer.js"', ''],
        [' src="/docs/api/start.js"', ''],
      ],
    );
  });

  it('loads the viewer, and shows it the document of this server', async () => {
    const viewer = await get('/docs/api/viewer.js');
    expect(viewer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(viewer.text.includes('createApiReference')).toBe(true);
    const { text } = await get('/docs/api/start.js');
    expect(text).toContain('Scalar.createApiReference(');
    expect(text).toContain('"url": "/openapi.json"');
    expect(text).not.toMatch(/https?:/);
  });
});

describe('the introduction', () => {
  it('leads to the first webhook and the first event, with requests that name this installation', async () => {
    const { info } = JSON.parse((await get('/openapi.json')).text) as OpenApiDocument;
    const headings = [...info.description.matchAll(/^# (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['Sign in', 'The first webhook', 'The first event', 'Everywhere', 'Limits']);
    expect(info.description).toContain('/atservicesrest/v1.0/CompanyWebhooks');
    expect(info.description).toContain(rolesTable());
  });
});
