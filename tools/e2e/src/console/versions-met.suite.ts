import { describe, expect, it } from '@jest/globals';
import { callApi, eventually, type TenantUnderTest } from '@callout/testing';
import type { Page, Route } from 'playwright-core';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { openSection } from './fixtures/sections.ts';
import { startSession } from './fixtures/sign-in.ts';

type Role = 'integrator' | 'admin';

/** A page of the console, and calls of someone else. */
async function open(role: Role, pathOf: (tenant: TenantUnderTest) => Promise<string>) {
  const tenant = await callout.tenant();
  const path = await pathOf(tenant);
  const page = await browser.page();
  await startSession(page, callout.url, tenant, role);
  await page.goto(`${callout.url}/console${path}`);
  const call = (method: 'GET' | 'PATCH' | 'POST', at: string, body?: unknown) =>
    callApi(Number(new URL(callout.url).port), tenant.admin, { method, path: at, body });
  return { page, call };
}

async function openWebhook(tab: string) {
  let path = '';
  const opened = await open('integrator', async (tenant) => {
    const { id } = await callout.webhook(tenant);
    path = `/CompanyWebhooks/${id}`;
    return `/webhooks/Account/${id}?tab=${tab}`;
  });
  return { ...opened, path };
}

/** Has someone else change something, and then the page write, without reading in between what it polls. */
async function atOnce(page: Page, change: () => Promise<unknown>, write: () => Promise<unknown>): Promise<void> {
  let resolve = (): void => undefined;
  const isWritten = new Promise<void>((done) => (resolve = done));
  const hold = async (route: Route) => {
    const isRead = route.request().method() === 'GET' || route.request().url().includes('/query');
    if (isRead) await isWritten;
    else resolve();
    await route.fallback();
  };
  await page.route('**/v1.0/**', hold);
  await change();
  await write();
  await isWritten;
  await page.unroute('**/v1.0/**', hold);
}

/** Has a page draw what it reads at one path before it gets what it reads at another. */
async function drawFirst(page: Page, first: string, later: string): Promise<void> {
  await page.route(`**${later}`, async (route) => {
    await page.waitForResponse(`**${first}`);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await route.continue();
  });
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const met = (page: Page) => page.getByRole('alert').filter({ hasText: /was changed (?:since|while) you/u });
const cells = (page: Page, name: string) =>
  met(page).getByRole('row').filter({ hasText: name }).getByRole('cell').allTextContents();

describe('what two people do with one webhook at once', () => {
  it('is shown to the second before it is deactivated or deleted', async () => {
    const { page, call, path } = await openWebhook('settings');
    await button(page, 'Deactivate').click();
    await atOnce(
      page,
      () => call('PATCH', path, { name: 'Theirs' }),
      () => dialog(page).getByRole('button', { name: 'Deactivate' }).click(),
    );
    await met(page).getByText('Nothing was done').waitFor();
    expect(await cells(page, 'Name')).toEqual(['Name', 'every company event', 'Theirs']);
    expect(await call('GET', path)).toMatchObject({ body: { item: { isActive: true } } });
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Deactivate' }).click();
    await button(page, 'Activate').waitFor();

    await button(page, 'Delete').click();
    await atOnce(
      page,
      () => call('PATCH', path, { maxConcurrentCalls: 7 }),
      () => dialog(page).getByRole('button', { name: 'Delete' }).click(),
    );
    await met(page).getByText('Calls at once').waitFor();
    expect(await call('GET', path)).toMatchObject({ status: 200 });
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    expect(await call('GET', path)).toMatchObject({ status: 404 });
  });

  it('is shown to the second before it is activated from the overview', async () => {
    let path = '';
    const { page, call } = await open('integrator', async (tenant) => {
      const gone = await callout.webhook(tenant);
      path = `/CompanyWebhooks/${gone.id}`;
      gone.answer({ status: 410 });
      await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 1, fields: { companyName: 'Acme' } });
      await eventually(() => expect(gone.requests()).toHaveLength(1));
      return '/';
    });
    await button(page, 'Activate it again').waitFor();
    await settled(page);
    await atOnce(
      page,
      () => call('PATCH', path, { webhookUrl: 'https://hooks.example.com/moved' }),
      () => button(page, 'Activate it again').click(),
    );
    await met(page).getByText('https://hooks.example.com/moved').waitFor();
    expect(await call('GET', path)).toMatchObject({ body: { item: { isActive: false } } });
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await button(page, 'Activate it again').click();
    await page.getByText('every company event is active').waitFor();
    expect(await call('GET', path)).toMatchObject({ body: { item: { isActive: true } } });
  });

  it('is shown where a field is changed while the settings are being saved', async () => {
    const { page, call, path } = await openWebhook('settings');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Mine');
    await page.getByRole('checkbox', { name: 'companyName is always sent' }).uncheck();
    const read = (await call('GET', `${path}/Fields`)) as unknown as { body: { items: [{ id: number }] } };
    const field = `${path}/Fields/${read.body.items[0].id}`;
    // The settings are stored when the other person comes, and the field is not yet.
    await page.route(`**${path}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      const response = await route.fetch();
      await call('PATCH', field, { isSubscribedField: false });
      return route.fulfill({ response });
    });
    await button(page, 'Save').click();
    await met(page).getByRole('row').filter({ hasText: 'companyName' }).waitFor();
    expect((await cells(page, 'companyName')).slice(1)).toEqual([
      'watched, always sent',
      'always sent',
      'watched',
      'Use theirs',
    ]);
    expect(await call('GET', field)).toMatchObject({
      body: { item: { isSubscribedField: false, isDisplayAlwaysField: true } },
    });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await button(page, 'Save').click();
    await page.getByText('The webhook is saved.').waitFor();
    expect(await call('GET', field)).toMatchObject({
      body: { item: { isSubscribedField: true, isDisplayAlwaysField: false } },
    });
  });

  it('is shown before its secret is changed', async () => {
    const { page, call, path } = await openWebhook('settings');
    await openSection(page, 'Secret and signature');
    await button(page, 'Rotate the secret').click();
    await dialog(page).getByRole('textbox', { name: 'New secret' }).fill('a secret of this page');
    await eventually(async () => expect(await button(page, 'Rotate it').isEnabled()).toBe(true));
    await atOnce(
      page,
      () => call('POST', `${path}/rotateSecret`, { secretKey: 'a secret of someone else', overlapHours: 1 }),
      () => button(page, 'Rotate it').click(),
    );
    await met(page).getByText('such as its secret').waitFor();
    await button(page, 'Rotate it').click();
    await page.getByRole('heading', { name: 'The secret is changed' }).waitFor();
  });
});

describe('what two people do with one resource or definition at once', () => {
  it('is one change of both of a resource, and the second chooses where they differ', async () => {
    const { page, call } = await open('admin', async () => '/resources?search=colleague');
    await page.getByRole('row').nth(1).getByRole('button').press('Enter');
    const input = (name: string) => dialog(page).getByRole('textbox', { name });
    await input('First name').fill('Mine');
    await input('Title').fill('Ms');
    const found = await call('POST', '/Resources/query', {
      Filter: [{ op: 'contains', field: 'email', value: 'colleague' }],
    });
    const [{ id }] = (found as unknown as { body: { items: [{ id: number }] } }).body.items;
    await atOnce(
      page,
      () => call('PATCH', `/Resources/${id}`, { firstName: 'Theirs', lastName: 'Hopper' }),
      () => dialog(page).getByRole('button', { name: 'Save' }).click(),
    );
    await met(page).waitFor();
    expect(await cells(page, 'First name')).toEqual(['First name', 'none', 'Theirs', 'Mine', 'Use theirs']);
    expect((await cells(page, 'Last name')).slice(2)).toEqual(['Hopper', 'as it is now', '']);
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await met(page).getByRole('button', { name: 'Use theirs' }).click();
    expect(await input('First name').inputValue()).toBe('Theirs');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('The resource is saved.').waitFor();
    expect(await call('GET', `/Resources/${id}`)).toMatchObject({
      body: { item: { firstName: 'Theirs', lastName: 'Hopper', title: 'Ms' } },
    });
    await page.reload();
    await page.getByRole('row').nth(1).getByRole('button').press('Enter');
    await dialog(page).getByRole('button', { name: 'Delete this resource' }).click();
    await atOnce(
      page,
      () => call('PATCH', `/Resources/${id}`, { title: 'Dr' }),
      () => dialog(page).getByRole('button', { name: 'Delete it' }).click(),
    );
    await met(page).getByText('Dr').waitFor();
    expect(await call('GET', `/Resources/${id}`)).toMatchObject({ status: 200 });
  });

  it('is shown before a user-defined field is saved or deleted', async () => {
    const path = '/UserDefinedFieldDefinitions/1';
    const { page, call } = await open('admin', async (tenant) => {
      await callApi(Number(new URL(callout.url).port), tenant.admin, {
        method: 'POST',
        path: '/UserDefinedFieldDefinitions',
        body: { entityType: 'Account', name: 'Tier', dataType: 'string' },
      });
      return '/user-defined-fields';
    });
    await button(page, 'Edit Tier').click();
    await dialog(page).getByRole('textbox', { name: 'Label' }).fill('Mine');
    await atOnce(
      page,
      () => call('PATCH', path, { label: 'Theirs' }),
      () => dialog(page).getByRole('button', { name: 'Save' }).click(),
    );
    await met(page).waitFor();
    expect(await cells(page, 'Label')).toEqual(['Label', 'Tier', 'Theirs', 'Mine', 'Use theirs']);
    expect(await call('GET', path)).toMatchObject({ body: { item: { label: 'Theirs' } } });
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Mine in callouts').waitFor();
    await page.reload();
    await button(page, 'Delete Tier').click();
    await dialog(page).getByText('It is removed from every webhook').waitFor();
    await drawFirst(page, path, '/UserDefinedFieldDefinitions/query');
    await atOnce(
      page,
      () => call('PATCH', path, { label: 'Last' }),
      () => dialog(page).getByRole('button', { name: 'Delete the field' }).click(),
    );
    await met(page).getByText('Last').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await dialog(page).getByRole('button', { name: 'Delete the field' }).click();
    await page.getByText('No user-defined fields yet').waitFor();
  });
});
