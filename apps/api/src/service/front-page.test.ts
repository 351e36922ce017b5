import { describe, expect, it } from '@jest/globals';
import { runTestApi } from '../fixtures/run-test-api.ts';

const api = runTestApi();

describe('GET /', () => {
  it('leads programs to what there is', async () => {
    const response = await fetch(api.url);
    expect(response.status).toBe(200);
    const { name, ...links } = (await response.json()) as Record<string, string>;
    expect(name).toBe('Callout');
    expect(Object.keys(links)).toEqual(['docs', 'openapi', 'api', 'version', 'health', 'readiness']);
    for (const [link, path] of Object.entries(links)) {
      if (link === 'api') continue;
      expect([link, (await fetch(api.url + path)).status]).toEqual([link, 200]);
    }
  });

  it('shows a browser the same as links that a click follows', async () => {
    const response = await fetch(api.url, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await response.text();
    for (const path of ['/docs', '/openapi.json', '/atservicesrest/v1.0/Version', '/readyz']) {
      expect(html).toContain(`href="${path}"`);
    }
    expect(html).not.toContain('<script');
  });

  it('refuses to be written', async () => {
    const response = await fetch(api.url, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});
