import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browser, callout } from './fixtures/console.ts';
import { operatorToken } from './fixtures/operator.ts';
import { operatorPage } from './fixtures/operator-page.ts';
import { startSession } from './fixtures/sign-in.ts';

describe('operators and the people of tenants', () => {
  it('have sessions that mean nothing to one another', async () => {
    const tenant = await callout.tenant();
    const member = await browser.page();
    await startSession(member, callout.url, tenant, 'admin');
    for (const path of ['', '/tenants']) {
      await member.goto(`${callout.url}/console/operator${path}`);
      await member.getByText('There is no page at this address').waitFor();
    }
    // Cookies of one host are sent to all of its ports.
    await member.goto(`${callout.operatorUrl()}/console/operator/tenants`);
    await member.getByRole('heading', { name: 'Sign in to Callout' }).waitFor();
    const asked = await statusesOf(member, ['/operator/v1/tenants', '/operator/v1/status']);
    expect(asked).toEqual([401, 401]);

    const operator = await operatorPage('');
    await operator.goto(`${callout.url}/console`);
    await operator.getByRole('heading', { name: 'Sign in to Callout' }).waitFor();
    const paths = ['/atservicesrest/v1.0/Webhooks', '/operator/v1/tenants'];
    expect(await statusesOf(operator, paths)).toEqual([401, 404]);
    await operator.goto(`${callout.operatorUrl()}/console/webhooks`);
    await operator.getByText('There is no page at this address').waitFor();
  });

  it('have metrics of the API on the port of operators alone, and behind their token', async () => {
    const tenant = await callout.tenant();
    await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 1, fields: { companyName: 'Acme' } });
    const metrics = `${callout.operatorUrl()}/metrics`;
    expect((await fetch(metrics)).status).toBe(401);
    expect((await fetch(`${callout.url}/metrics`)).status).toBe(404);
    const answer = await fetch(metrics, { headers: { Authorization: `Bearer ${operatorToken}` } });
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const text = await answer.text();
    expect(text).toContain('callout_http_requests_total{method="POST",route="/EntityEvents",status="202"}');
    expect(text).toMatch(/callout_intake_events_total [1-9]/u);
  });

  it('need the page itself to change anything', async () => {
    const page = await operatorPage('');
    const changing = await page.evaluate(async () => {
      const answer = await fetch('/operator/v1/tenants', { method: 'POST', body: '{"name":"from elsewhere"}' });
      return answer.status;
    });
    expect(changing).toBe(403);
  });
});

/** The response to a page that calls its own server, as a script in it could. */
function statusesOf(page: Page, paths: readonly string[]): Promise<number[]> {
  return page.evaluate((asked) => Promise.all(asked.map(async (path) => (await fetch(path)).status)), [...paths]);
}
