import { type Bytes, joinBytes, utf8 } from './bytes.ts';

const PUBLIC_PREFIX = 'whpk_';
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;

/**
 * The points of small order, in hex without the sign bit: keys that accept signatures which anyone can make. OpenSSL
 * takes them.
 */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

/**
 * Whether a text is a public key and not a secret. A public key never becomes the key of an HMAC: anyone may know the
 * key.
 */
export function isPublicKey(text: string): boolean {
  return text.startsWith(PUBLIC_PREFIX);
}

/** The bytes of a `whpk_` key. Throws a TypeError for other text. */
export function publicKeyBytes(text: string): Bytes {
  const bytes = isPublicKey(text) ? fromBase64(text.slice(PUBLIC_PREFIX.length)) : undefined;
  if (bytes === undefined) throw notAKey();
  return checkedKey(bytes);
}

/** The bytes of a public key, which has to be a key that somebody can have made. Throws a TypeError otherwise. */
export function checkedKey(bytes: Bytes): Bytes {
  const unsigned = Array.from(bytes, (byte, at) => (at === KEY_BYTES - 1 ? byte & 0x7f : byte));
  const hex = unsigned.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  if (bytes.length !== KEY_BYTES || SMALL_ORDER.has(hex)) throw notAKey();
  return bytes;
}

function notAKey(): TypeError {
  return new TypeError('A public key is not one: give the signingPublicKey of the webhook as it is, with whpk_.');
}

/** The bytes of the signatures of Ed25519 in a `webhook-signature`, each `v1a,` and base64. */
export function ed25519Signatures(signatures: readonly string[]): Bytes[] {
  return signatures
    .filter((signature) => signature.startsWith('v1a,'))
    .flatMap((signature) => fromBase64(signature.slice('v1a,'.length)) ?? [])
    .filter((bytes) => bytes.length === SIGNATURE_BYTES);
}

/** Whether one of the keys has made one of the signatures over `id.timestamp.body`. */
export async function isSignedByAny(
  keys: readonly Bytes[],
  signatures: readonly Bytes[],
  { id, timestamp, body }: { readonly id: string; readonly timestamp: string; readonly body: Bytes },
): Promise<boolean> {
  const signed = joinBytes([utf8(`${id}.${timestamp}.`), body]);
  for (const key of keys) {
    const imported = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify']);
    for (const signature of signatures) {
      if (await crypto.subtle.verify('Ed25519', imported, signature, signed)) return true;
    }
  }
  return false;
}

function fromBase64(text: string): Bytes | undefined {
  if (!BASE64.test(text)) return undefined;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
