import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { judgeAddress, parseCidrs } from './address.ts';

const nothingOpened = { allowCidrs: [] };
const isAllowed = (address: string, ...opened: string[]) =>
  judgeAddress(address, { allowCidrs: parseCidrs(opened) }).allowed;

/** First and last address of each range that is not public, and the public neighbours on both sides of it. */
const ipv4Ranges = [
  { range: '0/8', first: '0.0.0.0', last: '0.255.255.255', after: '1.0.0.0' },
  { range: '10/8', before: '9.255.255.255', first: '10.0.0.0', last: '10.255.255.255', after: '11.0.0.0' },
  { range: '100.64/10', before: '100.63.255.255', first: '100.64.0.0', last: '100.127.255.255', after: '100.128.0.0' },
  { range: '127/8', before: '126.255.255.255', first: '127.0.0.0', last: '127.255.255.255', after: '128.0.0.0' },
  {
    range: '168.63.129.16',
    before: '168.63.129.15',
    first: '168.63.129.16',
    last: '168.63.129.16',
    after: '168.63.129.17',
  },
  {
    range: '169.254/16',
    before: '169.253.255.255',
    first: '169.254.0.0',
    last: '169.254.255.255',
    after: '169.255.0.0',
  },
  { range: '172.16/12', before: '172.15.255.255', first: '172.16.0.0', last: '172.31.255.255', after: '172.32.0.0' },
  { range: '192.0.0/24', before: '191.255.255.255', first: '192.0.0.0', last: '192.0.0.255', after: '192.0.1.0' },
  { range: '192.0.2/24', before: '192.0.1.255', first: '192.0.2.0', last: '192.0.2.255', after: '192.0.3.0' },
  {
    range: '192.88.99/24',
    before: '192.88.98.255',
    first: '192.88.99.0',
    last: '192.88.99.255',
    after: '192.88.100.0',
  },
  {
    range: '192.168/16',
    before: '192.167.255.255',
    first: '192.168.0.0',
    last: '192.168.255.255',
    after: '192.169.0.0',
  },
  { range: '198.18/15', before: '198.17.255.255', first: '198.18.0.0', last: '198.19.255.255', after: '198.20.0.0' },
  {
    range: '198.51.100/24',
    before: '198.51.99.255',
    first: '198.51.100.0',
    last: '198.51.100.255',
    after: '198.51.101.0',
  },
  { range: '203.0.113/24', before: '203.0.112.255', first: '203.0.113.0', last: '203.0.113.255', after: '203.0.114.0' },
  { range: '224/4', before: '223.255.255.255', first: '224.0.0.0', last: '239.255.255.255' },
  { range: '240/4', first: '240.0.0.0', last: '255.255.255.255' },
];

const forbiddenIpv6 = [
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['loopback written out', '0:0:0:0:0:0:0:1'],
  ['mapped loopback', '::ffff:127.0.0.1'],
  ['mapped loopback in hexadecimal', '::ffff:7f00:1'],
  ['mapped loopback in mixed case', '::FfFf:7F00:1'],
  ['mapped, written out', '0:0:0:0:0:ffff:10.0.0.1'],
  ['IPv4-compatible loopback', '::127.0.0.1'],
  ['IPv4-compatible public address', '::8.8.8.8'],
  ['first link-local', 'fe80::'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['public address with a zone', '2606:4700::1%1'],
  ['last link-local', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['first unique local', 'fc00::'],
  ['last unique local', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['first site-local', 'fec0::'],
  ['last site-local', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['first multicast', 'ff00::'],
  ['multicast', 'ff02::1'],
  ['last multicast', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['NAT64 of loopback', '64:ff9b::127.0.0.1'],
  ['NAT64 of a private address in hexadecimal', '64:ff9b::a00:1'],
  ['NAT64 of metadata', '64:ff9b::169.254.169.254'],
  ['just after NAT64', '64:ff9b::1:0:0'],
  ['first of local NAT64', '64:ff9b:1::'],
  ['local NAT64', '64:ff9b:1::8.8.8.8'],
  ['last of local NAT64', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['6to4 of loopback', '2002:7f00:1::'],
  ['6to4 of a private address', '2002:c0a8:101::1'],
  ['Teredo with a private server', '2001:0:a00:1::f7f7:f7f7'],
  ['Teredo with a private client', '2001:0:808:808::f5ff:fffe'],
  ['just after Teredo', '2001:1::'],
  ['first documentation', '2001:db8::'],
  ['documentation', '2001:db8::1'],
  ['last documentation', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['newer documentation', '3fff::1'],
  ['benchmark', '2001:2::1'],
  ['ORCHID', '2001:20::1'],
  ['discard', '100::1'],
  ['outside the global unicast space', '4000::1'],
  ['just before the global unicast space', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['AWS metadata', 'fd00:ec2::254'],
  ['Google metadata', 'fd20:ce::254'],
] as const;

const publicIpv6 = [
  ['first global unicast', '2000::'],
  ['last global unicast before the returned 6bone block', '3ffd:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['after the IETF block', '2001:200::1'],
  ['a large network', '2606:4700:4700::1111'],
  ['before documentation', '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['after documentation', '2001:db9::'],
  ['just before 6to4', '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['just after 6to4', '2003::'],
  ['mapped public address', '::ffff:8.8.8.8'],
  ['NAT64 of a public address', '64:ff9b::8.8.8.8'],
  ['6to4 of a public address', '2002:808:808::1'],
  ['Teredo between public addresses', '2001:0:808:808::f7f7:f7f7'],
] as const;

describe('judgeAddress', () => {
  for (const { range, before, first, last, after } of ipv4Ranges) {
    it(`refuses ${range} from its first to its last address and nothing beside it`, () => {
      expect([isAllowed(first), isAllowed(last)]).toEqual([false, false]);
      for (const neighbour of [before, after]) {
        if (neighbour !== undefined) expect([neighbour, isAllowed(neighbour)]).toEqual([neighbour, true]);
      }
    });

    it(`refuses ${range} in its IPv6 disguises`, () => {
      for (const disguise of [`::ffff:${first}`, `::${last}`, `64:ff9b::${first}`, `64:ff9b::${last}`]) {
        expect([disguise, isAllowed(disguise)]).toEqual([disguise, false]);
      }
    });
  }

  it.each(forbiddenIpv6)('refuses IPv6: %s', (_name, address) => {
    expect(isAllowed(address)).toBe(false);
  });

  it.each(publicIpv6)('lets IPv6 pass: %s', (_name, address) => {
    expect(isAllowed(address)).toBe(true);
  });

  it.each([
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '0',
    '127.0.0.1.',
    '１２７.0.0.1',
    '8.8.8.8 ',
    '',
    'localhost',
    '8.8.8',
    '08.8.8.8',
    '::ffff:0177.0.0.1',
    '1::2::3',
    ':1',
    '[::1]',
    '12345::',
  ])('refuses %j, which is no address in the canonical spelling', (text) => {
    expect(judgeAddress(text, nothingOpened)).toEqual({ allowed: false, reason: 'is not an IP address' });
  });

  it('states the kind of address it refuses', () => {
    expect(judgeAddress('10.1.2.3', nothingOpened)).toEqual({ allowed: false, reason: 'is a private network address' });
    expect(judgeAddress('::ffff:7f00:1', nothingOpened)).toEqual({ allowed: false, reason: 'is a loopback address' });
    expect(judgeAddress('2002:a01:203::', nothingOpened)).toEqual({
      allowed: false,
      reason: 'is a private network address',
    });
  });

  it('returns an allowed address in its canonical spelling, a mapped one as IPv4', () => {
    expect(judgeAddress('::FFFF:808:808', nothingOpened)).toEqual({ allowed: true, address: '8.8.8.8' });
    expect(judgeAddress('2606:4700:0:0:0:0:0:1', nothingOpened)).toEqual({ allowed: true, address: '2606:4700::1' });
  });

  it('allows exactly the given ranges', () => {
    expect(isAllowed('10.1.2.3', '10.1.2.0/24')).toBe(true);
    expect(isAllowed('::ffff:10.1.2.3', '10.1.2.0/24')).toBe(true);
    expect(isAllowed('64:ff9b::10.1.2.3', '10.1.2.0/24')).toBe(true);
    expect(isAllowed('10.1.3.0', '10.1.2.0/24')).toBe(false);
    expect(isAllowed('10.1.1.255', '10.1.2.0/24')).toBe(false);
    expect(isAllowed('127.0.0.1', '127.0.0.1/32')).toBe(true);
    expect(isAllowed('127.0.0.2', '127.0.0.1/32')).toBe(false);
    expect(isAllowed('fd00:1::5', 'fd00:1::/64', '192.168.0.0/16')).toBe(true);
    expect(isAllowed('fd00:1:0:1::5', 'fd00:1::/64')).toBe(false);
    expect(isAllowed('192.168.7.8', '::ffff:192.168.0.0/112')).toBe(true);
    expect(isAllowed('127.0.0.1', '::/0')).toBe(false);
    expect(isAllowed('::1', '0.0.0.0/0')).toBe(false);
  });

  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
    '169.254.42.42',
    'fd00:42::42',
    '169.254.0.23',
    '::ffff:169.254.169.254',
    '::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1:a9fe:a9:fe00::',
    '2002:a9fe:a9fe::',
    '2001:0:808:808::5601:5601',
  ])('refuses the metadata address %s whatever is allowed', (address) => {
    expect(judgeAddress(address, { allowCidrs: parseCidrs(['0.0.0.0/0', '::/0', '169.254.169.254']) })).toEqual({
      allowed: false,
      reason: 'is a cloud metadata address, which is never allowed',
    });
  });

  it('judges every IPv4 address as it judges the same bytes mapped into IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const hexadecimal = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
        const mapped = `::ffff:${hexadecimal.slice(0, 2).join('')}:${hexadecimal.slice(2).join('')}`;
        expect(judgeAddress(mapped, nothingOpened)).toEqual(judgeAddress(address, nothingOpened));
      }),
    );
  });

  it('never allows IPv6 outside the global unicast space except mapped and translated addresses', () => {
    const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, (parts) => {
        const first = parts[0] ?? 0;
        fc.pre((first < 0x2000 || first > 0x3fff) && first !== 0x64 && first !== 0);
        expect(isAllowed(parts.map((part) => part.toString(16)).join(':'))).toBe(false);
      }),
    );
  });
});
