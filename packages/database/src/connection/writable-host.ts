import { Client } from 'pg';

/** The writable one of several hosts, for all connections of a process. */
export interface WritableHost {
  /**
   * The URL of the host; checks all hosts at the same time when the writable host is unknown.
   * @throws Error with the code of a read-only server when none is writable now.
   */
  find(): Promise<string>;
  /** Checks again next time, since a connection to the host was refused, broke, or turned out to be read-only. */
  forget(url: string): void;
}

/** The code of `read_only_sql_transaction`: a standby's error for a write. */
const READ_ONLY = '25006';

/** A silent server must not delay the result of another server, nor exceed the pool's connection timeout. */
const patienceMs = 2_500;

const hostsByUrls = new Map<string, WritableHost>();

/** @param urls of the hosts; the same list returns the same object, so a failover is noticed once per process. */
export function writableHostOf(urls: readonly string[]): WritableHost {
  const name = urls.join('\n');
  const one = hostsByUrls.get(name) ?? createWritableHost(urls);
  hostsByUrls.set(name, one);
  return one;
}

function createWritableHost(urls: readonly string[]): WritableHost {
  let search: Promise<string> | undefined;
  let last: string | undefined;
  const find = async (): Promise<string> => {
    try {
      last = await firstWritable(urls);
      return last;
    } catch (error) {
      search = undefined;
      throw error;
    }
  };
  return {
    find: () => (search ??= find()),
    forget(url) {
      if (url === last) search = undefined;
    },
  };
}

async function firstWritable(urls: readonly string[]): Promise<string> {
  try {
    return await Promise.any(urls.map(mustBeWritable));
  } catch (cause) {
    const reasons = cause instanceof AggregateError ? cause.errors.map((error) => String(error)) : [];
    const message = `no host of DATABASE_URL takes writes: ${reasons.join('; ')}`;
    throw Object.assign(new Error(message, { cause }), { code: READ_ONLY });
  }
}

async function mustBeWritable(url: string): Promise<string> {
  const limits = { connectionTimeoutMillis: patienceMs, query_timeout: patienceMs };
  const client = new Client({ connectionString: url, application_name: 'callout-host', ...limits });
  // The next statement on the broken connection fails, and reports the error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ isReadOnly: boolean }>(
      `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS "isReadOnly"`,
    );
    if (rows[0]?.isReadOnly === true)
      throw Object.assign(new Error(`${client.host} is read-only`), { code: READ_ONLY });
    return url;
  } finally {
    client.end().catch(() => undefined);
  }
}
