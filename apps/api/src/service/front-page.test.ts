import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { startHttpServer } from '../http/server/server.ts';
import { runTestApi } from '../fixtures/run-test-api.ts';
import { frontPage } from './front-page.ts';

// Whether the console is built in this checkout says nothing of the rest.
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

  it('shows a browser the same as links that a click follows', async () => {
    const response = await fetch(api.url, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await response.text();
    for (const path of ['/docs', '/docs/api', '/openapi.json', '/atservicesrest/v1.0/Version', '/readyz']) {
      expect(html).toContain(`href="${path}"`);
    }
    expect(html).not.toContain('<script');
  });

  it('leads to the console where there is one', async () => {
    const app = express();
    app.use('/with', frontPage('root', true));
    app.use('/without', frontPage('root', false));
    const server = await startHttpServer(app, '127.0.0.1', 0, { idlePatienceMs: 0 });
    const linked = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).json();
    expect(await linked('/with')).toMatchObject({ console: '/console' });
    expect(await linked('/without')).not.toHaveProperty('console');
    await server.close();
  });

  it('refuses to be written', async () => {
    const response = await fetch(api.url, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});
