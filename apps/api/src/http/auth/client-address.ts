import type { Request } from 'express';
import { clientNetwork } from '@callout/core/input';

/**
 * Where a request comes from, as failures and requests of one address are counted. Behind a proxy that TRUST_PROXY names
 * it is what the proxy says, as long as that is an address; a client's own `X-Forwarded-For` says nothing.
 */
export function clientAddress(request: Request): string {
  return clientNetwork(request.ip ?? '') ?? clientNetwork(request.socket.remoteAddress ?? '') ?? 'unknown';
}
