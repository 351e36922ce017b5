import {
  formatAddress,
  isInRange,
  parseAddress,
  parseRange,
  type AddressBytes,
  type AddressRange,
} from './address-range.ts';

export type { AddressRange } from './address-range.ts';

/** Which addresses callouts may reach besides public ones. */
export interface AddressPolicy {
  /** Ranges that the operator allows, from `parseCidrs`. */
  readonly allowCidrs: readonly AddressRange[];
}

/**
 * `address` is the canonical spelling of an allowed address, an IPv4-mapped one as IPv4. `reason` continues a sentence
 * that begins with the address.
 */
export type AddressVerdict =
  { readonly allowed: true; readonly address: string } | { readonly allowed: false; readonly reason: string };

/** Parses `CALLOUT_ALLOW_CIDRS` once, at start. Throws an Error that names an invalid range. */
export function parseCidrs(texts: readonly string[]): readonly AddressRange[] {
  return texts.map(parseRange);
}

interface NamedRange extends AddressRange {
  readonly reason: string;
}

function named(reason: string, ...ranges: readonly string[]): NamedRange[] {
  return ranges.map((text) => ({ ...parseRange(text), reason }));
}

/** Such addresses return the credentials of the machine that runs Callout: forbidden whatever the operator allows. */
const metadata: readonly NamedRange[] = named(
  'is a cloud metadata address, which is never allowed',
  // AWS, Google, Azure, Oracle and others; the services beside it; AWS containers
  '169.254.169.0/24',
  '169.254.170.0/24',
  // Scaleway, Tencent
  '169.254.42.42',
  'fd00:42::42',
  '169.254.0.23',
  // Alibaba, Azure's host, Oracle classic
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  // AWS instances and containers, Google
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
);

/** Not public according to the registries of special-purpose addresses (RFC 6890 and its successors). */
const forbidden: readonly NamedRange[] = [
  ...named('is an address of this host', '0.0.0.0/8', '::/128'),
  ...named('is a loopback address', '127.0.0.0/8', '::1/128'),
  ...named('is a private network address', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'),
  ...named('is a carrier-internal address', '100.64.0.0/10'),
  ...named('is a link-local address', '169.254.0.0/16', 'fe80::/10'),
  ...named('is reserved for network protocols', '192.0.0.0/24', '192.88.99.0/24'),
  ...named(
    'is reserved for documentation',
    '192.0.2.0/24',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '2001:db8::/32',
    '3fff::/20',
  ),
  ...named('is reserved for benchmarks', '198.18.0.0/15', '2001:2::/48'),
  ...named('is a multicast address', '224.0.0.0/4', 'ff00::/8'),
  ...named('is reserved', '240.0.0.0/4', '3ffe::/16'),
  ...named('is a translated address of a private network', '64:ff9b:1::/48'),
];

/** IPv6 is forbidden except the global unicast space; of the IETF's own block in it only Teredo can be a host. */
const globalUnicast = parseRange('2000::/3');
const ietfBlock = parseRange('2001::/23');
const nat64 = parseRange('64:ff9b::/96');
const teredo = parseRange('2001::/32');

/** The position of the IPv4 address in IPv6 addresses that lead to an IPv4 host. */
const embeddings: readonly {
  readonly range: AddressRange;
  readonly at: readonly number[];
  readonly inverted?: true;
}[] = [
  { range: parseRange('::/96'), at: [12, 13, 14, 15] },
  { range: nat64, at: [12, 13, 14, 15] },
  { range: parseRange('64:ff9b:1::/48'), at: [12, 13, 14, 15] },
  { range: parseRange('64:ff9b:1::/48'), at: [6, 7, 9, 10] },
  { range: parseRange('2002::/16'), at: [2, 3, 4, 5] },
  // Teredo contains the address of the server, and the address of the client with every bit inverted
  { range: teredo, at: [4, 5, 6, 7] },
  { range: teredo, at: [12, 13, 14, 15], inverted: true },
];

/**
 * Whether a callout may be sent to an address (resolved, or the host of a parsed URL without brackets). Public
 * addresses may be reached, others only where `allowCidrs` opens them, metadata addresses never. IPv6 addresses that
 * lead to an IPv4 host (mapped, NAT64, 6to4, Teredo) are also judged by the address of the host.
 */
export function judgeAddress(address: string, policy: AddressPolicy): AddressVerdict {
  const bytes = parseAddress(address);
  if (bytes === undefined) return { allowed: false, reason: 'is not an IP address' };
  const reason = reasonAgainst(bytes, policy);
  return reason === undefined ? { allowed: true, address: formatAddress(bytes) } : { allowed: false, reason };
}

/** The canonical spelling of an address, an IPv4-mapped address as IPv4; undefined for an invalid address. */
export function canonicalAddress(address: string): string | undefined {
  const bytes = parseAddress(address);
  return bytes === undefined ? undefined : formatAddress(bytes);
}

function reasonAgainst(bytes: AddressBytes, policy: AddressPolicy): string | undefined {
  const inner = embeddedAddresses(bytes);
  const isMetadata = [bytes, ...inner].map((each) => reasonIn(metadata, each)).find((reason) => reason !== undefined);
  if (isMetadata !== undefined) return isMetadata;
  if (policy.allowCidrs.some((range) => isInRange(bytes, range))) return undefined;
  return (
    reasonIn(forbidden, bytes) ??
    (bytes.length === 16 ? reasonAgainstIpv6(bytes) : undefined) ??
    inner.map((each) => reasonAgainst(each, policy)).find((reason) => reason !== undefined)
  );
}

function reasonAgainstIpv6(bytes: AddressBytes): string | undefined {
  if (isInRange(bytes, nat64) || isInRange(bytes, teredo)) return undefined;
  const isGlobal = isInRange(bytes, globalUnicast) && !isInRange(bytes, ietfBlock);
  return isGlobal ? undefined : 'is not a public IPv6 address';
}

function reasonIn(ranges: readonly NamedRange[], bytes: AddressBytes): string | undefined {
  return ranges.find((range) => isInRange(bytes, range))?.reason;
}

function embeddedAddresses(bytes: AddressBytes): AddressBytes[] {
  if (bytes.length !== 16) return [];
  return embeddings
    .filter(({ range }) => isInRange(bytes, range))
    .map(({ at, inverted }) => at.map((index) => (bytes[index] ?? 0) ^ (inverted ? 0xff : 0)));
}
