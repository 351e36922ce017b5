import { key, UnreadableValue, listOf } from './key.ts';

/** `scheme://login@hosts/path?options`, with one host or several. */
const POSTGRES = /^postgres(?:ql)?:\/\/(?:[^@/?#]*@)?([^@/?#]+)(?:\/[^?#]*)?(?:\?([^#]*))?$/;
/** The supported values of `target_session_attrs`: Callout writes. */
const writing: ReadonlySet<string> = new Set(['read-write', 'primary']);

/** Where PostgreSQL is. Only its form is checked here; the value stays text. */
export function databaseUrl() {
  return key<string>({
    description:
      'PostgreSQL 15 or newer, which holds everything that must not be lost. See [TLS](deploying.md#tls-to-postgresql) and [several hosts](failover.md#several-hosts); `?schema=` names the [schema](deploying.md#what-each-process-needs).',
    accepts: 'a postgres:// or postgresql:// URL with a host',
    howToSet:
      'Set it to a postgres:// or postgresql:// URL, for example postgres://callout:password@db.internal:5432/callout',
    isSecret: true,
    read: (text) => {
      const [whole, hosts = '', query = ''] = POSTGRES.exec(text) ?? [];
      if (whole === undefined) throw new UnreadableValue();
      for (const host of hosts.split(',')) {
        if (!URL.canParse(`postgres://${host}/`) || new URL(`postgres://${host}/`).hostname === '') {
          throw new UnreadableValue(hosts.includes(',') ? 'one of its hosts is none' : undefined);
        }
      }
      const attributes = new URLSearchParams(query).get('target_session_attrs');
      if (attributes !== null && !writing.has(attributes)) {
        throw new UnreadableValue('target_session_attrs must be read-write or primary');
      }
      return text;
    },
  });
}

/** `scheme://login@hosts/path?options`, with one host or, for Sentinels and a Cluster, several. */
const REDIS = /^rediss?(\+sentinel|\+cluster)?:\/\/(?:[^@/?#]*@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?[^#]*)?$/;

/** Where Redis is. Only its form is checked here; the value stays text. */
export function redisUrl() {
  return key<string>({
    description:
      'Redis 6.2, Valkey 7.2 or newer with `maxmemory-policy noeviction`; may be emptied. [deploying.md](deploying.md#redis) has the forms for TLS, Sentinels and Clusters.',
    accepts: 'a redis:// or rediss:// URL with a host',
    howToSet: 'Set it to a redis:// or rediss:// URL, for example redis://redis.internal:6379',
    isSecret: true,
    read: (text) => {
      const [whole, mode, hosts = '', path = ''] = REDIS.exec(text) ?? [];
      if (whole === undefined) throw new UnreadableValue();
      if (mode === undefined && hosts.includes(',')) {
        throw new UnreadableValue('several hosts need redis+sentinel:// or redis+cluster://');
      }
      if (mode === '+sentinel' && path === '') {
        throw new UnreadableValue('redis+sentinel:// needs the name of the set as its path');
      }
      return text;
    },
  });
}

/** A host name or an address, an IPv6 address in brackets, with or without a port. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/** Where clients reach the API, for the addresses in its responses. */
export function publicUrl() {
  return key<string | undefined>({
    description:
      'URL under which clients reach the API, without `API_ROOT`, for next pages and mail. Without it, the URL of the zone is used.',
    accepts: 'an http: or https: URL without user, query or fragment, such as https://callout.example.com',
    whenAbsent: undefined,
    read: readPageUrl,
  });
}

/** An http: or https: URL that paths can be added to: no user, query or fragment, and no slash at the end. */
export function readPageUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new UnreadableValue();
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) throw new UnreadableValue();
  return url.href.replace(/\/+$/, '');
}

/** Hosts of requests that are repeated in responses. */
export function allowedHosts() {
  return key<readonly string[]>({
    description:
      'Hosts of requests that may be used in URLs of answers, if neither PUBLIC_URL nor the zone has a URL. Without a port: any port. Loopback hosts are always allowed.',
    accepts: 'a comma-separated list of hosts such as callout.example.com or 10.0.0.7:8080',
    whenAbsent: [],
    read: (text) => listOf(HOST, 'host')(text.toLowerCase()),
  });
}
