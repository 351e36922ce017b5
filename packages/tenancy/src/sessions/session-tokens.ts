import { hash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** A token of a session or link that cannot be guessed. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The stored secret and code of a credential. */
export interface StoredSecrets {
  readonly secretHash: Uint8Array;
  readonly apiIntegrationCode: string;
}

/**
 * A digest of the secret and code that a session began with: once the credential has others, the session is over. It
 * reveals nothing of the secret, of which only a hash is stored in the first place.
 */
export function credentialVersionOf({ secretHash, apiIntegrationCode }: StoredSecrets): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hash('sha256', Buffer.concat([secretHash, Buffer.from(apiIntegrationCode)]), 'buffer'));
}

/** The same of the operator token. */
export function operatorTokenVersion(token: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hash('sha256', `console operator ${token}`, 'buffer'));
}

/** The digest under which a token is stored: a leaked table gives no access. */
export function tokenHashOf(token: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hash('sha256', token, 'buffer'));
}
