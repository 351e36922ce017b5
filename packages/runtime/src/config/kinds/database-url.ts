import { key, UnreadableValue } from './key.ts';

/** `scheme://login@hosts/path?options`, with one host or several. */
const form = /^postgres(?:ql)?:\/\/(?:[^@/?#]*@)?([^@/?#]+)(?:\/[^?#]*)?(?:\?([^#]*))?$/;
/** The supported values of `target_session_attrs`: Callout writes. */
const writing: ReadonlySet<string> = new Set(['read-write', 'primary']);

/** Where PostgreSQL is. Only its form is checked here; the value stays text. */
export function databaseUrl() {
  return key<string>({
    description:
      'PostgreSQL 15 or newer; holds everything that must not be lost. TLS: `?sslmode=verify-full&sslrootcert=/path/ca.pem`, see [deploying.md](deploying.md#tls-to-postgresql). With several hosts, `postgres://…@one:5432,two:5432/callout?target_session_attrs=read-write`, the one that takes writes is used, see [failover.md](failover.md#several-hosts).',
    accepts: 'a postgres:// or postgresql:// URL with a host',
    howToSet:
      'Set it to a postgres:// or postgresql:// URL, for example postgres://callout:password@db.internal:5432/callout',
    isSecret: true,
    read: (text) => {
      const [whole, hosts = '', query = ''] = form.exec(text) ?? [];
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
