import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { startHttpServer } from '../../http/server/server.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { frontPage } from './front-page.ts';

// The test is independent of whether the console is built in this checkout.
const api = runTestApi({ CONSOLE: 'off' });

describe('GET /', () => {
  it('leads programs to what there is', async () => {
    const response = await fetch(api.url);
    expect(response.status).toBe(200);
    const { name, ...links } = (await response.json()) as Record<string, string>;
    expect(name).toBe('Callout');
    expect(Object.keys(links)).toEqual(['docs', 'reference', 'openapi', 'api', 'version', 'health', 'readiness']);
    for (const [link, path] of Object.entries(links)) {
      if (link === 'api') continue;
      expect([link, (await fetch(api.url + path)).status]).toEqual([link, 200]);
    }
  });

  it('shows a browser a page that leads on, with one style that its policy allows and nothing else', async () => {
    const response = await fetch(api.url, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await response.text();
    for (const path of [
      '/docs',
      '/docs/api',
      '/docs/downloads',
      '/openapi.json',
      '/atservicesrest/v1.0/Version',
      '/readyz',
    ]) {
      expect(html).toContain(`href="${path}"`);
    }
    const [, style = ''] = /<style>(.*)<\/style>/su.exec(html) ?? [];
    const digest = createHash('sha256').update(style).digest('base64');
    expect(response.headers.get('content-security-policy')?.split(';')).toEqual(
      expect.arrayContaining(["default-src 'none'", `style-src 'sha256-${digest}'`, "frame-ancestors 'none'"]),
    );
    expect(html).not.toMatch(/<script|style=|src=|https?:/u);
  });

  it('leads to the console where there is one', async () => {
    const app = express();
    app.use('/with', frontPage('root', true));
    app.use('/without', frontPage('root', false));
    const server = await startHttpServer(app, '127.0.0.1', 0, { idlePatienceMs: 0 });
    const read = (path: string, Accept: string) =>
      fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { Accept } });
    const linked = async (path: string) => (await read(path, 'application/json')).json();
    expect(await linked('/with')).toMatchObject({ console: '/console' });
    expect(await linked('/without')).not.toHaveProperty('console');
    const shown = async (path: string) => (await read(path, 'text/html')).text();
    expect(await shown('/with')).toContain('href="/console"');
    expect(await shown('/without')).not.toContain('/console');
    await server.close();
  });

  it('refuses to be written', async () => {
    const response = await fetch(api.url, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});
