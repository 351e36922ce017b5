import { randomBytes, scryptSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { hashImportedSecret, isImportedSecret } from './imported-secret.ts';

const salt = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');

describe('an imported secret', () => {
  it('is stored as its scrypt hash, with cost and salt, and verified', async () => {
    const stored = await hashImportedSecret('old-secret', salt);
    expect(stored.scrypt).toBe('ln=15,r=8,p=3,salt=AAECAwQFBgcICQoLDA0ODw==');
    expect(stored.hash).toEqual(scryptSync('old-secret', salt, 32, { N: 32_768, r: 8, p: 3, maxmem: 2 ** 26 }));
    await expect(isImportedSecret('old-secret', stored)).resolves.toBe(true);
  });

  it('is verified with its stored cost, and no other secret is', async () => {
    const hash = scryptSync('cheap', salt, 32, { N: 1024, r: 8, p: 1 });
    const scrypt = `ln=10,r=8,p=1,salt=${salt.toString('base64')}`;
    await expect(isImportedSecret('cheap', { hash, scrypt })).resolves.toBe(true);
    for (const other of ['dear', 'cheap ', 'Cheap', '']) {
      await expect(isImportedSecret(other, { hash, scrypt })).resolves.toBe(false);
    }
  });

  it.each(['', 'ln=15,r=8,p=3', 'ln=15,r=8,p=3,salt=', 'ln=40,r=8,p=3,salt=AAECAwQFBgcICQoLDA0ODw==', 'bcrypt'])(
    'stops at a stored cost such as %j, and says nothing of the hash',
    async (scrypt) => {
      await expect(isImportedSecret('x', { hash: randomBytes(32), scrypt })).rejects.toThrow(
        'a credential does not say how its secret was hashed',
      );
    },
  );

  it('requires a salt of 16 bytes', async () => {
    await expect(hashImportedSecret('x', randomBytes(8))).rejects.toThrow('16 bytes');
  });
});
