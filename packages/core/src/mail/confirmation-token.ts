import { createHash, createHmac } from 'node:crypto';

/** What is stored of a link that confirms an address: neither of the two leads to its token without the key. */
export interface ConfirmationTicket {
  /** Random. */
  readonly ticket: string;
  /** SHA-256 of the token, in hexadecimal. */
  readonly tokenHash: string;
}

/** The purpose that the keys of tokens are derived for from the key ring. */
export const confirmationKeyPurpose = 'callout mail confirmation';

/**
 * The token of a link, made of its ticket: what is stored waits for its mail, perhaps for days, and who reads the database
 * or a backup of it meanwhile must not be able to confirm an address in place of the one who gets the mail.
 */
export function confirmationToken(ticket: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(ticket).digest('base64url');
}

/** As a link is found by its token. */
export function hashConfirmationToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/**
 * The token of a ticket that may have been made with any of these keys: the ring may have got another key since.
 * @throws an Error when it was made with none of them.
 */
export function tokenOfTicket({ ticket, tokenHash }: ConfirmationTicket, keys: readonly Uint8Array[]): string {
  for (const key of keys) {
    const token = confirmationToken(ticket, key);
    if (hashConfirmationToken(token).toString('hex') === tokenHash) return token;
  }
  throw new Error('SECRET_KEYS has no longer the key that a link to confirm an address was made with');
}
