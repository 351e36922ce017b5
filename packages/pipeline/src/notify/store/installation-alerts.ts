import { type InstallationAlertName, installationAlerts } from '../write/installation-alerts.rules.ts';
import { storeOperatorMessage } from '../operator-messages.ts';
import type { Pool } from 'pg';
import type { Transaction } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { newId } from '@callout/database/schema/ids';

/** A problem of the installation. */
export interface Finding {
  /** A description in sentences. */
  readonly detail: string;
  /** When the problem began; absent: when the problem was first found. */
  readonly since?: Date;
}

/** The result of a look at the installation. */
export interface AlertRound {
  /** Names of the alerts that were checked; all further alerts stay as they are. */
  checked: readonly InstallationAlertName[];
  found: ReadonlyMap<InstallationAlertName, Finding>;
  recipients: readonly string[];
  /** Whether the operators have a URL for alerts as well. */
  hasUrl: boolean;
  /** An alert ends when no process has found the problem for so long. */
  overAfterMs: number;
}

const raise = statementFrom<{ isNew: boolean; since: Date }>('notify/alerts_raise');

const end = statementFrom<{ name: InstallationAlertName; detail: string; since: Date; until: Date }>(
  'notify/alerts_end',
);

const store = statementFrom('notify/alerts_store');

/**
 * Stores the problems of the installation, and notifications for the operators: once when a problem begins and once
 * when the problem is over, whichever process finds the problem, and across restarts.
 * @returns the names of the alerts that began and ended.
 */
export async function keepAlerts(
  pool: Pool,
  { checked, found, recipients, hasUrl, overAfterMs }: AlertRound,
): Promise<{ raised: InstallationAlertName[]; over: InstallationAlertName[] }> {
  return inTransaction(pool, async (transaction) => {
    const raised: InstallationAlertName[] = [];
    // In a fixed order, since several processes store at the same time.
    for (const [name, { detail, since }] of [...found].toSorted(([one], [other]) => one.localeCompare(other))) {
      const [alert] = await raise(transaction, [name, detail, since ?? null]);
      if (alert?.isNew !== true) continue;
      raised.push(name);
      await tell(transaction, { recipients, hasUrl }, 'alert', { name, detail, since: alert.since });
    }
    const over = await end(transaction, [checked.filter((name) => !found.has(name)), overAfterMs]);
    for (const alert of over) await tell(transaction, { recipients, hasUrl }, 'alertOver', alert);
    return { raised, over: over.map(({ name }) => name) };
  });
}

async function tell(
  transaction: Transaction,
  { recipients, hasUrl }: Pick<AlertRound, 'recipients' | 'hasUrl'>,
  kind: 'alert' | 'alertOver',
  alert: { name: InstallationAlertName; detail: string; since: Date; until?: Date },
): Promise<void> {
  const content = JSON.stringify({ ...alert, ...installationAlerts[alert.name] });
  const occasion = `${alert.name} ${alert.since.toISOString()}`;
  await storeAlertMail(transaction, { recipients, kind, occasion, content });
  if (hasUrl) await storeOperatorMessage(transaction, alert.name, content);
}

/** Stores a mail about an alert for each operator. @param content JSON of a stored alert. */
export async function storeAlertMail(
  transaction: Transaction,
  mail: {
    readonly recipients: readonly string[];
    readonly kind: 'alert' | 'alertOver';
    readonly occasion: string;
    readonly content: string;
  },
): Promise<void> {
  const { recipients, kind, occasion, content } = mail;
  await store(transaction, [recipients.map(() => newId()), recipients, kind, occasion, content]);
}
