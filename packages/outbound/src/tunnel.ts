import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { OutboundProxy } from '@callout/runtime/config/settings/outbound';
import type { Route } from './guard.ts';

/** The proxy made no connection. */
export class TunnelFailure extends Error {
  /** `unavailable`: the proxy cannot be used at all; `refused`: the proxy did not reach the target. */
  readonly kind: 'unavailable' | 'refused';

  constructor(kind: TunnelFailure['kind'], detail: string) {
    super(detail);
    this.kind = kind;
  }
}

/**
 * Asks a proxy for a connection to one of the judged addresses of a host (CONNECT, RFC 9110, 9.3.6), one after the
 * other, since the proxy may reach IPv4 alone. By address and not by host, which the proxy could resolve to something
 * else. Ends within `timeoutMs`.
 */
export async function openTunnel(
  proxy: OutboundProxy & { readonly timeoutMs: number },
  { addresses, port }: Pick<Route, 'addresses' | 'port'>,
): Promise<Socket> {
  const signal = AbortSignal.timeout(proxy.timeoutMs);
  let failure: Error | undefined;
  for (const address of addresses) {
    try {
      return await tunnelTo(proxy, { address, port }, signal);
    } catch (error) {
      if (!(error instanceof TunnelFailure) || error.kind === 'unavailable') throw error;
      failure ??= error;
    }
  }
  throw failure ?? new Error('A tunnel needs an address');
}

function tunnelTo(
  proxy: OutboundProxy,
  { address, port }: { readonly address: string; readonly port: number },
  signal: AbortSignal,
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
    signal,
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
