import { randomBytes } from 'node:crypto';
import { confirmationToken, hashConfirmationToken } from '../write/confirmation-token.rules.ts';
import type { Pool } from 'pg';
import type { Client, Transaction } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { newId } from '@callout/database/schema/ids';
import { statement } from '@callout/database/connection/statement/statement';
import { holdTenant } from '@callout/database/connection/transaction/served-tenant';

const validForDays = 7;
/** How often an address is asked that does not respond. */
const mostRequests = 3;

// A resource's address needs no confirmation; one that was asked and has time left, or agreed, is not asked again.
const ask = statement<{ expiresAt: Date }>(
  'confirmation_ask',
  `INSERT INTO mail_confirmations AS c (tenant_id, address, token_hash, expires_at)
   SELECT $1::int, $2::text, $3::bytea, now() + $4 * interval '1 day'
   WHERE NOT EXISTS (SELECT FROM resources r WHERE r.tenant_id = $1 AND lower(r.email) = $2)
   ON CONFLICT (tenant_id, address) DO UPDATE
     SET token_hash = EXCLUDED.token_hash, expires_at = EXCLUDED.expires_at, requests = c.requests + 1
     WHERE c.confirmed_at IS NULL AND c.expires_at <= now() AND c.requests < $5
   RETURNING expires_at AS "expiresAt"`,
);

const store = statement(
  'confirmation_store',
  `INSERT INTO notifications (id, tenant_id, kind, occasion, recipient, content)
   SELECT $1, t.id, 'confirmation', $3, $4, json_build_object(
     'tenant', json_build_object('name', t.name, 'url', z.url), 'facts', $5::json)
   FROM tenants t LEFT JOIN zones z ON z.id = t.zone_id WHERE t.id = $2`,
);

/** The address that is asked for a confirmation, and the tenant whose mail it is about. */
export interface Confirmation {
  readonly tenantId: number;
  readonly recipient: string;
  /** Makes the token of the link; see `confirmationKeyPurpose`. */
  readonly key: Uint8Array;
}

/**
 * Asks an address by mail whether it wants mail about a tenant's webhooks, unless it is a resource's, has agreed, was
 * asked less than 7 days ago, or did not respond three times. The link in the mail is valid for 7 days. Its token is
 * not stored: the table has its hash, and a ticket from which the token is derived, with the key, when the mail is
 * written.
 */
export async function askForConfirmation(
  transaction: Transaction,
  { tenantId, recipient, key }: Confirmation,
): Promise<void> {
  const ticket = randomBytes(24).toString('base64url');
  const tokenHash = hashConfirmationToken(confirmationToken(ticket, key));
  const [asked] = await ask(transaction, [tenantId, recipient.toLowerCase(), tokenHash, validForDays, mostRequests]);
  if (asked === undefined) return;
  const facts = JSON.stringify({ ticket, tokenHash: tokenHash.toString('hex'), expiresAt: asked.expiresAt });
  await store(transaction, [newId(), tenantId, asked.expiresAt.toISOString(), recipient, facts]);
}

/** The same for an address that was just stored, in its own transaction. */
export async function requestConfirmation(pool: Pool, confirmation: Confirmation): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    await holdTenant(transaction, confirmation.tenantId);
    await askForConfirmation(transaction, confirmation);
  });
}

/** A request for confirmation, for the page of its link. */
export interface ConfirmationRequest {
  address: string;
  tenantName: string;
  isConfirmed: boolean;
}

const find = statement<ConfirmationRequest>(
  'confirmation_find',
  `SELECT c.address, t.name AS "tenantName", c.confirmed_at IS NOT NULL AS "isConfirmed"
   FROM mail_confirmations c JOIN tenants t ON t.id = c.tenant_id
   WHERE c.token_hash = $1 AND (c.expires_at > now() OR c.confirmed_at IS NOT NULL)`,
);

const confirm = statement<{ tenantId: number }>(
  'confirmation_confirm',
  `UPDATE mail_confirmations SET confirmed_at = coalesce(confirmed_at, now())
   WHERE token_hash = $1 AND (expires_at > now() OR confirmed_at IS NOT NULL) RETURNING tenant_id AS "tenantId"`,
);

/** The request of a link; undefined when the link does not exist or has expired. */
export async function findConfirmation(client: Client, token: string): Promise<ConfirmationRequest | undefined> {
  return (await find(client, [hashConfirmationToken(token)]))[0];
}

/** Confirms the address of a link. @returns false when the link does not exist or has expired. */
export async function confirmAddress(pool: Pool, token: string): Promise<boolean> {
  return inTransaction(pool, async (transaction) => {
    const [confirmed] = await confirm(transaction, [hashConfirmationToken(token)]);
    if (confirmed !== undefined) await holdTenant(transaction, confirmed.tenantId);
    return confirmed !== undefined;
  });
}
