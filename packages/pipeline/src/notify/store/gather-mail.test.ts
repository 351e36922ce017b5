import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { confirmationToken } from '../write/confirmation-token.rules.ts';
import { createDisposableDatabase } from '@callout/local/test-run';
import { advisoryLocks } from '@callout/database/connection/locks/advisory-locks';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { oneAtATime } from '@callout/database/connection/locks/one-at-a-time';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { confirmAddress, findConfirmation } from './confirmations.ts';
import { claimDueMail, settleMail, type DueMail } from './due-mail.ts';
import { gatherMail, type GatherRules } from './gather-mail.ts';
import { storeNotifications, type Notification } from './notifications.ts';

const confirmationKey = Buffer.alloc(32, 7);
const database = useDatabase(createDisposableDatabase);
const rules: GatherRules = {
  gatherMs: 120_000,
  limits: { webhook: 0, recipient: 0, tenant: 0 },
  confirmationKey: null,
};
let tenantId: number;

beforeEach(async () => {
  await database.pool.query('TRUNCATE notifications, mail_confirmations');
  tenantId = await aTenant();
});

async function aTenant(): Promise<number> {
  const id = await insertTenant(database.pool);
  await database.prisma.resource.create({ data: { tenantId: id, id: 1, email: 'owner@example.com' } });
  return id;
}

async function webhooks(count: number, ofTenant = tenantId): Promise<number[]> {
  const { rows } = await database.pool.query<{ most: number }>(
    'SELECT coalesce(max(id), 0) AS most FROM webhooks WHERE tenant_id = $1',
    [ofTenant],
  );
  const keys: number[] = [];
  for (let nth = 1; nth <= count; nth++) {
    keys.push(await insertWebhook(database.pool, ofTenant, (rows[0]?.most ?? 0) + nth));
  }
  return keys;
}

function deactivated(webhookKey: number, ofTenant = tenantId): Notification {
  const facts = { at: new Date(), lastFailure: null, failedInRow: 0, openCallouts: 0 };
  const content = { cause: 'gone' as const, ...facts };
  return { tenantId: ofTenant, webhookKey, kind: 'deactivated', occasion: randomUUID(), content };
}

function held(webhookKey: number, occasion = 'one'): Notification {
  const content = { limit: 1500, since: new Date() };
  return { tenantId, webhookKey, kind: 'thresholdExceeded', occasion, content };
}

async function store(...notifications: Notification[]): Promise<void> {
  await inTransaction(database.pool, (transaction) => storeNotifications(transaction, notifications));
}

/** At once: stored times are rounded to whole milliseconds, up to half of one later than now. */
const gatherMs = -1;
const gather = (changes: Partial<GatherRules> = {}) => gatherMail(database.pool, { ...rules, ...changes });
const limited = (limits: Partial<GatherRules['limits']>) =>
  gather({ gatherMs, limits: { ...rules.limits, ...limits } });
const claim = () => claimDueMail(database.pool, 100, 60_000);

async function send(): Promise<DueMail[]> {
  const mails = await claim();
  for (const mail of mails) expect(await settleMail(database.pool, mail, { state: 'sent' })).toBe(true);
  return mails;
}

async function age(column: 'created_at' | 'mail_at', interval: string): Promise<void> {
  await database.pool.query(`UPDATE notifications SET ${column} = ${column} - $1::interval`, [interval]);
}

const named = (mails: readonly DueMail[]) =>
  mails.map(({ kind, recipient, notificationCount }) => `${notificationCount} ${kind} ${recipient}`).toSorted(byText);
const byText = (one: string, other: string): number => one.localeCompare(other);

describe('gatherMail', () => {
  it('continues while another process erases a tenant, drops history or cleans up', async () => {
    for (const name of ['eraseTenants', 'dropHistory', 'deleteLeftovers'] as const) {
      await store(...(await webhooks(1)).map((key) => deactivated(key)));
      const held = { lock: advisoryLocks[name], settings: {} };
      expect([name, await oneAtATime(database.pool, held, () => limited({}))]).toEqual([name, 1]);
    }
  });

  it('makes one mail of the notifications of one recipient about many webhooks, once the first has waited', async () => {
    await store(...(await webhooks(20)).map((key) => deactivated(key)));
    expect(await gather()).toBe(0);
    expect(await claim()).toEqual([]);
    await age('created_at', '2 minutes');
    const [late = 0] = await webhooks(1);
    await store(deactivated(late));
    expect(await gather()).toBe(21);
    const [mail, ...others] = await send();
    expect([mail?.notificationCount, mail?.notifications.length, others]).toEqual([21, 21, []]);
    const { rows } = await database.pool.query('SELECT DISTINCT state, attempts FROM notifications');
    expect(rows).toEqual([{ state: 'sent', attempts: 1 }]);
  });

  it('makes separate mails of different kinds, recipients and tenants', async () => {
    const other = await aTenant();
    const [[one = 0, two = 0], [foreign = 0]] = [await webhooks(2), await webhooks(1, other)];
    await database.pool.query(
      "UPDATE webhooks SET send_threshold_exceeded_notification = true, notification_email_address = 'Ops@example.com'",
    );
    await store(deactivated(one), deactivated(two), held(one), deactivated(foreign, other));
    await gather({ gatherMs });
    expect(named(await send())).toEqual(
      [
        '1 deactivated Ops@example.com',
        '2 deactivated Ops@example.com',
        '1 deactivated owner@example.com',
        '2 deactivated owner@example.com',
        '1 thresholdExceeded Ops@example.com',
        '1 thresholdExceeded owner@example.com',
      ].toSorted(byText),
    );
  });

  it('makes one mail of a threshold episode for each recipient, also when webhooks join it later', async () => {
    const [one = 0, two = 0, three = 0] = await webhooks(3);
    await database.pool.query('UPDATE webhooks SET send_threshold_exceeded_notification = true');
    await store(held(one), held(two));
    await gather({ gatherMs });
    await store(held(three));
    await gather({ gatherMs });
    expect(named(await send())).toEqual(['2 thresholdExceeded owner@example.com']);
    const { rows } = await database.pool.query('SELECT state FROM notifications WHERE webhook_key = $1', [three]);
    expect(rows).toEqual([{ state: 'covered' }]);
    await store(held(three, 'another'));
    await gather({ gatherMs });
    expect(named(await send())).toEqual(['1 thresholdExceeded owner@example.com']);
  });

  it('puts each notification into one mail, however many processes gather at once', async () => {
    await store(...(await webhooks(10)).map((key) => deactivated(key)));
    await Promise.all(Array.from({ length: 5 }, () => gather({ gatherMs })));
    const sent = await send();
    expect(sent.map(({ notificationCount }) => notificationCount)).toEqual([10]);
  });

  it('does not change the id and the content of a mail, whatever is stored later', async () => {
    const [one = 0] = await webhooks(1);
    await store(deactivated(one));
    await gather({ gatherMs });
    const [before] = await claim();
    await store(deactivated(one));
    await gather({ gatherMs });
    await database.pool.query('UPDATE notifications SET lease_until = now() WHERE lease_until IS NOT NULL');
    const after = (await claim()).find(({ id }) => id === before?.id);
    expect(after?.notifications).toEqual(before?.notifications);
  });

  it.each(['webhook', 'recipient', 'tenant'] as const)(
    'keeps to the limit of a %s, and gathers the others into a later mail',
    async (which) => {
      const [one = 0] = await webhooks(1);
      for (let mail = 0; mail < 5; mail++) {
        await store(deactivated(one));
        await limited({ [which]: 2 });
      }
      expect(named(await send())).toEqual(Array.from({ length: 2 }, () => '1 deactivated owner@example.com'));
      await age('mail_at', '1 hour');
      await limited({ [which]: 2 });
      expect(named(await send())).toEqual(['3 deactivated owner@example.com']);
    },
  );

  it('delays no other webhook, recipient, kind or tenant because of a limit', async () => {
    const other = await aTenant();
    const [[one = 0, two = 0], [foreign = 0]] = [await webhooks(2), await webhooks(1, other)];
    await store(deactivated(one));
    await limited({ webhook: 1, tenant: 2 });
    await send();
    await store(deactivated(one), deactivated(two), deactivated(foreign, other));
    await limited({ webhook: 1, tenant: 2 });
    const sent = await send();
    expect(new Set(sent.map(({ webhookKey }) => webhookKey))).toEqual(new Set([two, foreign]));
  });

  it('delays no first mail about a trouble because of a limit of its recipient, and folds the others into it', async () => {
    const [one = 0, two = 0] = await webhooks(2);
    const limit = { recipient: 1, webhook: 2 };
    await store(deactivated(one));
    await limited(limit);
    await store(deactivated(one));
    await limited(limit);
    await store(deactivated(two));
    await limited(limit);
    expect((await send()).map(({ notificationCount, webhookCount }) => [notificationCount, webhookCount])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    await store(deactivated(two));
    await limited(limit);
    expect(await send()).toEqual([]);
  });

  it('delays no first mail about another problem of the installation, nor repeats one', async () => {
    const raise = (name: string) =>
      database.pool.query(
        `INSERT INTO notifications (id, kind, occasion, recipient, content)
         VALUES (gen_random_uuid(), 'alert', gen_random_uuid()::text, 'ops@example.com', $1)`,
        [{ name }],
      );
    for (const name of ['redis', 'backlog', 'redis']) {
      await raise(name);
      await limited({ recipient: 1 });
    }
    expect((await send()).map(({ notifications }) => notifications.map(({ content }) => content))).toEqual([
      [{ name: 'redis' }],
      [{ name: 'backlog' }],
    ]);
  });

  it('counts the mails of one round towards the limit of their tenant', async () => {
    for (const key of await webhooks(4)) {
      await database.pool.query('UPDATE webhooks SET notification_email_address = $2 WHERE key = $1', [
        key,
        `ops-${key}@example.com`,
      ]);
      await store(deactivated(key));
    }
    await limited({ tenant: 3 });
    expect(await send()).toHaveLength(3);
  });
});

describe('an address that belongs to no resource, where addresses must be confirmed', () => {
  const asking = () => gather({ gatherMs, confirmationKey });

  async function aWebhookTelling(address: string): Promise<number> {
    const [key = 0] = await webhooks(1);
    await database.pool.query('UPDATE webhooks SET notification_email_address = $2 WHERE key = $1', [key, address]);
    return key;
  }

  /** The link in the written mail. */
  const tokenOf = (mail: DueMail | undefined) => {
    const content = mail?.notifications[0]?.content as { facts: { ticket: string } } | undefined;
    return confirmationToken(content?.facts.ticket ?? '', confirmationKey);
  };

  it('is asked once, and gets the waiting mail when it has agreed', async () => {
    const key = await aWebhookTelling('Stranger@example.com');
    await store(deactivated(key));
    await asking();
    await asking();
    await store(deactivated(key));
    await asking();
    const mails = await send();
    expect(named(mails)).toEqual(
      [
        '1 confirmation Stranger@example.com',
        '1 deactivated owner@example.com',
        '1 deactivated owner@example.com',
      ].toSorted(byText),
    );
    const asked = mails.find(({ kind }) => kind === 'confirmation');
    const token = tokenOf(asked);
    // A reader of the database or of its backup cannot confirm an address.
    for (const [, word] of JSON.stringify(asked).matchAll(/"([\w-]+)"/gu)) {
      expect(await findConfirmation(database.pool, word ?? '')).toBeUndefined();
    }
    expect(await findConfirmation(database.pool, token)).toMatchObject({
      address: 'stranger@example.com',
      isConfirmed: false,
    });
    await asking();
    expect(await send()).toEqual([]);
    expect(await confirmAddress(database.pool, token)).toBe(true);
    await asking();
    expect(named(await send())).toEqual(['2 deactivated Stranger@example.com']);
  });

  it('is not confirmed by another token, nor by an expired one; then a new one is sent, three times at most', async () => {
    const key = await aWebhookTelling('stranger@example.com');
    expect(await confirmAddress(database.pool, 'made up')).toBe(false);
    const tokens: string[] = [];
    for (let time = 0; time < 5; time++) {
      await store(deactivated(key));
      await asking();
      const asked = (await send()).find(({ kind }) => kind === 'confirmation');
      if (asked) tokens.push(tokenOf(asked));
      await database.pool.query("UPDATE mail_confirmations SET expires_at = now() - interval '1 second'");
    }
    expect(new Set(tokens).size).toBe(3);
    for (const token of tokens) {
      expect(await confirmAddress(database.pool, token)).toBe(false);
      expect(await findConfirmation(database.pool, token)).toBeUndefined();
    }
  });

  it('gets no notification older than 7 days, and that is recorded', async () => {
    await store(deactivated(await aWebhookTelling('stranger@example.com')));
    await age('created_at', '7 days');
    await asking();
    const { rows } = await database.pool.query(
      "SELECT state, last_error FROM notifications WHERE recipient = 'stranger@example.com' AND kind = 'deactivated'",
    );
    expect(rows).toEqual([{ state: 'failed', last_error: 'its address was not confirmed' }]);
  });
});
