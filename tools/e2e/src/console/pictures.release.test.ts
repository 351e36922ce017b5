import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { env } from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { eventually, forThisFile, type TenantUnderTest } from '@callout/testing';
import type { Page } from 'playwright-core';
import { root } from '../documents/pages.fixture.ts';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { operatorPage } from './fixtures/operator-page.ts';
import { startSession } from './fixtures/sign-in.ts';

// The pictures of docs/images are made here, from the running product:
// WRITE_DOCS=1 npm run test:release -- console/pictures

const size = { width: 1180, height: 760 };
/** Narrow pages have to fit as well; they are not kept. */
const phone = { width: 390, height: 844 };

const company = (id: number, change: object = {}) => ({
  entityType: 'Account',
  action: 'Create',
  id,
  fields: { companyName: companyNames[id % companyNames.length], phone: `555-01${String(id).padStart(2, '0')}` },
  ...change,
});
const companyNames = ['Northwind', 'Contoso', 'Fabrikam', 'Adventure Works', 'Tailspin', 'Wide World'];

type WebhookUnderTest = Awaited<ReturnType<typeof callout.webhook>>;

interface Scene {
  readonly tenant: TenantUnderTest;
  readonly shop: WebhookUnderTest;
  readonly billing: WebhookUnderTest;
}

/** Throws until so many callouts have arrived. */
function holdCount(webhook: WebhookUnderTest, count: number): void {
  if (webhook.requests().length !== count) throw new Error(`${webhook.requests().length} of ${count} callouts`);
}

/** A tenant with a receiver that is well, one that is down, one that is gone, and a webhook without a field. */
const scene: Scene = forThisFile(
  async () => {
    const made = await callout.tenant();
    // The name is at the top of every page.
    const userName = 'crm@northwind.example';
    await callout.database.pool.query(
      'UPDATE credentials SET user_name = $2, user_name_folded = $2 WHERE user_name = $1',
      [made.integrator.userName, userName],
    );
    const tenant = { ...made, integrator: { ...made.integrator, userName } };
    const billing = await callout.webhook(tenant, { name: 'Companies to billing' });
    const shop = await callout.webhook(tenant, { name: 'Companies to the shop' });
    const partner = await callout.webhook(tenant, { name: 'Companies to a former partner' });
    await callout.webhook(tenant, {
      name: 'Tickets without fields',
      collection: 'TicketWebhooks',
      fields: [],
      onDelete: false,
    });
    await callout.send(tenant, ...Array.from({ length: 24 }, (_, n) => company(n + 1)));
    await eventually(() => holdCount(billing, 24));
    partner.answer(() => ({ status: 410 }));
    shop.answer(() => ({ status: 503 }));
    const changed = Array.from({ length: 24 }, (_, n) =>
      company(n + 1, {
        action: 'Update',
        fields: { companyName: `${companyNames[n % 6]} Ltd` },
        eventID: `change-${n + 1}`,
      }),
    );
    await callout.send(tenant, ...changed);
    await eventually(() => holdCount(billing, 48));
    return { tenant, shop, billing };
  },
  async () => undefined,
);

async function integratorPage(address: string): Promise<Page> {
  const page = await browser.page();
  await page.setViewportSize(size);
  await startSession(page, callout.url, scene.tenant);
  await page.goto(`${callout.url}/console${address}`);
  return page;
}

/** Keeps the page as a picture of the documents, where WRITE_DOCS asks for that. @returns what is wrong with the page. */
async function faultsOfPicture(page: Page, name: string): Promise<object[]> {
  await settled(page);
  const image = await page.screenshot({ animations: 'disabled' });
  if (env['WRITE_DOCS'] === '1') await writeFile(path.join(root, 'docs/images', `${name}.png`), image);
  await page.setViewportSize(phone);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  await page.setViewportSize(size);
  return [...(width > phone.width ? [{ id: 'too wide for a phone', width }] : []), ...(await faultsOf(page))];
}

describe('the pictures of the documents', () => {
  it('show the deliveries of a webhook, with two selected', async () => {
    const page = await integratorPage(`/webhooks/Account/${scene.billing.id}?tab=deliveries`);
    await page.getByRole('row').nth(2).getByRole('checkbox').check();
    await page.getByRole('row').nth(3).getByRole('checkbox').check();
    await page.getByText('2 selected').waitFor();
    expect(await faultsOfPicture(page, 'deliveries')).toEqual([]);
  });

  it('show a callout that waits, with its reason', async () => {
    const page = await integratorPage(`/webhooks/Account/${scene.shop.id}?tab=deliveries`);
    await page.getByRole('row', { name: /503/u }).first().getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: /^Callout \d+$/u }).waitFor();
    await page.getByText('answered 503').first().waitFor();
    expect(await faultsOfPicture(page, 'callout')).toEqual([]);
  });

  it('show an event with the verdict of each webhook', async () => {
    const page = await integratorPage('/events/change-3');
    await page
      .getByRole('table', { name: 'Verdicts' })
      .getByRole('row', { name: /Companies to billing/u })
      .waitFor();
    expect(await faultsOfPicture(page, 'event')).toEqual([]);
  });

  it('show the form of a new webhook with the request that it would send', async () => {
    const page = await integratorPage('/webhooks/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Companies to accounting');
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(scene.billing.url);
    await page.getByRole('combobox', { name: 'Add fields' }).fill('phone');
    await page.getByRole('option', { name: /^phone string/u }).click();
    await page.keyboard.press('Escape');
    await page.getByText('"EntityType": "Account"').waitFor();
    expect(await faultsOfPicture(page, 'new-webhook')).toEqual([]);
  });

  it('show the status page of an operator', async () => {
    const page = await operatorPage('');
    await page.setViewportSize(size);
    await page.getByRole('heading', { name: 'Webhooks with the most open callouts' }).waitFor();
    expect(await faultsOfPicture(page, 'status')).toEqual([]);
  });

  it('show the overview with what needs attention', async () => {
    const page = await integratorPage('');
    const attention = page.getByRole('region', { name: 'What needs attention' });
    for (const name of ['Companies to the shop', 'Companies to a former partner', 'Tickets without fields'])
      await attention.getByRole('listitem').filter({ hasText: name }).waitFor();
    // A minute is counted soon after its end: the limit of the test is the only one.
    await page.getByText('No receiver has answered').waitFor({ state: 'detached', timeout: 0 });
    await page.getByRole('figure').first().waitFor();
    expect(await faultsOfPicture(page, 'overview')).toEqual([]);
  });
});
