import { beforeEach, describe, expect, it } from '@jest/globals';
import type { InstallationAlertName } from '../write/installation-alerts.rules.ts';
import { createDisposableDatabase } from '@callout/local/test-run';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { newId } from '@callout/database/schema/ids';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { keepAlerts, type AlertRound } from './installation-alerts.ts';
import { findOverdueCallout, findRefusedMail } from './overdue.ts';

const database = useDatabase(createDisposableDatabase);

beforeEach(async () => {
  await database.pool.query('TRUNCATE notifications, installation_alerts, open_callouts, webhook_health');
});

const finding = (...names: InstallationAlertName[]): AlertRound => ({
  checked: ['keys', 'mail', 'pendingEvents'],
  found: new Map(names.map((name) => [name, { detail: 'In words.' }])),
  recipients: ['one@example.com', 'two@example.com'],
  hasUrl: false,
  overAfterMs: 0,
});
const keep = (round: AlertRound) => keepAlerts(database.pool, round);

async function notified(): Promise<string[]> {
  const { rows } = await database.pool.query<{ line: string }>(
    "SELECT kind || ' ' || recipient || ' ' || (content ->> 'title') AS line FROM notifications ORDER BY kind, recipient",
  );
  return rows.map(({ line }) => line);
}

describe('keepAlerts', () => {
  it('notifies each operator once when something is wrong, and once when it is over', async () => {
    expect(await keep(finding('keys'))).toEqual({ raised: ['keys'], over: [] });
    expect(await keep(finding('keys'))).toEqual({ raised: [], over: [] });
    expect(await keep(finding())).toEqual({ raised: [], over: ['keys'] });
    expect(await keep(finding())).toEqual({ raised: [], over: [] });
    expect(await notified()).toEqual([
      'alert one@example.com SECRET_KEYS lacks a key in use',
      'alert two@example.com SECRET_KEYS lacks a key in use',
      'alertOver one@example.com SECRET_KEYS lacks a key in use',
      'alertOver two@example.com SECRET_KEYS lacks a key in use',
    ]);
  });

  it('says that a problem began when it did, and not when it was found', async () => {
    const since = new Date('2026-01-02T03:04:05Z');
    await keep({ ...finding(), found: new Map([['mail', { detail: 'In words.', since }]]) });
    const { rows } = await database.pool.query<{ since: string }>(
      "SELECT DISTINCT content ->> 'since' AS since FROM notifications",
    );
    expect(rows).toEqual([{ since: since.toISOString() }]);
  });

  it('notifies once, however many processes look at the same time', async () => {
    const rounds = await Promise.all(Array.from({ length: 5 }, () => keep(finding('mail', 'keys'))));
    expect(rounds.flatMap(({ raised }) => raised).toSorted((a, b) => a.localeCompare(b))).toEqual(['keys', 'mail']);
    expect(await notified()).toHaveLength(4);
  });

  it('ends no alert that another process has found lately, and none that was not looked for', async () => {
    await keep(finding('keys'));
    expect(await keep({ ...finding(), overAfterMs: 60_000 })).toEqual({ raised: [], over: [] });
    expect(await keep({ ...finding(), checked: ['mail'] })).toEqual({ raised: [], over: [] });
  });
});

describe('findOverdueCallout', () => {
  async function aDueCallout(recordId: number): Promise<{ webhookKey: number; calloutId: string }> {
    const tenantId = await insertTenant(database.pool);
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const calloutId = newId();
    await database.pool.query(
      `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, kind,
         sequence_number, state, due_at)
       VALUES ($1, $2, $3, 'Account', $4, 'Update', 'event', 1, 'due', now() - interval '10 minutes')`,
      [calloutId, tenantId, webhookKey, recordId],
    );
    return { webhookKey, calloutId };
  }

  it('finds the one that has been waiting longest for a worker', async () => {
    await aDueCallout(1);
    expect(await findOverdueCallout(database.pool, 3_600_000)).toBeUndefined();
    expect(await findOverdueCallout(database.pool, 300_000)).toMatchObject({ entityType: 'Account', webhookId: 1 });
  });

  it('leaves out a webhook that is paused, inactive or being served', async () => {
    const [paused, inactive, served] = [await aDueCallout(1), await aDueCallout(2), await aDueCallout(3)];
    await database.pool.query('INSERT INTO webhook_health (webhook_key, pauses) VALUES ($1, 1)', [paused.webhookKey]);
    await database.pool.query('UPDATE webhooks SET is_active = false WHERE key = $1', [inactive.webhookKey]);
    await database.pool.query(
      "UPDATE open_callouts SET lease_owner = gen_random_uuid(), lease_until = now() + interval '1 minute' WHERE callout_id = $1",
      [served.calloutId],
    );
    expect(await findOverdueCallout(database.pool, 1_000)).toBeUndefined();
  });

  it('leaves out pulled callouts, and those of a tenant that is being moved', async () => {
    const [pulled, moving] = [await aDueCallout(1), await aDueCallout(2)];
    await database.pool.query("UPDATE webhooks SET webhook_url = 'pull:', delivery_mode = 'pull' WHERE key = $1", [
      pulled.webhookKey,
    ]);
    await database.pool.query(
      `UPDATE tenants SET state = 'moving' FROM webhooks w WHERE w.tenant_id = tenants.id AND w.key = $1`,
      [moving.webhookKey],
    );
    expect(await findOverdueCallout(database.pool, 1_000)).toBeUndefined();
    // The deactivation call of such a webhook is sent, to an address of its own.
    await database.pool.query("UPDATE open_callouts SET kind = 'deactivation', record_id = -1 WHERE webhook_key = $1", [
      pulled.webhookKey,
    ]);
    expect(await findOverdueCallout(database.pool, 1_000)).toBeDefined();
    await database.pool.query(
      "UPDATE webhooks SET deactivation_url = 'pull:', deactivation_mode = 'pull' WHERE key = $1",
      [pulled.webhookKey],
    );
    expect(await findOverdueCallout(database.pool, 1_000)).toBeUndefined();
  });
});

describe('findRefusedMail', () => {
  async function aMail(state: string, attempts: number, mailAt: string, sentAt: string | null = null): Promise<void> {
    await database.pool.query(
      `INSERT INTO notifications (id, kind, occasion, recipient, content, state, attempts, last_error, mail_id, mail_at, sent_at)
       VALUES ($1::uuid, 'error', $1::uuid::text, 'a@example.com', '{}', $2, $3, '454 later', $1::uuid, now() - $4::interval, now() - $5::interval)`,
      [newId(), state, attempts, mailAt, sentAt],
    );
  }

  it('finds mail that the mail server has not accepted for a time, while it accepted no other', async () => {
    await aMail('waiting', 0, '2 hours');
    await aMail('waiting', 3, '4 minutes');
    await aMail('sent', 1, '1 hour', '1 hour');
    expect(await findRefusedMail(database.pool, 300_000)).toBeUndefined();
    await aMail('waiting', 3, '10 minutes');
    expect(await findRefusedMail(database.pool, 300_000)).toMatchObject({ count: 2, lastError: '454 later' });
    await aMail('sent', 1, '20 minutes', '1 minute');
    expect(await findRefusedMail(database.pool, 300_000)).toBeUndefined();
  });
});
