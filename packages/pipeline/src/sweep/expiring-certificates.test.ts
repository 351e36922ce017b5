import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { notifyOfExpiringCertificates } from './expiring-certificates.ts';

const database = useDatabase(createDisposableDatabase);
let webhookKey: number;

beforeEach(async () => {
  const tenantId = await insertTenant(database.pool);
  await database.prisma.resource.create({ data: { tenantId, id: 1, email: 'owner@example.com' } });
  webhookKey = await insertWebhook(database.pool, tenantId, 1);
});

async function expiresIn(interval: string, change = 'certificate_told_days'): Promise<void> {
  await database.pool.query(
    `UPDATE webhooks SET certificate_expires_at = now() + $2::interval, certificate_told_days = ${change} WHERE key = $1`,
    [webhookKey, interval],
  );
}

/** Whether each mail about the webhook is the last one before its certificate expires. */
async function mails(): Promise<unknown[]> {
  const { rows } = await database.pool.query<{ content: { facts: { isLast: boolean } } }>(
    `SELECT content FROM notifications WHERE webhook_key = $1 AND kind = 'certificateExpiring' ORDER BY id`,
    [webhookKey],
  );
  return rows.map(({ content }) => content.facts.isLast);
}

const lookTwiceAtOnce = () =>
  Promise.all([notifyOfExpiringCertificates(database.pool), notifyOfExpiringCertificates(database.pool)]);

describe('a client certificate', () => {
  it('causes a mail 30 days and one 7 days before it expires, however many workers look', async () => {
    for (const [interval, expected] of [
      ['31 days', []],
      ['30 days', [false]],
      ['8 days', [false]],
      ['7 days', [false, true]],
      ['-1 day', [false, true]],
    ] as const) {
      await expiresIn(interval);
      await lookTwiceAtOnce();
      expect([interval, await mails()]).toEqual([interval, expected]);
    }
  });

  it('that replaces another one begins anew, and one that is noticed late has one mail', async () => {
    await expiresIn('3 days');
    await lookTwiceAtOnce();
    expect(await mails()).toEqual([true]);
    await expiresIn('29 days', 'NULL');
    await lookTwiceAtOnce();
    expect(await mails()).toEqual([true, false]);
  });

  it('of an inactive or deleted webhook causes no mail', async () => {
    await expiresIn('3 days');
    await database.pool.query('UPDATE webhooks SET is_active = false WHERE key = $1', [webhookKey]);
    await lookTwiceAtOnce();
    expect(await mails()).toEqual([]);
  });
});
