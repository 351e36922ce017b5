import { Problem } from '@callout/core/errors';
import type { ZoneAddress } from '@callout/db/tenants';
import { ok } from '../http/answer.ts';
import type { PublicEndpoint } from '../http/route/endpoint.ts';
import type { AddRoute } from '../http/route/route-table.ts';
import type { AddressLimit } from '../http/limits/address-limit.ts';
import type { RequestLimit } from '../http/limits/request-limit.ts';
import { thresholdOperation, versionOperation, zoneOperation } from './service-operations.ts';

interface ServiceRouteDeps {
  readonly apiRoot: string;
  /** The version of Callout itself, as text. */
  readonly build: string;
  /** Where clients reach the installation, without a slash at the end; undefined when only zones say so. */
  readonly publicUrl: string | undefined;
  readonly requestLimit: RequestLimit;
  /** Limits what needs no credentials and reads the database. */
  readonly addressLimit: AddressLimit;
  /** The zone of a user name in lower case; the default zone for an unknown one. */
  readonly findZoneOfUser: (foldedUserName: string) => Promise<ZoneAddress | undefined>;
}

/** Where a caller belongs when the installation has no zone yet. */
const NO_ZONE: ZoneAddress = { id: 0, name: 'default', url: '', webUrl: '' };

/** What clients ask about the service itself, below `/v1.0`. */
export function addServiceRoutes(add: AddRoute, deps: ServiceRouteDeps): void {
  const version = { apiVersion: 'V1.0', majorVersion: 1, minorVersion: 0, build: deps.build };
  add('/Version', { GET: { roles: 'anyone', schema: versionOperation, answer: () => ok(version) } });
  add('/zoneInformation', { GET: zoneInformation(deps) });
  add('/ThresholdInformation', {
    GET: {
      roles: ['integrator', 'source', 'admin'],
      schema: thresholdOperation,
      async handle({ caller }) {
        const { perHour, used } = await deps.requestLimit.useOf(caller);
        return ok({
          externalRequestThreshold: perHour,
          requestThresholdTimeframe: 60,
          currentTimeframeRequestCount: used,
        });
      },
    },
  });
}

/**
 * `GET /zoneInformation?user=`: the address under which a user reaches the API, asked for before anything else and
 * therefore without credentials. `ci` is the number of the zone: that of the tenant would tell which user names exist.
 */
function zoneInformation({ apiRoot, publicUrl, addressLimit, findZoneOfUser }: ServiceRouteDeps): PublicEndpoint {
  return {
    roles: 'anyone',
    schema: zoneOperation,
    async answer({ query, address, hostUrl }) {
      await addressLimit(address);
      const user = (query['user'] ?? '').trim();
      if (user === '') {
        const message = 'user is required: the user name whose zone is asked for.';
        throw Problem.invalid([{ code: 'required', field: 'user', message }]);
      }
      // PostgreSQL takes no U+0000, and no user name has one.
      const zone = await findZoneOfUser(user.toLowerCase().replaceAll('\0', ''));
      // A zone without an address is reached where the installation is, or where the caller is already: the path alone
      // says that too.
      const { id, name, url, webUrl } = zone ?? NO_ZONE;
      const base = url === '' ? (publicUrl ?? hostUrl ?? '') : url;
      return ok({ zoneName: name, url: `${base}/${apiRoot}/`, webUrl: webUrl === '' ? `${base}/` : webUrl, ci: id });
    },
  };
}
