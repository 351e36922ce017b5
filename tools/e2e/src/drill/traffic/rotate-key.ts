import type { Call } from '@callout/testing';
import type { PublishedKey } from '../receivers/published-keys.ts';

/** Replaces the key pair of the tenant. A repeated request rotates once, since it names the key. */
export function rotationOf({ kid }: PublishedKey, overlapHours: number): Call {
  return { method: 'POST', path: '/WebhookKeys/rotate', body: { kid, overlapHours } };
}

/**
 * Reads a JWKS as receivers do: without credentials.
 * @param path of the `signingKeysUrl`.
 * @returns undefined: the API is away, or another zone has the keys.
 */
export async function readJwks(port: number, path: string): Promise<readonly PublishedKey[] | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    if (!response.ok) return undefined;
    const { keys } = (await response.json()) as { keys: readonly PublishedKey[] };
    return keys;
  } catch {
    return undefined;
  }
}
