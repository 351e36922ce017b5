import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto';

/** The length of a seed and of a public key of Ed25519 (RFC 8032, 5.1.5). */
const keyBytes = 32;
const privatePrefix = 'whsk_';
const publicPrefix = 'whpk_';
/** What stands before the seed in the DER of a private key of Ed25519 (RFC 8410, 7). */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key pair of Ed25519. */
export interface SigningKeyPair {
  /** 32 bytes. */
  readonly publicKey: Buffer;
  /** As Standard Webhooks writes it: `whsk_` and base64 of the seed and the public key, 64 bytes. Never log it. */
  readonly privateKey: string;
}

/** A public key as a JSON Web Key (RFC 8037). */
export interface SigningJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly use: 'sig';
  readonly alg: 'EdDSA';
  readonly kid: string;
  /** The key in base64url. */
  readonly x: string;
}

/** The key pair of a seed. @param seed 32 random bytes, made for this call alone. */
export function signingKeyPair(seed: Uint8Array): SigningKeyPair {
  if (seed.length !== keyBytes) throw new Error(`A seed has ${keyBytes} bytes, not ${seed.length}`);
  const { x = '' } = createPublicKey(privateKeyOf(seed)).export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url');
  return { publicKey, privateKey: privatePrefix + Buffer.concat([seed, publicKey]).toString('base64') };
}

/**
 * Prepares a private key for signing. A KeyObject shows no bytes in a log line or an inspection.
 * @throws Error, without a part of the key, when the text is no private key.
 */
export function openSigningKey(privateKey: string): KeyObject {
  const bytes = Buffer.from(privateKey.slice(privatePrefix.length), 'base64');
  if (!privateKey.startsWith(privatePrefix) || bytes.length !== 2 * keyBytes) {
    throw new Error(`A private key is ${privatePrefix} and ${2 * keyBytes} bytes in base64`);
  }
  return privateKeyOf(bytes.subarray(0, keyBytes));
}

function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([privateKeyHead, seed]), format: 'der', type: 'pkcs8' });
}

/** A public key as Standard Webhooks writes it: `whpk_` and base64. */
export function publicKeyText(publicKey: Uint8Array): string {
  return publicPrefix + Buffer.from(publicKey).toString('base64');
}

/** The name of a key in JWKS: the thumbprint (RFC 7638), the same for a key everywhere. */
export function keyThumbprint(publicKey: Uint8Array): string {
  const x = Buffer.from(publicKey).toString('base64url');
  return hash('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, 'base64url');
}

/** A public key as an entry of a JWKS. */
export function signingJwk(publicKey: Uint8Array): SigningJwk {
  const x = Buffer.from(publicKey).toString('base64url');
  return { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', kid: keyThumbprint(publicKey), x };
}
