import { spawnSync } from 'node:child_process';
import { env, execPath } from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { callApi, eventually, everyCompanyEvent } from '@callout/testing';
import type { Page } from 'playwright-core';
import { browser, callout } from './fixtures/console.ts';
import { faultsOf, settled } from './fixtures/faults.ts';
import { tabTo } from './fixtures/keyboard.ts';
import { startSession } from './fixtures/sign-in.ts';

const company = { entityType: 'Account', id: 7 };

const programs: readonly [language: string, file: string, ...args: string[]][] = [
  ['Node', execPath, '--input-type=module', '-'],
  ['Python', 'python3', '-'],
];
const installed = programs.filter(([, file]) => spawnSync(file, ['--version']).status === 0);

/** The page of the second of three callouts of a record. */
async function openSecond(change: Parameters<typeof callout.webhook>[1] = {}) {
  const tenant = await callout.tenant();
  const webhook = await callout.webhook(tenant, change);
  for (const [number, action] of (['Create', 'Update', 'Update'] as const).entries()) {
    await callout.send(tenant, { ...company, action, fields: { companyName: `Name ${number} ''' "ü" \\ \u2028 😀` } });
    await eventually(() => expect(webhook.requests()).toHaveLength(number + 1));
  }
  const page = await browser.page();
  await startSession(page, callout.url, tenant);
  await page.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?tab=deliveries`);
  await page.getByRole('link', { name: '2', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Callout 2' }).waitFor();
  return { tenant, webhook, page };
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

describe('the page of a callout', () => {
  it('says why it exists, and leads to those of its record before and after, without a serious fault for axe', async () => {
    const { page } = await openSecond();
    await page.getByText('The webhook gets a callout: every rule passed.').waitFor();
    await page.getByText('of every company event (Companies)').waitFor();
    await page.getByText('Watched and changed: companyName.').waitFor();
    await page.getByText('Attempt 1: answered 200').waitFor();
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Before it: 1, delivered' }).click();
    await heading(page, 'Callout 1').waitFor();
    await page.getByText('The first of company 7').waitFor();
    await page.getByRole('link', { name: 'After it: 2, delivered' }).click();
    await page.getByRole('link', { name: 'After it: 3, delivered' }).click();
    await heading(page, 'Callout 3').waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/webhooks\/Account\/\d+\/callouts\//u);
  });

  it.each([
    ['a text', everyCompanyEvent.secretKey],
    ['an encoded key', `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`],
  ])('has programs that verify the very signature that the receiver got, by %s', async (_, secretKey) => {
    const { webhook, page } = await openSecond({ secretKey });
    const signature = String(webhook.requests().at(1)?.headers['webhook-signature']);
    for (const [language, file, ...args] of installed) {
      await page.getByRole('radiogroup', { name: 'Language' }).getByText(language).click();
      const program = await page.getByRole('region', { name: `${language} program` }).textContent();
      const run = (secret: string, given: string) =>
        spawnSync(file, args, {
          input: program ?? '',
          encoding: 'utf8',
          env: { PATH: env['PATH'], SECRET: secret, SIGNATURE: given },
        }).stdout.trim();
      expect([language, run(secretKey, signature)]).toEqual([language, 'valid']);
      expect([language, run(secretKey, `v1,bm90IHRoaXM= ${signature}`)]).toEqual([language, 'valid']);
      expect([language, run('another', signature)]).toEqual([language, expect.stringContaining('not valid')]);
      expect(run(secretKey, 'v1,bm90IHRoaXM=')).toBe(`not valid: this secret makes ${signature}`);
    }
  });

  it('has programs that verify the signature of a key pair by its public key', async () => {
    const { tenant, webhook, page } = await openSecond({ others: { signatureKind: 'both' } });
    const call = { method: 'GET', path: '/WebhookKeys' } as const;
    const reply = await callApi(Number(new URL(callout.url).port), tenant.integrator, call);
    const { body } = reply as { body?: { items: readonly { signingPublicKey: string }[] } };
    const publicKey = body?.items[0]?.signingPublicKey ?? '';
    const both = String(webhook.requests().at(1)?.headers['webhook-signature']);
    const other = String(webhook.requests().at(0)?.headers['webhook-signature']);
    const able = installed.filter(
      ([language]) => language !== 'Python' || spawnSync('python3', ['-c', 'import cryptography']).status === 0,
    );
    for (const [language, file, ...args] of able) {
      await page.getByRole('radiogroup', { name: 'Language' }).getByText(language).click();
      const input = (await page.getByRole('region', { name: `${language} program` }).textContent()) ?? '';
      const run = (SIGNATURE: string) => {
        const variables = { PATH: env['PATH'], HOME: env['HOME'], SECRET: publicKey, SIGNATURE };
        return spawnSync(file, args, { input, encoding: 'utf8', env: variables }).stdout.trim();
      };
      expect([language, run(both)]).toEqual([language, 'valid']);
      for (const wrong of [both.split(' ')[0] ?? '', other, 'v1a,AAAA'])
        expect([language, run(wrong)]).toEqual([language, 'not valid: no signature is of this key']);
    }
  });

  it('redelivers an ended one after what that means for order, and cancels an open one, by the keyboard', async () => {
    const { webhook, page } = await openSecond();
    webhook.answer({ status: 500 });
    await page.getByRole('main').getByRole('link').first().focus();
    await tabTo(page, 'Redeliver');
    await page.keyboard.press('Enter');
    await page.getByText(/^The callout is older than a callout of the same record that was delivered since/u).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(webhook.requests()).toHaveLength(3);
    await tabTo(page, 'Redeliver it');
    await page.keyboard.press('Enter');
    await page.getByText('Attempt 2: answered 500').waitFor();
    await page.getByText('Why it is not delivered yet').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Why it was cancelled').waitFor();
    expect(webhook.requests()).toHaveLength(4);
  });

  it('is redelivered without a question where no receiver notices, and says so', async () => {
    const { webhook, page } = await openSecond();
    await page.getByRole('link', { name: 'After it: 3, delivered' }).click();
    await heading(page, 'Callout 3').waitFor();
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByText(/^The callout will be sent again\. No receiver gets an older value/u).waitFor();
    await eventually(() => expect(webhook.requests()).toHaveLength(4));
  });

  it('belongs to a webhook whose health describes the problem, without a serious fault for axe', async () => {
    const tenant = await callout.tenant();
    const webhook = await callout.webhook(tenant);
    webhook.answer({ status: 503 });
    await callout.send(tenant, { ...company, action: 'Create', fields: { companyName: 'Acme' } });
    await eventually(() => expect(webhook.requests()).toHaveLength(1));
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    await page.goto(`${callout.url}/console/webhooks/Account/${webhook.id}?tab=overview`);
    await page.getByText('1 waiting for the next attempt').waitFor();
    await page.getByText('1 h', { exact: true }).waitFor();
    expect(await page.getByText('Nothing is to be delivered').count()).toBe(0);
    await page.getByRole('figure').first().waitFor();
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
  });
});
