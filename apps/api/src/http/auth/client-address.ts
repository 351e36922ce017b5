import type { Request } from 'express';
import { clientNetwork } from '@callout/domain/input/client-network';

/**
 * The address of a client, by which failures and requests are counted. Behind a proxy in TRUST_PROXY the proxy reports
 * the address; a client's `X-Forwarded-For` is ignored.
 */
export function clientAddress(request: Request): string {
  return clientNetwork(request.ip ?? '') ?? clientNetwork(request.socket.remoteAddress ?? '') ?? 'unknown';
}
