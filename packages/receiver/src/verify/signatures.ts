import { type Bytes, joinBytes, utf8 } from './bytes.ts';

/** `v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`, as Standard Webhooks defines it. */
export async function standardSignature(secret: string, id: string, timestamp: string, body: Bytes): Promise<string> {
  const signed = joinBytes([utf8(`${id}.${timestamp}.`), body]);
  return `v1,${await hmac('SHA-256', standardKey(secret), signed)}`;
}

/** `sha1=` and base64 of HMAC-SHA1 over the body, the key being the text of the secret. */
export async function hookSignature(secret: string, body: Bytes): Promise<string> {
  return `sha1=${await hmac('SHA-1', utf8(secret), body)}`;
}

/** Takes equally long whichever character differs: a signature cannot be guessed character by character. */
export function isEqual(received: string, expected: string): boolean {
  if (received.length !== expected.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index++) {
    difference |= received.charCodeAt(index) ^ expected.charCodeAt(index);
  }
  return difference === 0;
}

async function hmac(hash: 'SHA-1' | 'SHA-256', keyBytes: Bytes, data: Bytes): Promise<string> {
  const key = await crypto.subtle.importKey('raw', keyBytes, { name: 'HMAC', hash }, false, ['sign']);
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, data));
  return btoa(String.fromCharCode(...mac));
}

/** Standard base64 with padding; what follows `whsec_` and is anything else is text. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/u;

/** A `whsec_` secret holds the key in base64; any other secret is the key. */
function standardKey(secret: string): Bytes {
  const encoded = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : '';
  if (!BASE64.test(encoded)) return utf8(secret);
  return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
}
