import { describe, expect, it } from '@jest/globals';
import { callApi, eventually, everyCompanyEvent, registerWebhook, type TenantUnderTest } from '@callout/testing';
import type { Page } from 'playwright-core';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { tabTo } from './fixtures/keyboard.ts';
import { startSession } from './fixtures/sign-in.ts';

const create = (id: number) => ({
  entityType: 'Account',
  action: 'Create',
  id,
  fields: { companyName: `Company ${id}` },
});
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const rows = (page: Page) => page.getByRole('table', { name: 'Callouts' }).getByRole('row');
const row = (page: Page, number: number) =>
  page.getByRole('checkbox', { name: `Select callout ${number}`, exact: true });

interface Opened {
  readonly tenant: TenantUnderTest;
  readonly webhook: Awaited<ReturnType<typeof callout.webhook>>;
  readonly page: Page;
}

/** The page of a webhook whose receiver got the callouts of three records. */
async function openDelivered(): Promise<Opened> {
  const tenant = await callout.tenant();
  const webhook = await callout.webhook(tenant);
  await callout.send(tenant, create(1), create(2), create(3));
  await eventually(() => expect(webhook.requests()).toHaveLength(3));
  const page = await browser.page();
  await startSession(page, callout.url, tenant);
  await page.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?tab=deliveries`);
  await row(page, 3).waitFor();
  return { tenant, webhook, page };
}

describe('the deliveries of a webhook', () => {
  it('show a callout that comes while the page is open, and read nothing again that has not changed', async () => {
    const { tenant, page } = await openDelivered();
    const ofList = (url: string) => url.includes('/Callouts?');
    await page.waitForResponse((response) => ofList(response.url()) && response.status() === 304);
    const rows = await page.getByRole('row').count();
    await callout.send(tenant, create(4));
    await row(page, 4).waitFor();
    expect(await page.getByRole('row').count()).toBe(rows + 1);
  });

  it('have no buttons that can do nothing: while the webhook is inactive, or of callouts that have ended', async () => {
    const { tenant, webhook, page } = await openDelivered();
    const repairs = page.getByRole('button', { name: /^(?:Send|Redeliver|Cancel) .*…$/u });
    await eventually(async () => expect(await repairs.allTextContents()).toEqual(['Redeliver all …']));
    const port = Number(new URL(callout.url).port);
    const deactivation = { id: webhook.id, isActive: false };
    await callApi(port, tenant.integrator, { method: 'PATCH', path: '/CompanyWebhooks', body: deactivation });
    await page.reload();
    await row(page, 3).waitFor();
    await page.getByText('No callouts are sent').waitFor();
    await eventually(async () => expect(await button(page, /^(?:Send|Redeliver|Cancel)/u).count()).toBe(0));
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('link', { name: '3', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Callout 3' }).waitFor();
    await page.getByText('Attempt 1: answered 200').waitFor();
    await settled(page);
    await eventually(async () => expect(await button(page, 'Redeliver').count()).toBe(0));
  });

  it('that are fetched say so, and until when one is to be acknowledged in the time of the reader', async () => {
    const tenant = await callout.tenant();
    const { integrator } = tenant;
    const port = Number(new URL(callout.url).port);
    const wanted = { ...everyCompanyEvent, url: 'pull:', deactivationUrl: 'pull:' };
    const id = await registerWebhook(port, integrator, wanted);
    await callout.send(tenant, create(1), create(2));
    const body = { max: 1, waitSeconds: 30, leaseSeconds: 3_600 };
    const path = `/CompanyWebhooks/${id}/Pull`;
    expect(await callApi(port, integrator, { method: 'POST', path, body })).toMatchObject({
      status: 200,
      body: { items: [{ calloutID: expect.any(String) }] },
    });
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/Account/${id}?tab=deliveries`);
    await page.getByText('Companies, fetched by a program').waitFor();
    await page
      .getByText(/^It was fetched, and is to be acknowledged by \w{3} \d+, [\d:]+ [AP]M UTC \(in \d+\w+\)\.$/u)
      .waitFor();
    await page.getByText('It is due: it waits for a program to fetch it (POST …/Pull).', { exact: true }).waitFor();
    expect(await page.getByRole('main').textContent()).not.toMatch(/The next attempt|\dT\d/u);
  });

  it('are sent now while they wait for their next attempt: one, the selected ones, or all', async () => {
    const tenant = await callout.tenant();
    const webhook = await callout.webhook(tenant);
    webhook.answer(() => ({ status: 503 }));
    await callout.send(tenant, create(1), create(2), create(3), create(4));
    await eventually(() => expect(webhook.requests()).toHaveLength(4));
    await callout.database.pool.query(
      "UPDATE open_callouts SET due_at = now() + interval '10 hours' WHERE tenant_id = $1 AND lease_until IS NULL",
      [tenant.id],
    );
    webhook.answer(() => ({ status: 200 }));
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?state=failing`);
    const retried = (record: number) =>
      page.getByRole('row', { name: new RegExp(`retrying.*Create of [Cc]ompany ${record}\\b`, 'u') });
    await retried(4).waitFor();
    expect(await button(page, 'Cancel all …').count()).toBe(0);
    await retried(1).getByRole('checkbox').check();
    await button(page, 'Send 1 selected now').click();
    await page.getByText('1 callout will be sent now.').waitFor();
    await button(page, 'Send 1 now').click();
    await page.getByText('1 callout is sent now.').waitFor();
    await eventually(() => expect(webhook.requests()).toHaveLength(5));
    await retried(1).waitFor({ state: 'detached' });
    await retried(2).getByRole('link').click();
    await button(page, 'Send now').click();
    await page.getByText('The callout is sent now.').waitFor();
    await page.getByText('Attempt 2: answered 200').waitFor();
    await page.goBack();
    await button(page, 'Send all now …').click();
    await page.getByText('2 callouts will be sent now.').waitFor();
    await button(page, 'Send 2 now').click();
    await eventually(() => expect(webhook.requests()).toHaveLength(8));
    await page.getByText('No callout matches').waitFor();
  });

  it('are redelivered: the selected ones, with their number shown before', async () => {
    const { webhook, page } = await openDelivered();
    await row(page, 1).check();
    await row(page, 3).check();
    await button(page, 'Redeliver 2 selected').click();
    await page.getByText('2 callouts will be sent again.').waitFor();
    await button(page, 'Redeliver 2').last().click();
    await page.getByText('2 callouts are sent again.').waitFor();
    await eventually(() => expect(webhook.requests()).toHaveLength(5));
    const sent = webhook
      .requests()
      .map(({ body }) => (JSON.parse(String(body)) as { SequenceNumber: number }).SequenceNumber);
    expect(sent.slice(3).toSorted((a, b) => a - b)).toEqual([1, 3]);
    expect(await row(page, 1).isChecked()).toBe(false);
  });

  it('are redelivered and cancelled by what the list is narrowed to, which its address keeps', async () => {
    const { tenant, webhook, page } = await openDelivered();
    await page.getByRole('combobox', { name: 'State' }).selectOption('delivered');
    await page.getByRole('textbox', { name: 'Record' }).fill('2');
    await row(page, 3).waitFor({ state: 'detached' });
    await eventually(() => expect(new URL(page.url()).search).toBe('?tab=deliveries&state=delivered&record=2'));
    await page.reload();
    await row(page, 2).waitFor();
    expect(await rows(page).count()).toBe(2);
    await button(page, 'Redeliver all …').click();
    await page.getByText('1 callout will be sent again.').waitFor();
    await button(page, 'Redeliver 1').click();
    await eventually(() => expect(webhook.requests()).toHaveLength(4));

    webhook.answer({ status: 500 });
    await callout.send(tenant, create(4), create(5));
    await page.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?state=due`);
    await row(page, 5).waitFor();
    await button(page, 'Cancel all …').click();
    await page.getByText('2 callouts will be cancelled.').waitFor();
    await button(page, 'Cancel 2').click();
    await page.getByText('No callout matches').waitFor();
    await page.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?state=cancelled`);
    await row(page, 5).waitFor();
    expect(await rows(page).count()).toBe(3);
  });

  it('are made of changes while the webhook was inactive: counted first, in the order of the changes', async () => {
    const { tenant, webhook, page } = await openDelivered();
    const setActive = (isActive: boolean) =>
      callApi(Number(new URL(callout.url).port), tenant.integrator, {
        method: 'PATCH',
        path: '/CompanyWebhooks',
        body: { id: webhook.id, isActive },
      });
    await setActive(false);
    await callout.send(tenant, create(4), create(5));
    const pending = 'SELECT FROM pending_events WHERE tenant_id = $1';
    await eventually(async () => expect((await callout.database.pool.query(pending, [tenant.id])).rowCount).toBe(0));
    await setActive(true);
    await page.reload();
    await button(page, 'Redeliver all …').click();
    await page.getByText('Nothing here can be sent again.').waitFor();
    await page.getByRole('checkbox', { name: 'Changes made while the webhook was inactive, too' }).check();
    await page.getByText('2 callouts will be sent again.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, 'Redeliver 2').click();
    await page.getByText('2 callouts are sent again.').waitFor();
    // One of them is the deactivation call.
    await eventually(() => expect(webhook.requests()).toHaveLength(6));
    await row(page, 5).waitFor();
    const sent = webhook.requests().map(({ body }) => (JSON.parse(String(body)) as { Id: number }).Id);
    expect(sent.slice(4).toSorted((one, other) => one - other)).toEqual([4, 5]);
  });

  it('can be selected and redelivered by the keyboard alone, without a serious fault for axe', async () => {
    const { webhook, page } = await openDelivered();
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Deliveries' }).focus();
    await tabTo(page, 'Select callout 2');
    await page.keyboard.press('Space');
    await button(page, 'Redeliver 1 selected').focus();
    await page.keyboard.press('Enter');
    await page.getByText('1 callout will be sent again.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, 'Redeliver 1');
    await page.keyboard.press('Enter');
    await eventually(() => expect(webhook.requests()).toHaveLength(4));
  });
});
