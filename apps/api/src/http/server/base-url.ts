import type { Call } from '../route/endpoint.ts';

/** The beginning of addresses in responses: scheme, host and port, and the path of PUBLIC_URL if it has one. */
export type FindBaseUrl = (call: Pick<Call, 'caller' | 'hostUrl'>) => Promise<string>;

interface BaseUrlDeps {
  /** PUBLIC_URL, without a slash at the end. */
  readonly publicUrl: string | undefined;
  /** Empty or undefined when the zone of the tenant has none. */
  readonly zoneUrlOf: (tenantId: number) => Promise<string | undefined>;
}

/**
 * The address of the installation, else of the tenant's zone, else the trusted one of the request, else none: then an
 * address is a path only, which is valid where the caller is.
 */
export function createBaseUrl({ publicUrl, zoneUrlOf }: BaseUrlDeps): FindBaseUrl {
  return async ({ caller, hostUrl }) => {
    if (publicUrl !== undefined) return publicUrl;
    const zoneUrl = (await zoneUrlOf(caller.tenantId)) ?? '';
    return zoneUrl === '' ? (hostUrl ?? '') : zoneUrl;
  };
}
