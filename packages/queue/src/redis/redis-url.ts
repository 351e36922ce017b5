import { readFileSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';

/** Where Redis is and how to log in, according to REDIS_URL. */
export interface RedisPlace {
  /** `single`: one server. `sentinel`: the servers named are Sentinels. `cluster`: some nodes of a Redis Cluster. */
  readonly mode: 'single' | 'sentinel' | 'cluster';
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly db: number;
  /** The Sentinels' name for the set of servers. */
  readonly name: string | undefined;
  readonly sentinelUsername: string | undefined;
  readonly sentinelPassword: string | undefined;
  /** Undefined: without TLS. */
  readonly tls: (SecureContextOptions & { readonly servername?: string }) | undefined;
}

const form = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const defaultPorts = { single: 6379, cluster: 6379, sentinel: 26_379 } as const;
const tlsFiles = { tlsCaFile: 'ca', tlsCertFile: 'cert', tlsKeyFile: 'key' } as const;
const optionNames = new Set([...Object.keys(tlsFiles), 'tlsServerName', 'db', 'sentinelUsername', 'sentinelPassword']);

/**
 * Reads `redis://host`, `redis+sentinel://host,host/name` or `redis+cluster://host,host`; `rediss` in place of `redis`
 * is TLS, with the files that `?tlsCaFile=`, `tlsCertFile` and `tlsKeyFile` name.
 * @throws Error with a sentence that never shows the URL, which may contain a password.
 */
export function readRedisUrl(url: string): RedisPlace {
  const [, scheme = '', mode = 'single', login = '', hosts = '', path = '', query = ''] = form.exec(url) ?? [];
  if (scheme === '' || !isMode(mode)) throw unreadable('it must be a redis:// or rediss:// URL');
  const options = new URLSearchParams(query);
  for (const name of options.keys()) if (!optionNames.has(name)) throw unreadable(`it has no option ${name}`);
  const nodes = hosts.split(',').map((host) => readNode(host, defaultPorts[mode]));
  if (mode === 'single' && nodes.length > 1)
    throw unreadable('several hosts need redis+sentinel:// or redis+cluster://');
  if (mode === 'sentinel' && path === '') throw unreadable('redis+sentinel:// needs the name of the set as its path');
  if (scheme === 'redis' && [...options.keys()].some((name) => name.startsWith('tls'))) {
    throw unreadable('the tls options need rediss://');
  }
  const [username = '', ...password] = login.split(':').map(decoded);
  return {
    mode,
    nodes,
    username: username || undefined,
    password: password.join(':') || undefined,
    db: readDb((mode === 'single' && path) || options.get('db') || '0'),
    name: mode === 'sentinel' ? decoded(path) : undefined,
    sentinelUsername: options.get('sentinelUsername') ?? undefined,
    sentinelPassword: options.get('sentinelPassword') ?? undefined,
    tls: scheme === 'rediss' ? readTls(options) : undefined,
  };
}

function isMode(text: string): text is RedisPlace['mode'] {
  return text in defaultPorts;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw unreadable('a % in its user, password or path must be written as %25');
  }
}

function readNode(text: string, defaultPort: number): { host: string; port: number } {
  const [, ipv6, name, port] = /^(?:\[([\da-f:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = ipv6 ?? name;
  if (host === undefined) throw unreadable('its hosts must be host or host:port, separated by commas');
  return { host, port: port === undefined ? defaultPort : Number(port) };
}

function readDb(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw unreadable('the database must be a number');
  return Number(text);
}

/** Read once, at start: new certificates need a restart, as a new password does. */
function readTls(options: URLSearchParams): RedisPlace['tls'] {
  const files = Object.entries(tlsFiles).flatMap(([option, name]) => {
    const file = options.get(option);
    return file === null ? [] : [[name, contentOf(option, file)] as const];
  });
  const servername = options.get('tlsServerName');
  return { ...Object.fromEntries(files), ...(servername === null ? {} : { servername }) };
}

function contentOf(option: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Error(`REDIS_URL cannot be used: the file ${file} of its ${option} cannot be read`, { cause });
  }
}

function unreadable(why: string): Error {
  return new Error(`REDIS_URL cannot be used: ${why}`);
}
