import type { Request } from 'express';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/;

/**
 * Scheme, host and port that the caller used, when the host is this machine itself or among `allowedHosts` (in lower
 * case; one without a port allows any port). Any other host of a request is only what its sender wrote: an address made
 * of it would send others where the sender likes.
 */
export function hostUrl(
  request: Pick<Request, 'host' | 'protocol'>,
  allowedHosts: readonly string[],
): string | undefined {
  // A request without the header has no host, whatever its type says.
  const host = ((request.host as string | undefined) ?? '').toLowerCase();
  const isAllowed = allowedHosts.includes(host) || allowedHosts.includes(host.replace(/:\d{1,5}$/, ''));
  // What a proxy says of the scheme may be what the client told it.
  const scheme = request.protocol.toLowerCase() === 'https' ? 'https' : 'http';
  return isAllowed || LOOPBACK.test(host) ? `${scheme}://${host}` : undefined;
}
