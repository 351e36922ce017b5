import { scrypt, timingSafeEqual } from 'node:crypto';

/** A stored secret that was chosen elsewhere: the scrypt hash, and the parameters. */
export interface ImportedSecret {
  /** 32 bytes. */
  readonly hash: Buffer;
  /** Cost and salt: `ln=15,r=8,p=3,salt=<base64>`, where the cost N is 2^ln. */
  readonly scrypt: string;
}

/** 32 MiB and some 200 ms of one core for each guess. Stored secrets keep the cost they were stored with. */
const cost = { ln: 15, r: 8, p: 3 };
const hashBytes = 32;
const leastSaltBytes = 16;
/** Higher than any useful cost; a row with a higher one was not written by Callout. */
const mostMemoryBytes = 256 * 2 ** 20;

/**
 * Hashes a secret that a person chose. A generated secret of 256 bits cannot be guessed, whatever the hash; a chosen
 * secret may be short, and each guess must cost time, even for a thief of the table.
 * @param salt 16 random bytes, never used twice.
 */
export async function hashImportedSecret(secret: string, salt: Uint8Array): Promise<ImportedSecret> {
  if (salt.length < leastSaltBytes) throw new Error(`a salt has at least ${leastSaltBytes} bytes, not ${salt.length}`);
  const { ln, r, p } = cost;
  const text = `ln=${ln},r=${r},p=${p},salt=${Buffer.from(salt).toString('base64')}`;
  return { hash: await derive(secret, { ...cost, salt }), scrypt: text };
}

/** Whether a secret is the stored secret, in a time that depends only on the stored cost. */
export async function isImportedSecret(
  secret: string,
  stored: { readonly hash: Uint8Array; readonly scrypt: string },
): Promise<boolean> {
  return timingSafeEqual(await derive(secret, readScrypt(stored.scrypt)), stored.hash);
}

interface Derivation {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Uint8Array;
}

/** In a separate thread: the process keeps responding. */
function derive(secret: string, { ln, r, p, salt }: Derivation): Promise<Buffer> {
  const maxmem = memoryOf({ ln, r, p });
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, hashBytes, { N: 2 ** ln, r, p, maxmem }, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

/** The memory of scrypt, as OpenSSL counts it. */
function memoryOf({ ln, r, p }: Omit<Derivation, 'salt'>): number {
  return 128 * r * (2 ** ln + p + 2) + 2 ** 16;
}

function readScrypt(text: string): Derivation {
  const [, ln = '', r = '', p = '', salt = ''] =
    /^ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2}),salt=([\w+/]{22,}={0,2})$/.exec(text) ?? [];
  const read = { ln: Number(ln), r: Number(r), p: Number(p), salt: Buffer.from(salt, 'base64') };
  if (salt === '' || memoryOf(read) > mostMemoryBytes) {
    throw new Error('a credential does not say how its secret was hashed');
  }
  return read;
}
