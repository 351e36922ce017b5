import { describe, expect, it } from '@jest/globals';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { startSession } from './fixtures/sign-in.ts';

/** Makes 10,000 inactive webhooks of tickets, as copies of one of companies. */
async function copyWebhook(tenantId: number): Promise<void> {
  await callout.database.pool.query(
    `INSERT INTO webhooks (tenant_id, entity_type, id, guid, name, webhook_url, deactivation_url, is_active,
       is_subscribed_to_create_events, is_subscribed_to_update_events, is_subscribed_to_delete_events,
       send_threshold_exceeded_notification, owner_resource_id, secret_key_id, secret_nonce, secret_ciphertext)
     SELECT tenant_id, 'Ticket', n, gen_random_uuid(), 'Feed ' || lpad(n::text, 5, '0'), webhook_url, deactivation_url,
       false, true, true, false, false, owner_resource_id, secret_key_id, secret_nonce, secret_ciphertext
     FROM webhooks, generate_series(1, 10000) n WHERE tenant_id = $1 AND entity_type = 'Account'`,
    [tenantId],
  );
}

describe('the list of webhooks', () => {
  it('finds, sorts and pages ten thousand, by an address that can be sent on, without a serious fault for axe', async () => {
    const tenant = await callout.tenant();
    await callout.webhook(tenant, { name: 'Billing' });
    await copyWebhook(tenant.id);
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks`);
    await page.getByText('1 to 50 of 10,001').waitFor();
    await page.getByRole('row', { name: /Billing.*delivering/u }).waitFor();
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);

    await page.getByRole('button', { name: 'Page 201' }).click();
    await page.getByText('10,001 to 10,001 of 10,001').waitFor();
    await page.getByRole('link', { name: 'Feed 10000' }).waitFor();

    await page.getByRole('searchbox', { name: 'Search by name or URL' }).fill('feed 0999');
    await page.getByText('1 to 10 of 10', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Name' }).click();
    await page.getByRole('row').nth(1).filter({ hasText: 'Feed 09999' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('descending');

    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('row').nth(1).filter({ hasText: 'Feed 09999' }).waitFor();
    expect(await other.getByRole('row').count()).toBe(11);
    await other.getByRole('combobox', { name: 'State' }).selectOption('not ready');
    await other.getByText('No webhook matches').waitFor();
  });

  it('is usable by keyboard alone, and accepts any address', async () => {
    const tenant = await callout.tenant();
    await callout.webhook(tenant, { name: 'Billing' });
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks?page=-3&sort=drop&state=1&entityType=%7B%7D&search=123456789`);
    await page.getByText('No webhook matches').waitFor();
    await page.getByRole('searchbox').focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.getByRole('link', { name: 'Billing' }).waitFor();
    await page.getByRole('button', { name: 'Name' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort=descending]')).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor();
    expect(page.url()).toContain('/console/webhooks/Account/1');
  });
});
