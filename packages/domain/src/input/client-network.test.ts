import { describe, expect, it } from '@jest/globals';
import { clientNetwork } from './client-network.ts';

describe('clientNetwork', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['::1', '::/64'],
    ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
  ])('of %s is %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });

  it.each(['', 'unknown', '192.0.2.7:8080', '127.1', '0x7f000001', '[::1]', 'example.com', '_hidden'])(
    'of %j is nothing',
    (text) => {
      expect(clientNetwork(text)).toBeUndefined();
    },
  );
});
