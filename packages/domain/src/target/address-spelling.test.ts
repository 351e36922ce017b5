import { isIPv6 } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { canonicalAddress, parseCidrs } from './address.ts';

describe('canonicalAddress', () => {
  it('reads everything that the system reads as an IPv6 address, and nothing else', () => {
    const text = fc.oneof(
      fc.ipV6(),
      fc.string({ unit: fc.constantFrom(':', '.', '0', '1', 'f', 'g', '::', '127'), maxLength: 20 }),
    );
    fc.assert(
      fc.property(text, (each) => {
        fc.pre(each.includes(':'));
        expect(canonicalAddress(each) !== undefined).toBe(isIPv6(each));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the same for every spelling', () => {
    for (const spelling of ['2001:0DB8::0:1', '2001:db8:0:0:0:0:0:1', '2001:db8::1', '2001:db8::0.0.0.1']) {
      expect(canonicalAddress(spelling)).toBe('2001:db8::1');
    }
  });
});

describe('parseCidrs', () => {
  it.each([
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/1e1',
    'fd00::/129',
    'fe80::1%eth0/64',
    '::ffff:10.0.0.0/95',
    'internal',
    '',
  ])('refuses %j by name', (text) => {
    expect(() => parseCidrs(['10.0.0.0/8', text])).toThrow(`"${text}" is not a range of addresses`);
  });
});
