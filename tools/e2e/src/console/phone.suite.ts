import { describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import type { Page } from 'playwright-core';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { startSession } from './fixtures/sign-in.ts';

const width = 390;

/** The page has no more than the width of a phone, so that nothing is hidden at its side. */
const fits = (page: Page) =>
  eventually(async () => expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width));

describe('the console on a phone', () => {
  it('shows rows as cards with the title of each value, all tabs at once, and nothing beside the screen', async () => {
    const tenant = await callout.tenant();
    const webhook = await callout.webhook(tenant, { name: 'CRM' });
    await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 7, fields: { companyName: 'Acme' } });
    await eventually(() => expect(webhook.requests()).toHaveLength(1));
    const page = await browser.page();
    await page.setViewportSize({ width, height: 780 });
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?tab=deliveries`);
    const cells = page.getByRole('table', { name: 'Callouts' }).getByRole('row').nth(1).getByRole('cell');
    await cells.filter({ hasText: 'delivered' }).waitFor();
    await fits(page);
    // One below the other, and each in the width of the screen.
    const places = await Promise.all((await cells.all()).map((cell) => cell.boundingBox()));
    const seen = places.filter((place) => place !== null);
    expect(seen.filter(({ x, width: own }) => x < 0 || x + own > width)).toEqual([]);
    expect(await page.evaluate(titleOfState)).toContain('State');
    const tabs = await Promise.all((await page.getByRole('tab').all()).map((tab) => tab.boundingBox()));
    expect(tabs).toHaveLength(4);
    expect(tabs.filter((tab) => tab === null || tab.x < 0 || tab.x + tab.width > width)).toEqual([]);
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('cell', { name: /^companyName string/u }).waitFor();
    expect(await page.evaluate(linesOfFirstField)).toBe(1);
    // The content below the pages does not shine through.
    await page.getByRole('button', { name: 'Navigation' }).click();
    expect(await page.evaluate(groundOfPages)).toMatch(/^rgb\(/u);
    for (const path of ['/', '/webhooks', '/events', '/resources', '/webhooks/new']) {
      await page.goto(`${callout.url}/console${path}`);
      await settled(page);
      await fits(page);
    }
  });
});

/** Text, since the tests are compiled without the types of a page. */
const groundOfPages = `getComputedStyle(document.querySelector('.frame-pages')).backgroundColor`;
const linesOfFirstField = `(() => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector('[aria-label="Fields of the webhook"] tbody td').firstChild);
  return range.getClientRects().length;
})()`;
const titleOfState = `getComputedStyle(document.querySelector('td[data-title=State]'), '::before').content`;
