import { describe, expect, it } from '@jest/globals';
import { eventually, type TenantUnderTest } from '@callout/testing';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { startSession } from './fixtures/sign-in.ts';

/** Stores counts of a tenant's webhook for the last hours, as the sweep would: 20 attempts in each, some failed. */
async function countAttempts(tenant: TenantUnderTest): Promise<void> {
  await callout.database.pool.query(
    `INSERT INTO delivery_minutes (webhook_key, minute, tenant_id, entity_type, delivered, attempts, failed_attempts,
       failures, answer_ms, last_attempt_at, last_delivery_at)
     SELECT key, minute, tenant_id, entity_type, 12, 20, 8, '{0,1,4,2,1}', 400, minute, minute
     FROM webhooks, generate_series(date_trunc('minute', now()) - interval '30 minutes', now() - interval '1 minute', '1 minute') minute
     WHERE tenant_id = $1`,
    [tenant.id],
  );
}

describe('what fails', () => {
  it('is visible in the list of webhooks, in charts by response, and in the retried callouts', async () => {
    const tenant = await callout.tenant();
    const webhook = await callout.webhook(tenant, { name: 'Billing' });
    webhook.answer(() => ({ status: 503 }));
    const record = { entityType: 'Account', action: 'Create', fields: { companyName: 'Acme' } };
    await callout.send(tenant, { ...record, id: 7 });
    await eventually(() => expect(webhook.requests()).toHaveLength(1));
    webhook.answer(() => ({ status: 200 }));
    await callout.send(tenant, { ...record, id: 8 });
    await eventually(() => expect(webhook.requests()).toHaveLength(2));
    await countAttempts(tenant);
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?tab=deliveries`);
    const callouts = page.getByRole('table', { name: 'Callouts' });
    const retried = callouts.getByRole('row', {
      name: /retrying.*Create of (?:company |[^(\d]+\()7\b.*503 in [\d,]+ ms/u,
    });
    await retried.waitFor();
    await callouts.getByRole('row', { name: /delivered.*Create of (?:company |[^(\d]+\()8\b.*200 in/u }).waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption('failing');
    await eventually(async () => expect(await callouts.getByRole('row').count()).toBe(2));
    expect(new URL(page.url()).searchParams.get('state')).toBe('failing');
    // Requests that change callouts have no such filter, and without it they would mean every open callout.
    expect(await page.getByRole('button', { name: 'Cancel all …' }).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Select callout 1' }).check();
    await page.getByRole('button', { name: 'Cancel 1 selected' }).waitFor();
    const faults = await faultsOf(page);

    await page.goto(`${callout.url}/console/failed`);
    const retriedNow = page.getByRole('table', { name: 'Retried callouts' });
    await retriedNow.getByRole('row', { name: /Billing \(Companies\).*503/u }).waitFor();
    faults.push(...(await faultsOf(page)));
    await page.goto(`${callout.url}/console`);
    const totals = page.getByRole('list', { name: 'Totals' });
    await totals.getByText('Delivered (2xx)').waitFor();
    const shown = await totals.getByRole('listitem').allTextContents();
    expect(shown.map((text) => text.replace(/ [\d,]+ .*$/u, ''))).toEqual([
      'Delivered (2xx)',
      '4xx',
      '5xx',
      'Timed out',
      'No connection',
    ]);
    await settled(page);
    faults.push(...(await faultsOf(page)));

    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    const listed = page.getByRole('row', { name: /Billing/u });
    await listed.getByText('40 %').waitFor();
    await listed.getByRole('img', { name: /^[\d,]+ attempts in 24 hours, [\d,]+ failed$/u }).waitFor();
    // The sentence about the state names a time as well, unless its next attempt is already due.
    expect(await listed.getByRole('cell').nth(2).locator('time').count()).toBe(1);
    faults.push(...(await faultsOf(page)));
    expect(faults).toEqual([]);
  });
});
