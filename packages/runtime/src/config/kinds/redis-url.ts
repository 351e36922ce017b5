import { key, UnreadableValue } from './key.ts';

/** `scheme://login@hosts/path?options`, with one host or, for Sentinels and a Cluster, several. */
const form = /^rediss?(\+sentinel|\+cluster)?:\/\/(?:[^@/?#]*@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?[^#]*)?$/;

/** Where Redis is. Only its form is checked here; the value stays text. */
export function redisUrl() {
  return key<string>({
    description:
      'Redis 6.2, Valkey 7.2 or newer with `maxmemory-policy noeviction`; tells workers what to do next, may be emptied. `rediss` is TLS. Sentinels: `redis+sentinel://host:26379,host:26379/name-of-the-set`; a Cluster: `redis+cluster://host,host`; [deploying.md](deploying.md#redis) lists the options.',
    accepts: 'a redis:// or rediss:// URL with a host',
    howToSet: 'Set it to a redis:// or rediss:// URL, for example redis://redis.internal:6379',
    isSecret: true,
    read: (text) => {
      const [whole, mode, hosts = '', path = ''] = form.exec(text) ?? [];
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
