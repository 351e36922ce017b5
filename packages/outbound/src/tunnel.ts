import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { OutboundProxy } from '@callout/runtime/config/settings/outbound';

/** The proxy made no connection. */
export class TunnelFailure extends Error {
  /** `unavailable`: the proxy cannot be used at all; `refused`: it did not reach this one target. */
  readonly kind: 'unavailable' | 'refused';

  constructor(kind: TunnelFailure['kind'], detail: string) {
    super(detail);
    this.kind = kind;
  }
}

/**
 * Asks a proxy for a connection to a judged address (CONNECT, RFC 9110, 9.3.6). It is named by its address and not by
 * its host, which the proxy could resolve to something else. Ends within `timeoutMs`.
 */
export function openTunnel(
  proxy: OutboundProxy,
  { address, port, timeoutMs }: { readonly address: string; readonly port: number; readonly timeoutMs: number },
): Promise<Socket> {
  const authority = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  const request = (proxy.isSecure ? httpsRequest : httpRequest)({
    host: proxy.hostname,
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    headers: {
      Host: authority,
      ...(proxy.authorization !== undefined && { 'Proxy-Authorization': proxy.authorization }),
    },
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
  });
  return new Promise((resolve, reject) => {
    request.once('error', (error) => reject(new TunnelFailure('unavailable', codeOf(error))));
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      if (statusCode >= 200 && statusCode <= 299) {
        // The receiver may speak first; what came with the answer belongs to it.
        if (head.length > 0) socket.unshift(head);
        return resolve(socket);
      }
      socket.destroy();
      reject(new TunnelFailure(statusCode === 407 ? 'unavailable' : 'refused', `it answered ${statusCode}`));
    });
    request.end();
  });
}

/** Its code only: messages name the address of the proxy. */
function codeOf(error: Error): string {
  const code: unknown = Reflect.get(error, 'code');
  return error.name === 'AbortError' ? 'it did not answer in time' : typeof code === 'string' ? code : error.name;
}
