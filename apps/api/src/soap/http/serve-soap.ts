import type { Request, RequestHandler, Response } from 'express';
import { Problem } from '@callout/domain/problem';
import { send } from '../../http/api-response.ts';
import { clientAddress } from '../../http/auth/client-address.ts';
import { hasBody, readBytes, refuseTooLarge } from '../../http/body/body-bytes.ts';
import { codingOf } from '../../http/body/inflate.ts';
import type { FailureResponse } from '../../http/failure.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import { createTenantBudget, type Reservation, type TenantBudget } from '../../http/limits/tenant-budget.ts';
import { hostUrl } from '../../http/server/base-url.ts';
import { noteForLog, traceParentOf } from '../../http/server/request-log.ts';
import type { FindZone } from '../../rest/service/find-zone.ts';
import type { Operations } from '../operations/operations.ts';
import type { RestEndpoints } from '../rest-calls.ts';
import { decodeXml } from '../xml/decode-xml.ts';
import { MAX_ELEMENTS, parseXml } from '../xml/parse-xml.ts';
import { faultResponse, SoapFault } from './fault-response.ts';
import { mediaTypeOf, type MediaType } from './media-type.ts';
import { readMessage, versionOf, type SoapMessage } from './read-message.ts';
import { basicCredential, NEEDED, authenticateSoap, type SoapAuthenticationDeps } from './authenticate-soap.ts';
import { envelope, responseNode, soap11, type SoapVersion } from './soap-version.ts';
import type { PublicCall } from '../../http/route/endpoint.ts';
import type { ServeDeps } from '../../http/route/exchange.ts';
import { childText, type XmlElement } from '../xml/xml-element.ts';
import { xml, type XmlNode } from '../xml/write-xml.ts';

/** The access control of the REST API, which counts here too. */
export interface SoapServing extends SoapAuthenticationDeps, ServeDeps {
  readonly findZone: FindZone;
}

interface ServeSoapDeps extends SoapServing {
  readonly endpoints: RestEndpoints;
  readonly operations: Operations;
  /** The path of the service, like `/atservices/1.6/atws.asmx`. */
  readonly servicePath: string;
  readonly maxBodyBytes: number;
  readonly failureResponse: FailureResponse;
}

interface Serving extends ServeSoapDeps {
  /** In bytes, for callers without authentication, by address, without capacity of tenants. */
  readonly strangersBudget: TenantBudget<string>;
}

/** The dependencies of `getZoneInfo`. */
const MAX_PUBLIC_BYTES = 16_384;
const MAX_PUBLIC_BYTES_IN_FLIGHT = 64 * MAX_PUBLIC_BYTES;

/** The memory of an element while the message is processed, shared by the two tags. */
const BYTES_PER_TAG = 128;
const MAX_TAGS = 2 * MAX_ELEMENTS;

/** A request in progress. */
interface Exchange {
  readonly request: Request;
  readonly response: Response;
  /** The version of a fault; the version of the message, once known. */
  version: SoapVersion;
  reservation?: Reservation;
}

/**
 * Serves `POST …/atws.asmx`: credentials, limit, operation, response, in the order of the REST API; only the code of
 * the integration has to wait for the message, whose header has the code. Every failure is a fault.
 */
export function serveSoap(soapDeps: ServeSoapDeps): RequestHandler {
  const deps: Serving = {
    ...soapDeps,
    strangersBudget: createTenantBudget<string>(MAX_PUBLIC_BYTES_IN_FLIGHT, {
      unavailable: 'Too many requests are being read: send this one again.',
      tooManyRequests: 'Too many requests from this address are being read.',
      retryAfterS: 1,
    }),
  };
  return async (request, response) => {
    const exchange: Exchange = { request, response, version: soap11 };
    noteForLog(response, { route: 'SOAP' });
    try {
      await serve(deps, exchange);
    } catch (error) {
      if (response.headersSent) throw error;
      const fault = faultResponse(deps.failureResponse, exchange.version, error, response);
      // SOAP 1.1 requires 500 for them too, and operators would be alarmed by requests of strangers.
      if (fault.code === 'caller' && fault.status >= 500) noteForLog(response, { meantStatus: 400 });
      send(response, fault);
    } finally {
      exchange.reservation?.releaseAll();
    }
  };
}

async function serve(deps: Serving, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  if (request.method !== 'POST') throw HttpProblem.methodNotAllowed(['POST']);
  const media = mediaTypeOf(request.headers);
  exchange.version = media.version;
  const soapDeps = basicCredential(request.headers.authorization);
  if (soapDeps === undefined || media.action?.toLowerCase().endsWith('/getzoneinfo') === true) {
    await servePublic(deps, exchange, media);
    return;
  }
  const { caller, message } = await authenticateSoap(deps, soapDeps, clientAddress(request), ({ tenantId }) => {
    noteForLog(response, { tenantId });
    const reservation = deps.bodyBudget.reserve(tenantId);
    return readRequest(exchange, media, { reservation, maxBytes: deps.maxBodyBytes });
  });
  const { version, operation, call } = message;
  noteForLog(response, { route: `SOAP ${operation.name}` });
  await deps.requestLimit.count(caller);
  if (operation.name === 'getZoneInfo') {
    await sendZone(deps, exchange, message);
    return;
  }
  const { tenantId } = caller;
  const { isRead, run } = deps.operations[operation.name];
  deps.unsentResponses.admit(tenantId);
  const rest = deps.endpoints.callsOf({
    caller,
    hostUrl: hostUrl(request, deps.allowedHosts),
    traceParent: traceParentOf(request, response),
  });
  const sentencesOf = (error: unknown) => deps.failureResponse(error, response).body.details;
  const result = responseNode(call.name, ...(await run({ caller, rest, element: call, sentencesOf })));
  const parts = envelope(version, result);
  deps.unsentResponses.send(response, xmlResponse(version, parts), { tenantId, mayRefuse: isRead });
}

/** A request without credentials may ask for a zone only; any further request gets 401 before the body is read. */
async function servePublic(deps: Serving, exchange: Exchange, media: MediaType): Promise<void> {
  // Clients that wait for a challenge may keep the body until then.
  if (!hasBody(exchange.request.headers)) throw Problem.unauthorized(NEEDED);
  const reservation = deps.strangersBudget.reserve(clientAddress(exchange.request));
  let message: SoapMessage;
  try {
    message = await readRequest(exchange, media, { reservation, maxBytes: MAX_PUBLIC_BYTES });
  } catch (error) {
    if (error instanceof Problem && error.kind === 'tooLarge') throw Problem.unauthorized(NEEDED);
    throw error;
  }
  if (message.operation.needsCredentials) throw Problem.unauthorized(NEEDED);
  await sendZone(deps, exchange, message);
}

async function sendZone(deps: ServeSoapDeps, { request, response }: Exchange, message: SoapMessage): Promise<void> {
  noteForLog(response, { route: 'SOAP getZoneInfo' });
  const caller = { address: clientAddress(request), hostUrl: hostUrl(request, deps.allowedHosts) };
  const { version, call } = message;
  const result = responseNode(call.name, ...(await zoneInfo(deps, call, caller)));
  send(response, xmlResponse(version, envelope(version, result)));
}

async function readRequest(
  exchange: Exchange,
  { charset, action }: MediaType,
  { reservation, maxBytes }: { readonly reservation: Reservation; readonly maxBytes: number },
): Promise<SoapMessage> {
  const { request } = exchange;
  if (!hasBody(request.headers)) throw new SoapFault('caller', 'The request has no body.');
  refuseTooLarge(request.headers, maxBytes);
  codingOf(request.headers);
  exchange.reservation = reservation;
  const bytes = await readBytes(request, maxBytes, reservation);
  const text = decodeXml(bytes, charset);
  // A message of short elements needs more capacity than the number of bytes shows.
  reservation.acquire(Math.max(0, countTags(text) * BYTES_PER_TAG - bytes.length));
  const root = parseXml(text, 'The body');
  exchange.version = versionOf(root) ?? exchange.version;
  return readMessage(root, action);
}

/** The number of tags, approximately; tags beyond the limit do not count. */
function countTags(text: string): number {
  let tags = 0;
  for (let at = text.indexOf('<'); at !== -1 && tags < MAX_TAGS; at = text.indexOf('<', at + 1)) tags += 1;
  return tags;
}

function xmlResponse({ mediaType }: SoapVersion, parts: Iterable<string>) {
  return { status: 200, body: undefined, parts, headers: { 'Content-Type': `${mediaType}; charset=utf-8` } };
}

/** `getZoneInfo`: the address under which a user reaches the API, by the rule of `zoneInformation`. */
async function zoneInfo(
  { findZone, servicePath }: { readonly findZone: FindZone; readonly servicePath: string },
  element: XmlElement,
  caller: Pick<PublicCall, 'address' | 'hostUrl'>,
): Promise<XmlNode[]> {
  const zone = await findZone(childText(element, 'UserName') ?? '', 'UserName', caller);
  return [
    // Empty for an unknown user whose zone is hidden: clients of the family read nothing else.
    xml('URL', {}, zone === null ? '' : zone.base + servicePath),
    xml('ErrorCode', {}, '0'),
    xml('DataBaseType'),
    xml('CI', {}, String(zone?.id ?? 0)),
    xml('WebUrl', {}, zone?.webUrl ?? ''),
  ];
}
