import { formatAddress, parseAddress } from '../target/address-range.ts';

const ipv6Bytes = 16;
const networkBytes = 8;

/**
 * The key under which requests or failures of a client are counted: an IPv4 address, or the /64 network of an IPv6
 * address, because a client with an address of the network has all of them.
 */
export function clientNetwork(text: string): string | undefined {
  // A link-local peer comes with the name of the interface: `fe80::1%eth0`.
  const bytes = parseAddress(text.split('%', 1)[0] ?? '');
  if (bytes?.length !== ipv6Bytes) return bytes && formatAddress(bytes);
  const network = bytes.map((byte, at) => (at < networkBytes ? byte : 0));
  return `${formatAddress(network)}/${networkBytes * 8}`;
}
