import ipaddr from 'ipaddr.js';

/** The bytes of an address in network order: 4 of an IPv4 address, 16 of an IPv6 address. */
export type AddressBytes = readonly number[];

/** A range such as 10.0.0.0/8, parsed once. */
export interface AddressRange {
  readonly bytes: AddressBytes;
  readonly prefixLength: number;
}

const dottedTail = /^(?<head>.*:)(?<tail>\d+\.\d+\.\d+\.\d+)$/u;
const mappedPrefix: AddressRange = { bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0], prefixLength: 96 };

/**
 * Reads an address in the spelling of name servers, sockets and parsed URLs: four decimal parts, or IPv6 in hexadecimal
 * with or without a dotted tail. An IPv4-mapped IPv6 address is the mapped IPv4 address. undefined for anything else:
 * spellings such as `127.1` or `0177.0.0.1`, which programs read differently, and IPv6 with a zone.
 */
export function parseAddress(text: string): AddressBytes | undefined {
  if (!text.includes(':')) return parseFourParts(text);
  const hexadecimal = withoutDottedTail(text);
  if (hexadecimal === undefined || hexadecimal.includes('%') || !ipaddr.IPv6.isValid(hexadecimal)) return undefined;
  const bytes = ipaddr.IPv6.parse(hexadecimal).toByteArray();
  return isInRange(bytes, mappedPrefix) ? bytes.slice(12) : bytes;
}

/** The canonical spelling of an address: dotted IPv4, or IPv6 in lower case with its longest run of zeros left out. */
export function formatAddress(bytes: AddressBytes): string {
  return ipaddr.fromByteArray([...bytes]).toString();
}

/**
 * Reads a range such as `10.0.0.0/8`, `fd00:1::/64` or a single address. Throws an Error that names an invalid range.
 */
export function parseRange(text: string): AddressRange {
  const [address = '', prefix, ...rest] = text.split('/');
  const bytes = parseAddress(address);
  // In a range of mapped addresses the prefix counts from the start of the IPv6 address.
  const skippedBits = bytes?.length === 4 && address.includes(':') ? 96 : 0;
  const bits = (bytes?.length ?? 0) * 8;
  const prefixLength =
    prefix === undefined ? bits : (/^\d{1,3}$/u.test(prefix) ? Number(prefix) : Number.NaN) - skippedBits;
  if (bytes === undefined || rest.length > 0 || !(prefixLength >= 0 && prefixLength <= bits)) {
    throw new Error(`"${text}" is not a range of addresses such as 10.1.0.0/16 or fd00:1::/64`);
  }
  return { bytes, prefixLength };
}

/** Whether the address lies in the range; never across IPv4 and IPv6. */
export function isInRange(address: AddressBytes, range: AddressRange): boolean {
  if (address.length !== range.bytes.length) return false;
  const wholeBytes = range.prefixLength >> 3;
  for (let at = 0; at < wholeBytes; at += 1) {
    if (address[at] !== range.bytes[at]) return false;
  }
  const restBits = range.prefixLength & 7;
  if (restBits === 0) return true;
  const shift = 8 - restBits;
  return (address[wholeBytes] ?? 0) >> shift === (range.bytes[wholeBytes] ?? 0) >> shift;
}

function parseFourParts(text: string): AddressBytes | undefined {
  return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text).toByteArray() : undefined;
}

/** `64:ff9b::10.0.0.1` → `64:ff9b::a00:1`. ipaddr.js reads some dotted tails as other bytes than the system does. */
function withoutDottedTail(text: string): string | undefined {
  const { head = '', tail = '' } = dottedTail.exec(text)?.groups ?? {};
  if (tail === '') return text.includes('.') ? undefined : text;
  const [a = 0, b = 0, c = 0, d = 0] = parseFourParts(tail) ?? [Number.NaN];
  if (Number.isNaN(a)) return undefined;
  return `${head}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
