import { type InstallationAlertName, installationAlerts } from '@callout/core/mail';
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../connection/database.ts';
import { statement } from '../connection/statement/statement.ts';
import { newId } from '../schema/ids.ts';

/** What a look at the installation found. */
export interface AlertRound {
  /** What was looked at; what is not among them stays as it is. */
  checked: readonly InstallationAlertName[];
  /** What is wrong, in sentences. */
  found: ReadonlyMap<InstallationAlertName, string>;
  recipients: readonly string[];
  /** An alert is over when no process has found it for so long. */
  overAfterMs: number;
}

const raise = statement<{ isNew: boolean; since: Date }>(
  'alerts_raise',
  `INSERT INTO installation_alerts (name, detail) VALUES ($1, $2)
   ON CONFLICT (name) DO UPDATE SET seen_at = now() RETURNING xmax = 0 AS "isNew", since`,
);

const end = statement<{ name: InstallationAlertName; detail: string; since: Date; until: Date }>(
  'alerts_end',
  `DELETE FROM installation_alerts WHERE name = ANY($1::text[]) AND seen_at <= now() - $2 * interval '1 millisecond'
   RETURNING name, detail, since, now() AS until`,
);

const store = statement(
  'alerts_store',
  `INSERT INTO notifications (id, kind, occasion, recipient, content)
   SELECT n.id, $3, $4, n.recipient, $5 FROM unnest($1::uuid[], $2::text[]) AS n (id, recipient)`,
);

/**
 * Keeps what is wrong with the installation, and stores what its operators are told: once when it begins and once when it
 * is over, whichever of several processes finds it, and across restarts.
 * @returns the names of what began and what ended.
 */
export async function keepAlerts(
  pool: Pool,
  { checked, found, recipients, overAfterMs }: AlertRound,
): Promise<{ raised: InstallationAlertName[]; over: InstallationAlertName[] }> {
  return inTransaction(pool, async (transaction) => {
    const raised: InstallationAlertName[] = [];
    // In one order, since several processes do this at the same time.
    for (const [name, detail] of [...found].toSorted(([one], [other]) => one.localeCompare(other))) {
      const [alert] = await raise(transaction, [name, detail]);
      if (alert?.isNew !== true) continue;
      raised.push(name);
      await tell(transaction, recipients, 'alert', { name, detail, since: alert.since });
    }
    const over = await end(transaction, [checked.filter((name) => !found.has(name)), overAfterMs]);
    for (const alert of over) await tell(transaction, recipients, 'alertOver', alert);
    return { raised, over: over.map(({ name }) => name) };
  });
}

async function tell(
  transaction: Transaction,
  recipients: readonly string[],
  kind: 'alert' | 'alertOver',
  alert: { name: InstallationAlertName; detail: string; since: Date; until?: Date },
): Promise<void> {
  const content = JSON.stringify({ ...alert, ...installationAlerts[alert.name] });
  const occasion = `${alert.name} ${alert.since.toISOString()}`;
  await store(transaction, [recipients.map(() => newId()), recipients, kind, occasion, content]);
}
