import type { Call } from '../route/endpoint.ts';

/** What the addresses in answers begin with: scheme, host and port, and a path where PUBLIC_URL has one. */
export type FindBaseUrl = (call: Pick<Call, 'caller' | 'hostUrl'>) => Promise<string>;

interface BaseUrlDeps {
  /** PUBLIC_URL, without a slash at the end. */
  readonly publicUrl: string | undefined;
  /** Empty or undefined when the zone of the tenant has none. */
  readonly zoneUrlOf: (tenantId: number) => Promise<string | undefined>;
}

/**
 * The address that the installation has, else that of the tenant's zone, else the one that the caller used where that can
 * be believed, else none: then what follows is a path, which leads to where the caller is already.
 */
export function createBaseUrl({ publicUrl, zoneUrlOf }: BaseUrlDeps): FindBaseUrl {
  return async ({ caller, hostUrl }) => {
    if (publicUrl !== undefined) return publicUrl;
    const zoneUrl = (await zoneUrlOf(caller.tenantId)) ?? '';
    return zoneUrl === '' ? (hostUrl ?? '') : zoneUrl;
  };
}
