import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** A secret at rest: AES-256-GCM, the 16 bytes of the tag at the end of `ciphertext`. */
export interface EncryptedSecret {
  readonly keyId: string;
  /** 12 bytes, never used twice with one key. */
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** The keys that protect secrets at rest. The first encrypts; the others decrypt secrets from before a rotation. */
export class KeyRing {
  readonly #currentKeyId: string;
  // A KeyObject, not bytes: neither a log line nor an inspection shows it.
  readonly #keys: ReadonlyMap<string, KeyObject>;
  /** The ids of lost keys (`k1:lost` in SECRET_KEYS): secrets that were encrypted with a lost key cannot be decrypted. */
  readonly lostKeyIds: readonly string[];

  private constructor(currentKeyId: string, keys: ReadonlyMap<string, KeyObject>, lostKeyIds: readonly string[]) {
    this.#currentKeyId = currentKeyId;
    this.#keys = keys;
    this.lostKeyIds = lostKeyIds;
  }

  /**
   * Reads `keyId:base64key[,keyId:base64key…]`; a key is 32 random bytes or, behind the first, `lost`; an id is 1 to 32
   * letters, digits, `-` and `_`. Throws an Error that names the entry by position and never contains a part of a key.
   */
  static parse(text: string): KeyRing {
    const keys = new Map<string, KeyObject>();
    const entries = text.split(',').map((entry) => entry.trim());
    const lostKeyIds: string[] = [];
    for (const [index, entry] of entries.entries()) {
      const [, keyId = '', encoded = ''] = /^([\w-]{1,32}):([A-Za-z0-9+/]+={0,2})$/u.exec(entry) ?? [];
      if (encoded === 'lost' && keys.size > 0) {
        lostKeyIds.push(keyId);
        continue;
      }
      const key = Buffer.from(encoded, 'base64');
      if (keyId === '' || key.length !== keyBytes) {
        throw new Error(`Key ${index + 1} of the key ring must be an id, a colon and 32 bytes as base64`);
      }
      if (keys.has(keyId)) throw new Error(`Key ${index + 1} of the key ring has the id of an earlier one`);
      keys.set(keyId, createSecretKey(key));
    }
    const [currentKeyId = ''] = keys.keys();
    return new KeyRing(currentKeyId, keys, lostKeyIds);
  }

  /** The id of the key that encrypts: rows with another key must be encrypted again. */
  get currentKeyId(): string {
    return this.#currentKeyId;
  }

  /** The ids of all keys, first the key that encrypts. */
  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** Encrypts `plain`, bound to `aad` (see secretAad). `nonce`: 12 random bytes, made for this call alone. */
  encrypt(plain: string, aad: string, nonce: Uint8Array): EncryptedSecret {
    if (nonce.length !== nonceBytes) throw new Error(`A nonce has ${nonceBytes} bytes, not ${nonce.length}`);
    const cipher = createCipheriv(algorithm, this.#key(this.#currentKeyId), nonce, { authTagLength: tagBytes });
    cipher.setAAD(Buffer.from(aad, 'utf8'));
    const ciphertext = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return { keyId: this.#currentKeyId, nonce, ciphertext };
  }

  /** Decrypts. Throws an Error when the key is not in the ring, or the row was changed or belongs to another `aad`. */
  decrypt(encrypted: EncryptedSecret, aad: string): string {
    const key = this.#key(encrypted.keyId);
    const tagAt = encrypted.ciphertext.length - tagBytes;
    try {
      const decipher = createDecipheriv(algorithm, key, encrypted.nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(aad, 'utf8'));
      decipher.setAuthTag(encrypted.ciphertext.subarray(tagAt));
      const plain = Buffer.concat([decipher.update(encrypted.ciphertext.subarray(0, tagAt)), decipher.final()]);
      return plain.toString('utf8');
    } catch (cause) {
      throw new Error(`A stored secret does not open with key ${encrypted.keyId} for ${aad}`, { cause });
    }
  }

  /**
   * A key of 32 bytes for another purpose from each key, first from the key that encrypts. Ring and purpose give the
   * same keys in every process, and no derived key reveals anything about the ring or the keys of another purpose.
   */
  deriveKeys(purpose: string): Uint8Array[] {
    return [...this.#keys.values()].map((key) => new Uint8Array(hkdfSync('sha256', key, '', purpose, keyBytes)));
  }

  #key(keyId: string): KeyObject {
    const key = this.#keys.get(keyId);
    if (key === undefined) throw new Error(`The key ring has no key ${keyId}: add it to read what it encrypted`);
    return key;
  }
}

/** Associated data of a webhook's secret: a row copied to another tenant or webhook cannot be decrypted. */
export function secretAad(tenantId: number, webhookGuid: string): string {
  return `${tenantId}:${webhookGuid}`;
}
