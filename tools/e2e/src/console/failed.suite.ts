import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { makeOlder } from '@callout/pipeline/fixtures/callouts';
import { eventually, type TenantUnderTest } from '@callout/testing';
import type { Page } from 'playwright-core';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { tabTo } from './fixtures/keyboard.ts';
import { startSession } from './fixtures/sign-in.ts';

const update = (id: number, name: string) => ({
  entityType: 'Account',
  action: 'Update',
  id,
  fields: { companyName: name },
});
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const group = (page: Page, reason: string) =>
  page.getByRole('table', { name: 'Webhooks and reasons' }).getByRole('row', { name: new RegExp(reason, 'u') });
/** As an input for a local time wants it. */
const localMinute = (at: Date) =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
const picks = (page: Page) => page.getByRole('checkbox', { name: /^Select callout/u });

interface Opened {
  readonly tenant: TenantUnderTest;
  readonly failing: Awaited<ReturnType<typeof callout.webhook>>;
  readonly page: Page;
}

/** The page of a tenant with two webhooks, whose receivers failed and refused the callouts of two records. */
async function openFailed(): Promise<Opened> {
  const tenant = await callout.tenant();
  const [failing, refusing] = [await callout.webhook(tenant), await callout.webhook(tenant)];
  await callout.send(tenant, update(1, 'One'), update(2, 'Two'));
  await eventually(() => expect([failing.requests().length, refusing.requests().length]).toEqual([2, 2]));
  // As if each had failed after its attempt.
  for (const [{ id }, status] of [
    [failing, 500],
    [refusing, 404],
  ] as const) {
    await eventually(async () => {
      const { rowCount } = await callout.database.pool.query(
        `UPDATE callouts c SET state = 'failed' FROM webhooks w
         WHERE w.key = c.webhook_key AND w.tenant_id = $1 AND w.id = $2 AND c.state IN ('delivered', 'failed')`,
        [tenant.id, id],
      );
      expect(rowCount).toBe(2);
    });
    await callout.database.pool.query(
      `UPDATE attempts a SET status = $3 FROM webhooks w WHERE w.key = a.webhook_key AND w.tenant_id = $1 AND w.id = $2`,
      [tenant.id, id, status],
    );
  }
  const page = await browser.page();
  await startSession(page, callout.url, tenant);
  await page.goto(`${callout.url}/console/`);
  await page.getByRole('link', { name: 'Failed', exact: true }).click();
  await group(page, '5xx').waitFor();
  return { tenant, failing, page };
}

describe('what failed', () => {
  it('is counted by webhook and reason, narrowed, and redelivered with a sentence about order', async () => {
    const { tenant, failing, page } = await openFailed();
    await callout.send(tenant, update(1, 'Newer'));
    await eventually(() => expect(failing.requests()).toHaveLength(3));
    await settled(page);
    await eventually(async () => expect(await picks(page).count()).toBe(4));
    expect(await faultsOf(page)).toEqual([]);
    await group(page, '5xx').getByRole('button').click();
    await eventually(async () => expect(await picks(page).count()).toBe(2));
    expect(new URL(page.url()).search).toMatch(/reason=status5xx/u);
    await page.reload();
    await group(page, '5xx').waitFor();
    expect(await group(page, '4xx').count()).toBe(0);
    await button(page, 'Redeliver all …').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 callouts will be sent again.').waitFor();
    await dialog.getByText(/^1 of 2 callouts is older than a callout of the same record that was delivered/u).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, 'Redeliver 2').click();
    await page.getByText(/^2 callouts are sent again\./u).waitFor();
    await eventually(() => expect(failing.requests()).toHaveLength(5));
    await page.getByText('No callout matches').waitFor();
  });

  it('is selected and redelivered by the keyboard alone, and names webhooks that are not active', async () => {
    const { tenant, failing, page } = await openFailed();
    await page.getByRole('combobox', { name: 'Reason' }).selectOption('status5xx');
    await eventually(async () => expect(await picks(page).count()).toBe(2));
    await page.getByRole('combobox', { name: 'Reason' }).focus();
    await tabTo(page, `Select callout 2 of webhook ${failing.id}`);
    await page.keyboard.press('Space');
    await button(page, 'Redeliver 1 selected').focus();
    await page.keyboard.press('Enter');
    await page.getByText('1 callout will be sent again.').waitFor();
    await page.getByText(/^No receiver gets an older value after a newer one\./u).waitFor();
    await tabTo(page, 'Redeliver 1');
    await page.keyboard.press('Enter');
    await eventually(() => expect(failing.requests()).toHaveLength(3));

    await callout.database.pool.query('UPDATE webhooks SET is_active = false WHERE tenant_id = $1 AND id <> $2', [
      tenant.id,
      failing.id,
    ]);
    await page.goto(`${callout.url}/console/failed?reason=status4xx`);
    await group(page, '4xx').getByText('inactive').waitFor();
    await button(page, 'Redeliver all …').click();
    await page.getByText(/2 callouts left as they are\. The webhook is not active/u).waitFor();
    expect(await button(page, 'Redeliver').last().isDisabled()).toBe(true);
  });

  it('is narrowed to a period, and redelivered within it', async () => {
    const { tenant, failing, page } = await openFailed();
    // The callouts of one webhook are a day older.
    const { rows } = await callout.database.pool.query<{ id: string }>(
      `SELECT c.id FROM callouts c JOIN webhooks w ON w.key = c.webhook_key WHERE w.tenant_id = $1 AND w.id <> $2`,
      [tenant.id, failing.id],
    );
    for (const { id } of rows) {
      const older = await makeOlder(callout.database.pool, id, 1);
      await callout.database.pool.query('UPDATE attempts SET callout_id = $2 WHERE callout_id = $1', [id, older]);
    }
    const hour = 3_600_000;
    const since = new Date(Date.now() - hour).toISOString();
    await page.goto(`${callout.url}/console/failed?since=${since}`);
    await group(page, '5xx').waitFor();
    expect(await group(page, '4xx').count()).toBe(0);
    await eventually(async () => expect(await picks(page).count()).toBe(2));
    await page.getByLabel('From').fill('');
    await group(page, '4xx').waitFor();
    await page.getByLabel('Until').fill(localMinute(new Date(Date.now() - hour)));
    await eventually(async () => expect(await group(page, '5xx').count()).toBe(0));
    await eventually(async () => expect(await picks(page).count()).toBe(2));
    expect(new URL(page.url()).search).toMatch(/until=/u);
    await button(page, 'Redeliver all …').click();
    await page.getByText('2 callouts will be sent again.').waitFor();
    await page.keyboard.press('Escape');
    const href = await page.getByRole('link', { name: 'Export all' }).getAttribute('href');
    expect(href).toMatch(/until=/u);
  });

  it('is exported as JSON lines: all that the filter means, or what is selected', async () => {
    const { page } = await openFailed();
    const exported = async (name: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()]);
      expect(download.suggestedFilename()).toBe('callouts.jsonl');
      const text = await readFile(await download.path(), 'utf8');
      return text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { reason: string }).reason);
    };
    expect((await exported('Export all')).toSorted()).toEqual(['status4xx', 'status4xx', 'status5xx', 'status5xx']);
    await page.getByRole('combobox', { name: 'Reason' }).selectOption('status4xx');
    await eventually(async () => expect(await picks(page).count()).toBe(2));
    expect(await exported('Export all')).toEqual(['status4xx', 'status4xx']);
    await picks(page).first().check();
    expect(await exported('Export 1 selected')).toEqual(['status4xx']);
  });
});
