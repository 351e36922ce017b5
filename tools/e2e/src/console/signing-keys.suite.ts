import { describe, expect, it } from '@jest/globals';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { openSection } from './fixtures/sections.ts';
import { operatorPage } from './fixtures/operator-page.ts';
import { startSession } from './fixtures/sign-in.ts';

describe('the signature of a webhook', () => {
  it('is chosen, and an admin and an operator replace the key pair, without a serious fault for axe', async () => {
    const tenant = await callout.tenant();
    const webhook = await callout.webhook(tenant);
    const keysOf = async (): Promise<string[]> => {
      const { rows } = await callout.database.pool.query<{ keys: string[] }>(
        `SELECT array_remove(ARRAY['whpk_' || encode(public_key, 'base64'), 'whpk_' || encode(previous_public_key, 'base64')],
           NULL) AS keys FROM signing_keys WHERE tenant_id = $1`,
        [tenant.id],
      );
      return rows[0]?.keys ?? [];
    };

    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?tab=secret`);
    await openSection(page, 'Secret and signature');
    await page.getByRole('combobox', { name: 'Sign callouts' }).selectOption('With both');
    await page.getByText('callouts have both signatures').waitFor();
    expect(await keysOf()).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Copy the key' }).waitFor();
    const [first = 'none'] = await keysOf();
    await page.getByText(first).waitFor();
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.getByRole('button', { name: 'Replace the key pair' }).count()).toBe(0);

    const admin = await browser.page();
    await startSession(admin, callout.url, tenant, 'admin');
    await admin.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?tab=secret`);
    await openSection(admin, 'Secret and signature');
    await admin.getByRole('button', { name: 'Replace the key pair' }).click();
    await admin.getByRole('dialog').getByText('For 24 hours the old one signs as well').waitFor();
    await admin.getByRole('button', { name: 'Replace it' }).click();
    await admin.getByText('signs until').waitFor();
    const [second = 'none', previous] = await keysOf();
    expect(previous).toBe(first);
    await admin.getByText(second).waitFor();
    await settled(admin);
    expect(await faultsOf(admin)).toEqual([]);

    const operator = await operatorPage(`/tenants/${tenant.id}?tab=signing-keys`);
    await operator.getByText(second).waitFor();
    await operator.getByRole('button', { name: 'Replace the key pair' }).click();
    await operator.getByRole('textbox', { name: 'Hours with both keys' }).fill('0');
    await operator.getByRole('dialog').getByText('The old one signs no more at once').waitFor();
    await operator.getByRole('button', { name: 'Replace it' }).click();
    await operator.getByText(second).waitFor({ state: 'detached' });
    const [third = 'none', ...others] = await keysOf();
    await operator.getByText(third).waitFor();
    expect(others).toEqual([]);
    await settled(operator);
    expect(await faultsOf(operator)).toEqual([]);
  });
});
