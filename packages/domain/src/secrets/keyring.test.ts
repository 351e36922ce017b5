import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { KeyRing, secretAad, type EncryptedSecret } from './keyring.ts';

const oldKey = Buffer.alloc(32, 1).toString('base64');
const newKey = Buffer.alloc(32, 2).toString('base64');
const aad = secretAad(7, '7f3c4b52-6d1e-4d6e-9a67-2f4f2c5f9a11');

describe('KeyRing', () => {
  it('decrypts what it encrypted, for any text', () => {
    const ring = KeyRing.parse(`k1:${oldKey}`);
    const bytes = fc.uint8Array({ minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), bytes, (plain, nonce) => {
        const encrypted = ring.encrypt(plain, aad, nonce);
        expect(encrypted.keyId).toBe('k1');
        expect(encrypted.nonce).toEqual(nonce);
        expect(encrypted.ciphertext).toHaveLength(Buffer.byteLength(plain) + 16);
        // A database driver returns plain byte arrays.
        const stored = { ...encrypted, ciphertext: new Uint8Array(encrypted.ciphertext) };
        expect(ring.decrypt(stored, aad)).toBe(plain);
      }),
    );
  });

  it('is AES-256-GCM: a known key, nonce and text give known bytes', () => {
    const ring = KeyRing.parse(`k1:${Buffer.alloc(32, 0).toString('base64')}`);
    // Test case 14 of the GCM specification: all zeros.
    const encrypted = ring.encrypt('\0'.repeat(16), '', Buffer.alloc(12));
    expect(Buffer.from(encrypted.ciphertext).toString('hex')).toBe(
      'cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919',
    );
  });

  it('encrypts with the first key and still decrypts with the others', () => {
    const before = KeyRing.parse(`old:${oldKey}`);
    const encryptedBefore = before.encrypt('secret', aad, randomBytes(12));
    const rotated = KeyRing.parse(` new:${newKey} , old:${oldKey} `);
    expect(rotated.currentKeyId).toBe('new');
    expect(rotated.keyIds).toEqual(['new', 'old']);
    expect(rotated.decrypt(encryptedBefore, aad)).toBe('secret');
    expect(rotated.encrypt('secret', aad, randomBytes(12)).keyId).toBe('new');
    expect(() => before.decrypt(rotated.encrypt('secret', aad, randomBytes(12)), aad)).toThrow(
      'The key ring has no key new',
    );
  });

  it('does not decrypt a row of another tenant or webhook, a changed one, or one under another key of that id', () => {
    const ring = KeyRing.parse(`k1:${oldKey}`);
    const encrypted = ring.encrypt('secret', aad, randomBytes(12));
    const flipped = Buffer.from(encrypted.ciphertext);
    flipped.writeUInt8(flipped.readUInt8(0) ^ 1, 0);
    const broken: [EncryptedSecret, string][] = [
      [encrypted, secretAad(8, '7f3c4b52-6d1e-4d6e-9a67-2f4f2c5f9a11')],
      [encrypted, secretAad(7, '00000000-6d1e-4d6e-9a67-2f4f2c5f9a11')],
      [{ ...encrypted, ciphertext: flipped }, aad],
      [{ ...encrypted, ciphertext: encrypted.ciphertext.subarray(1) }, aad],
      [{ ...encrypted, ciphertext: new Uint8Array(4) }, aad],
      [{ ...encrypted, nonce: randomBytes(12) }, aad],
    ];
    for (const [row, rowAad] of broken) expect(() => ring.decrypt(row, rowAad)).toThrow(/does not open with key k1/u);
    expect(() => KeyRing.parse(`k1:${newKey}`).decrypt(encrypted, aad)).toThrow(/does not open with key k1/u);
  });

  it.each([
    '',
    'k1',
    `k1:`,
    `:${oldKey}`,
    `k1:${oldKey.slice(4)}`,
    `k1:${oldKey}AAAA`,
    `k1:${Buffer.alloc(33).toString('base64')}`,
    `k 1:${oldKey}`,
    'k1:secret words',
    'k1:lost',
  ])('refuses the key ring "%s"', (text) => {
    expect(() => KeyRing.parse(text)).toThrow('Key 1 of the key ring must be an id, a colon and 32 bytes as base64');
  });

  it('names keys that are lost, and has none of their bytes', () => {
    const ring = KeyRing.parse(`k2:${newKey},k1:lost`);
    expect([ring.keyIds, ring.lostKeyIds]).toEqual([['k2'], ['k1']]);
  });

  it('refuses two keys of one id, and an empty entry', () => {
    expect(() => KeyRing.parse(`k1:${oldKey},k1:${newKey}`)).toThrow(
      'Key 2 of the key ring has the id of an earlier one',
    );
    expect(() => KeyRing.parse(`k1:${oldKey},`)).toThrow('Key 2 of the key ring must be');
  });

  it('shows no key in a message, an inspection or JSON', () => {
    const ring = KeyRing.parse(`k1:${oldKey}`);
    expect(`${inspect(ring, { depth: 9, showHidden: true })}${JSON.stringify(ring)}`).not.toContain(oldKey.slice(0, 8));
    expect(() => KeyRing.parse(`k1:${oldKey}x`)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('AQEB') }),
    );
  });

  it('refuses a nonce that is not 12 bytes', () => {
    expect(() => KeyRing.parse(`k1:${oldKey}`).encrypt('x', aad, randomBytes(16))).toThrow(
      'A nonce has 12 bytes, not 16',
    );
  });

  it('derives a key from each key and purpose, the same in every process, and not one of the ring', () => {
    const ring = KeyRing.parse(`new:${newKey},old:${oldKey}`);
    const [first, second] = ring.deriveKeys('paging');
    expect([first, second].map((key) => key?.length)).toEqual([32, 32]);
    expect(KeyRing.parse(`new:${newKey},old:${oldKey}`).deriveKeys('paging')).toEqual([first, second]);
    expect(KeyRing.parse(`k:${oldKey}`).deriveKeys('paging')).toEqual([second]);
    expect(ring.deriveKeys('something else')).not.toEqual([first, second]);
    for (const key of [first, second])
      expect([oldKey, newKey]).not.toContain(Buffer.from(key ?? []).toString('base64'));
  });
});
