import { describe, expect, it } from '@jest/globals';
import { callApi } from '@callout/testing';
import type { Page } from 'playwright-core';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { tabTo } from './fixtures/keyboard.ts';
import { startSession } from './fixtures/sign-in.ts';

const textbox = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

async function addField(page: Page, search: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Add a field' }).fill(search);
  await page.getByRole('option', { name: option, exact: true }).click();
}

describe('the form of a new webhook', () => {
  it('shows the payload before it is saved, and sends a signed test after', async () => {
    const tenant = await callout.tenant();
    const receiver = await callout.webhook(tenant, { isActive: false });
    const definition = { entityType: 'Account', name: 'tier', label: 'Support tier', dataType: 'string' };
    const as = tenant.admin;
    const port = Number(new URL(callout.url).port);
    await callApi(port, as, { method: 'POST', path: '/UserDefinedFieldDefinitions', body: definition });
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/new`);
    await page.getByText('No callout is sent').waitFor();
    await addField(page, 'phone', 'phone (string)');
    await addField(page, 'support', 'Support tier (user-defined string)');
    await addField(page, 'companyName', 'companyName (string)');
    await page.getByRole('checkbox', { name: 'companyName is watched' }).uncheck();
    await page.getByRole('checkbox', { name: 'companyName is always sent' }).check();
    const sample = page.getByRole('region', { name: 'What your receiver gets' });
    await sample.getByText(/"CompanyName": ".*"Support tier": "/su).waitFor();
    await sample.getByText('Record deleted').click();
    await sample.getByText(/"Action": "Delete"/u).waitFor();
    await page.getByRole('checkbox', { name: 'Deleted records' }).uncheck();
    await sample.getByText('The webhook is not subscribed to delete events.').waitFor();

    await textbox(page, 'Name').fill('Phones and tiers');
    await textbox(page, 'URL').fill(receiver.url);
    await textbox(page, 'Name').focus();
    expect(await textbox(page, 'Deactivation URL').inputValue()).toBe(receiver.url);
    await textbox(page, 'Secret').fill('a secret of my own');
    await textbox(page, 'Mail also to').fill('ops@example.com');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('heading', { name: 'Phones and tiers is created' }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('dialog').getByText('The receiver answered 200').waitFor();
    const [test] = receiver.requests();
    expect(JSON.parse(String(test?.body))).toMatchObject({ Id: 0, Fields: { 'Support tier': 'Support tier' } });

    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Open the webhook' }).click();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await textbox(page, 'Mail also to').waitFor();
    expect(await textbox(page, 'Mail also to').inputValue()).toBe('ops@example.com');
    expect(await page.getByRole('checkbox', { name: 'Support tier is watched' }).isChecked()).toBe(true);
  });

  it('can be filled in by the keyboard alone, and has no serious fault for axe', async () => {
    const tenant = await callout.tenant();
    const receiver = await callout.webhook(tenant, { isActive: false });
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/new`);
    await page.getByRole('combobox', { name: 'Add a field' }).waitFor();
    await page.keyboard.press('Tab');
    await tabTo(page, 'Add a field');
    await page.keyboard.type('phone');
    await page.getByRole('option', { name: 'phone (string)', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'phone is watched' }).waitFor();
    await page.getByText(/"Phone": "/u).waitFor();
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, 'Name');
    await page.keyboard.type('By keyboard');
    await tabTo(page, 'URL');
    await page.keyboard.type(receiver.url);
    await tabTo(page, 'Create webhook');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'By keyboard is created' }).waitFor();
    await tabTo(page, 'Send a test');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('The receiver answered 200').waitFor();
    expect(receiver.requests()).toHaveLength(1);
  });
});
