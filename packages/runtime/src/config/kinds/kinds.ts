import { isIP } from 'node:net';
import { commaSeparated, key, like, UnreadableValue } from './key.ts';

interface NumberRules {
  readonly description: string;
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

/** A whole number within limits. */
export function wholeNumber(rules: NumberRules) {
  return key<number>({
    description: rules.description,
    accepts: `a whole number from ${rules.min} to ${rules.max}`,
    default: String(rules.default),
    read: (text) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= rules.min && value <= rules.max)) throw new UnreadableValue();
      return value;
    },
  });
}

/** `true` or `false`; `1` and `0` are understood too. */
export function yesNo(rules: { description: string; default: boolean }) {
  return key<boolean>({
    description: rules.description,
    accepts: '`true` or `false`',
    default: String(rules.default),
    read: (text) => {
      const folded = text.toLowerCase();
      if (folded === 'true' || folded === '1') return true;
      if (folded === 'false' || folded === '0') return false;
      throw new UnreadableValue();
    },
  });
}

/** One value of a list. */
export function oneOf<const W extends string>(rules: { description: string; words: readonly W[]; default: W }) {
  return key<W>({
    description: rules.description,
    accepts: `one of ${rules.words.join(', ')}`,
    default: rules.default,
    read: (text) => oneOfWords(rules.words, text),
  });
}

/** Some values of a list, separated by commas, in any order, at least one. */
export function someOf<const W extends string>(rules: { description: string; words: readonly W[] }) {
  return key<readonly W[]>({
    description: rules.description,
    accepts: `a comma-separated choice of ${rules.words.join(', ')}`,
    default: rules.words.join(','),
    read: (text) => [...new Set(commaSeparated(text).map((word) => oneOfWords(rules.words, word)))],
  });
}

/** A host name or address to listen on. */
export function listenHost(rules: { description: string; default: string }) {
  return key<string>({
    ...rules,
    accepts: 'a host name or an IP address',
    read: (text) => (isIP(text) === 0 ? like(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i)(text) : text),
  });
}

/** Text that a pattern accepts. */
export function textLike(rules: { description: string; accepts: string; pattern: RegExp; default: string }) {
  return key<string>({ ...rules, read: like(rules.pattern) });
}

/** Ranges of private networks in CIDR notation; a lone address means that address only. */
export function cidrs(rules: { description: string }) {
  return key<readonly string[]>({
    description: rules.description,
    accepts: 'a comma-separated list of ranges such as 10.1.0.0/16 or fd00:1::/64',
    whenAbsent: [],
    read: (text) => cidrList(text).map(ofOneNetwork),
  });
}

/** The ranges of a comma-separated list; a lone address is the range of that address only. */
export function cidrList(text: string): string[] {
  return commaSeparated(text).map(cidr);
}

function oneOfWords<W extends string>(words: readonly W[], text: string): W {
  const word = words.find((word) => word === text.toLowerCase());
  if (word === undefined) throw new UnreadableValue(`${JSON.stringify(text)} is none of them`);
  return word;
}

function cidr(text: string): string {
  const [address = '', prefix, ...rest] = text.split('/');
  // A zone (`fe80::1%eth0`) means something on one machine only.
  const family = address.includes('%') ? 0 : isIP(address);
  const longest = family === 4 ? 32 : 128;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest);
  if (family === 0 || rest.length > 0 || !isPrefix) throw new UnreadableValue(`${JSON.stringify(text)} is no range`);
  return `${address}/${prefix ?? longest}`;
}

/** The widest ranges that a private network can have: 240.0.0.0/4, and fc00::/7. */
const widest = { ipv4: 4, ipv6: 7 };

/** Refuses `0.0.0.0/0` and the like, which would disable the guard instead of opening a network. */
function ofOneNetwork(range: string): string {
  const [address = '', prefix] = range.split('/');
  // A range of IPv4 addresses in the form of IPv6 counts its bits from the start of the latter.
  const isMapped = /^(::|(0{1,4}:){5})ffff:/i.test(address);
  const isWide =
    address.includes(':') && !isMapped
      ? Number(prefix) < widest.ipv6
      : Number(prefix) - (isMapped ? 96 : 0) < widest.ipv4;
  if (!isWide) return range;
  throw new UnreadableValue(
    `${JSON.stringify(range)} would let webhooks reach nearly every private address, this machine's own among them: name the networks that receivers are in; public addresses need no range`,
  );
}
