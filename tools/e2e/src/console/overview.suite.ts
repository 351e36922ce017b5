import { describe, expect, it } from '@jest/globals';
import { eventually, type TenantUnderTest } from '@callout/testing';
import type { Page } from 'playwright-core';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { startSession } from './fixtures/sign-in.ts';

const create = (id: number) => ({ entityType: 'Account', action: 'Create', id, fields: { companyName: `Acme ${id}` } });

async function overviewOf(tenant: TenantUnderTest): Promise<Page> {
  const page = await browser.page();
  await startSession(page, callout.url, tenant);
  await page.goto(`${callout.url}/console`);
  return page;
}

/** The text of the page about one webhook. */
const about = (page: Page, name: string) =>
  page.getByRole('region', { name: 'What needs attention' }).getByRole('listitem').filter({ hasText: name });

/** An animation of an element that requests one, on a page of the tests, which request reduced motion. */
const movedByStyle = `(() => {
  const asks = document.body.appendChild(document.createElement('p'));
  asks.style.transition = 'opacity 1s';
  asks.style.animation = 'any 1s';
  const { transitionProperty, animationName } = getComputedStyle(asks);
  asks.remove();
  return [transitionProperty, animationName].join(' ');
})()`;

describe('the overview', () => {
  it('says what to do first where there is no webhook, and leads there', async () => {
    const page = await overviewOf(await callout.tenant());
    await page.getByRole('heading', { name: 'Create your first webhook' }).waitFor();
    await page.getByRole('link', { name: 'Create a webhook' }).click();
    await page.getByRole('heading', { level: 1, name: 'New webhook' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/webhooks/new');
  });

  it('says that all is well, and draws what was delivered in the time that the address names, where nothing moves for those who ask for that', async () => {
    const tenant = await callout.tenant();
    await callout.webhook(tenant);
    const page = await overviewOf(tenant);
    await page.getByText('Nothing needs attention').waitFor();
    await page.getByRole('figure').filter({ hasText: 'Callouts by minute' }).waitFor();
    await page.getByText('30 d', { exact: true }).click();
    await page.getByRole('figure').filter({ hasText: 'Callouts by hour' }).waitFor();
    expect(new URL(page.url()).searchParams.get('range')).toBe('30d');
    await page.reload();
    await page.getByRole('figure').filter({ hasText: 'Callouts by hour' }).waitFor();
    expect(await page.getByRole('radio', { name: '30 d' }).isChecked()).toBe(true);
    expect(await page.evaluate(movedByStyle)).toBe('none none');
  });

  it('names a receiver that fails, tests it by one click, and says what it answered', async () => {
    const tenant = await callout.tenant();
    const webhook = await callout.webhook(tenant, { name: 'Billing' });
    webhook.answer(() => ({ status: 503 }));
    const page = await overviewOf(tenant);
    await page.getByText('Nothing needs attention').waitFor();
    await callout.send(tenant, ...[1, 2, 3, 4, 5, 6].map(create));
    const item = about(page, 'Billing');
    await item
      .getByText(/paused|failing/u)
      .first()
      .waitFor();
    await item.getByRole('button', { name: 'Send a test' }).click();
    await item.getByRole('alert').getByText('503').waitFor();
    // A receiver that is back needs no attention any more: later there may be no such line.
    expect(await item.getByRole('link', { name: 'Billing' }).getAttribute('href')).toBe(
      `/console/webhooks/Account/${webhook.id}`,
    );
    webhook.answer(() => ({ status: 200 }));
    await item.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The receiver answered 200: it works.').waitFor();
  });

  it('activates again by the keyboard what was deactivated, leads to what is not ready, and has no serious fault for axe', async () => {
    const tenant = await callout.tenant();
    const gone = await callout.webhook(tenant, { name: 'Moved' });
    gone.answer(() => ({ status: 410 }));
    await callout.webhook(tenant, { name: 'Empty', fields: [], onDelete: false });
    const page = await overviewOf(tenant);
    await about(page, 'Empty').getByText('not ready').waitFor();
    await callout.send(tenant, create(1));
    await about(page, 'Moved').getByText('inactive').first().waitFor();
    await page.getByRole('figure').filter({ hasText: 'Answer times' }).waitFor();
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    gone.answer(() => ({ status: 200 }));
    // The button waits for the version of the webhook.
    const activate = about(page, 'Moved').getByRole('button', { name: 'Activate it again' });
    await eventually(async () => expect(await activate.isEnabled()).toBe(true));
    await about(page, 'Moved').getByRole('link', { name: 'Moved' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Moved is active').waitFor();
    await about(page, 'Moved').waitFor({ state: 'detached' });
    await about(page, 'Empty').getByRole('link', { name: 'Change what it is subscribed to' }).click();
    await eventually(() => expect(page.url()).toContain('/webhooks/Account/'));
  });
});
