import { describe, expect, it } from '@jest/globals';
import { callApi, eventually } from '@callout/testing';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { openSection } from './fixtures/sections.ts';
import { startSession } from './fixtures/sign-in.ts';

describe('the authentication of a webhook', () => {
  it('is set, kept, replaced and removed without showing a secret, and without a serious fault for axe', async () => {
    const tenant = await callout.tenant();
    const webhook = await callout.webhook(tenant);
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.postData() ?? '');
    });
    await page.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?tab=authentication`);
    await openSection(page, 'Authentication and headers');
    const kind = page.getByRole('combobox', { name: 'Kind' });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await kind.click();
    await page.getByRole('option', { name: 'User name and password (Basic)' }).click();
    await page.getByRole('textbox', { name: /^User name/u }).fill('callout');
    await page.locator('input[type=password]').first().fill('a password of the receiver');
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByRole('textbox', { name: 'Name of header 1' }).fill('X-Api-Key');
    await page.locator('input[type=password]').nth(1).fill('a key of the gateway');
    await save.click();
    await save.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?tab=settings');
    await page.getByRole('button', { name: 'Replace Password' }).waitFor();
    expect(await page.content()).not.toContain('a password of the receiver');
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);

    await page.getByRole('textbox', { name: /^User name/u }).fill('other');
    await page.getByRole('button', { name: 'Remove header 1' }).click();
    await page.getByRole('textbox', { name: /^Certificates/u }).fill('no certificate');
    await save.click();
    await page.getByRole('alert').getByText('Not everything is saved').waitFor();
    await page.getByRole('textbox', { name: /^Certificates/u }).fill('');
    await save.click();
    await save.waitFor({ state: 'detached' });
    expect(sent.map((body) => JSON.parse(body) as unknown)).toEqual([
      {
        receiverAuth: { kind: 'basic', userName: 'callout', password: 'a password of the receiver' },
        requestHeaders: [{ name: 'X-Api-Key', value: 'a key of the gateway' }],
        caCertificate: null,
      },
      {
        receiverAuth: { kind: 'basic', userName: 'other', password: '********' },
        requestHeaders: [],
        caCertificate: 'no certificate',
      },
      {
        receiverAuth: { kind: 'basic', userName: 'other', password: '********' },
        requestHeaders: [],
        caCertificate: null,
      },
    ]);
  });

  it('shows what someone else has set meanwhile, and replaces it only when it is saved again', async () => {
    const tenant = await callout.tenant();
    const webhook = await callout.webhook(tenant);
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?tab=authentication`);
    await openSection(page, 'Authentication and headers');
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByRole('textbox', { name: 'Name of header 1' }).fill('X-Api-Key');
    await page.locator('input[type=password]').first().fill('a key of the gateway');
    const call = (method: 'GET' | 'PATCH', body?: unknown) =>
      callApi(Number(new URL(callout.url).port), tenant.integrator, {
        method,
        path: `/CompanyWebhooks/${webhook.id}`,
        body,
      });
    await call('PATCH', { receiverAuth: { kind: 'bearer', token: 'a-token-of-theirs' } });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    const met = page.getByRole('alert').filter({ hasText: 'changed while you were editing it' });
    await met.getByRole('row', { name: /Authentication and headers.*A token.*1 header/u }).waitFor();
    expect(await call('GET')).toMatchObject({
      body: { item: { receiverAuth: { kind: 'bearer' }, requestHeaders: [] } },
    });
    await save.click();
    await page.getByText('The webhook is saved.').waitFor();
    expect(await call('GET')).toMatchObject({
      body: { item: { receiverAuth: { kind: 'none' }, requestHeaders: [{ name: 'X-Api-Key' }] } },
    });
  });

  it('is given to a new webhook, and its copy says which secrets are missing', async () => {
    const tenant = await callout.tenant();
    const receiver = await callout.webhook(tenant);
    const send = (id: number) =>
      callout.send(tenant, { entityType: 'Account', action: 'Update', id, fields: { phone: String(id) } });
    await send(1);
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/new`);
    await page.getByRole('combobox', { name: 'Add fields' }).fill('phone');
    await page.getByRole('option', { name: /^phone string/u }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Try it with the last 100 events' }).click();
    await page.getByText('Of the last event, 1 would make a callout.').waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Guarded');
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(receiver.url);
    await openSection(page, 'Authentication and headers');
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Token (Bearer)' }).click();
    await page.locator('input[type=password]').first().fill('a-token-of-the-receiver');
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByRole('textbox', { name: 'Name of header 1' }).fill('X-Api-Key');
    await page.locator('input[type=password]').nth(1).fill('a key of the gateway');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('heading', { name: 'Guarded is created' }).waitFor();
    await send(2);
    await eventually(() =>
      expect(receiver.requests().map(({ headers }) => [headers['authorization'], headers['x-api-key']])).toContainEqual(
        ['Bearer a-token-of-the-receiver', 'a key of the gateway'],
      ),
    );

    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByText('enter again: the token, the value of the header X-Api-Key.').waitFor();
    await openSection(page, 'Authentication and headers');
    await page.getByRole('textbox', { name: 'Name of header 1' }).waitFor();
    expect(await page.locator('input[type=password]').first().inputValue()).toBe('');
  });
});
