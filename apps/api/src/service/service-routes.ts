import { credentialRoles } from '@callout/core/tenants';
import { ok } from '../http/answer.ts';
import type { PublicEndpoint } from '../http/route/endpoint.ts';
import type { AddRoute } from '../http/route/route-table.ts';
import type { RequestLimit } from '../http/limits/request-limit.ts';
import type { FindZone } from './find-zone.ts';
import { thresholdOperation, versionOperation, zoneOperation } from './service-operations.ts';

interface ServiceRouteDeps {
  readonly apiRoot: string;
  /** The version of Callout itself, as text. */
  readonly build: string;
  readonly requestLimit: RequestLimit;
  readonly findZone: FindZone;
}

/** What clients ask about the service itself, below `/v1.0`. */
export function addServiceRoutes(add: AddRoute, deps: ServiceRouteDeps): void {
  const version = { apiVersion: 'V1.0', majorVersion: 1, minorVersion: 0, build: deps.build };
  add('/Version', { GET: { roles: 'anyone', schema: versionOperation, answer: () => ok(version) } });
  add('/zoneInformation', { GET: zoneInformation(deps) });
  add('/ThresholdInformation', {
    GET: {
      roles: credentialRoles,
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
 * therefore without credentials.
 */
function zoneInformation({ apiRoot, findZone }: ServiceRouteDeps): PublicEndpoint {
  return {
    roles: 'anyone',
    schema: zoneOperation,
    async answer(call) {
      const { name, base, webUrl, id } = await findZone(call.query['user'] ?? '', 'user', call);
      return ok({ zoneName: name, url: `${base}/${apiRoot}/`, webUrl, ci: id });
    },
  };
}
