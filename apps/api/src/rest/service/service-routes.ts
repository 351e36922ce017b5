import { credentialRoles } from '@callout/tenancy/input/credential-input.rules';
import type { ApiContext } from '../../api-context.ts';
import { ok } from '../../http/api-response.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import type { PublicEndpoint } from '../../http/route/endpoint.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import type { RequestLimit } from '../../http/limits/request-limit.ts';
import type { FindZone } from './find-zone.ts';
import { egressOperation, thresholdOperation, versionOperation, zoneOperation } from './service-operations.ts';

interface ServiceRouteDeps {
  readonly requestLimit: RequestLimit;
  readonly findZone: FindZone;
}

/** Endpoints about the service itself, below `/v1.0`. */
export function addServiceRoutes(add: AddRoute, { build, config }: ApiContext, deps: ServiceRouteDeps): void {
  const version = { apiVersion: 'V1.0', majorVersion: 1, minorVersion: 0, build };
  add('/Version', { GET: { roles: 'anyone', schema: versionOperation, respond: () => ok(version) } });
  add('/zoneInformation', { GET: zoneInformation(config.API_ROOT, deps) });
  const egress = { addresses: config.EGRESS_ADDRESSES };
  add('/EgressAddresses', { GET: { roles: 'anyone', schema: egressOperation, respond: () => ok(egress) } });
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
 * `GET /zoneInformation?user=`: the address at which a user reaches the API. The request is the first of a client, and
 * therefore needs no credentials.
 */
function zoneInformation(apiRoot: string, { findZone }: ServiceRouteDeps): PublicEndpoint {
  return {
    roles: 'anyone',
    schema: zoneOperation,
    async respond(call) {
      const zone = await findZone(call.query['user'] ?? '', 'user', call);
      if (zone === null) throw HttpProblem.unknownZone();
      const { name, base, webUrl, id } = zone;
      return ok({ zoneName: name, url: `${base}/${apiRoot}/`, webUrl, ci: id });
    },
  };
}
