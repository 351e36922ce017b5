import { randomBytes } from 'node:crypto';
import { confirmationToken, hashConfirmationToken } from '../write/confirmation-token.rules.ts';
import type { Pool } from 'pg';
import type { Client, Transaction } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { newId } from '@callout/database/schema/ids';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { holdTenant } from '@callout/database/connection/transaction/served-tenant';

const validForDays = 7;
/** How often an address is asked that does not respond. */
const mostRequests = 3;

const ask = statementFrom<{ expiresAt: Date }>('notify/confirmation_ask');

const store = statementFrom('notify/confirmation_store');

/** The address that is asked for a confirmation, and the tenant that the mail is about. */
export interface Confirmation {
  readonly tenantId: number;
  readonly recipient: string;
  /** Makes the token of the link; see `confirmationKeyPurpose`. */
  readonly key: Uint8Array;
}

/**
 * Asks an address by mail for consent to mail about webhooks of a tenant, unless the address belongs to a resource, has
 * agreed, was asked less than 7 days ago, or did not respond three times. The link in the mail is valid for 7 days. The
 * token is not stored: the table has a hash, and a ticket from which the token is derived, with the key, when the mail is
 * written.
 */
export async function askForConfirmation(
  transaction: Transaction,
  { tenantId, recipient, key }: Confirmation,
): Promise<void> {
  const ticket = randomBytes(24).toString('base64url');
  const tokenHash = hashConfirmationToken(confirmationToken(ticket, key));
  const [request] = await ask(transaction, [tenantId, recipient.toLowerCase(), tokenHash, validForDays, mostRequests]);
  if (request === undefined) return;
  const facts = JSON.stringify({ ticket, tokenHash: tokenHash.toString('hex'), expiresAt: request.expiresAt });
  await store(transaction, [newId(), tenantId, request.expiresAt.toISOString(), recipient, facts]);
}

/** As `askForConfirmation`, for an address that was just stored, in a transaction of its own. */
export async function requestConfirmation(pool: Pool, confirmation: Confirmation): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    await holdTenant(transaction, confirmation.tenantId);
    await askForConfirmation(transaction, confirmation);
  });
}

/** A request for confirmation, for the page behind the link. */
export interface ConfirmationRequest {
  address: string;
  tenantName: string;
  isConfirmed: boolean;
}

const find = statementFrom<ConfirmationRequest>('notify/confirmation_find');

const confirm = statementFrom<{ tenantId: number }>('notify/confirmation_confirm');

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
