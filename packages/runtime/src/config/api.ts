import { z } from 'zod';
import { consoleConfig } from './settings/console.ts';
import { listenHost, oneOf, wholeNumber, cidrList } from './kinds/kinds.ts';
import { confirmHasAddress } from './settings/mail-recipients.ts';
import { allowedHosts } from './kinds/addresses.ts';
import { operatorConfig } from './settings/operator.ts';
import { sharedConfig } from './settings/shared.ts';
import { soapConfig } from './settings/soap.ts';
import { egressAddresses } from './settings/outbound.ts';
import { key, UnreadableValue } from './kinds/key.ts';

/** The trusted proxies: none, a number in a row, or proxies in some ranges. */
type TrustProxy = false | number | readonly string[];

const MAX_HOPS = 10;

/** Proxies whose headers are trusted for the address of a client. */
function trustProxy() {
  return key<TrustProxy>({
    description:
      'Proxies in front of the API whose `X-Forwarded-*` headers are trusted: how many there are in a row, or their addresses. Without it, all clients behind a proxy share its address, with lockouts and limits.',
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

const MIB = 1024 * 1024;

/** The keys of the API process alone. */
export const apiOnlyConfig = z.object({
  API_HOST: listenHost({
    description: 'Address the API listens on. Set `0.0.0.0` in a container.',
    default: '127.0.0.1',
  }),
  API_PORT: wholeNumber({ description: 'Port of the API; 0 chooses a free one.', default: 8080, min: 0, max: 65_535 }),
  ALLOWED_HOSTS: allowedHosts(),
  TRUST_PROXY: trustProxy(),
  API_REQUESTS_PER_HOUR: wholeNumber({
    description:
      'Requests that one tenant may make per hour, 0 = no limit; above it the answer is 429. A tenant can have its own limit. Writes with a `source` credential are not counted.',
    default: 10_000,
    min: 0,
    max: 1_000_000_000,
  }),
  ZONE_OF_UNKNOWN_USERS: oneOf({
    description:
      'What `zoneInformation` and `getZoneInfo` answer for a user name that does not exist: the default zone, or none (500 in REST, an empty URL in SOAP), which reveals which user names exist.',
    words: ['default', 'none'],
    default: 'default',
  }),
  EGRESS_ADDRESSES: egressAddresses(),
  MAX_BODY_BYTES: wholeNumber({
    description:
      'Largest request body in bytes; above it the answer is 413. A body of `POST /EntityEvents` may have 16 times as many, and one process reads or processes 32 times as many at a time. It needs about twenty times as much memory.',
    default: MIB,
    min: 1024,
    max: 16 * MIB,
  }),
  MAX_ACTIVE_WEBHOOKS_PER_ENTITY: wholeNumber({
    description:
      'Active webhooks that one tenant may have per entity, and a quarter of all that it may have, active or not; above either the answer is 409.',
    default: 50,
    min: 1,
    max: 10_000,
  }),
  ...operatorConfig.shape,
  ...consoleConfig.shape,
  ...soapConfig.shape,
});

/** Everything the API process reads from its environment. */
export const apiConfig = z.object({ ...sharedConfig.shape, ...apiOnlyConfig.shape }).refine(...confirmHasAddress);
export type ApiConfig = z.output<typeof apiConfig>;
