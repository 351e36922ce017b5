import type { Bytes } from './bytes.ts';
import { checkedKey } from './ed25519.ts';

export interface PublicKeysOptions {
  /** How long keys are used before they are read again, in seconds. Default 300. */
  readonly maxAgeSeconds?: number | undefined;
  /** Default: that of the runtime. */
  readonly fetch?: typeof fetch | undefined;
  /** The present time; for tests. */
  readonly now?: (() => Date) | undefined;
}

/** The public keys at an address; see {@link publicKeysAt}. */
export interface PublicKeys {
  /** The keys, read when they are needed. Rejects when none could be read in the last day. */
  current(): Promise<readonly Bytes[]>;
  /** Reads the keys once more, for a signature that no key fits; undefined: they were read a moment ago. */
  renewed(): Promise<readonly Bytes[] | undefined>;
}

/**
 * However many forged requests come, the keys are read no more often than this. Less than the 4 s or more after which
 * Callout sends a callout again: a callout that came just before a new key was read is accepted then.
 */
const LEAST_SECONDS_BETWEEN = 3;
/** For so long, keys that cannot be read again still verify. */
const MOST_STALE_SECONDS = 24 * 3600;
const TIMEOUT_MS = 5_000;
const MOST_BYTES = 64 * 1024;
/** A rotation has two. */
const MOST_KEYS = 10;

/**
 * The public keys at the `signingKeysUrl` of a webhook, to verify with in place of a secret. They are read with the
 * first callout, kept for five minutes, and read again for a signature that no key fits, once in three seconds at most.
 * While they cannot be read, the keys of the last day go on verifying.
 *
 * Throws a TypeError for an address without https, except on the same machine.
 */
export function publicKeysAt(url: string | URL, options: PublicKeysOptions = {}): PublicKeys {
  const { maxAgeSeconds = 300, now = () => new Date() } = options;
  const address = safeAddress(url);
  let keys: readonly Bytes[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  let failure: unknown;
  const seconds = () => now().getTime() / 1000;

  const mayRead = () => reading !== undefined || seconds() - triedAt >= LEAST_SECONDS_BETWEEN;

  /** One request at a time, which all callouts wait for. Rejects anew for as long as the next one has to wait. */
  async function read(): Promise<void> {
    if (mayRead()) await (reading ??= readOnce().finally(() => (reading = undefined)));
    else if (failure !== undefined) throw failure;
  }

  async function readOnce(): Promise<void> {
    triedAt = seconds();
    try {
      keys = await readKeys(address, options.fetch ?? fetch);
      readAt = seconds();
      failure = undefined;
    } catch (error) {
      failure = error;
      throw error;
    }
  }

  return {
    async current() {
      const age = seconds() - readAt;
      if (age <= maxAgeSeconds) return keys;
      const isUsable = keys.length > 0 && age <= MOST_STALE_SECONDS;
      try {
        await read();
      } catch (error) {
        if (!isUsable) throw error;
      }
      return keys;
    },
    async renewed() {
      if (!mayRead()) return undefined;
      await read();
      return keys;
    },
  };
}

/** Over http anybody on the way could give other keys. */
function safeAddress(url: string | URL): string {
  const { protocol, hostname, href, username } = new URL(url);
  const isOwn = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(hostname);
  if (username === '' && (protocol === 'https:' || (protocol === 'http:' && isOwn))) return href;
  throw new TypeError(`The address of public keys must begin with https: ${protocol}//${hostname} does not.`);
}

async function readKeys(address: string, fetchIt: typeof fetch): Promise<Bytes[]> {
  const failed = (why: string, cause?: unknown) =>
    new Error(`The public keys at ${address} could not be read: ${why}`, { cause });
  let text: string;
  try {
    const response = await fetchIt(address, {
      headers: { Accept: 'application/jwk-set+json, application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`the answer has the status ${response.status}`);
    }
    text = await textOf(response);
  } catch (error) {
    throw failed(error instanceof Error ? error.message : 'the request failed', error);
  }
  const keys = keysIn(text);
  if (keys.length === 0) throw failed('the answer has no public key of Ed25519');
  return keys;
}

/** The beginning of a body is not its text: a longer body is an error. */
async function textOf(response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes > MOST_BYTES) {
      await reader.cancel();
      throw new Error(`the answer has more than ${MOST_BYTES} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

/** The keys of a JWKS for Ed25519; other keys are left out, as RFC 7517 wants. */
function keysIn(text: string): Bytes[] {
  let listed: unknown;
  try {
    listed = (JSON.parse(text) as { keys?: unknown } | null)?.keys;
  } catch {
    return [];
  }
  return (Array.isArray(listed) ? listed.slice(0, MOST_KEYS) : []).flatMap(keyOf);
}

function keyOf(jwk: unknown): Bytes[] {
  if (typeof jwk !== 'object' || jwk === null) return [];
  const { kty, crv, x, use } = jwk as Record<string, unknown>;
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string' || (use !== undefined && use !== 'sig')) return [];
  if (!/^[\w-]{43}$/u.test(x)) return [];
  try {
    const binary = atob(x.replaceAll('-', '+').replaceAll('_', '/'));
    return [checkedKey(Uint8Array.from(binary, (character) => character.charCodeAt(0)))];
  } catch {
    return [];
  }
}
