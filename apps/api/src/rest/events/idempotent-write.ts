import { hash } from 'node:crypto';
import { repeatOf } from '@callout/pipeline/ingest/idempotency-keys.rules';
import type { ApiContext } from '../../api-context.ts';
import type { ApiResponse } from '../../http/api-response.ts';
import type { Call, EndpointAction } from '../../http/route/endpoint.ts';
import type { GivenIdempotencyKey } from '../../http/body/idempotency-key.ts';
import { pathId } from '../../http/route/path-id.ts';
import { repeatedResponse, type RequestKey } from '../../waiting/ingest.ts';

/** A write of events, which passes the key to the ingest. */
export interface Write extends Omit<EndpointAction, 'isIngest' | 'handle'> {
  readonly handle: (call: Call, key: RequestKey) => Promise<ApiResponse>;
}

/**
 * Makes a write safe to repeat with an `Idempotency-Key`, for 24 hours per credential and route: a repeat gets the
 * response of the first request, a different request with the key is 409, and refusals are not stored. The ingest
 * stores the response together with the events, and lets a concurrent repeat wait. The earlier lookup here exists only
 * because a repeat need not be valid any more: a user-defined field may have been deleted since.
 */
export function idempotentWrite({ findResponse }: ApiContext, write: Write): EndpointAction {
  return {
    ...write,
    isIngest: true,
    async handle(call) {
      const key = call.idempotencyKey && requestKey(call, call.idempotencyKey);
      if (key === undefined) return write.handle(call, undefined);
      const kept = await findResponse(key);
      return kept === undefined ? write.handle(call, key) : repeatedResponse(repeatOf(kept, key.requestHash));
    },
  };
}

/** The impersonated resource is part of a request, like the body and the ids in the path. */
function requestKey({ caller, params }: Call, { key, route, bodyHash }: GivenIdempotencyKey): RequestKey {
  return {
    credentialId: caller.credentialId,
    route: route.replaceAll(/:(id|parentId)\b/gu, (_placeholder, name: string) => String(pathId(params[name]))),
    key,
    requestHash: hash('sha256', `${caller.personId} ${bodyHash.toString('hex')}`, 'buffer'),
  };
}
