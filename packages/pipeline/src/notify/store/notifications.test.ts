import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { storeNotifications, type Notification } from './notifications.ts';
import { useDatabase } from '@callout/database/fixtures/own-database';

const database = useDatabase(createDisposableDatabase);
let tenantId: number;
let webhookKey: number;

beforeEach(async () => {
  tenantId = await insertTenant(database.pool);
  await database.prisma.resource.create({ data: { tenantId, id: 1, email: 'owner@example.com' } });
  webhookKey = await insertWebhook(database.pool, tenantId, 1);
});

const calloutId = randomUUID();

function anError(failedInRow = 1, key = webhookKey): Notification {
  const content = {
    calloutId,
    sequenceNumber: 7,
    recordId: 3,
    attempts: 9,
    lastFailure: 'HTTP 500',
    failedInRow,
  };
  const times = { failingSince: new Date('2026-01-02T03:04:05Z'), eventTime: null, deactivateAfter: 25 };
  return { tenantId, webhookKey: key, kind: 'error', occasion: randomUUID(), content: { ...content, ...times } };
}

function aDeactivation(): Notification {
  const content = { cause: 'gone', at: new Date(), lastFailure: null, failedInRow: 0, openCallouts: 0 } as const;
  return { tenantId, webhookKey, kind: 'deactivated', occasion: randomUUID(), content };
}

function anEpisode(kind: 'thresholdExceeded' | 'caughtUp'): Notification {
  const [since, until] = [new Date('2026-01-02T03:00:00Z'), new Date('2026-01-02T04:00:00Z')];
  const about = { tenantId, webhookKey, occasion: 'episode 1' };
  return kind === 'thresholdExceeded'
    ? { ...about, kind, content: { limit: 1500, since } }
    : { ...about, kind, content: { since, until, held: 1 } };
}

/** As settle does: under the webhook's row lock. */
async function store(...notifications: Notification[]): Promise<number> {
  return inTransaction(database.pool, async (transaction) => {
    await transaction.query('SELECT FROM webhooks WHERE key = ANY($1) ORDER BY key FOR NO KEY UPDATE', [
      notifications.map((notification) => notification.webhookKey),
    ]);
    return storeNotifications(transaction, notifications);
  });
}

interface StoredMail {
  kind: string;
  recipient: string;
  content: { webhook: Record<string, unknown>; facts: Record<string, unknown> };
}

async function mails(key = webhookKey): Promise<StoredMail[]> {
  const { rows } = await database.pool.query<StoredMail>(
    'SELECT kind, recipient, content FROM notifications WHERE webhook_key = $1 ORDER BY id',
    [key],
  );
  return rows;
}

const recipients = async (): Promise<string[]> => (await mails()).map(({ recipient }) => recipient);

async function change(assignment: string): Promise<void> {
  await database.pool.query(`UPDATE webhooks SET ${assignment} WHERE key = $1`, [webhookKey]);
}

describe('storeNotifications', () => {
  it('stores a mail that is due, with the event and the webhook as it is now', async () => {
    expect(await store(anError())).toBe(1);
    const { rows } = await database.pool.query(
      `SELECT n.kind, n.state, n.attempts, n.lease_owner, n.due_at <= now() AS "isDue", n.tenant_id, content
       FROM notifications n WHERE n.webhook_key = $1`,
      [webhookKey],
    );
    const webhook = { id: 1, name: 'test', entityType: 'Account', guid: expect.any(String) };
    const urls = {
      webhookUrl: 'http://127.0.0.1/in',
      deliveryMode: 'push',
      deactivationUrl: 'http://127.0.0.1/off',
      deactivationMode: 'push',
    };
    const tenant = { name: expect.any(String), url: 'http://127.0.0.1', isOneOfSeveral: false };
    const facts = { ...anError().content, failingSince: '2026-01-02T03:04:05.000Z' };
    const mail = { kind: 'error', state: 'waiting', attempts: 0, lease_owner: null, isDue: true, tenant_id: tenantId };
    expect(rows).toEqual([{ ...mail, content: { webhook: { ...webhook, ...urls }, tenant, facts } }]);
  });

  it('stores nothing for no notification', async () => {
    expect(await store()).toBe(0);
  });

  it('addresses the owner and the notification address, if there is one', async () => {
    await change("notification_email_address = 'ops@example.com'");
    expect(await store(aDeactivation())).toBe(2);
    expect((await recipients()).toSorted()).toEqual(['ops@example.com', 'owner@example.com']);
  });

  it('addresses each recipient once', async () => {
    await change("notification_email_address = 'Owner@Example.com'");
    await store(aDeactivation());
    expect(await recipients()).toEqual(['owner@example.com']);
  });

  it('addresses the owner also when it is deactivated and deleted', async () => {
    await database.pool.query('UPDATE resources SET is_active = false, deleted_at = now() WHERE tenant_id = $1', [
      tenantId,
    ]);
    await store(aDeactivation());
    expect(await recipients()).toEqual(['owner@example.com']);
  });

  it('addresses the notification address alone when the owner has none', async () => {
    await change("notification_email_address = 'ops@example.com'");
    await database.pool.query("UPDATE resources SET email = '' WHERE tenant_id = $1", [tenantId]);
    await store(aDeactivation());
    expect(await recipients()).toEqual(['ops@example.com']);
  });

  it('makes one mail of one occasion, however often it is stored', async () => {
    const notification = aDeactivation();
    expect(await store(notification)).toBe(1);
    expect(await store(notification, notification)).toBe(0);
    expect(await store(aDeactivation())).toBe(1);
    expect(await mails()).toHaveLength(2);
  });

  it('makes one mail of 10,000 errors in a day, the last of those stored together', async () => {
    const together = Array.from({ length: 500 }, (_, index) => anError(index + 1));
    expect(await store(...together)).toBe(1);
    for (let round = 1; round < 20; round++) expect(await store(...together)).toBe(0);
    const stored = await mails();
    expect(stored.map(({ content }) => content.facts['failedInRow'])).toEqual([500]);
  });

  it('makes another error mail after 24 hours, and not before', async () => {
    const age = (interval: string) =>
      database.pool.query('UPDATE notifications SET created_at = now() - $2::interval WHERE webhook_key = $1', [
        webhookKey,
        interval,
      ]);
    await store(anError());
    await age('23 hours 59 minutes');
    expect(await store(anError())).toBe(0);
    await age('24 hours 1 second');
    expect(await store(anError())).toBe(1);
  });

  it('counts the errors of each webhook separately', async () => {
    const other = await insertWebhook(database.pool, tenantId, 2);
    expect(await store(anError(), anError(1, other), anError(2, other))).toBe(2);
    expect(await mails(other)).toHaveLength(1);
  });

  it('makes one mail of errors that are stored at the same time', async () => {
    const stored = await Promise.all(Array.from({ length: 8 }, () => store(anError())));
    expect(stored.filter((mails) => mails > 0)).toEqual([1]);
    expect(await mails()).toHaveLength(1);
  });

  it('does not count a mail of another kind as an error', async () => {
    expect(await store(aDeactivation(), anError())).toBe(2);
  });

  it.each(['thresholdExceeded', 'caughtUp'] as const)(
    'notifies of %s only recipients who asked for it',
    async (kind) => {
      expect(await store(anEpisode(kind))).toBe(0);
      await change('send_threshold_exceeded_notification = true');
      expect(await store(anEpisode(kind))).toBe(1);
      expect(await store(anEpisode(kind))).toBe(0);
    },
  );

  it('does not report that a webhook caught up when it was deactivated meanwhile: held callouts are cancelled', async () => {
    await change('send_threshold_exceeded_notification = true, is_active = false');
    expect(await store(anEpisode('caughtUp'))).toBe(0);
  });

  it('stores nothing about a deleted webhook, and nothing about one of another tenant', async () => {
    expect(await store({ ...aDeactivation(), tenantId: tenantId + 1 })).toBe(0);
    await change('deleted_at = now()');
    expect(await store(aDeactivation(), anError())).toBe(0);
  });

  it('stores the name unchanged, whatever its characters', async () => {
    const name = '"\\ <b>\u202E\u{1F6A8}\r\nBcc: x@example.com =?utf-8?q?x?=';
    await database.pool.query('UPDATE webhooks SET name = $2 WHERE key = $1', [webhookKey, name]);
    await store(aDeactivation());
    expect((await mails())[0]?.content.webhook['name']).toBe(name);
  });
});
