import { z } from 'zod';
import { key, UnreadableValue } from '../kinds/key.ts';
import { cidrList } from '../kinds/kinds.ts';

/** The HTTP proxy that callouts go through. */
export interface OutboundProxy {
  readonly isSecure: boolean;
  /** Without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** The value of `Proxy-Authorization`; undefined without credentials. */
  readonly authorization: string | undefined;
}

/** What the worker alone needs to know. */
export const outboundConfig = z.object({
  OUTBOUND_PROXY: key<OutboundProxy | undefined>({
    description:
      'The HTTP proxy for callouts, requests for tokens and messages to OPERATOR_ALERT_URL, not for mail; `https:` is TLS to the proxy itself. See [deploying.md](deploying.md#a-proxy-for-outgoing-calls).',
    accepts: 'an http:// or https:// URL such as http://user:password@proxy.example.com:3128',
    whenAbsent: undefined,
    isSecret: true,
    read: readProxy,
  }),
});

function readProxy(text: string): OutboundProxy {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSecure = url?.protocol === 'https:';
  if (url === undefined || !(isSecure || url.protocol === 'http:')) throw new UnreadableValue();
  if (url.pathname !== '/' || /[?#]/.test(text)) throw new UnreadableValue('it has no path');
  const credentials = [url.username, url.password].map(unescaped).join(':');
  if (/\p{Cc}/u.test(credentials)) throw new UnreadableValue();
  return {
    isSecure,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (isSecure ? 443 : 80),
    authorization: url.username === '' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new UnreadableValue();
  }
}

/** The addresses that receivers see callouts come from. */
export function egressAddresses() {
  return key<readonly string[]>({
    description:
      'The public addresses that callouts of this installation come from, for receivers that allow only known ones: `GET /EgressAddresses` shows them. Each zone has its own.',
    accepts: 'a comma-separated list of addresses and ranges such as 203.0.113.7, 198.51.100.0/28',
    whenAbsent: [],
    read: cidrList,
  });
}
