import { createHash, createHmac } from 'node:crypto';

/** The stored part of a link that confirms an address: its token cannot be derived from it without the key. */
export interface ConfirmationTicket {
  /** Random. */
  readonly ticket: string;
  /** SHA-256 of the token, in hexadecimal. */
  readonly tokenHash: string;
}

/** The purpose for which the keys of tokens are derived from the key ring. */
export const confirmationKeyPurpose = 'callout mail confirmation';

/**
 * The token of a link, derived from its ticket: the ticket waits for its mail, perhaps for days, and a reader of the
 * database or of a backup must not be able to confirm an address in place of the recipient of the mail.
 */
export function confirmationToken(ticket: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(ticket).digest('base64url');
}

/** The hash by which a link is found. */
export function hashConfirmationToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/**
 * The token of a ticket that may have been made with any of these keys: the ring may have another key since then.
 * @throws an Error when none of them fits.
 */
export function tokenOfTicket({ ticket, tokenHash }: ConfirmationTicket, keys: readonly Uint8Array[]): string {
  for (const key of keys) {
    const token = confirmationToken(ticket, key);
    if (hashConfirmationToken(token).toString('hex') === tokenHash) return token;
  }
  throw new Error('SECRET_KEYS has no longer the key that a link to confirm an address was made with');
}
