import { describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf } from './fixtures/faults.ts';
import { startSession } from './fixtures/sign-in.ts';

const create = (id: number) => ({ entityType: 'Account', action: 'Create', id, fields: { companyName: 'Acme' } });

describe('a part of the console that cannot be loaded', () => {
  it('says so in place of the part while the API is there, and is loaded by a click', async () => {
    const tenant = await callout.tenant();
    const { id } = await callout.webhook(tenant);
    const page = await browser.newPage();
    await startSession(page, callout.url, tenant);
    const files = '**/assets/history-tab-*.js';
    await page.route(files, (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto(`${callout.url}/console/webhooks/Account/${id}?tab=deliveries`);
    await page.getByRole('tab', { name: 'History' }).click();
    const missing = page.getByRole('alert').filter({ hasText: 'A part of the console could not be loaded' });
    await missing.getByText('If Callout was updated a moment ago, load the page again.').waitFor();
    expect(await missing.getByRole('button').allTextContents()).toEqual(['Try again', 'Load the page again']);
    await page.getByRole('heading', { level: 1, name: 'every company event' }).waitFor();
    await page.unroute(files);
    await missing.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table', { name: 'Changes' }).waitFor();
  });
});

describe('a page that is open while the API stops and comes back', () => {
  it('stays, says so, and is up to date again by itself, with the parts that could not be fetched', async () => {
    const tenant = await callout.tenant();
    const webhook = await callout.webhook(tenant);
    await callout.send(tenant, create(7));
    const api = await callout.apiProcess();
    const port = await api.ready();
    const url = `http://127.0.0.1:${port}`;
    const page = await browser.newPage();
    await startSession(page, url, tenant);
    await page.goto(`${url}/console/webhooks/Account/${webhook.id}?tab=deliveries`);
    const row = (id: number) =>
      page.getByRole('row', { name: new RegExp(`delivered.*Create of (?:company |[^(\\d]+\\()${id}\\b`, 'u') });
    await row(7).waitFor();

    await api.signal('SIGTERM');
    const away = page.getByRole('alert').filter({ hasText: 'The API does not answer. What you see stays' });
    await away.waitFor();
    await row(7).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    // Neither the tab nor the page has been opened before, so their files are not here.
    const missing = page.getByRole('alert').filter({ hasText: 'A part of the console could not be loaded' });
    await page.getByRole('tab', { name: 'History' }).click();
    await missing.getByText('This part is loaded as soon as the API is back.').waitFor();
    expect(await missing.getByRole('button').allTextContents()).toEqual(['Try again']);
    await callout.send(tenant, create(8));
    await eventually(() => expect(webhook.requests()).toHaveLength(2));

    await page.getByRole('link', { name: 'Thresholds' }).click();
    // The page before has the same alert, in its tab.
    await page.getByRole('tab', { name: 'History' }).waitFor({ state: 'detached' });
    await missing.waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/thresholds');

    await callout.apiProcess({ API_PORT: String(port) });
    await page.getByRole('heading', { name: 'Thresholds' }).waitFor();
    await away.waitFor({ state: 'detached' });
    await eventually(async () => expect(await page.getByRole('alert').count()).toBe(0));
    await page.goBack();
    await page.getByRole('table', { name: 'Changes' }).waitFor();
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await row(8).waitFor();
  });
});
