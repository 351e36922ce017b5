import type { Request } from 'express';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/;

/**
 * Scheme, host and port of the request, when the host is this machine itself or among `allowedHosts` (in lower case;
 * one without a port allows any port). Any other host is only the sender's claim: an address made from it could lead
 * others anywhere.
 */
export function hostUrl(
  request: Pick<Request, 'host' | 'protocol'>,
  allowedHosts: readonly string[],
): string | undefined {
  // A request without the header has no host, although its type has one.
  const host = ((request.host as string | undefined) ?? '').toLowerCase();
  const isAllowed = allowedHosts.includes(host) || allowedHosts.includes(host.replace(/:\d{1,5}$/, ''));
  // The scheme from a proxy may come from the client.
  const scheme = request.protocol.toLowerCase() === 'https' ? 'https' : 'http';
  return isAllowed || LOOPBACK.test(host) ? `${scheme}://${host}` : undefined;
}
