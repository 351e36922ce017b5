import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@callout/runtime/log/logger';
import express from 'express';
import { respondToFailures } from '../http/failure.ts';
import { startHttpServer, type HttpServer } from '../http/server/server.ts';
import { consoleFiles } from './console-files.ts';

const script = `console.log(${JSON.stringify('x'.repeat(2_000))});`;
let directory: string;
let server: HttpServer;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'callout-console-'));
  await mkdir(path.join(directory, 'dist/assets'), { recursive: true });
  const files = {
    'secret.txt': 'outside',
    'dist/index.html': '<!doctype html><title>Callout</title>',
    'dist/favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'dist/.hidden.js': 'hidden',
    'dist/assets/index-Ab3_x-9.js': script,
    'dist/assets/index-Ab3_x-9.js.br': brotliCompressSync(script),
    'dist/assets/index-Ab3_x-9.js.gz': gzipSync(script),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(directory, name), content);
  const log = createLogger({ service: 'test', level: 'silent' });
  const app = express();
  const portalOrigins = ['https://app.example.com', 'https://*.example.org'];
  app.use('/console', consoleFiles({ directory: path.join(directory, 'dist'), portalOrigins }));
  app.use('/unbuilt', consoleFiles({ directory: path.join(directory, 'none'), portalOrigins: [] }));
  app.use(respondToFailures(log));
  server = await startHttpServer(app, '127.0.0.1', 0, { idlePatienceMs: 0 });
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`http://127.0.0.1:${server.port}${name}`, { method, headers });
const frameAncestors = (response: Response) =>
  /frame-ancestors ([^;]*)/.exec(response.headers.get('content-security-policy') ?? '')?.[1];

describe('the files of the console', () => {
  it('are one document for every path of the page, asked for again each time', async () => {
    for (const name of ['/console', '/console/', '/console/webhooks/CompanyWebhooks/3', '/console/portal']) {
      const response = await get(name);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('<title>Callout</title>');
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
    }
    const etag = (await get('/console')).headers.get('etag') ?? '';
    expect((await get('/console', { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' })).status).toBe(304);
  });

  it('may run no script but their own, call no other host, and stand in no frame', async () => {
    const response = await get('/console');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(policy).not.toContain('http');
    expect(frameAncestors(response)).toBe("'none'");
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('stand in frames of the allowed origins as the portal alone', async () => {
    for (const name of ['/console/portal', '/console/portal/webhooks']) {
      const response = await get(name);
      expect(frameAncestors(response)).toBe('https://app.example.com https://*.example.org');
      expect(response.headers.get('x-frame-options')).toBeNull();
    }
    expect(frameAncestors(await get('/console/portals'))).toBe("'none'");
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])('are sent as they were compressed: %s', async (accepted, encoding) => {
    const response = await get('/console/assets/index-Ab3_x-9.js', { 'Accept-Encoding': accepted });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(await response.text()).toBe(script);
    expect(response.headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
  });

  it('are kept for ever only where their names say what is in them', async () => {
    const response = await get('/console/favicon.svg');
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  });

  it.each([
    '/console/assets/index-old.js',
    '/console/.hidden.js',
    '/console/assets/../../secret.txt',
    '/console/assets/..%2f..%2fsecret.txt',
    '/console/%2e%2e/secret.txt',
    '/console/..%5csecret.txt',
    '/console/assets',
  ])('that there are not are none: %s', async (name) => {
    const response = await get(name);
    const text = await response.text();
    expect(text).not.toMatch(/outside|hidden\b.*export/);
    // A path that cannot be a file belongs to the page.
    expect(response.status === 404 || text.includes('<title>Callout</title>')).toBe(true);
    if (name.endsWith('index-old.js')) {
      expect(response.status).toBe(404);
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('that were never built are a clear 404, and other methods are refused', async () => {
    const response = await get('/unbuilt');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ errors: [expect.stringContaining('npm run build')] });
    expect((await get('/console', {}, 'POST')).status).toBe(405);
    expect((await get('/console', {}, 'HEAD')).status).toBe(200);
  });
});
