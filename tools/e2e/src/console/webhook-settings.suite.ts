import { describe, expect, it } from '@jest/globals';
import { callApi, eventually, type TenantUnderTest } from '@callout/testing';
import { type Setting, settingsOf } from '@callout/webhooks/settings/settings';
import type { Page } from 'playwright-core';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { tabTo } from './fixtures/keyboard.ts';
import { openSection } from './fixtures/sections.ts';
import { startSession } from './fixtures/sign-in.ts';

interface Opened {
  readonly tenant: TenantUnderTest;
  readonly webhook: Awaited<ReturnType<typeof callout.webhook>>;
  readonly page: Page;
  /** The changes that the page has sent, such as `PATCH {"name":"x"}`. */
  readonly sent: string[];
}

async function openSettings(): Promise<Opened> {
  const tenant = await callout.tenant();
  const webhook = await callout.webhook(tenant);
  const page = await browser.page();
  await startSession(page, callout.url, tenant);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET' && !/\/(?:query|simulate)$/u.test(request.url())) {
      sent.push(`${request.method()} ${request.postData() ?? ''}`.trim());
    }
  });
  await page.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?tab=settings`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor();
  return { tenant, webhook, page, sent };
}

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');

describe('the settings of a webhook', () => {
  it('send what was changed and nothing else: settings, fields and exclusions', async () => {
    const { page, sent } = await openSettings();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Phones of companies');
    await page.getByRole('checkbox', { name: 'Deleted records' }).uncheck();
    await page.getByRole('combobox', { name: 'Add fields' }).fill('phone');
    await page.getByRole('option', { name: /^phone string/u }).click();
    await page.getByRole('checkbox', { name: 'phone is always sent' }).check();
    await page.getByRole('checkbox', { name: 'companyName is always sent' }).uncheck();
    await openSection(page, 'Excluded resources');
    await page.getByRole('combobox', { name: 'Exclude a resource' }).click();
    await page.getByRole('listbox').getByRole('option').first().click();
    await page.getByText('5 unsaved changes').waitFor();
    await save(page).click();
    await page.getByText('The webhook is saved.').waitFor();
    await save(page).waitFor({ state: 'detached' });
    expect(sent).toEqual([
      'PATCH {"name":"Phones of companies","isSubscribedToDeleteEvents":false}',
      expect.stringMatching(/^POST \{"fieldID":\d+,"isSubscribedField":true,"isDisplayAlwaysField":true\}$/u),
      'PATCH {"isSubscribedField":true,"isDisplayAlwaysField":false}',
      expect.stringMatching(/^POST \{"resourceID":\d+\}$/u),
    ]);
    await page.reload();
    await page.getByRole('checkbox', { name: 'phone is always sent' }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'phone is always sent' }).isChecked()).toBe(true);
    await page.getByRole('heading', { level: 1, name: 'Phones of companies' }).waitFor();
  });

  it('keep what is entered while they are being saved', async () => {
    const { page, sent } = await openSettings();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('First');
    let isEdited = (): void => undefined;
    const edited = new Promise<void>((resolve) => (isEdited = resolve));
    await page.route('**/CompanyWebhooks/*', async (route) => {
      if (route.request().method() === 'PATCH') await edited;
      await route.continue();
    });
    const request = page.waitForRequest((one) => one.method() === 'PATCH');
    await save(page).click();
    await request;
    await name.fill('Second');
    isEdited();
    await page.getByText('The webhook is saved.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'First' }).waitFor();
    expect(await name.inputValue()).toBe('Second');
    await save(page).click();
    await page.getByRole('heading', { level: 1, name: 'Second' }).waitFor();
    expect(sent).toEqual(['PATCH {"name":"First"}', 'PATCH {"name":"Second"}']);
  });

  it('keep what was entered when the API refuses it, say so at the input, and ask before it is left', async () => {
    const { page } = await openSettings();
    const url = page.getByRole('textbox', { name: 'URL', exact: true });
    await url.fill('http://10.0.0.1/in');
    await save(page).click();
    await page.getByRole('alert').getByText('Not everything is saved').waitFor();
    expect(await url.getAttribute('aria-invalid')).toBe('true');
    expect(await url.inputValue()).toBe('http://10.0.0.1/in');
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await button(page, 'Stay on the page').click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await url.inputValue()).toBe('http://10.0.0.1/in');
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await button(page, 'Leave, and lose the changes').click();
    await page.getByRole('table', { name: 'Callouts' }).or(page.getByText('No callouts yet')).waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    expect(await url.inputValue()).not.toBe('http://10.0.0.1/in');
  });

  it('show the open callouts before a webhook is deactivated or deleted, and copy it into the form, without a serious fault for axe', async () => {
    const { page, tenant, webhook } = await openSettings();
    webhook.answer({ status: 500 });
    const created = { entityType: 'Account', action: 'Create', fields: { companyName: 'Acme' } };
    await callout.send(tenant, { ...created, id: 1 }, { ...created, id: 2 });
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page.getByRole('table', { name: 'Callouts' }).getByRole('row').nth(2).waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();

    await button(page, 'Deactivate').click();
    await dialog(page).getByText('2 callouts that are still to be delivered are cancelled.').waitFor();
    await dialog(page).getByRole('button', { name: 'Deactivate' }).click();
    await button(page, 'Activate').click();
    await button(page, 'Deactivate').waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    await page
      .getByRole('row', { name: /deactivated.*integrator@example\.com/u })
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();

    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { level: 1, name: 'New webhook' }).waitFor();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.waitFor();
    expect(await name.inputValue()).toBe('every company event copy');
    expect(await page.getByRole('checkbox', { name: 'companyName is watched' }).isChecked()).toBe(true);
    await page.goBack();

    await button(page, 'Delete').click();
    await dialog(page).getByText('This cannot be undone.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?tab=deliveries`);
    await page.getByText(`There is no webhook ${webhook.id} of companies`).waitFor();
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'All webhooks' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  });

  it('can be changed by the keyboard alone, without a serious fault for axe, and are no wider than a telephone', async () => {
    const { page } = await openSettings();
    const field = page.getByRole('combobox', { name: 'Add fields' });
    await page.getByRole('tab', { name: 'Settings' }).focus();
    await tabTo(page, 'Add fields');
    await page.keyboard.type('main phone');
    await page.getByRole('option', { name: /^phone string/u }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'phone is watched' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await field.inputValue()).toBe('');
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, 'phone is always sent');
    await page.keyboard.press('Space');
    await tabTo(page, 'Save');
    await page.keyboard.press('Enter');
    await page.getByText('The webhook is saved.').waitFor();
    await page.setViewportSize({ width: 360, height: 780 });
    await page.getByRole('radiogroup', { name: 'Sample event' }).waitFor();
    await eventually(async () => expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360));
  });
});

/** A value that a control takes and that most webhooks do not have. */
async function change(page: Page, { key, type, form }: Setting, url: string): Promise<string | number | boolean> {
  const name = form.label ?? form.name;
  if (type.kind === 'boolean' || type.kind === 'flag') {
    const role = form.section === 'subscriptions' ? 'checkbox' : 'switch';
    // The name of a switch goes on with the help.
    const control = page.getByRole(role, { name });
    const wasSet = await control.isChecked();
    await control.press('Space');
    return !wasSet;
  }
  if (type.kind === 'choice') {
    const word = type.words.at(-1) ?? '';
    await page.getByRole('combobox', { name, exact: true }).selectOption(word);
    return word;
  }
  const texts: Readonly<Record<string, string>> = { url: `${url}?${key}`, mail: 'ops@example.com' };
  const value = type.kind === 'limit' ? type.maximum : (texts[type.kind] ?? 'Another text');
  await page.getByRole('textbox', { name, exact: true }).fill(String(value));
  return value;
}

describe('each setting without an editor', () => {
  it('has a control, and is stored as it was entered', async () => {
    const { page, tenant, webhook } = await openSettings();
    for (const summary of await page.locator('summary').all()) await summary.click();
    const plain = settingsOf('Account').filter(({ form }) => form.section !== undefined && form.editor === undefined);
    const entered: Record<string, unknown> = {};
    for (const setting of plain) entered[setting.key] = await change(page, setting, webhook.url);
    await page.getByText(`${plain.length} unsaved changes`).waitFor();
    await save(page).click();
    await page.getByText('The webhook is saved.').waitFor();
    const path = `/CompanyWebhooks/${webhook.id}`;
    const stored = await callApi(Number(new URL(callout.url).port), tenant.integrator, { method: 'GET', path });
    expect(stored).toMatchObject({ body: { item: entered } });
  });
});

describe('the limits of calls to a receiver', () => {
  it('are set and removed in the settings, and refused with a sentence at the field', async () => {
    const { page, sent } = await openSettings();
    const perSecond = page.getByRole('textbox', { name: 'Calls per second' });
    const atOnce = page.getByRole('textbox', { name: 'Calls at once' });
    await openSection(page, 'Delivery');
    await perSecond.fill('0.5');
    await atOnce.fill('3');
    await save(page).click();
    await page.getByText('The webhook is saved.').waitFor();
    await page.reload();
    await page.getByText('at most 0.5 calls a second and 3 at once').waitFor();
    await openSection(page, 'Delivery');
    expect(await perSecond.inputValue()).toBe('0.5');
    await perSecond.fill('');
    await atOnce.fill('500');
    await save(page).click();
    await page.getByText('must be a whole number from 1 to 200').first().waitFor();
    await atOnce.fill('200');
    await save(page).click();
    await page.getByText('The webhook is saved.').waitFor();
    expect(sent).toEqual([
      'PATCH {"maxCallsPerSecond":0.5,"maxConcurrentCalls":3}',
      'PATCH {"maxCallsPerSecond":null,"maxConcurrentCalls":500}',
      'PATCH {"maxCallsPerSecond":null,"maxConcurrentCalls":200}',
    ]);
  });
});

describe('two people who edit the same webhook', () => {
  const callsOf =
    ({ tenant, webhook }: Pick<Opened, 'tenant' | 'webhook'>) =>
    (method: 'GET' | 'PATCH' | 'POST', below: string, body?: unknown) =>
      callApi(Number(new URL(callout.url).port), tenant.integrator, {
        method,
        path: `/CompanyWebhooks/${webhook.id}${below}`,
        body,
      });
  const textBox = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

  it('see what the other has changed, and lose nothing of it unless they choose so', async () => {
    const { page, tenant, webhook } = await openSettings();
    const call = callsOf({ tenant, webhook });
    const read = () => call('GET', '');
    await textBox(page, 'Name').fill('Mine');
    await openSection(page, 'Mail and deactivation');
    await textBox(page, 'Mail also to').fill('me@example.com');
    await page.getByRole('checkbox', { name: 'companyName is always sent' }).uncheck();
    const theirs = { name: 'Theirs', notificationEmailAddress: 'they@example.com' };
    await call('PATCH', '', { ...theirs, maxConcurrentCalls: 7 });
    await call('POST', '/Fields', { field: 'city', isSubscribedField: true });

    await save(page).click();
    const met = page.getByRole('alert').filter({ hasText: 'changed while you were editing it' });
    const row = (name: string) => met.getByRole('row').filter({ hasText: name });
    await row('Name').getByText('every company event').waitFor();
    expect(await read()).toMatchObject({ body: { item: theirs } });
    const cells = (name: string) => row(name).getByRole('cell').allTextContents();
    expect(await cells('Name')).toEqual(['Name', 'every company event', 'Theirs', 'Mine', 'Use theirs']);
    expect(await cells('Calls at once')).toEqual(['Calls at once', 'none', '7', 'as it is now', '']);
    expect(await cells('Field city')).toEqual(['Field city', 'not chosen', 'watched', 'as it is now', '']);
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);

    await row('Mail also to').getByRole('button', { name: 'Use theirs' }).click();
    expect(await textBox(page, 'Mail also to').inputValue()).toBe('they@example.com');
    expect(await textBox(page, 'Name').inputValue()).toBe('Mine');
    await save(page).click();
    await page.getByText('The webhook is saved.').waitFor();
    await save(page).waitFor({ state: 'detached' });
    expect(await met.count()).toBe(0);
    expect(await read()).toMatchObject({ body: { item: { ...theirs, name: 'Mine', maxConcurrentCalls: 7 } } });
    expect(await page.getByRole('checkbox', { name: 'companyName is always sent' }).isChecked()).toBe(false);
    expect(await page.getByRole('checkbox', { name: 'city is watched' }).isChecked()).toBe(true);
  });

  it('learn of a change that these settings do not show, and save again', async () => {
    const { page, tenant, webhook } = await openSettings();
    await textBox(page, 'Name').fill('Mine');
    await callsOf({ tenant, webhook })('POST', '/rotateSecret', { secretKey: 'a secret that is new', overlapHours: 1 });
    await save(page).click();
    await page.getByRole('alert').getByText('such as its secret').waitFor();
    await save(page).click();
    await page.getByText('The webhook is saved.').waitFor();
    expect(await callsOf({ tenant, webhook })('GET', '')).toMatchObject({ body: { item: { name: 'Mine' } } });
  });
});
