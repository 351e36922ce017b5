import { type ApiResponse, withWarnings } from '../api-response.ts';
import {
  type CachedCaller,
  freshAuthentication,
  type UnconfirmedAuthentication,
} from '../auth/authentication-cache.ts';
import { type Caller, refuseWhileMoving } from '../auth/caller.ts';
import { clientAddress } from '../auth/client-address.ts';
import { refuseOtherRoles } from '../auth/rights.ts';
import { preconditionsOfRead, refuseVersions } from '../conditional/preconditions.ts';
import { noteForLog } from '../server/request-log.ts';
import { callOf, type Exchange, isStillAllowed } from './exchange.ts';
import { refuseWhenStrict } from './strict.ts';

/** For each request: rights do not change more often than that. */
const MOST_SIGN_INS = 3;

/** Serves an endpoint that needs credentials: credentials, limit, role, body, endpoint, response, in this order. */
export async function serveCaller(exchange: Exchange): Promise<void> {
  const { deps, request, response, endpoint, isReading } = exchange;
  if (endpoint.mayWait === true) noteForLog(response, { mayWait: true });
  try {
    const address = clientAddress(request);
    const cached = endpoint.isIngest === true ? deps.recall(request.headers, address) : undefined;
    if (cached !== undefined && (await isServedCached(exchange, cached))) return;
    const caller = await deps.authenticate(request.headers, address, request);
    noteForLog(response, { tenantId: caller.tenantId });
    if (caller.isSession === true && isReading) await deps.requestLimit.countReading(caller);
    else if (isCounted(exchange, caller)) await deps.requestLimit.count(caller);
    await serveSignedIn(exchange, caller);
  } finally {
    exchange.reservation?.releaseAll();
  }
}

/**
 * Serves a caller with a cached authentication, if the commit of the request confirms the authentication. A response
 * that no commit has confirmed, for example about an invalid body, is not sent.
 * @returns false when nothing was done and no response sent: the caller has to be authenticated.
 */
async function isServedCached(exchange: Exchange, { caller, proof }: CachedCaller): Promise<boolean> {
  if (isCounted(exchange, caller)) return false;
  const authentication: UnconfirmedAuthentication = { proof, state: 'open' };
  noteForLog(exchange.response, { tenantId: caller.tenantId });
  try {
    const apiResponse = await respond(exchange, caller, authentication);
    if (authentication.state !== 'confirmed') return false;
    sendTo(exchange, caller, apiResponse);
    return true;
  } catch (error) {
    if (authentication.state === 'open' || authentication.state === 'stale') return false;
    throw error;
  }
}

/** Serves a caller that was authenticated for this request, once more when its rights changed before the commit. */
async function serveSignedIn(exchange: Exchange, signedIn: Caller): Promise<void> {
  const { deps, request, endpoint } = exchange;
  let caller = signedIn;
  for (let tries = 1; ; tries += 1) {
    const authentication = freshAuthentication(endpoint, caller);
    try {
      sendTo(exchange, caller, await respond(exchange, caller, authentication));
      return;
    } catch (error) {
      if (authentication?.state !== 'stale' || tries >= MOST_SIGN_INS) throw error;
      caller = await deps.authenticate(request.headers, clientAddress(request), request, true);
    }
  }
}

async function respond(
  exchange: Exchange,
  caller: Caller,
  authentication: UnconfirmedAuthentication | undefined,
): Promise<ApiResponse> {
  const { deps, path, request, endpoint, isReading } = exchange;
  refuseOtherRoles(endpoint, caller, request.method, path);
  refuseWhileMoving(caller, isReading);
  const { version } = endpoint.schema;
  const comparesVersions = isReading || version === 'changed' || version === 'deleted';
  if (!comparesVersions) refuseVersions(request.headers, request.method === 'POST');
  if (caller.portal !== undefined) {
    await deps.portalGuard(caller, endpoint.portal, request.params as Record<string, string>);
  }
  if (endpoint.isIngest !== true) deps.unsentResponses.admit(caller.tenantId);
  const call = await callOf(exchange, caller, authentication);
  const { losses = [] } = (await exchange.body) ?? {};
  refuseWhenStrict(call, losses);
  return withWarnings(await endpoint.handle(call), losses);
}

function sendTo(exchange: Exchange, caller: Caller, apiResponse: ApiResponse): void {
  const { deps, request, response, isReading, isTagged } = exchange;
  if (apiResponse.stream !== undefined) {
    apiResponse.stream(response, () => isStillAllowed(exchange, caller));
    return;
  }
  deps.unsentResponses.send(response, apiResponse, {
    tenantId: caller.tenantId,
    mayRefuse: isReading,
    ...(isTagged && { preconditions: preconditionsOfRead(request.headers) }),
  });
}

function isCounted({ endpoint }: Exchange, caller: Caller): boolean {
  return endpoint.isIngest !== true || caller.role !== 'source';
}
