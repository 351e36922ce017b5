import { request as httpRequest, type ClientRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { TlsMaterial } from '@callout/domain/receiver/tls-material';
import { UnacceptableResponse } from './received-bytes.ts';
import type { OutboundAgent, RoutedOptions } from './agent.ts';
import type { Route } from '../target/route.ts';

export interface OutboundRequest {
  readonly url: string;
  /** Sent in the given spelling. Host and Content-Length are set here and take precedence. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Absent: the public authorities, and no client certificate. */
  readonly tls?: TlsMaterial | undefined;
  /** A shorter time limit than that of all requests, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** Of status line and headers together; Node's own default, explicit because it is documented. */
const maxHeaderBytes = 16_384;
/** Responses with a status of 1xx before the final one; one or two are usual. */
const maxInterimAnswers = 20;

/** Opens a POST over a judged route. Throws on a header that HTTP does not allow. The body is written by got. */
export function openRequest(
  agent: OutboundAgent,
  url: URL,
  route: Route,
  { headers, body }: OutboundRequest,
): ClientRequest {
  const options: RoutedOptions = {
    agent,
    route,
    protocol: url.protocol,
    hostname: route.hostname,
    port: route.port,
    servername: route.servername,
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers,
    maxHeaderSize: maxHeaderBytes,
  };
  const native = route.isSecure ? httpsRequest(options) : httpRequest(options);
  native.setHeader('Host', url.host);
  native.setHeader('Content-Length', body.length);
  let interimAnswers = 0;
  native.on('information', () => {
    interimAnswers += 1;
    if (interimAnswers <= maxInterimAnswers) return;
    native.destroy(new UnacceptableResponse('interimAnswers'));
  });
  return native;
}
