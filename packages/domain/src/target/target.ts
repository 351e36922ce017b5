import { judgeAddress, parseCidrs, type AddressPolicy } from './address.ts';

/** Which URLs callouts may be sent to. */
export interface TargetPolicy extends AddressPolicy {
  /** Lets targets be `http:`; off, only `https:` is accepted. */
  readonly allowHttp: boolean;
}

/** `message` continues a sentence that begins with the name of the field. */
export type TargetVerdict = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly message: string };

/**
 * Ports on which protocols other than HTTP listen, some of which would read the lines of a POST as commands:
 * the "bad ports" of the Fetch Standard, which browsers refuse too.
 */
const foreignPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

const absolute = /^https?:\/\/(?<authority>[^/?#]+)/iu;
/**
 * The URL parser drops tabs and line breaks, trims blanks and turns `\` into `/`: the called URL would differ from the
 * stored one.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const rewritten = /[\u0000-\u0020\u007f\\]/u;
/** A DNS name has 253 characters at most. */
const maxHostLength = 253;

/**
 * Judges a target URL when written, and again before each attempt: absolute `http:` or `https:` (the former only when
 * allowed), no credentials, no fragment, a port on which HTTP may listen, a host that is not a forbidden address in any
 * spelling. The addresses of a host name are judged when connecting.
 */
export function checkTargetUrl(text: string, policy: TargetPolicy): TargetVerdict {
  const authority = absolute.exec(text)?.groups?.['authority'];
  if (authority === undefined) return refuse('must be an absolute http or https URL');
  if (rewritten.test(text)) return refuse('must not contain blanks, control characters or backslashes');
  if (authority.includes('@')) return refuse('must not contain a user name or password');
  if (text.includes('#')) return refuse('must not contain a fragment (#)');
  const url = parseUrl(text);
  if (url === undefined) return refuse('must have a valid host and a port from 1 to 65535');
  if (url.protocol === 'http:' && !policy.allowHttp)
    return refuse('must begin with https://, unless the operator sets ALLOW_HTTP_TARGETS');
  if (url.hostname.length > maxHostLength) return refuse(`must have a host of ${maxHostLength} characters or fewer`);
  if (!hasLabels(url.hostname)) return refuse('must have a host whose parts have 1 to 63 characters');
  if (foreignPorts.has(Number(url.port || '443'))) return refuse(`must not use port ${url.port}`);
  const problem = hostProblem(url.hostname, policy);
  return problem === undefined ? { ok: true, url } : refuse(problem);
}

/**
 * The address in a URL's host, without brackets; undefined when it is a name. `URL` has already turned every spelling
 * of an IPv4 address (`127.1`, `0x7f.1`, `2130706433`, full-width digits, `%2e`) into four decimal parts.
 */
export function addressOfHost(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return /^\d+\.\d+\.\d+\.\d+$/u.test(hostname) ? hostname : undefined;
}

/** The addresses that the operator can allow at most. */
const allOpened: AddressPolicy = { allowCidrs: parseCidrs(['0.0.0.0/0', '::/0']) };

/**
 * Whether a host name means the local machine: `localhost` or a name below, with or without the final dot (RFC 6761).
 */
export function isLocalhost(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/u.test(hostname);
}

/** Whether a name is valid in DNS; otherwise it would fail at every attempt. Addresses pass too. */
function hasLabels(hostname: string): boolean {
  const labels = hostname.replace(/\.$/u, '').split('.');
  return labels.every((label) => label.length >= 1 && label.length <= 63);
}

function hostProblem(hostname: string, policy: TargetPolicy): string | undefined {
  const address = addressOfHost(hostname) ?? (isLocalhost(hostname) ? '127.0.0.1' : undefined);
  if (address === undefined) return undefined;
  const verdict = judgeAddress(address, policy);
  if (verdict.allowed) return undefined;
  const remedy = judgeAddress(address, allOpened).allowed ? ', unless the operator adds it to CALLOUT_ALLOW_CIDRS' : '';
  return `must not point to ${hostname}, which ${verdict.reason}${remedy}`;
}

function refuse(message: string): TargetVerdict {
  return { ok: false, message };
}

/** An address for people: without the query, which may contain a secret of the owner. */
export function withoutQuery(url: string): string {
  const at = url.search(/[?#]/u);
  return at < 0 ? url : `${url.slice(0, at)}?…`;
}

/**
 * A URL, or undefined for an invalid one. Replaces `URL.canParse`, which Node 20 and 22 get wrong once V8 has optimised
 * the caller, after some 10,000 calls: from then on every host or path with a letter such as `ü` is refused.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
