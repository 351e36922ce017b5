import { keyThumbprint, publicKeyText, signingJwk } from '@callout/domain/secrets/signing-key';
import type { TenantSigningKeys } from '@callout/webhooks/signing-keys';

/** The path of the public keys of a tenant, outside of the API root: receivers read it without credentials. */
export const publicKeysPath = '/.well-known/webhook-keys';

/** How long a copy of the public keys may be kept, in seconds. While two keys sign, an older copy still verifies. */
export const publicKeysMaxAgeS = 300;

/** Where receivers read the public keys. @param base scheme, host and port; empty: the address is a path. */
export function signingKeysUrl(base: string, { id }: Pick<TenantSigningKeys, 'id'>): string {
  return `${base}${publicKeysPath}/${id}`;
}

/** The public keys as their list shows them, the present one first. */
export function keyItems(keys: TenantSigningKeys, base: string) {
  const { current, previous } = keys;
  const shown = [{ ...current, state: 'current' as const, until: null }];
  const all = previous === null ? shown : [...shown, { ...previous, state: 'previous' as const }];
  return all.map(({ publicKey, createdAt, until, state }) => ({
    kid: keyThumbprint(publicKey),
    state,
    signingPublicKey: publicKeyText(publicKey),
    createDateTime: createdAt.toISOString(),
    endDateTime: until === null ? null : until.toISOString(),
    signingKeysUrl: signingKeysUrl(base, keys),
  }));
}

/** What happens after a rotation whose overlap is over before every copy of the public keys has the new one. */
export function rotationWarnings({ current, previous }: TenantSigningKeys, now: Date): string[] {
  const isInEveryCopy = now.getTime() - current.createdAt.getTime() >= publicKeysMaxAgeS * 1_000;
  if (previous !== null || isInEveryCopy) return [];
  return [
    `the new key alone signs now: receivers with a copy of the keys at signingKeysUrl, which may be up to ${publicKeysMaxAgeS / 60} minutes old, refuse callouts until they read them again; what they refuse is tried again`,
  ];
}

/** The fields of a webhook about the keys that sign for it. */
export function signingFields(keys: TenantSigningKeys, base: string) {
  return { signingPublicKey: publicKeyText(keys.current.publicKey), signingKeysUrl: signingKeysUrl(base, keys) };
}

/** The public keys as a JWKS (RFC 7517), the present one first. */
export function jwksOf({ current, previous }: TenantSigningKeys) {
  return { keys: [current, ...(previous === null ? [] : [previous])].map(({ publicKey }) => signingJwk(publicKey)) };
}
