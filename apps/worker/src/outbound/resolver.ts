import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isLocalhost } from '@callout/core';
import type { Resolve } from './guard.ts';

export interface ResolverOptions {
  /** Name servers (`address` or `address:port`) in place of the system's. */
  readonly servers?: readonly string[];
  /** Names known without asking. Read once. */
  readonly hostsFile?: string;
  /** Upper bound of the time an answer is kept, whatever its TTL says. */
  readonly maxCachedMs?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

interface Answer {
  readonly addresses: readonly string[];
  readonly untilMs: number;
}

/** How long one name server is waited for, and how often all are asked. */
const query = { timeout: 2_000, tries: 2 };
/** Names kept; beyond, the oldest is asked for again. */
const maxCachedNames = 10_000;

/**
 * Resolves host names by DNS (A and AAAA), not by the system's `getaddrinfo`: that one blocks one of four threads per
 * name, so that four names with slow name servers of a stranger's choice would stop every callout. Names of the hosts
 * file come first; search domains are not applied. Answers are kept for their TTL, 30 s at most, and a TTL of 0 not at
 * all; lookups of the same name under way at once are one. Rejects with an Error whose `code` is that of node:dns.
 */
export function createResolver(options: ResolverOptions = {}): Resolve {
  const { hostsFile = '/etc/hosts', maxCachedMs = 30_000, now = () => performance.now() } = options;
  const resolver = new Resolver(query);
  if (options.servers) resolver.setServers(options.servers);
  const hosts = readHosts(hostsFile);
  const cached = new Map<string, Answer>();
  const underWay = new Map<string, Promise<readonly string[]>>();

  async function ask(hostname: string): Promise<readonly string[]> {
    const askedAt = now();
    const ttl = { ttl: true } as const;
    const results = await Promise.allSettled([resolver.resolve4(hostname, ttl), resolver.resolve6(hostname, ttl)]);
    const records = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (records.length === 0) throw mostTelling(results);
    const addresses = records.map(({ address }) => address);
    const keptMs = Math.min(maxCachedMs, ...records.map(({ ttl: seconds }) => seconds * 1_000));
    if (keptMs > 0) keep(hostname, { addresses, untilMs: askedAt + keptMs });
    return addresses;
  }

  function keep(hostname: string, answer: Answer): void {
    cached.delete(hostname);
    cached.set(hostname, answer);
    const [oldest] = cached.keys();
    if (cached.size > maxCachedNames && oldest !== undefined) cached.delete(oldest);
  }

  return async (hostname) => {
    const known = hosts.get(hostname);
    if (known) return known;
    // Never asked of a name server. One address: where ::1 is shut, `localhost` would be refused because of it.
    if (isLocalhost(hostname)) return ['127.0.0.1'];
    const answer = cached.get(hostname);
    if (answer && answer.untilMs > now()) return answer.addresses;
    const lookup = underWay.get(hostname) ?? ask(hostname).finally(() => underWay.delete(hostname));
    underWay.set(hostname, lookup);
    return lookup;
  };
}

/** Of two failures the one that may pass: `no such name` for one family and a dead name server for the other is the latter. */
function mostTelling(results: readonly PromiseSettledResult<unknown>[]): Error {
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
  const passing = reasons.find((reason) => !['ENOTFOUND', 'ENODATA'].includes(String(Reflect.get(reason, 'code'))));
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
    if (Reflect.get(error as Error, 'code') === 'ENOENT') return '';
    throw error;
  }
}
