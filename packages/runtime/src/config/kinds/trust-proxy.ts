import { key, UnreadableValue } from './key.ts';
import { cidrList } from './kinds.ts';

/** The trusted proxies: none, a number of them in a row, or those in some ranges. */
export type TrustProxy = false | number | readonly string[];

const MAX_HOPS = 10;

/** Proxies whose headers are trusted for the address of a client. */
export function trustProxy() {
  return key<TrustProxy>({
    description:
      'Proxies in front of the API whose `X-Forwarded-*` headers are trusted: how many there are in a row, or their addresses. Lockouts and limits apply to the address of the client; without this setting, all clients behind a proxy have the address of the proxy.',
    accepts: `\`off\`, a whole number from 1 to ${MAX_HOPS}, or a comma-separated list of ranges such as 10.1.0.0/16`,
    default: 'off',
    read: (text) => {
      if (text.toLowerCase() === 'off') return false;
      if (!/^\d+$/.test(text)) return cidrList(text);
      const hops = Number(text);
      if (hops < 1 || hops > MAX_HOPS) throw new UnreadableValue();
      return hops;
    },
  });
}
