import { describe, expect, it } from '@jest/globals';
import { eventually, type TenantUnderTest } from '@callout/testing';
import type { Page } from 'playwright-core';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { startSession } from './fixtures/sign-in.ts';

async function signedIn(tenant: TenantUnderTest, role: 'integrator' | 'admin', path: string): Promise<Page> {
  const page = await browser.page();
  await startSession(page, callout.url, tenant, role);
  await page.goto(`${callout.url}/console${path}`);
  return page;
}

// Each page is also looked at by axe, in light and in dark.
describe('resources', () => {
  it('are found by everyone, and changed by an admin, with a warning before one is deactivated', async () => {
    const tenant = await callout.tenant();
    const page = await signedIn(tenant, 'admin', '/resources');
    await page
      .getByRole('row', { name: /admin@example\.com/u })
      .getByText('(you)')
      .waitFor();
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('searchbox').fill('colleague');
    await eventually(async () => expect(await page.getByRole('row').count()).toBe(2));
    await page
      .getByRole('row', { name: /colleague@example\.com/u })
      .getByRole('button')
      .press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'First name' }).fill('Ada');
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('textbox', { name: 'Mail address' }).fill('no address');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('textbox', { name: 'Mail address' }).fill('ada.colleague@example.com');
    await dialog.getByRole('switch', { name: 'Active' }).press('Space');
    await dialog.getByText('Its credentials are refused').waitFor();
    await dialog.getByRole('button', { name: 'Save and deactivate' }).click();
    await page.getByRole('row', { name: /Ada.*ada\.colleague@example\.com.*inactive/u }).waitFor();

    await page.getByRole('button', { name: 'New resource' }).click();
    await dialog.getByRole('textbox', { name: 'First name' }).fill('Grace');
    await dialog.getByRole('textbox', { name: 'Last name' }).fill('Hopper');
    await dialog.getByRole('textbox', { name: 'Mail address' }).fill('grace@example.com');
    await dialog.getByRole('textbox', { name: 'User name' }).fill('grace');
    await dialog.getByRole('button', { name: 'Create the resource' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill('hopper');
    await page.getByRole('button', { name: 'Grace Hopper' }).click();
    await dialog.getByRole('button', { name: 'Delete this resource' }).click();
    await dialog.getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('No resource matches').waitFor();

    const reader = await signedIn(tenant, 'integrator', '/resources?search=colleague');
    await reader.getByRole('row', { name: /Ada/u }).waitFor();
    expect(await reader.getByRole('row').getByRole('button').count()).toBe(0);
  });
});

describe('user-defined fields', () => {
  it('are made, changed and deleted by an admin', async () => {
    const tenant = await callout.tenant();
    const page = await signedIn(tenant, 'admin', '/');
    await page.getByRole('link', { name: 'User-defined fields' }).click();
    await page.getByText('No user-defined fields yet').waitFor();
    await page.getByRole('button', { name: 'New field' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('companyName');
    await dialog.getByRole('button', { name: 'Make the field' }).click();
    await dialog
      .getByText(/is that of a field of Account/u)
      .first()
      .waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Tier');
    await dialog.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'list' }).click();
    await dialog.getByRole('textbox', { name: 'Values' }).fill('1 Gold\n2 Silver');
    await dialog.getByRole('button', { name: 'Make the field' }).click();
    await page.getByRole('row', { name: /Tier.*Companies.*Gold, Silver/u }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);

    await page.getByRole('button', { name: 'Edit Tier' }).click();
    await dialog.getByRole('textbox', { name: 'Label' }).fill('Service tier');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Service tier in callouts').waitFor();
    await page.getByRole('button', { name: 'Delete Tier' }).press('Enter');
    await dialog.getByText('It is removed from every webhook').waitFor();
    await dialog.getByRole('button', { name: 'Delete the field' }).click();
    await page.getByText('No user-defined fields yet').waitFor();
    expect(await page.getByRole('row').count()).toBe(0);
  });

  it('are not offered to users without the right', async () => {
    const page = await signedIn(await callout.tenant(), 'integrator', '/user-defined-fields');
    await page.getByText('Only an admin sees these').waitFor();
    expect(await page.getByRole('link', { name: 'User-defined fields' }).count()).toBe(0);
  });
});

describe('thresholds', () => {
  it('show the used threshold and the held callouts, and the overview links here', async () => {
    const tenant = await callout.tenant();
    await callout.database.pool.query('UPDATE tenants SET callout_threshold = 2 WHERE id = $1', [tenant.id]);
    await callout.webhook(tenant, { name: 'CRM' });
    const create = (id: number) => ({ entityType: 'Account', action: 'Create', id, fields: { companyName: 'Acme' } });
    await callout.send(tenant, ...[1, 2, 3, 4, 5].map(create));
    const page = await signedIn(tenant, 'integrator', '/');
    await page.getByRole('listitem').filter({ hasText: 'holds 3 callouts' }).waitFor();
    await page.getByRole('link', { name: 'Show the threshold' }).click();
    const companies = page.getByRole('region', { name: 'Companies' });
    await companies.getByText('2 of 2').waitFor();
    expect(await companies.textContent()).toContain('3 held');
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
  });
});
