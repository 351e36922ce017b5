/** As many as every libc accepts: https://man7.org/linux/man-pages/man5/resolv.conf.5.html. */
const mostDomains = 6;

/** The search domains in the text of a `resolv.conf`: of the last `search` or `domain`, as the system reads it. */
export function readSearchDomains(resolvConf: string): readonly string[] {
  const lists = [...resolvConf.matchAll(/^(?:search|domain)[ \t]+(.+)$/gmu)];
  const words = lists.at(-1)?.[1]?.trim().split(/\s+/u) ?? [];
  return words
    .map((domain) => domain.toLowerCase().replaceAll(/^\.+|\.+$/gu, ''))
    .filter((domain) => domain !== '')
    .slice(0, mostDomains);
}

/**
 * The names to ask for, in order, until one of them has an address. As in the system, a name without a dot is looked
 * for in the search domains first, and a name with a dot at the end in no search domain.
 *
 * A name with a dot inside is asked for unchanged first, whatever `ndots` says. Where Kubernetes sets `ndots` to 5, the
 * system would ask for `hooks.example.com.default.svc.cluster.local` before each call, and a person who may make names
 * there could take over the callouts to a public name.
 */
export function namesToAsk(hostname: string, domains: readonly string[]): readonly string[] {
  if (hostname.endsWith('.')) return [hostname];
  const inDomains = domains.map((domain) => `${hostname}.${domain}`);
  return hostname.includes('.') ? [hostname, ...inDomains] : [...inDomains, hostname];
}
