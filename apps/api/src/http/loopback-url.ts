import type { Request } from 'express';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Scheme, host and port that the caller used, when the host is this machine itself. Any other host of a request is only
 * what its sender wrote: an address made of it would send others where the sender likes.
 */
export function loopbackUrl(request: Request): string | undefined {
  const { host } = request;
  return LOOPBACK.test(host ?? '') ? `${request.protocol}://${host.toLowerCase()}` : undefined;
}
