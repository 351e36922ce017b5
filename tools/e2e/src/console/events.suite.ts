import { describe, expect, it } from '@jest/globals';
import { callApi, eventually, type TenantUnderTest } from '@callout/testing';
import type { Page } from 'playwright-core';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { startSession } from './fixtures/sign-in.ts';

async function signedIn(tenant: TenantUnderTest, path: string): Promise<Page> {
  const page = await browser.page();
  await startSession(page, callout.url, tenant);
  await page.goto(`${callout.url}/console${path}`);
  return page;
}

const company = { entityType: 'Account', action: 'Create', fields: { companyName: 'Acme', phone: '555-0100' } };

describe('the pages of events', () => {
  it('finds events by id, record, action and time, by an address that can be sent on', async () => {
    const tenant = await callout.tenant();
    await callout.send(
      tenant,
      ...Array.from({ length: 60 }, (_, n) => ({ ...company, id: n + 1, eventID: `made-${n + 1}` })),
      { ...company, id: 7, action: 'Update', eventID: 'city-of-7', fields: { city: 'Oslo' } },
    );
    const page = await signedIn(tenant, '/events?recordID=7&entityType=Account');
    await page.getByRole('row', { name: /Update of Acme \(7\).*source@example\.com/u }).waitFor();
    expect(await page.getByRole('row').count()).toBe(3);
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Action' }).selectOption('Create');
    await eventually(async () => expect(await page.getByRole('row').count()).toBe(2));
    expect(new URL(page.url()).search).toBe('?recordID=7&entityType=Account&action=Create');

    await page.goto(`${callout.url}/console/events`);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('link', { name: 'Create of Acme (1)', exact: true }).waitFor();
    expect(await page.getByRole('row').count()).toBe(62);
    await page.getByRole('searchbox', { name: 'Event id' }).fill('city-of-7');
    await eventually(async () => expect(await page.getByRole('row').count()).toBe(2));
    await page.goto(`${callout.url}/console/events?until=2020-01-01T00:00:00Z&recordID=x&since=never`);
    await page.getByText('No event matches').waitFor();
  });

  it('shows values, changes, and a sentence with the verdict for each webhook', async () => {
    const tenant = await callout.tenant();
    await callout.webhook(tenant, { name: 'CRM' });
    const off = await callout.webhook(tenant, { name: 'Old intranet', isActive: false });
    const fields = { city: '<b>Oslo</b>', companyName: null };
    await callout.send(tenant, { ...company, id: 7, eventID: 'first', fields: { ...company.fields, fax: null } });
    await callout.send(tenant, { ...company, id: 7, action: 'Update', eventID: 'second', fields });
    const page = await signedIn(tenant, '/events/second');
    const verdicts = page.getByRole('table', { name: 'Verdicts' });
    await verdicts.getByRole('row', { name: /CRM.*delivered/u }).waitFor();
    const judged = verdicts.getByRole('row', { name: /Old intranet.*none.*inactive/u });
    await judged.waitFor();
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('row', { name: /Update of .*1 delivered/u }).waitFor();
    await page.goBack();
    const values = page.getByRole('table', { name: 'Values' });
    await values.waitFor();
    await page.getByText('source@example.com', { exact: true }).waitFor();
    expect(await values.getByRole('row', { name: /city changed/u }).textContent()).toContain('<b>Oslo</b>');
    expect(await values.getByRole('row', { name: /companyName changed/u }).textContent()).toContain('empty');

    expect(await values.getByRole('row', { name: /^fax/u }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show 1 empty field' }).click();
    await values.getByRole('row', { name: /^fax/u }).waitFor();

    await page.getByRole('combobox', { name: 'Explain for' }).click();
    await page.getByRole('option', { name: `Old intranet (${off.id})` }).click();
    await page.getByRole('region', { name: 'Explanation' }).getByText('Why Old intranet got none').waitFor();
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('region', { name: 'Explanation' }).getByText('Why Old intranet got none').waitFor();
    await other.getByRole('link', { name: 'All events of company 7' }).click();
    await other.getByRole('link', { name: /Create of .*7/u }).waitFor();
    expect(await other.getByRole('row').count()).toBe(3);

    await callApi(Number(new URL(callout.url).port), tenant.integrator, {
      method: 'DELETE',
      path: `/CompanyWebhooks/${off.id}`,
    });
    await page.reload();
    await judged.waitFor();
  });

  it('says what an update that changed nothing is, and what is not there', async () => {
    const tenant = await callout.tenant();
    await callout.send(tenant, { ...company, id: 7 });
    await callout.send(tenant, { ...company, id: 7, action: 'Update', eventID: 'again' });
    const page = await signedIn(tenant, '/events/again');
    await page.getByText('No event was made').waitFor();
    await page.goto(`${callout.url}/console/events/none`);
    const problem = page.getByRole('alert').filter({ hasText: 'The event could not be read' });
    await problem.waitFor();
    expect(await problem.textContent()).toContain('404');
  });
});
