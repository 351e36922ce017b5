import { describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { firstLoadOf, type FirstLoad } from './fixtures/first-load.ts';
import { signIn, startSession } from './fixtures/sign-in.ts';
// All pages of the console, as suites that share an API, a worker and a browser. The operators' suite shows the whole
// installation, so it comes before those with failing receivers.
import './operator.suite.ts';
import './operator-sessions.suite.ts';
import './callout.suite.ts';
import './events.suite.ts';
import './failed.suite.ts';
import './failing.suite.ts';
import './hostile.suite.ts';
import './new-webhook.suite.ts';
import './outage.suite.ts';
import './overview.suite.ts';
import './phone.suite.ts';
import './signing-keys.suite.ts';
import './tenant-pages.suite.ts';
import './versions-met.suite.ts';
import './webhook-authentication.suite.ts';
import './webhook-deliveries.suite.ts';
import './webhook-settings.suite.ts';
import './webhooks-list.suite.ts';

const withCharts: ReadonlySet<string> = new Set(['/', '/webhooks/Account/1?tab=overview']);
const pages = (webhookID: number): readonly string[] => [
  '/',
  '/webhooks',
  '/webhooks/new',
  ...['overview', 'deliveries', 'settings', 'history'].map((tab) => `/webhooks/Account/${webhookID}?tab=${tab}`),
  '/events',
  '/failed',
  '/thresholds',
  '/resources',
  '/user-defined-fields',
  '/changes',
];

describe('the console', () => {
  it('signs in with a credential, says what is wrong with another, and signs out', async () => {
    const tenant = await callout.tenant();
    const page = await browser.page();
    await page.goto(`${callout.url}/console`);
    await page.getByRole('textbox', { name: 'User name' }).fill(tenant.integrator.userName);
    await page.getByRole('textbox', { name: 'Secret' }).fill('wrong');
    await page.getByRole('textbox', { name: 'Integration code' }).fill(tenant.integrator.apiIntegrationCode);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('You are not signed in').waitFor();
    await signIn(page, callout.url, tenant);
    const stored = await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
    );
    expect(stored).not.toContain(tenant.integrator.secret);
    for (const [name, path] of [
      ['Documentation', '/docs'],
      ['API reference', '/docs/api'],
    ] as const) {
      expect(await page.getByRole('link', { name }).getAttribute('href')).toBe(path);
      expect((await fetch(callout.url + path)).status).toBe(200);
    }
    await page.getByRole('button', { name: tenant.integrator.userName }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Callout' }).waitFor();
    await page.goto(`${callout.url}/console/webhooks`);
    expect(await page.getByRole('heading', { name: 'Sign in to Callout' }).textContent()).toBe('Sign in to Callout');
  });

  it('makes a webhook, shows its callout arrive, and explains an event that made none', async () => {
    const tenant = await callout.tenant();
    const receiver = await callout.webhook(tenant);
    const page = await browser.page();
    await signIn(page, callout.url, tenant);
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('link', { name: 'New webhook' }).click();
    await page.getByRole('heading', { name: 'New webhook' }).waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Phone of companies');
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(receiver.url);
    await page.getByRole('combobox', { name: 'Add fields' }).fill('phone');
    await page.getByRole('option', { name: /^phone string/u }).click();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('heading', { name: 'Phone of companies is created' }).waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: 'Phone of companies', exact: true }).waitFor();

    const company = { entityType: 'Account', id: 7 };
    await callout.send(tenant, { ...company, action: 'Create', fields: { companyName: 'Acme', phone: '555-0100' } });
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page.getByRole('table', { name: 'Callouts' }).getByText('delivered').waitFor();
    await page.getByRole('link', { name: '1', exact: true }).click();
    await page.getByText('Attempt 1: answered 200').waitFor();

    await callout.send(tenant, { ...company, action: 'Update', eventID: 'city-of-7', fields: { city: 'Oslo' } });
    await eventually(async () => {
      await page.goto(`${callout.url}/console/events/city-of-7`);
      await page.getByRole('button', { name: 'Explain' }).last().waitFor({ timeout: 2_000 });
    });
    await page.getByRole('button', { name: 'Explain' }).last().click();
    await page.getByRole('heading', { name: /got none/u }).waitFor();
    expect(await page.getByRole('region', { name: 'Explanation' }).textContent()).toContain('city');
  });

  it("shows the API's message for a refusal, at the input", async () => {
    const page = await browser.page();
    await startSession(page, callout.url, await callout.tenant());
    await page.goto(`${callout.url}/console/webhooks/new`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Too near');
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill('http://10.0.0.1/in');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('alert').getByText('The webhook was not created').waitFor();
    expect(await page.getByRole('textbox', { name: 'URL', exact: true }).getAttribute('aria-invalid')).toBe('true');
  });

  it('has no serious fault for axe on the sign-in page and on the page for unknown addresses', async () => {
    const page = await browser.page();
    await page.goto(`${callout.url}/console`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    const faults = await faultsOf(page);
    await startSession(page, callout.url, await callout.tenant());
    await page.goto(`${callout.url}/console/none`);
    await settled(page);
    faults.push(...(await faultsOf(page)));
    expect(faults).toEqual([]);
  });

  it('fetches less than 250 KB for any first page, charts apart', async () => {
    const tenant = await callout.tenant();
    const { id } = await callout.webhook(tenant);
    const page = await browser.page();
    const sizes: Record<string, FirstLoad> = {
      'sign-in': await firstLoadOf(page, `${callout.url}/console`, () =>
        page.getByRole('button', { name: 'Sign in' }).waitFor(),
      ),
    };
    await startSession(page, callout.url, tenant, 'admin');
    for (const path of pages(id)) {
      sizes[path] = await firstLoadOf(page, `${callout.url}/console${path}`, async () => {
        await settled(page);
        if (withCharts.has(path)) await page.locator('.recharts-surface').last().waitFor();
      });
    }
    const tooLarge = Object.entries(sizes).filter(([, size]) => size.page >= 250 || size.charts >= 125);
    expect(tooLarge).toEqual([]);
    expect(Object.entries(sizes).flatMap(([path, { charts }]) => (charts > 0 ? [path] : []))).toEqual(
      pages(id).filter((path) => withCharts.has(path)),
    );
  });
});
