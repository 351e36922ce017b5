import type { Request } from 'express';
import type { Call } from '../route/endpoint.ts';

/** The beginning of addresses in responses: scheme, host and port, and the path of PUBLIC_URL, if any. */
export type FindBaseUrl = (call: Pick<Call, 'caller' | 'hostUrl'>) => Promise<string>;

interface BaseUrlDeps {
  /** PUBLIC_URL, without a slash at the end. */
  readonly publicUrl: string | undefined;
  /** Empty or undefined when the zone of the tenant has no address. */
  readonly zoneUrlOf: (tenantId: number) => Promise<string | undefined>;
}

/**
 * The address of the installation, else of the tenant's zone, else the trusted address of the request. Without them an
 * address is a path only, which is valid where the caller is.
 */
export function createBaseUrl({ publicUrl, zoneUrlOf }: BaseUrlDeps): FindBaseUrl {
  return async ({ caller, hostUrl }) => {
    if (publicUrl !== undefined) return publicUrl;
    const zoneUrl = (await zoneUrlOf(caller.tenantId)) ?? '';
    return zoneUrl === '' ? (hostUrl ?? '') : zoneUrl;
  };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/;

/**
 * Scheme, host and port of the request, when the host is the machine itself or among `allowedHosts` (in lower case; a
 * name without a port allows any port). Any further host is only the sender's claim: an address with the claimed host
 * could lead readers anywhere.
 */
export function hostUrl(
  request: Pick<Request, 'host' | 'protocol'>,
  allowedHosts: readonly string[],
): string | undefined {
  // A request without the header has no host, in spite of the type.
  const host = ((request.host as string | undefined) ?? '').toLowerCase();
  const isAllowed = allowedHosts.includes(host) || allowedHosts.includes(host.replace(/:\d{1,5}$/, ''));
  // The scheme from a proxy may come from the client.
  const scheme = request.protocol.toLowerCase() === 'https' ? 'https' : 'http';
  return isAllowed || LOOPBACK.test(host) ? `${scheme}://${host}` : undefined;
}
