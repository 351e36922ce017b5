import { mailTriedForMs } from '../write/mail-retry.rules.ts';
import type { Pool } from 'pg';
import { advisoryLocks } from '@callout/database/connection/locks/advisory-locks';
import type { Transaction } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { columns, statement } from '@callout/database/connection/statement/statement';
import { askForConfirmation } from './confirmations.ts';

export interface GatherRules {
  /**
   * How long the first notification of a mail waits for more of the kind and recipient; a few seconds at most where
   * the trouble has lasted for some time already.
   */
  gatherMs: number;
  /**
   * Maximum number of mails of a kind in an hour; 0: no limit. The first mail of the hour about a trouble of a webhook,
   * or of the installation, is not delayed by the limit of the recipient: the time to gather still spaces mails.
   */
  limits: {
    /** About a webhook. */
    webhook: number;
    /** To a recipient about a tenant. */
    recipient: number;
    /** About a tenant. */
    tenant: number;
  };
  /**
   * Makes the links by which addresses of no resource are asked for confirmation; null: no confirmation is required.
   */
  confirmationKey: Uint8Array | null;
}

/** Mail about a trouble that has lasted for some time, which was the time to gather; only notifications nearby still join. */
const urgentKinds = `'failing', 'alert', 'alertOver'`;
const urgentGatherMs = 5_000;

/** Kinds that begin to report a trouble. */
const troubleKinds = `'error', 'failing', 'deactivated', 'thresholdExceeded', 'alert'`;

// Two concurrent processes would gather the same notifications into two mails.
const tryLock = statement<{ isClaimed: boolean }>(
  'gather_try_lock',
  `SELECT pg_try_advisory_xact_lock(${advisoryLocks.gatherMail}) AS "isClaimed"`,
);

const isLoose = `state = 'waiting' AND mail_id IS NULL`;
/** A threshold mail is for a tenant, entity, episode and recipient. */
const isOfThreshold = `kind IN ('thresholdExceeded', 'caughtUp')`;

// A webhook that joins an episode later has no news for recipients who know of the episode.
const cover = statement(
  'gather_cover',
  `UPDATE notifications n SET state = 'covered' WHERE ${isLoose} AND ${isOfThreshold} AND EXISTS (
     SELECT FROM notifications m WHERE (m.tenant_id, m.kind) = (n.tenant_id, n.kind) AND m.mail_id IS NOT NULL
       AND m.occasion = n.occasion AND lower(m.recipient) = lower(n.recipient)
       AND m.content -> 'webhook' ->> 'entityType' = n.content -> 'webhook' ->> 'entityType')`,
);

const findUnconfirmed = statement<{ tenantId: number; address: string; recipient: string }>(
  'gather_find_unconfirmed',
  `SELECT tenant_id AS "tenantId", address, recipient FROM (
     SELECT tenant_id, lower(recipient) AS address, min(recipient) AS recipient FROM notifications
     WHERE ${isLoose} AND tenant_id IS NOT NULL AND kind <> 'confirmation' GROUP BY 1, 2
   ) AS n
   WHERE NOT EXISTS (SELECT FROM resources r WHERE r.tenant_id = n.tenant_id AND lower(r.email) = n.address)
     AND NOT EXISTS (SELECT FROM mail_confirmations c WHERE (c.tenant_id, c.address) = (n.tenant_id, n.address)
       AND c.confirmed_at IS NOT NULL)`,
);

// A notification waits for the confirmation no longer than the address is asked.
const failUnconfirmed = statement(
  'gather_give_up_unconfirmed',
  `UPDATE notifications n SET state = 'failed', last_error = 'its address was not confirmed'
   FROM unnest($1::int[], $2::text[]) AS u (tenant_id, address)
   WHERE ${isLoose} AND n.tenant_id = u.tenant_id AND lower(n.recipient) = u.address AND n.kind <> 'confirmation'
     AND n.created_at <= now() - $3 * interval '1 millisecond'`,
);

// Mails sent about the tenant, or the installation, within the hour.
const sentLately = `(s.tenant_id = m.tenant_id OR m.tenant_id = 0 AND s.tenant_id IS NULL) AND s.kind = m.kind
  AND s.mail_at > now() - interval '1 hour' AND s.mail_id = s.id`;

// Notifications beyond a limit wait, and become part of a later mail. A webhook that has reached the limit delays no
// further webhook. First mails about a trouble come first, then the mails with the oldest notifications; mails of the
// round count towards the limit of the tenant, which bounds first mails, too: any address may belong to a resource.
const compose = statement<{ id: string }>(
  'gather_compose',
  `WITH loose AS MATERIALIZED (
     SELECT id, coalesce(tenant_id, 0) AS tenant_id, kind, webhook_key, content ->> 'name' AS alert, lower(recipient) AS address, created_at,
       CASE WHEN ${isOfThreshold} THEN (content -> 'webhook' ->> 'entityType') || ' ' || occasion ELSE '' END AS topic
     FROM notifications WHERE ${isLoose}
   ), sent AS MATERIALIZED (
     SELECT w.webhook_key, w.kind, (SELECT count(DISTINCT s.mail_id) FROM notifications s
       WHERE s.webhook_key = w.webhook_key AND s.kind = w.kind AND s.mail_at > now() - interval '1 hour') AS mails
     FROM (SELECT DISTINCT webhook_key, kind FROM loose WHERE webhook_key IS NOT NULL) AS w
   ), free AS MATERIALIZED (
     SELECT l.*, l.kind IN (${troubleKinds}) AND CASE WHEN l.webhook_key IS NOT NULL THEN sent.mails = 0
       ELSE NOT EXISTS (SELECT FROM notifications s WHERE s.tenant_id IS NULL AND s.kind = l.kind
         AND s.mail_at > now() - interval '1 hour' AND s.content ->> 'name' = l.alert) END AS is_first
     FROM loose l LEFT JOIN sent ON sent.webhook_key = l.webhook_key AND sent.kind = l.kind
     WHERE ($2::int = 0 OR coalesce(sent.mails, 0) < $2)
       AND (l.kind = 'confirmation' OR NOT EXISTS (
         SELECT FROM unnest($5::int[], $6::text[]) AS u (tenant_id, address)
         WHERE (u.tenant_id, u.address) = (l.tenant_id, l.address)))
   ), mails AS (
     SELECT tenant_id, kind, address, topic, min(created_at) AS since, bool_or(is_first) AS is_first,
       (array_agg(id ORDER BY created_at, id))[1] AS mail_id
     FROM free GROUP BY tenant_id, kind, address, topic
   ), ripe AS (
     SELECT m.*, row_number() OVER (PARTITION BY m.tenant_id, m.kind
       ORDER BY m.is_first DESC, m.since, m.mail_id) AS nth FROM mails m
     WHERE (m.kind = 'confirmation' OR m.since <= now() - interval '1 millisecond' *
         CASE WHEN m.kind IN (${urgentKinds}) THEN least($1::float, ${urgentGatherMs}) ELSE $1::float END)
       AND (m.is_first OR $3::int = 0 OR $3 > (SELECT count(*) FROM notifications s
         WHERE ${sentLately} AND lower(s.recipient) = m.address))
   ), allowed AS MATERIALIZED (
     SELECT m.* FROM ripe m
     WHERE $4::int = 0 OR $4 >= m.nth + (SELECT count(*) FROM notifications s WHERE ${sentLately})
   )
   UPDATE notifications n SET mail_id = a.mail_id, mail_at = now()
   FROM free f JOIN allowed a USING (tenant_id, kind, address, topic)
   WHERE n.id = f.id
   RETURNING n.id`,
);

/**
 * Gathers stored notifications into mails: a mail for each tenant, kind and recipient, and for the threshold for each episode.
 * A notification that has waited long enough is gathered together with all notifications of the mail. A single
 * transaction, so a mail is complete or does not exist; from then on the mail has an id, and nothing is added.
 * @returns how many notifications were gathered; 0 also when another process is gathering.
 */
export async function gatherMail(pool: Pool, rules: GatherRules): Promise<number> {
  return inTransaction(pool, async (transaction) => {
    const [lock] = await tryLock(transaction, []);
    if (lock?.isClaimed !== true) return 0;
    await cover(transaction, []);
    const unconfirmed = rules.confirmationKey === null ? [] : await askUnconfirmed(transaction, rules.confirmationKey);
    const { webhook, recipient, tenant } = rules.limits;
    const gathered = await compose(transaction, [
      rules.gatherMs,
      webhook,
      recipient,
      tenant,
      ...columns(unconfirmed, ['tenantId', 'address']),
    ]);
    return gathered.length;
  });
}

async function askUnconfirmed(transaction: Transaction, key: Uint8Array) {
  const unconfirmed = await findUnconfirmed(transaction, []);
  if (unconfirmed.length === 0) return [];
  for (const { tenantId, recipient } of unconfirmed) {
    await askForConfirmation(transaction, { tenantId, recipient, key });
  }
  await failUnconfirmed(transaction, [...columns(unconfirmed, ['tenantId', 'address']), mailTriedForMs]);
  return unconfirmed;
}
