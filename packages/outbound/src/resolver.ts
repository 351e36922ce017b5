import type { RecordWithTtl, ResolverOptions as ResolverSettings } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLocalhost } from '@callout/domain/target/target';
import { LRUCache } from 'lru-cache';
import type { Resolve } from './guard.ts';
import { namesToAsk, readSearchDomains } from './search-domains.ts';

export interface ResolverOptions {
  /** Name servers (`address` or `address:port`) in place of the system's. */
  readonly servers?: readonly string[];
  /** Names that are known without a query. Read once. */
  readonly hostsFile?: string;
  /**
   * Has the search domains; by default the file of the system, unless there are other name servers. Read once. Read
   * once.
   */
  readonly resolvConf?: string;
  /** Maximum number of cached addresses, of all names together. */
  readonly maxCachedAddresses?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** The timeout for one name server, and the number of rounds over all of them. */
const query = { timeout: 2_000, tries: 1 };
/**
 * The last round has longer timeouts, with a new resolver for the name: a used resolver derives its timeout from
 * earlier response times, a second at least, which is too short for a name that the server must first look up.
 */
const patientQuery = { timeout: 4_000, tries: 1 };
/** How long to wait for the second family when the first has answered: some name servers never answer AAAA. */
const otherFamilyMs = 2_000;
/** Upper bound of the time an answer is kept, whatever its TTL. */
const maxCachedMs = 30_000;
const maxCachedNames = 10_000;
/**
 * A stranger's name servers may return hundreds of addresses for each of thousands of names: a few megabytes at most.
 */
const defaultMaxAddresses = 50_000;

/**
 * Resolves host names by DNS (A and AAAA), not by the system's `getaddrinfo`, which blocks one of four threads per
 * name: four names with a stranger's slow name servers would stop every callout. Names of the hosts file come first,
 * then the domains of `search-domains.ts`. Answers are kept for their TTL, 30 s at most, and a TTL of 0 not at all;
 * concurrent lookups of a name share a query. Rejects with an Error whose `code` is a code of node:dns.
 */
export function createResolver(options: ResolverOptions = {}): Resolve {
  const { hostsFile = '/etc/hosts', now = () => performance.now() } = options;
  const { maxCachedAddresses = defaultMaxAddresses } = options;
  const resolver = makeResolver(query);
  const hosts = readHosts(hostsFile);
  const { resolvConf = options.servers === undefined ? '/etc/resolv.conf' : undefined } = options;
  const domains = resolvConf === undefined ? [] : readSearchDomains(readIfThere(resolvConf));
  // Without resolution, ages are computed from `now` at each access.
  const cached = new LRUCache<string, readonly string[]>({
    max: maxCachedNames,
    maxSize: maxCachedAddresses,
    sizeCalculation: (addresses) => addresses.length,
    perf: { now },
    ttlResolution: 0,
  });
  const underWay = new Map<string, Promise<readonly string[]>>();

  function makeResolver(patience: ResolverSettings): Resolver {
    const resolver = new Resolver(patience);
    if (options.servers) resolver.setServers(options.servers);
    return resolver;
  }

  function askPatiently(name: string): Promise<RecordWithTtl[]> {
    return askBothFamilies(resolver, name).catch((error: unknown) => {
      if (codeOf(error) !== 'ETIMEOUT') throw error;
      return askBothFamilies(makeResolver(patientQuery), name);
    });
  }

  /** The records of the first name that has any. @throws the failure of the host name itself when none has. */
  async function askInDomains(hostname: string): Promise<RecordWithTtl[]> {
    let failure: unknown;
    for (const name of namesToAsk(hostname, domains)) {
      try {
        return await askPatiently(name);
      } catch (error) {
        // Only an answer leads to the next name: what is down for a moment must not send a callout elsewhere.
        if (!isAbsent(error)) throw error;
        if (name === hostname) failure = error;
      }
    }
    throw failure;
  }

  async function ask(hostname: string): Promise<readonly string[]> {
    const askedAt = now();
    const records = await askInDomains(hostname);
    const addresses = records.map(({ address }) => address);
    const keptMs = Math.min(maxCachedMs, ...records.map(({ ttl: seconds }) => seconds * 1_000));
    if (keptMs > 0) cached.set(hostname, addresses, { ttl: keptMs, start: askedAt });
    return addresses;
  }

  return async (hostname) => {
    const addresses = hosts.get(hostname);
    if (addresses) return addresses;
    // Never resolved by a name server. One address: where nothing listens on ::1, `localhost` would be refused because
    // of ::1.
    if (isLocalhost(hostname)) return ['127.0.0.1'];
    const answer = cached.get(hostname);
    if (answer) return answer;
    const lookup = underWay.get(hostname) ?? ask(hostname).finally(() => underWay.delete(hostname));
    underWay.set(hostname, lookup);
    return lookup;
  };
}

/** @throws the more informative of the two failures when neither family has an address. */
async function askBothFamilies(resolver: Resolver, hostname: string): Promise<RecordWithTtl[]> {
  const ttl = { ttl: true } as const;
  const results = await settledSoon([resolver.resolve4(hostname, ttl), resolver.resolve6(hostname, ttl)]);
  const records = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (records.length === 0) throw moreInformative(results);
  return records;
}

function codeOf(error: unknown): string {
  return String(Reflect.get(error as Error, 'code'));
}

/** Whether the name servers know that the name does not exist, or has no address. */
function isAbsent(error: unknown): boolean {
  return ['ENOTFOUND', 'ENODATA'].includes(codeOf(error));
}

/** Waits for both families; after the addresses of one family, only a little longer for the other. */
async function settledSoon<T>(families: readonly Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
  const results: PromiseSettledResult<T>[] = [];
  const all = Promise.all(
    families.map(async (family) => {
      const [result] = await Promise.allSettled([family]);
      results.push(result);
    }),
  );
  const first = await Promise.any(families).catch(() => undefined);
  if (first === undefined) await all;
  else {
    const patience = new AbortController();
    await Promise.race([all, sleep(otherFamilyMs, undefined, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
  }
  return results;
}

/**
 * Of two failures the temporary failure: with `no such name` for one family and a dead name server for the other, the
 * latter.
 */
function moreInformative(results: readonly PromiseSettledResult<unknown>[]): Error {
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
  const passing = reasons.find((reason) => !isAbsent(reason));
  return passing ?? reasons[0] ?? Object.assign(new Error('The answer holds no address'), { code: 'ENODATA' });
}

function readHosts(path: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of readIfThere(path).split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/u, '').trim().split(/\s+/u);
    for (const name of names) {
      const key = name.toLowerCase();
      if (!isLocalhost(key)) hosts.set(key, [...(hosts.get(key) ?? []), address]);
    }
  }
  return hosts;
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
