import { createGzip, deflateRawSync, deflateSync, gzipSync, brotliCompressSync, constants } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { inflate } from './inflate.ts';

const MIB = 1_048_576;

/** `bytes` zeros as gzip makes them small. */
async function bombOf(bytes: number): Promise<Buffer> {
  const zeros = Buffer.alloc(MIB, '0');
  return buffer(Readable.from(Array.from({ length: bytes / MIB }, () => zeros)).pipe(createGzip()));
}

describe('inflating', () => {
  it('stops a bomb of 200 MB at the limit: what is kept is counted before it is kept', async () => {
    const bomb = await bombOf(200 * MIB);
    expect(bomb.length).toBeLessThan(250_000);
    let taken = 0;
    const inflating = inflate(bomb, 'gzip', { maxBytes: MIB, take: (bytes) => (taken += bytes) });
    await expect(inflating).rejects.toMatchObject({ kind: 'tooLarge' });
    expect(taken).toBeGreaterThan(MIB / 2);
    expect(taken).toBeLessThanOrEqual(MIB);
  });

  it('ends at the limit, with the error of the limit', async () => {
    const full = new Error('no capacity');
    const take = () => {
      throw full;
    };
    await expect(inflate(gzipSync('{}'), 'gzip', { maxBytes: MIB, take })).rejects.toBe(full);
  });

  it('joins several members to one body, and reads a brotli body of the largest window', async () => {
    const take = () => undefined;
    const members = Buffer.concat([gzipSync('{"a":'), gzipSync('1}')]);
    expect(String(await inflate(members, 'gzip', { maxBytes: MIB, take }))).toBe('{"a":1}');
    const wide = brotliCompressSync('{"a":1}', { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });
    expect(String(await inflate(wide, 'br', { maxBytes: MIB, take }))).toBe('{"a":1}');
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ] as const)('refuses a body of %s with something after its end', async (coding, compress) => {
    const body = Buffer.concat([compress('{"a":1}'), Buffer.from('{"b":2}')]);
    await expect(inflate(body, coding, { maxBytes: MIB, take: () => undefined })).rejects.toMatchObject({
      kind: 'invalid',
    });
  });

  it.each(['{"a":1}', ' [1]', '<a/>', 'true', '\uFEFF<a/>'])('leaves %s as it is, under any coding', async (text) => {
    for (const coding of ['gzip', 'deflate', 'br'] as const) {
      const plain = Buffer.from(text);
      expect(await inflate(plain, coding, { maxBytes: MIB, take: () => undefined })).toBe(plain);
    }
  });
});
