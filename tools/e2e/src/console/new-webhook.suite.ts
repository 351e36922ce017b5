import { describe, expect, it } from '@jest/globals';
import { callApi, eventually, type TenantUnderTest } from '@callout/testing';
import type { Page } from 'playwright-core';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { tabTo } from './fixtures/keyboard.ts';
import { isOpen, openSection } from './fixtures/sections.ts';
import { startSession } from './fixtures/sign-in.ts';

const textbox = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

async function addField(page: Page, search: string, option: RegExp): Promise<void> {
  await page.getByRole('combobox', { name: 'Add fields' }).fill(search);
  await page.getByRole('option', { name: option }).click();
}

describe('the form of a new webhook', () => {
  it('finds fields by their descriptions, adds many or all at once, and uses or removes all of them by one click', async () => {
    const page = await browser.page();
    await startSession(page, callout.url, await callout.tenant());
    await page.goto(`${callout.url}/console/webhooks/new`);
    const picker = page.getByRole('combobox', { name: 'Add fields' });
    const chosen = page.getByRole('table', { name: 'Fields of the webhook' }).getByRole('row');
    await picker.fill('phone');
    // The list stays open, and the choice is marked.
    await page.getByRole('option', { name: /^phone string/u }).click();
    await page.getByRole('option', { name: /^alternatePhone1 string/u }).click();
    await page.getByRole('option', { name: /^phone string/u, selected: true }).waitFor();
    await eventually(async () => expect(await chosen.count()).toBe(3));
    await page.getByRole('option', { name: /^phone string/u }).click();
    await eventually(async () => expect(await chosen.count()).toBe(2));
    const match = await page.getByRole('option', { name: /^Add all \d+ that match/u }).textContent();
    await page.getByRole('option', { name: /^Add all/u }).click();
    const matched = Number(/\d+/u.exec(match ?? '')?.[0]);
    await eventually(async () => expect(await chosen.count()).toBe(matched + 2));
    expect(await faultsOf(page)).toEqual([]);

    await picker.fill('');
    await page.getByRole('option', { name: /^Add all \d+ fields/u }).click();
    await page.keyboard.press('Escape');
    const all = await chosen.count();
    expect(all).toBeGreaterThan(30);
    await page.getByRole('checkbox', { name: 'Always send all' }).check();
    expect(await page.getByRole('checkbox', { name: /is always sent/u, checked: true }).count()).toBe(all - 1);
    await page.getByRole('checkbox', { name: 'Watch all' }).uncheck();
    await page.getByText('No field is watched yet').waitFor();
    await page.getByRole('button', { name: 'Remove all' }).click();
    await eventually(async () => expect(await chosen.count()).toBe(0));
  });

  it('leads to the webhook, and keeps its secret from a reload until the person has copied it', async () => {
    const tenant = await callout.tenant();
    const receiver = await callout.webhook(tenant, { isActive: false });
    const page = await browser.newPage();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/new`);
    await textbox(page, 'Name').fill('Safe');
    await textbox(page, 'URL').fill(receiver.url);
    await openSection(page, 'Secret and signature');
    const secret = await textbox(page, 'Secret').inputValue();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('heading', { name: 'Safe is created' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/webhooks\/Account\/\d+$/u);
    expect(new URL(page.url()).search).toBe('');
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(secret);

    // Left and opened again within the console, it is still there.
    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await page.goBack();
    await page.getByText(secret).waitFor();
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await page.evaluate('location.reload()');
    await eventually(() => expect(asked).toEqual(['beforeunload']));
    await page.getByText(secret).waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText(secret).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Safe' }).waitFor();
    expect(asked).toHaveLength(1);
    expect(await page.getByText(secret).count()).toBe(0);
  });

  it('shows the sample in the chosen format, and stores it', async () => {
    const tenant = await callout.tenant();
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/new`);
    await addField(page, 'assetValue', /^assetValue/u);
    await page.keyboard.press('Escape');
    await openSection(page, 'Format');
    const format = page.getByRole('combobox', { name: 'Format' });
    const sample = page.getByLabel('Sample body');
    await sample.getByText('"AssetValue"').waitFor();
    await format.selectOption('CloudEvents');
    await page.getByText('for event buses and functions').waitFor();
    await sample.getByText('callout.company.updated.v1').waitFor();
    await format.selectOption('Typed');
    await page.getByRole('switch', { name: 'Include the previous values of changed fields' }).check();
    await sample.getByText('"previousFields"').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await textbox(page, 'Name').fill('Typed');
    await textbox(page, 'URL').fill('pull:');
    await page.getByText('Typed, with previous values').waitFor();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('heading', { name: 'Typed is created' }).waitFor();
    const port = Number(new URL(callout.url).port);
    const stored = await callApi(port, tenant.integrator, { method: 'GET', path: '/CompanyWebhooks/1' });
    expect(stored).toMatchObject({ body: { item: { payloadFormat: 'typed', includePreviousValues: true } } });
  });

  it('shows the headers of the sample as they will be: its own by their names alone, and the chosen signature', async () => {
    const tenant = await callout.tenant();
    const receiver = await callout.webhook(tenant, { isActive: false });
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/simulate')) sent.push(request.postData() ?? '');
    });
    await page.goto(`${callout.url}/console/webhooks/new`);
    await addField(page, 'phone', /^phone string/u);
    await page.keyboard.press('Escape');
    const sample = page.getByRole('region', { name: 'What your receiver gets' });
    await sample.getByRole('tab', { name: 'Headers' }).click();
    await sample.getByText('X-Hook-Signature').waitFor();
    await openSection(page, 'Secret and signature');
    await openSection(page, 'Authentication and headers');
    const signature = page.getByRole('combobox', { name: 'Sign callouts' });
    await signature.selectOption('With a key pair');
    await sample.getByText('X-Hook-Signature').waitFor({ state: 'detached' });
    await sample.getByText('webhook-signature').waitFor();
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Token (Bearer)' }).click();
    await page.locator('input[type=password]').first().fill('a-token-of-the-receiver');
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByRole('textbox', { name: 'Name of header 1' }).fill('X-Api-Key');
    await page.locator('input[type=password]').nth(1).fill('a key of the gateway');
    await sample.getByText('X-Api-Key').waitFor();
    await sample.getByText('Authorization').waitFor();
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await textbox(page, 'Name').fill('Signed');
    await textbox(page, 'URL').fill(receiver.url);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('heading', { name: 'Signed is created' }).waitFor();

    // Its settings and a copy of it show the same.
    const path = new URL(page.url()).pathname;
    for (const next of [`${path}?tab=settings`, `/console/webhooks/new?from=${path.split('/').slice(-2).join('/')}`]) {
      await page.goto(`${callout.url}${next}`);
      await sample.getByRole('tab', { name: 'Headers' }).click();
      await sample.getByText('X-Api-Key').waitFor();
      expect(await sample.getByText('X-Hook-Signature').count()).toBe(0);
    }
    await page.getByText('callouts are signed with a key pair').waitFor();
    await openSection(page, 'Secret and signature');
    expect(await signature.inputValue()).toBe('ed25519');
    expect(sent.join('')).not.toMatch(/a-token-of-the-receiver|a key of the gateway/u);
  });

  it('makes a webhook on webhook health for a pager, and never shows its key', async () => {
    const tenant = await callout.tenant();
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/new`);
    const records = page.getByRole('radiogroup', { name: 'Records' });
    await records.waitFor();
    expect(await page.getByRole('combobox', { name: 'Who reads them' }).count()).toBe(0);
    await records.getByText('Webhook health').click();
    await addField(page, 'occurrence', /^occurrence/u);
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Who reads them' }).selectOption('PagerDuty');
    await textbox(page, 'Integration key').fill('R0UT1NGK3Y');
    await page.getByLabel('Sample body').getByText('event_action').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await textbox(page, 'Name').fill('On call');
    await textbox(page, 'URL').fill('https://hooks.example.com/in');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('heading', { name: 'On call is created' }).waitFor();
    const port = Number(new URL(callout.url).port);
    const stored = await callApi(port, tenant.integrator, { method: 'GET', path: '/WebhookHealthWebhooks/1' });
    expect(stored).toMatchObject({ body: { item: { alertFormat: 'pagerduty', alertRoutingKey: '********' } } });
    await page.goto(`${callout.url}/console/webhooks/WebhookHealth/1?tab=settings`);
    await textbox(page, 'Integration key').waitFor();
    expect(await page.content()).not.toContain('R0UT1NGK3Y');
  });

  it('brings what is refused into sight, below the header, and focuses it', async () => {
    const page = await browser.page();
    await startSession(page, callout.url, await callout.tenant());
    await page.goto(`${callout.url}/console/webhooks/new`);
    await textbox(page, 'Name').fill('Too near');
    await textbox(page, 'URL').fill('http://10.0.0.1/in');
    await page.setViewportSize({ width: 390, height: 500 });
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const url = page.locator('*:focus');
    await url.and(page.locator('[aria-invalid=true]')).waitFor();
    expect(await url.inputValue()).toBe('http://10.0.0.1/in');
    expect(await isBelowHeader(page)).toBe(true);
    // An empty input, which the browser itself refuses, is scrolled into view as well.
    await textbox(page, 'Name').fill('');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await eventually(async () => expect(await url.getAttribute('maxlength')).toBe('50'));
    expect(await isBelowHeader(page)).toBe(true);
  });

  it('keeps what most leave as it is closed, and opens what the browser or the API refuses', async () => {
    const page = await browser.page();
    await startSession(page, callout.url, await callout.tenant());
    await page.goto(`${callout.url}/console/webhooks/new`);
    await textbox(page, 'Name').fill('Folded');
    await textbox(page, 'URL').fill('https://hooks.example.com/in');
    expect(await page.locator('details[open]').count()).toBe(0);
    await openSection(page, 'Delivery');
    await page.getByRole('textbox', { name: 'Calls at once' }).fill('500');
    await openSection(page, 'Delivery');
    await page.getByText('Not merged, at most 500 at once').waitFor();
    await openSection(page, 'Condition');
    await page.getByRole('button', { name: 'Add a comparison' }).click();
    await openSection(page, 'Condition');
    await openSection(page, 'Secret and signature');
    await textbox(page, 'Secret').fill('');
    await openSection(page, 'Secret and signature');
    const submit = page.getByRole('button', { name: 'Create webhook' });
    const focused = page.locator('*:focus');
    await submit.click();
    await eventually(async () => expect(await focused.getAttribute('maxlength')).toBe('64'));
    expect(await isOpen(page, 'Secret and signature')).toBe(true);
    expect(await isOpen(page, 'Delivery')).toBe(false);

    await page.getByRole('button', { name: 'Generate' }).click();
    await submit.click();
    // The condition is above the limits, and has no input of its own that could be refused.
    await focused.and(page.getByRole('alert')).waitFor();
    expect(await isOpen(page, 'Condition')).toBe(true);
    expect(await isOpen(page, 'Delivery')).toBe(true);
    await page.getByRole('button', { name: 'Remove this comparison' }).click();
    await submit.click();
    await eventually(async () => expect(await focused.inputValue()).toBe('500'));
    expect(await isBelowHeader(page)).toBe(true);
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
  });

  it('keeps what was typed when the session ends, for the same person alone', async () => {
    const [tenant, other] = [await callout.tenant(), await callout.tenant()];
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/new`);
    await textbox(page, 'Name').fill('Typed for minutes');
    await page.context().clearCookies();
    await addField(page, 'phone', /^phone string/u);
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    expect(await page.getByRole('main').count()).toBe(1);
    expect(await page.getByText('Typed for minutes').isVisible()).toBe(false);
    await faultsOf(page).then((faults) => expect(faults).toEqual([]));
    await signInAgain(page, tenant);
    await page.getByRole('checkbox', { name: 'phone is watched' }).waitFor();
    expect(await textbox(page, 'Name').inputValue()).toBe('Typed for minutes');
    await page.getByText(/"Phone": "/u).waitFor();

    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Remove phone' }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await signInAgain(page, other);
    await textbox(page, 'Name').waitFor();
    expect(await textbox(page, 'Name').inputValue()).toBe('');
  });

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
    await page.getByText('Add a field to see the request').waitFor();
    await addField(page, 'phone', /^phone string/u);
    await addField(page, 'support', /^Support tier user-defined string/u);
    await addField(page, 'name of the company', /^companyName string The name of the company/u);
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
    await openSection(page, 'Secret and signature');
    await textbox(page, 'Secret').fill('a secret of my own');
    await openSection(page, 'Mail and deactivation');
    await textbox(page, 'Mail also to').fill('ops@example.com');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('heading', { name: 'Phones and tiers is created' }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('dialog').getByText('The receiver answered 200').waitFor();
    const [test] = receiver.requests();
    expect(JSON.parse(String(test?.body))).toMatchObject({ Id: 0, Fields: { 'Support tier': 'Support tier' } });

    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByText('Mail to the owner and ops@example.com, deactivations to the same URL').waitFor();
    await openSection(page, 'Mail and deactivation');
    expect(await textbox(page, 'Deactivation URL').inputValue()).toBe(receiver.url);
    expect(await page.getByRole('checkbox', { name: 'Support tier is watched' }).isChecked()).toBe(true);
  });

  it('can be filled in by the keyboard alone, and has no serious fault for axe', async () => {
    const tenant = await callout.tenant();
    const receiver = await callout.webhook(tenant, { isActive: false });
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/new`);
    await page.getByRole('combobox', { name: 'Add fields' }).waitFor();
    await page.keyboard.press('Tab');
    await tabTo(page, 'Add fields');
    await page.keyboard.type('main phone');
    await page.getByRole('option', { name: /^phone string/u }).waitFor();
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

/** Text, since the tests are compiled without the types of a page. */
const isBelowHeader = (page: Page) =>
  page.evaluate<boolean>(`(() => {
    const { top, bottom } = document.activeElement.getBoundingClientRect();
    return top >= document.querySelector('header').getBoundingClientRect().bottom && bottom <= innerHeight;
  })()`);

async function signInAgain(page: Page, { integrator }: TenantUnderTest): Promise<void> {
  const form = page.getByRole('main');
  await form.getByRole('textbox', { name: 'User name' }).fill(integrator.userName);
  await form.getByRole('textbox', { name: 'Secret' }).fill(integrator.secret);
  await form.getByRole('textbox', { name: 'Integration code' }).fill(integrator.apiIntegrationCode);
  await form.getByRole('button', { name: 'Sign in' }).click();
}
