import { byService } from '@callout/domain/changes/actor';
import { expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { cancelOpenCallouts } from '../../deactivate/cancel.ts';
import { deactivateWebhooks } from '../../deactivate/deactivation.ts';
import { delivered, failed } from '../../fixtures/callouts.ts';
import { aTenantWithThreshold } from '../../limits/threshold.fixture.ts';
import { notifyOfFailingWebhooks } from '../../sweep/failing.ts';
import { context, unwrapped } from '../write/mail.rules.fixture.ts';
import { writeMail } from '../write/write-mail.rules.ts';
import { claimDueMail, settleMail } from './due-mail.ts';
import { gatherMail } from './gather-mail.ts';

const database = useDatabase(createDisposableDatabase);
const failing = {
  ...{ alertAfterMs: -1, gatherMs: 0, deactivateAfter: 25, pullKeepMs: 60_000 },
  schedule: { waitsMs: [60_000, 600_000], jitter: 0 },
};
const look = () => notifyOfFailingWebhooks(database.pool, failing);

/** Gathers and writes every mail that is stored, by the beginning of its subject. */
async function mails(): Promise<Record<string, string>> {
  await gatherMail(database.pool, {
    ...{ gatherMs: -1, confirmationKey: null },
    limits: { webhook: 0, recipient: 0, tenant: 0 },
  });
  const written: Record<string, string> = {};
  for (const mail of await claimDueMail(database.pool, 100, 60_000)) {
    const { subject, text } = writeMail(mail, context);
    written[/ - ([^:]+):/u.exec(subject)?.[1] ?? ''] = text;
    await settleMail(database.pool, mail, { state: 'sent' });
  }
  return written;
}

/** The fact of each webhook of a mail. */
const factsOf = (text = '', label = ''): string[] =>
  [...text.matchAll(new RegExp(`^ {2}${label}: +(.*)$`, 'gmu'))].map(([, value = '']) => value);

/** What the tables have of each webhook, as mails say it. */
async function inTables(keys: readonly number[]): Promise<{ waiting: string[]; failed: string[] }> {
  const { rows } = await database.pool.query<Record<'due' | 'behind' | 'held' | 'failed', number>>(
    `SELECT (SELECT count(*) FROM open_callouts WHERE webhook_key = k AND state = 'due') AS due,
       (SELECT count(*) FROM open_callouts WHERE webhook_key = k AND state = 'waiting') AS behind,
       (SELECT count(*) FROM open_callouts WHERE webhook_key = k AND state = 'held') AS held,
       (SELECT count(*) FROM callouts WHERE webhook_key = k AND state = 'failed') AS failed
     FROM unnest($1::bigint[]) WITH ORDINALITY AS w (k, nth) ORDER BY nth`,
    [keys],
  );
  const waiting = rows.map(({ due, behind, held }) => {
    const parts = [
      ...(held > 0 ? [`${held} held by the threshold`] : []),
      ...(due > 0 ? [`${due} due now or at their next attempt`] : []),
      ...(behind > 0 ? [`${behind} behind an earlier callout of their record`] : []),
    ];
    return `${due + behind + held} callouts (${parts.join(', ')})`;
  });
  return { waiting, failed: rows.map((row) => `${row.failed} callout${row.failed === 1 ? '' : 's'}`) };
}

it('every number in a mail is that of the tables, with a backlog, a threshold, several records and webhooks', async () => {
  const tenant = await aTenantWithThreshold(database, 12, 3);
  const { keys, add, claim, settle } = tenant;
  for (let round = 1; round <= 8; round += 1) {
    for (let record = 1; record <= 5; record += 1) await add(record, 0);
  }
  for (let record = 1; record <= 9; record += 1) await add(1 + (record % 3), 2);
  for (let record = 1; record <= 30; record += 1) await add(record, 1);
  const taken = await claim();
  const of = (webhook: number) => taken.filter(({ webhookKey }) => webhookKey === keys[webhook]);
  expect(keys.map((_, webhook) => of(webhook).length > 1)).toEqual([true, true, true]);
  for (const webhook of [0, 1, 2]) {
    const [first, ...rest] = of(webhook);
    if (first !== undefined) await settle([first], failed);
    await settle(rest, { kind: 'retry', waitMs: 60_000 });
  }
  await look();
  // The mails are written later: until then, more is to be sent.
  for (const webhook of [0, 1, 2]) await add(100, webhook);
  const begun = await mails();
  const tables = await inTables(keys);
  expect(factsOf(begun['Failing'], 'Waiting')).toEqual(tables.waiting);
  expect(factsOf(begun['Failing'], 'Failed')).toEqual(tables.failed);
  expect(unwrapped(begun['Failing'] ?? '')).toContain('3 webhooks are failing, because the receiver answered 400.');
  const { rows: holding } = await database.pool.query<{ key: number }>(
    'SELECT webhook_key AS key FROM threshold_episode_webhooks WHERE tenant_id = $1 ORDER BY webhook_key',
    [tenant.tenantId],
  );
  expect(factsOf(begun['Threshold exceeded'], 'Waiting')).toEqual(
    holding.map(({ key }) => tables.waiting[keys.indexOf(key)]),
  );

  await database.pool.query("UPDATE open_callouts SET due_at = now() WHERE state = 'due'");
  const again = (await claim()).find(({ webhookKey }) => webhookKey === holding[0]?.key);
  if (again !== undefined) await settle([again], delivered);
  await look();
  const recovered = (await mails())['Recovered'];
  const after = await inTables([again?.webhookKey ?? 0]);
  expect(factsOf(recovered, 'Waiting')).toEqual(after.waiting);
  expect(factsOf(recovered, 'Failed')).toEqual(after.failed);
  expect(unwrapped(recovered ?? '')).toContain('The threshold still holds callouts of this webhook');

  const [gone = 0] = keys.filter((key) => key !== again?.webhookKey);
  const about = { webhookKeys: [gone], cause: 'gone', actor: byService } as const;
  await inTransaction(database.pool, async (transaction) => {
    await transaction.query('SELECT FROM webhooks WHERE key = $1 FOR NO KEY UPDATE', [gone]);
    await deactivateWebhooks(transaction, about);
  });
  await cancelOpenCallouts(database.pool, gone, () => false);
  const { rows } = await database.pool.query<{ cancelled: number }>(
    "SELECT count(*) AS cancelled FROM callouts WHERE webhook_key = $1 AND state = 'cancelled'",
    [gone],
  );
  expect(factsOf((await mails())['Deactivated'], 'Open until then')).toEqual([`${rows[0]?.cancelled} callouts`]);
});
