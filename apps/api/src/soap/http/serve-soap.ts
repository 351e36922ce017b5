import type { Request, RequestHandler, Response } from 'express';
import { Problem } from '@callout/core/errors';
import { send } from '../../http/answer.ts';
import type { UnsentAnswers } from '../../http/answers/unsent-answers.ts';
import { clientAddress } from '../../http/auth/client-address.ts';
import { hasBody, readBytes, refuseCoding, refuseTooLarge } from '../../http/body/body-bytes.ts';
import type { FailureAnswer } from '../../http/errors/failure.ts';
import { HttpProblem } from '../../http/errors/http-problem.ts';
import type { RequestLimit } from '../../http/limits/request-limit.ts';
import { createTenantBudget, type Room, type TenantBudget } from '../../http/limits/tenant-budget.ts';
import { hostUrl } from '../../http/server/host-url.ts';
import { noteForLog, traceParentOf } from '../../http/server/request-log.ts';
import type { FindZone } from '../../service/find-zone.ts';
import type { Operations } from '../operations/operations.ts';
import { zoneInfo } from '../operations/zone-info.ts';
import type { RestEndpoints } from '../rest-calls.ts';
import { decodeXml } from '../xml/decode-xml.ts';
import { MAX_ELEMENTS, parseXml } from '../xml/parse-xml.ts';
import { faultAnswer } from './fault-answer.ts';
import { mediaTypeOf, type MediaType } from './media-type.ts';
import { readMessage, versionOf, type SoapMessage } from './read-message.ts';
import { basicCredential, NEEDED, signIn, type SoapSignInDeps } from './sign-in.ts';
import { SoapFault } from './soap-fault.ts';
import { envelope, responseNode, soap11, type SoapVersion } from './soap-version.ts';

export interface ServeSoapDeps extends SoapSignInDeps {
  readonly endpoints: RestEndpoints;
  readonly operations: Operations;
  readonly findZone: FindZone;
  /** The path of this service, such as `/atservices/1.6/atws.asmx`. */
  readonly servicePath: string;
  readonly maxBodyBytes: number;
  /** In bytes. */
  readonly bodyBudget: TenantBudget;
  readonly requestLimit: RequestLimit;
  readonly unsentAnswers: UnsentAnswers;
  readonly allowedHosts: readonly string[];
  readonly failureAnswer: FailureAnswer;
}

interface Serving extends ServeSoapDeps {
  /** In bytes, for callers who have not signed in, by their address: they take no room of tenants. */
  readonly strangersBudget: TenantBudget<string>;
}

/** All that `getZoneInfo` needs. */
const MAX_PUBLIC_BYTES = 16_384;
const MAX_PUBLIC_BYTES_IN_FLIGHT = 64 * MAX_PUBLIC_BYTES;

/** What an element holds in memory while its message is answered, shared by its two tags. */
const BYTES_PER_TAG = 128;
const MAX_TAGS = 2 * MAX_ELEMENTS;

/** One request on its way. */
interface Exchange {
  readonly request: Request;
  readonly response: Response;
  /** In which a fault is answered; that of the message, once it is known. */
  version: SoapVersion;
  room?: Room;
}

/**
 * Answers `POST …/atws.asmx`: credentials, limit, operation, answer, as the REST API does, and in one order with it; only
 * the code of the integration has to wait for the message, since it is in its header. Whatever fails is a fault.
 */
export function serveSoap(given: ServeSoapDeps): RequestHandler {
  const deps: Serving = {
    ...given,
    strangersBudget: createTenantBudget<string>(MAX_PUBLIC_BYTES_IN_FLIGHT, {
      unavailable: 'Too many requests are being read: send this one again.',
      tooManyRequests: 'Too many requests from this address are being read.',
    }),
  };
  return async (request, response) => {
    const exchange: Exchange = { request, response, version: soap11 };
    noteForLog(response, { route: 'SOAP' });
    try {
      await serve(deps, exchange);
    } catch (error) {
      if (response.headersSent) throw error;
      const answer = faultAnswer(deps.failureAnswer, exchange.version, error, response);
      // SOAP 1.1 says 500 for them too, and operators would be alarmed by whatever strangers send.
      if (answer.code === 'caller' && answer.status >= 500) noteForLog(response, { meantStatus: 400 });
      send(response, answer);
    } finally {
      exchange.room?.leave();
    }
  };
}

async function serve(deps: Serving, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  if (request.method !== 'POST') throw HttpProblem.methodNotAllowed(['POST']);
  const media = mediaTypeOf(request.headers);
  exchange.version = media.version;
  const given = basicCredential(request.headers.authorization);
  if (given === undefined || media.action?.toLowerCase().endsWith('/getzoneinfo') === true) {
    await servePublic(deps, exchange, media);
    return;
  }
  const { caller, message } = await signIn(deps, given, clientAddress(request), ({ tenantId }) => {
    noteForLog(response, { tenantId });
    const room = deps.bodyBudget.enter(tenantId);
    return readRequest(exchange, media, { room, maxBytes: deps.maxBodyBytes });
  });
  const { version, operation, call } = message;
  noteForLog(response, { route: `SOAP ${operation.name}` });
  await deps.requestLimit.count(caller);
  if (operation.name === 'getZoneInfo') {
    await answerZone(deps, exchange, message);
    return;
  }
  const { tenantId } = caller;
  const { isRead, run } = deps.operations[operation.name];
  deps.unsentAnswers.admit(tenantId);
  const rest = deps.endpoints.callsOf({
    caller,
    hostUrl: hostUrl(request, deps.allowedHosts),
    traceParent: traceParentOf(request, response),
  });
  const sentencesOf = (error: unknown) => deps.failureAnswer(error, response).body.errors;
  const result = responseNode(call.name, ...(await run({ caller, rest, element: call, sentencesOf })));
  const parts = envelope(version, result);
  deps.unsentAnswers.send(response, xmlAnswer(version, parts), { tenantId, mayRefuse: isRead });
}

/** What comes without credentials may ask for a zone; all else has to sign in, and is told so before it is read. */
async function servePublic(deps: Serving, exchange: Exchange, media: MediaType): Promise<void> {
  // Clients that wait to be asked may keep their body until then.
  if (!hasBody(exchange.request.headers)) throw Problem.unauthorized(NEEDED);
  const room = deps.strangersBudget.enter(clientAddress(exchange.request));
  let message: SoapMessage;
  try {
    message = await readRequest(exchange, media, { room, maxBytes: MAX_PUBLIC_BYTES });
  } catch (error) {
    if (error instanceof Problem && error.kind === 'tooLarge') throw Problem.unauthorized(NEEDED);
    throw error;
  }
  if (message.operation.needsCredentials) throw Problem.unauthorized(NEEDED);
  await answerZone(deps, exchange, message);
}

async function answerZone(deps: ServeSoapDeps, { request, response }: Exchange, message: SoapMessage): Promise<void> {
  noteForLog(response, { route: 'SOAP getZoneInfo' });
  const caller = { address: clientAddress(request), hostUrl: hostUrl(request, deps.allowedHosts) };
  const { version, call } = message;
  const result = responseNode(call.name, ...(await zoneInfo(deps, call, caller)));
  send(response, xmlAnswer(version, envelope(version, result)));
}

async function readRequest(
  exchange: Exchange,
  { charset, action }: MediaType,
  { room, maxBytes }: { readonly room: Room; readonly maxBytes: number },
): Promise<SoapMessage> {
  const { request } = exchange;
  if (!hasBody(request.headers)) throw new SoapFault('caller', 'The request has no body.');
  refuseTooLarge(request.headers, maxBytes);
  refuseCoding(request.headers);
  exchange.room = room;
  const bytes = await readBytes(request, maxBytes, room);
  const text = decodeXml(bytes, charset);
  // A message of short elements needs more room than its bytes tell.
  room.take(Math.max(0, countTags(text) * BYTES_PER_TAG - bytes.length));
  const root = parseXml(text, 'The body');
  exchange.version = versionOf(root) ?? exchange.version;
  return readMessage(root, action);
}

/** How many tags, or what looks like one; those beyond what is read at all do not count. */
function countTags(text: string): number {
  let tags = 0;
  for (let at = text.indexOf('<'); at !== -1 && tags < MAX_TAGS; at = text.indexOf('<', at + 1)) tags += 1;
  return tags;
}

function xmlAnswer({ mediaType }: SoapVersion, parts: Iterable<string>) {
  return { status: 200, body: undefined, parts, headers: { 'Content-Type': `${mediaType}; charset=utf-8` } };
}
