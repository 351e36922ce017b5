import { describe, expect, it } from '@jest/globals';
import { createOperatorClient, type OperatorSchemas } from '@callout/client';
import { parametersOf } from '@callout/domain/operations/operation';
import { operationNames, operations } from '@callout/domain/operations/operations';
import { eventually } from '@callout/testing';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { firstLoadOf, type FirstLoad } from './fixtures/first-load.ts';
import { tabTo } from './fixtures/keyboard.ts';
import { operatorToken, signInAsOperator } from './fixtures/operator.ts';
import { operatorPage } from './fixtures/operator-page.ts';
import { startSession } from './fixtures/sign-in.ts';

const pages = '|/statistics|/tenants|/zones|/lockouts|/keys|/retention|/mail|/queues|/operations'.split('|');

/** All tenants, as a program reads them. */
async function tenants(): Promise<readonly OperatorSchemas['Tenant'][]> {
  const client = createOperatorClient({ baseUrl: `${callout.operatorUrl()}/operator/v1`, token: operatorToken });
  return (await client.GET('/tenants', { params: { query: { limit: 500 } } })).data.items;
}

describe('an operator in the console', () => {
  it('makes a tenant, a resource and a credential, and sends its owner a link that signs in', async () => {
    const page = await browser.page();
    await signInAsOperator(page, callout.operatorUrl());
    await page.getByRole('link', { name: 'Tenants' }).click();
    await page.getByRole('button', { name: 'New tenant' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Northwind');
    await page.getByRole('button', { name: 'Create a tenant' }).click();
    await page.getByRole('heading', { name: 'Northwind' }).waitFor();

    await page.getByRole('button', { name: 'New resource' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill('crm@northwind.example');
    await page.getByRole('button', { name: 'Create a resource' }).click();
    await page.getByRole('cell', { name: 'crm@northwind.example', exact: true }).waitFor();

    await page.getByRole('tab', { name: 'Credentials' }).click();
    await page.getByRole('button', { name: 'New credential' }).click();
    await page.getByRole('textbox', { name: 'User name' }).fill('crm@northwind.example');
    await page.getByRole('button', { name: 'Create a credential' }).click();
    await page.getByRole('dialog', { name: 'Store these now' }).waitFor();
    const shown = await page.getByRole('dialog', { name: 'Store these now' }).locator('pre').allTextContents();
    expect(shown).toHaveLength(3);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have stored them' }).click();
    // The dialog of the form may still be on its way out behind it.
    await eventually(async () => expect(await page.getByRole('dialog').count()).toBe(0));
    expect(await page.content()).not.toContain(shown[1]);

    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.getByRole('row', { name: /Credential \d+ created.*userName.*An operator/u }).waitFor();
    await page.getByRole('tab', { name: 'Credentials' }).click();
    await page.getByRole('button', { name: 'Actions for crm@northwind.example' }).click();
    await page.getByRole('menuitem', { name: 'Make a sign-in link' }).click();
    await page.getByRole('button', { name: 'Create a link that signs in with the rights of a credential' }).click();
    const link = (await page.getByTestId('link').textContent()) ?? '';
    const { pathname, hash } = new URL(link, callout.url);

    const owner = await browser.page();
    await owner.goto(`${callout.url}${pathname}${hash}`);
    await owner.getByRole('heading', { name: 'Overview' }).waitFor();
    await owner.getByRole('button', { name: 'crm@northwind.example' }).waitFor();
    const other = await browser.page();
    await other.goto(`${callout.url}${pathname}${hash}`);
    await other.getByText('has already been used').waitFor();
  });

  it('rotates and revokes a credential, and deletes a tenant that is named once more', async () => {
    const tenant = await callout.tenant();
    const owner = await browser.page();
    await startSession(owner, callout.url, tenant);
    await owner.goto(`${callout.url}/console/webhooks`);
    await owner.getByRole('heading', { name: 'Webhooks' }).waitFor();
    const items = await tenants();
    const named = items.find(({ id }) => id === tenant.id);
    const page = await operatorPage(`/tenants/${tenant.id}?tab=credentials`);
    const { userName } = tenant.integrator;
    await page.getByRole('button', { name: `Actions for ${userName}` }).click();
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click();
    await page.getByRole('button', { name: 'Give a credential another secret and code' }).click();
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await owner.reload();
    await owner.getByRole('heading', { name: 'Sign in to Callout' }).waitFor();

    await page.getByRole('button', { name: `Actions for ${userName}` }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke a credential' }).click();
    await page.getByRole('row', { name: userName }).getByText('inactive').waitFor();

    await page.getByRole('tab', { name: 'Export and delete' }).click();
    await page.getByRole('button', { name: 'Delete the tenant' }).click();
    await page.getByRole('textbox', { name: 'Type its name to confirm' }).fill('another');
    expect(await page.getByRole('button', { name: 'Delete a tenant' }).isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Type its name to confirm' }).fill(String(named?.['name']));
    await page.getByRole('button', { name: 'Delete a tenant' }).click();
    await page.getByText('This tenant is being deleted').waitFor();
  });

  it('sees who runs, makes a zone, lifts a lockout, and looks into the queues', async () => {
    const tenant = await callout.tenant();
    const page = await operatorPage('');
    await page.getByRole('cell', { name: 'match, deliver, notify, sweep' }).waitFor();
    await page.getByText('Nothing is wrong').waitFor();
    expect(await page.getByRole('link', { name: 'Documentation' }).getAttribute('href')).toBe('/docs');
    expect((await fetch(`${callout.operatorUrl()}/docs`)).status).toBe(200);

    await page.getByRole('link', { name: 'Zones' }).click();
    await page.getByRole('button', { name: 'New zone' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('eu');
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill('https://eu.callout.example');
    await page.getByRole('button', { name: 'Create a zone' }).click();
    await page.getByRole('cell', { name: 'https://eu.callout.example' }).waitFor();

    const { userName } = tenant.admin;
    for (const attempt of Array.from({ length: 10 }, (_, index) => index)) {
      const headers = { UserName: userName, Secret: `wrong ${attempt}`, ApiIntegrationCode: 'wrong' };
      await fetch(`${callout.url}/atservicesrest/v1.0/Companies/1`, { headers });
    }
    const named = (await tenants()).find(({ id }) => id === tenant.id)?.name ?? '';
    await page.getByRole('link', { name: 'Lockouts' }).click();
    await page.getByRole('row', { name: userName }).getByRole('link', { name: named }).waitFor();
    await page.getByRole('button', { name: `Let ${userName} in again` }).click();
    await page.getByText('No user name is locked out').waitFor();

    await page.getByRole('link', { name: 'Queues' }).click();
    await page.getByText('Wait to be matched').waitFor();
    await page.getByText('deliver: waiting').waitFor();
    expect(await page.getByText(': waiting').allInnerTexts()).toEqual(['deliver: waiting']);
  });

  it('sees mail that was refused and tries it again, what history was dropped, and what keys protect', async () => {
    const { pool } = callout.database;
    await pool.query(
      `INSERT INTO notifications (id, kind, occasion, recipient, content, state, mail_id, attempts, last_error)
       SELECT id, 'alert', 'test', 'night@example.com', '{}', 'refused', id, 3, '550 no such mailbox' FROM gen_random_uuid() AS id`,
    );
    await pool.query(`INSERT INTO dropped_partitions (name) VALUES ('attempts_20260101')`);
    const page = await operatorPage('/mail');
    await page.getByText('No mail waits').waitFor();
    await page.getByText('Refused or failed').click();
    const row = page.getByRole('row', { name: /night@example\.com/u });
    await row.getByText('550 no such mailbox').waitFor();
    expect(new URL(page.url()).search).toBe('?state=notSent');
    await row.getByRole('button', { name: 'Send now: the mail to night@example.com' }).click();
    await page.getByText('No mail was refused or has failed').waitFor();

    await page.getByRole('link', { name: 'Retention' }).click();
    const dropped = page.getByRole('table', { name: 'Dropped tables' });
    await dropped.getByRole('cell', { name: 'attempts_20260101' }).waitFor();
    await page.getByRole('table', { name: 'History tables' }).getByRole('cell', { name: 'callouts' }).first().waitFor();

    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByText(/^(?:All secrets are encrypted with the current key\.)$/u).waitFor();
  });

  it('finds tenants by a part of their name, and sends the address of what was found', async () => {
    const tenant = await callout.tenant();
    const items = await tenants();
    const name = String(items.find(({ id }) => id === tenant.id)?.['name']);
    const page = await operatorPage('/tenants');
    await page.getByRole('searchbox', { name: 'Search by name' }).fill(name.slice(2));
    await page.getByRole('link', { name }).waitFor();
    await eventually(async () => expect(await page.getByRole('table').getByRole('link').count()).toBe(1));
    const colleague = await operatorPage(`/tenants${new URL(page.url()).search}`);
    await colleague.getByRole('link', { name }).waitFor();
    expect(await colleague.getByRole('searchbox', { name: 'Search by name' }).inputValue()).toBe(name.slice(2));
  });

  it('finds every operation that changes something, with its sentence, parameters and confirmation', async () => {
    const page = await operatorPage('/operations');
    for (const name of operationNames.filter((one) => operations[one].method !== 'GET')) {
      const { summary, description, confirmation, typed } = operations[name];
      await page.getByRole('button', { name: `Open: ${summary}`, exact: true }).click();
      const dialog = page.getByRole('dialog', { name: summary, exact: true });
      await dialog.getByRole('button', { name: summary, exact: true }).waitFor();
      const text = (await dialog.textContent()) ?? '';
      expect(text).toContain(confirmation?.('What you choose') ?? description ?? '');
      const entered = Object.entries(parametersOf(operations[name])).filter(([one]) => one !== typed);
      // The input for a zone has a sentence of its own.
      for (const [, parameter] of entered) if (parameter.kind !== 'zone') expect(text).toContain(parameter.description);
      if (typed !== undefined) expect(text).toContain('Type its name to confirm');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Open: Enqueue everything that is due now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enqueue everything that is due now' }).click();
    await page.getByText(/^Enqueued \d+ pending events/u).waitFor();
  });

  it('works without a mouse', async () => {
    const page = await operatorPage('/tenants');
    await page.getByRole('button', { name: 'New tenant' }).waitFor();
    await page.keyboard.press('Tab');
    await tabTo(page, 'New tenant');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create a tenant' }).waitFor();
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'By keyboard' }).waitFor();
    await tabTo(page, 'Queues');
    await page.keyboard.press('Enter');
    await page.getByText('Wait to be matched').waitFor();
    await page.getByRole('button', { name: 'Operator' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/operator/queues');
  });

  it('fetches less than 250 KB for any first page, which has no serious fault for axe', async () => {
    const tenant = await callout.tenant();
    const page = await operatorPage('');
    const sizes: Record<string, FirstLoad> = {};
    const faults: object[] = [];
    const ofTenant = ['', 'credentials', 'lockouts', 'settings', 'changes', 'delete'].map(
      (tab) => `/tenants/${tenant.id}?tab=${tab}`,
    );
    for (const path of [...pages, ...ofTenant, '/none']) {
      sizes[path] = await firstLoadOf(page, `${callout.operatorUrl()}/console/operator${path}`, () => settled(page));
      faults.push(...(await faultsOf(page)).map((fault) => ({ path, ...fault })));
    }
    expect(faults).toEqual([]);
    expect(Object.entries(sizes).filter(([, size]) => size.page >= 250 || size.charts >= 125)).toEqual([]);
  });
});
