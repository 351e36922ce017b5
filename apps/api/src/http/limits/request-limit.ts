import { createRate, type MakeCounter } from './rate.ts';

/** A tenant, with the limit of the tenant: null: the installation's limit; 0: no limit. */
interface LimitedTenant {
  readonly tenantId: number;
  readonly apiRequestsPerHour: number | null;
}

export interface RequestUse {
  /** Requests per hour; 0 = no limit. */
  readonly perHour: number;
  /** How many of them are used; never more than `perHour`. */
  readonly used: number;
}

export interface RequestLimit {
  /** Counts a request. Throws a `Problem` (429) when the hour of the tenant is used up. */
  count(tenant: LimitedTenant): Promise<void>;
  /**
   * Counts the reads of the console's pages. Each resource has an hourly allowance, for all sessions together, beside
   * the tenant's limit; all resources together have three times as much. Further reads count like requests of programs:
   * a stolen cookie does not allow unlimited reading.
   */
  countReading(reader: LimitedTenant & { readonly resourceId: number }): Promise<void>;
  /** A tenant's hourly limit, and how much of the present hour is used. */
  useOf(tenant: LimitedTenant): Promise<RequestUse>;
}

const REQUEST_WINDOW_S = 3_600;
/** As many resources may use up their allowance for the console at the same time. */
const RESOURCES_AT_ONCE = 3;

interface RequestLimitOptions {
  /** The hourly limit of a tenant without a special limit; 0 = no limit. */
  readonly perHour: number;
  /** The additional hourly allowance of a resource for reading in the console; 0 = nothing. */
  readonly consoleReadsPerHour: number;
}

/**
 * Limits the requests of a tenant per hour, all credentials together. The hour begins with the first request that is
 * counted. A tenant without limit is not counted at all.
 */
export function createRequestLimit(
  makeCounter: MakeCounter,
  { perHour: installationPerHour, consoleReadsPerHour }: RequestLimitOptions,
): RequestLimit {
  const counter = makeCounter('api-requests', REQUEST_WINDOW_S);
  const consoleReads = makeCounter('console-reads', REQUEST_WINDOW_S);
  const rate = createRate(
    counter,
    (perHour, endsInS) =>
      `The limit of this tenant, ${perHour} requests per hour, is used up. Try again in ${endsInS} s, or ask the operator for more (API_REQUESTS_PER_HOUR).`,
  );
  const perHourOf = (tenant: LimitedTenant) => tenant.apiRequestsPerHour ?? installationPerHour;
  const keyOf = (tenant: LimitedTenant) => String(tenant.tenantId);
  async function count(tenant: LimitedTenant): Promise<void> {
    const perHour = perHourOf(tenant);
    if (perHour > 0) await rate(tenant.tenantId, perHour);
  }
  return {
    count,
    async countReading(reader) {
      const perHour = perHourOf(reader);
      if (perHour === 0) return;
      if (consoleReadsPerHour > 0) {
        const [ofResource, all] = await Promise.all([
          consoleReads.add(`${keyOf(reader)}:${reader.resourceId}`),
          consoleReads.add(keyOf(reader)),
        ]);
        if (ofResource.used <= consoleReadsPerHour && all.used <= RESOURCES_AT_ONCE * consoleReadsPerHour) return;
      }
      await count(reader);
    },
    async useOf(tenant) {
      const perHour = perHourOf(tenant);
      if (perHour === 0) return { perHour, used: 0 };
      return { perHour, used: Math.min(perHour, await counter.used(keyOf(tenant))) };
    },
  };
}
