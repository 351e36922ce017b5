import type { Pool } from 'pg';
import { chainsToContinue, continueChainOf } from './chain.ts';
import { bodyOf, ownLayout, type OwnCalloutOfWebhook } from '@callout/domain/callout/callout-body';
import type { DigestContent } from '@callout/domain/callout/digest';
import type { Client } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statement } from '@callout/database/connection/statement/statement';
import { newId } from '@callout/database/schema/ids';
import { mostNumbers, planDigest, type NumberRange, type PlannedDigest } from './digest.rules.ts';
import { chained, numbersToProve, readChainValues, readEarlierRuns, readStoredRange } from './stored-runs.ts';

/** Webhooks that one statement names. */
const atOnce = 200;

/** A round of work on chains and digests. */
interface DigestRound {
  /** Checked between two webhooks. */
  readonly isStopping: () => boolean;
  /** The digest of this webhook is stored, and due. */
  readonly onDigest: (webhookKey: number) => void;
}

/**
 * Continues the chains of all webhooks that have one, and sends the digests that are due. Any number of processes may
 * do this at once. A webhook that fails delays no other.
 * @throws the first of the errors, after the others were done.
 */
export async function workOnDigests(pool: Pool, round: DigestRound): Promise<void> {
  const errors: unknown[] = [];
  await each(chainsToContinue, (webhookKey) => continueWholeChain(pool, webhookKey, round));
  await each(webhooksToDigest, async (webhookKey) => {
    // As late as possible: a digest covers what is in the chain.
    await continueWholeChain(pool, webhookKey, round);
    while (!round.isStopping() && (await sendDigest(pool, webhookKey))) round.onDigest(webhookKey);
  });
  if (errors.length > 0) throw errors[0];

  async function each(
    find: (pool: Pool, afterKey: number, atMost: number) => Promise<number[]>,
    work: (webhookKey: number) => Promise<void>,
  ): Promise<void> {
    for (let afterKey = 0; ;) {
      const keys = await find(pool, afterKey, atOnce);
      for (const webhookKey of keys) {
        if (round.isStopping()) return;
        await work(webhookKey).catch((error: unknown) => errors.push(error));
      }
      afterKey = keys.at(-1) ?? afterKey;
      if (keys.length < atOnce) return;
    }
  }
}

/** Numbers of one webhook in one round: the next round goes on, and the others have their turn. */
const mostNumbersPerRound = 50_000;

async function continueWholeChain(pool: Pool, webhookKey: number, { isStopping }: DigestRound): Promise<void> {
  for (let added = 0; added < mostNumbersPerRound && !isStopping();) {
    const count = await continueChainOf(pool, webhookKey);
    if (count === 0) return;
    added += count;
  }
}

/** A chain whose digest is due. */
interface DueDigest {
  webhookKey: number;
  /** The last number in the chain. */
  lastNumber: number;
  /** The last number that a digest covers. */
  digestNumber: number;
  openNumbers: NumberRange[];
}

// An inactive webhook gets no digest; the first one after it is active again covers the time between.
const find = statement<DueDigest>(
  'digest_find_due',
  `SELECT c.webhook_key AS "webhookKey", c.last_number AS "lastNumber", c.digest_number AS "digestNumber",
     c.open_numbers AS "openNumbers"
   FROM webhook_chains c JOIN webhooks w ON w.key = c.webhook_key
   WHERE c.next_digest_at <= now() AND c.webhook_key = coalesce($1, c.webhook_key) AND c.webhook_key > $2
     AND w.is_active AND w.deleted_at IS NULL AND w.digest_every <> 'none'
     AND (SELECT state FROM tenants WHERE id = w.tenant_id) = 'active'
   ORDER BY c.webhook_key LIMIT $3`,
);

/** Webhooks, by their keys in order, whose digest is due. */
async function webhooksToDigest(pool: Pool, afterKey: number, atMost: number): Promise<number[]> {
  return (await find(pool, [null, afterKey, atMost])).map(({ webhookKey }) => webhookKey);
}

/** Sends the digest of a webhook, if it is due and there is anything to say. @returns whether it was stored. */
async function sendDigest(pool: Pool, webhookKey: number): Promise<boolean> {
  const [due] = await find(pool, [webhookKey, 0, 1]);
  if (due === undefined) return false;
  const planned = await plan(pool, due);
  if (planned === null) {
    await postpone(pool, [webhookKey, due.lastNumber]);
    return false;
  }
  const content = await contentOf(pool, webhookKey, planned);
  return store(pool, due, planned, content);
}

/** Read before the webhook is locked, since match waits for that lock. */
async function plan(client: Client, due: DueDigest): Promise<PlannedDigest | null> {
  const { webhookKey, digestNumber, openNumbers } = due;
  const first = digestNumber + 1;
  const last = Math.min(due.lastNumber, digestNumber + mostNumbers);
  const range = await readStoredRange(client, webhookKey, first, last);
  const planned = planDigest({ first, last }, range, await readEarlierRuns(client, webhookKey, openNumbers));
  return planned && { ...planned, hasMore: planned.hasMore || last < due.lastNumber };
}

async function contentOf(client: Client, webhookKey: number, planned: PlannedDigest): Promise<DigestContent> {
  const { first, last, notDelivered, earlier } = planned;
  const valueAt = await readChainValues(client, webhookKey, numbersToProve(first, last, notDelivered));
  return {
    firstSequenceNumber: first,
    lastSequenceNumber: last,
    previousChain: valueAt(first - 1),
    chain: valueAt(last),
    notDelivered: chained(notDelivered, valueAt),
    earlier,
  };
}

/** The end of the present period of webhook `w`, by the clock of the database. */
const nextDigestAt = `date_trunc(w.digest_every, now(), 'UTC') + ('1 ' || w.digest_every)::interval`;

// Not if another process has continued the chain since this one looked: then there may be something to say.
const postpone = statement(
  'digest_postpone',
  `UPDATE webhook_chains c SET next_digest_at = ${nextDigestAt} FROM webhooks w
   WHERE c.webhook_key = $1 AND w.key = $1 AND c.last_number = $2 AND c.next_digest_at <= now()
     AND w.digest_every <> 'none'`,
);

interface LockedWebhook extends OwnCalloutOfWebhook {
  tenantId: number;
  entityType: string;
  id: number;
  lastSequence: number;
  now: Date;
}

const lockWebhook = statement<LockedWebhook>(
  'digest_lock_webhook',
  `SELECT tenant_id AS "tenantId", entity_type AS "entityType", id, guid, last_sequence AS "lastSequence", now() AS now,
     payload_format AS "payloadFormat", CASE WHEN payload_format = 'cloudevents' THEN (
       SELECT json_build_object('zoneGuid', z.guid, 'zoneName', z.name, 'zoneUrl', z.url, 'tenantName', t.name)
       FROM tenants t JOIN zones z ON z.id = t.zone_id WHERE t.id = tenant_id
     ) END AS place
   FROM webhooks WHERE key = $1 AND is_active AND deleted_at IS NULL AND digest_every <> 'none'
     AND (SELECT state FROM tenants WHERE id = tenant_id) = 'active' FOR NO KEY UPDATE`,
  'webhooks',
);

// Another process may have sent the same digest since this one looked.
const advance = statement<{ webhookKey: number }>(
  'digest_advance',
  `UPDATE webhook_chains c SET digest_number = $3, open_numbers = $4,
     next_digest_at = CASE WHEN $5 THEN now() ELSE ${nextDigestAt} END, last_digest = $6, last_digest_at = now()
   FROM webhooks w WHERE c.webhook_key = $1 AND w.key = $1 AND c.digest_number = $2 AND c.next_digest_at <= now()
   RETURNING c.webhook_key AS "webhookKey"`,
  'webhook_chains',
);

const lockCalls = statement<{ count: number }>(
  'digest_lock_calls',
  `SELECT count(*) FROM (
     SELECT FROM open_callouts WHERE webhook_key = $1 AND record_id = -2
     ORDER BY webhook_key, record_id, sequence_number FOR UPDATE
   ) AS locked`,
  'open_callouts',
);

// The digests of a webhook are sent in order, as the callouts of a record are: -2 is their record.
const insert = statement(
  'digest_store',
  `WITH numbered AS (
     UPDATE webhooks SET last_sequence = $4 WHERE key = $3
   ), history AS (
     INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action, kind)
     VALUES ($1, $2, $3, $4, $5, -2, 'Digest', 'digest')
   ), bodies AS (
     INSERT INTO callout_bodies (callout_id, body) VALUES ($1, $6)
   )
   INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, kind, sequence_number,
     state, due_at, body_bytes)
   VALUES ($1, $2, $3, $5, -2, 'Digest', 'digest', $4, $7, now(), octet_length($6))`,
);

async function store(pool: Pool, due: DueDigest, planned: PlannedDigest, digest: DigestContent): Promise<boolean> {
  const { webhookKey, digestNumber } = due;
  return inTransaction(pool, async (transaction) => {
    const [webhook] = await lockWebhook(transaction, [webhookKey]);
    if (webhook === undefined) return false;
    const { tenantId, entityType, id, guid, now } = webhook;
    const sequenceNumber = webhook.lastSequence + 1;
    const { last, openNumbers, hasMore } = planned;
    const open = JSON.stringify(openNumbers);
    const advanced = await advance(transaction, [webhookKey, digestNumber, last, open, hasMore, sequenceNumber]);
    if (advanced.length === 0) return false;
    const [calls] = await lockCalls(transaction, [webhookKey]);
    const calloutId = newId();
    const about = { action: 'Digest', webhookGuid: guid, entityType, recordId: id, personId: null } as const;
    const envelope = { id: calloutId, ...about, eventTime: now, sequenceNumber, digest };
    const body = bodyOf(envelope, null, ownLayout(webhook));
    const state = calls === undefined || calls.count === 0 ? 'due' : 'waiting';
    await insert(transaction, [calloutId, tenantId, webhookKey, sequenceNumber, entityType, body, state]);
    return true;
  });
}
