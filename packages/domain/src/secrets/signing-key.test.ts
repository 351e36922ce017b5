import { sign, verify, webcrypto } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { calculateJwkThumbprint, importJWK } from 'jose';
import { keyThumbprint, openSigningKey, publicKeyText, signingJwk, signingKeyPair } from './signing-key.ts';

// RFC 8032, 7.1, TEST 2.
const seed = Buffer.from('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', 'hex');
const publicKey = Buffer.from('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', 'hex');
const message = Buffer.from('72', 'hex');
const signature = Buffer.from(
  '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  'hex',
);

describe('a key pair', () => {
  it('is that of RFC 8032, and signs what the RFC says', () => {
    const pair = signingKeyPair(seed);
    expect(pair.publicKey).toEqual(publicKey);
    expect(pair.privateKey).toBe(`whsk_${Buffer.concat([seed, publicKey]).toString('base64')}`);
    expect(sign(null, message, openSigningKey(pair.privateKey))).toEqual(signature);
  });

  it('has a public key that others read, under the name that they compute', async () => {
    const jwk = signingJwk(publicKey);
    expect(jwk.kid).toBe(await calculateJwkThumbprint(jwk));
    // RFC 8037, A.3.
    const known = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
    expect(keyThumbprint(known)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
    const imported = await importJWK(jwk);
    if (imported instanceof Uint8Array) throw new Error('not a public key');
    expect(await webcrypto.subtle.verify('Ed25519', imported, signature, message)).toBe(true);
    expect(publicKeyText(publicKey)).toBe('whpk_PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=');
    expect(verify(null, message, { key: { ...jwk }, format: 'jwk' }, signature)).toBe(true);
  });

  it('is made of 32 bytes', () => {
    expect(() => signingKeyPair(seed.subarray(1))).toThrow('A seed has 32 bytes, not 31');
  });

  it.each(['', 'whsk_', `whsk_${seed.toString('base64')}`, `whpk_${seed.toString('base64')}`, 'whsec_AAAA'])(
    'is not opened from %j, and the error has none of it',
    (text) => {
      const open = () => openSigningKey(text);
      expect(open).toThrow('A private key is whsk_ and 64 bytes in base64');
      expect(open).not.toThrow(seed.toString('base64'));
    },
  );

  it('shows nothing of the opened private key', () => {
    const shown = inspect(openSigningKey(signingKeyPair(seed).privateKey), { depth: 9, showHidden: true });
    expect(shown).not.toContain(seed.toString('hex').slice(0, 8));
  });
});
