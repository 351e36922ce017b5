import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@callout/runtime/log/logger';
import express from 'express';
import { respondToFailures } from '../../http/failure.ts';
import { startHttpServer, type HttpServer } from '../../http/server/server.ts';
import { docsSite } from './docs-site.ts';

const page = (title: string) => `<!doctype html><title>${title}</title>${' '.repeat(2_000)}`;
let directory: string;
let server: HttpServer;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'callout-docs-'));
  const files = {
    'secret.html': 'outside',
    'dist/index.html': page('Documentation'),
    'dist/404.html': page('Not here'),
    'dist/receiving.html': page('Receiving'),
    'dist/receiving.html.gz': gzipSync(page('Receiving')),
    'dist/events/companies.html': page('Companies'),
    'dist/assets/app.CD0d_yEL.js': 'export {};',
    'dist/assets/chunks/@localSearchIndexroot.DnUA_Tnh.js': 'export {};',
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(directory, name)), { recursive: true });
    await writeFile(path.join(directory, name), content);
  }
  const app = express();
  app.use('/docs', docsSite(path.join(directory, 'dist')));
  app.use('/unbuilt', docsSite(path.join(directory, 'none')));
  app.use(respondToFailures(createLogger({ service: 'test', level: 'silent' })));
  server = await startHttpServer(app, '127.0.0.1', 0, { idlePatienceMs: 0 });
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`http://127.0.0.1:${server.port}${name}`, { method, headers });

describe('the documentation', () => {
  it.each([
    ['/docs', 'Documentation'],
    ['/docs/', 'Documentation'],
    ['/docs/receiving', 'Receiving'],
    ['/docs/receiving.html', 'Receiving'],
    ['/docs/events/companies', 'Companies'],
  ])('has a page at %s, asked for again each time', async (name, title) => {
    const response = await get(name);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(`<title>${title}</title>`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
  });

  it('is sent compressed where it was compressed', async () => {
    const response = await get('/docs/receiving', { 'Accept-Encoding': 'gzip' });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toBe(page('Receiving'));
  });

  it('may run no script but its own, call no other host, and stand in no frame', async () => {
    for (const name of ['/docs', '/docs/none', '/unbuilt']) {
      const { headers } = await get(name);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).not.toMatch(/http|\*|unsafe-eval|script-src[^;]*unsafe/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('keeps files for ever whose names say what is in them', async () => {
    const response = await get('/docs/assets/app.CD0d_yEL.js');
    expect(response.headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await get('/docs/assets/chunks/@localSearchIndexroot.DnUA_Tnh.js')).status).toBe(200);
    expect((await get('/docs/assets/app.old.js')).status).toBe(404);
  });

  it.each(['/docs/none', '/docs/..%2fsecret', '/docs/%2e%2e/secret', '/docs/..%5csecret', '/docs/events'])(
    'has a page of its own for what it does not have: %s',
    async (name) => {
      const response = await get(name);
      expect(response.status).toBe(404);
      expect(await response.text()).not.toContain('outside');
    },
  );

  it('accepts no other method', async () => {
    expect((await get('/docs', {}, 'POST')).status).toBe(405);
    expect((await get('/docs', {}, 'HEAD')).status).toBe(200);
  });

  it.each([
    ['that it is being built', { pid: process.pid }, 'is being built', '3'],
    ['how to build it, after a build was killed', { pid: 2 ** 22 + 1 }, 'npm run build', null],
    [
      'why it could not be built',
      { failure: 'no <space> left', logFile: '/a/docs.log' },
      'no &lt;space&gt; left',
      null,
    ],
  ])('says %s', async (_, state, text, refresh) => {
    await mkdir(path.join(directory, 'cache'), { recursive: true });
    await writeFile(path.join(directory, 'cache/building.json'), JSON.stringify(state));
    const response = await get('/unbuilt');
    expect(await response.text()).toContain(text);
    expect(response.headers.get('refresh')).toBe(refresh);
    await rm(path.join(directory, 'cache'), { recursive: true });
  });

  it('says how to build it where it is not built, and leads to the API reference', async () => {
    const response = await get('/unbuilt');
    expect(response.status).toBe(200);
    const html = await response.text();
    expect(html).toContain('npm run build');
    expect(html).toContain('href="/docs/api"');
    expect((await get('/unbuilt/receiving')).status).toBe(404);
  });
});
