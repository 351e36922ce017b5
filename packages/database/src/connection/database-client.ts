import { callbackify } from 'node:util';
import { Client, type ClientConfig } from 'pg';
import { withExactTls, hostUrls } from './host-urls.ts';
import { type WritableHost, writableHostOf } from './writable-host.ts';

/** Parameters that a server reports when a connection begins, since PostgreSQL 14; a pooler may drop them. */
interface ServerParameter {
  readonly parameterName?: string;
  readonly parameterValue?: string;
}

/** Members of pg's client that the types of pg lack. */
interface Wired {
  readonly connection: { on(event: 'parameterStatus', listener: (message: ServerParameter) => void): void };
  getStartupConf(): Readonly<Record<string, string>>;
}

/**
 * The format of times, whatever the settings of server, database and user: Prisma's adapter writes and reads them
 * without their zone, as UTC, and pg reads only ISO. Parameters of the start of a connection also apply to each session
 * that a pooler lends.
 */
const timesAsUtc = { DateStyle: 'ISO', TimeZone: 'UTC' };

const readOnlyParameters: ReadonlySet<unknown> = new Set(['in_hot_standby', 'default_transaction_read_only']);

/**
 * A connection of pg whose URL may contain several hosts: the client connects to the writable host. With one host, and
 * without `target_session_attrs`, the behaviour is pg's. The TLS mode of the URL is that of `withExactTls`.
 */
export class DatabaseClient extends Client {
  readonly #hosts: WritableHost | undefined;
  #isReadOnly = false;

  /** @param config `connectWithinMs`: the time for connecting, where a pool calls its own wait `connectionTimeoutMillis`. */
  constructor(config: ClientConfig & { connectionString: string; connectWithinMs?: number }) {
    const { urls, mustBeWritable } = hostUrls(withExactTls(config.connectionString));
    const { connectWithinMs } = config;
    const limit = connectWithinMs === undefined ? {} : { connectionTimeoutMillis: connectWithinMs };
    super({ ...config, connectionString: urls[0], ...limit });
    this.#hosts = mustBeWritable ? writableHostOf(urls) : undefined;
    const wired = this as unknown as Wired;
    const startup = wired.getStartupConf.bind(this);
    wired.getStartupConf = () => ({ ...startup(), ...timesAsUtc });
  }

  /** As pg's own. @throws Error also when no host is writable now, with the code of a read-only server. */
  override connect(): Promise<DatabaseClient>;
  override connect(callback: (error: Error | null, client: DatabaseClient) => void): void;
  override connect(callback?: (error: Error | null, client: DatabaseClient) => void): Promise<DatabaseClient> | void {
    // Synchronously: between callback and listener of the owner, an error would end the process.
    if (this.#hosts === undefined) return super.connect(callback as () => void);
    const connected = this.#connectTo(this.#hosts);
    if (callback === undefined) return connected;
    callbackify(() => connected)(callback);
  }

  async #connectTo(hosts: WritableHost): Promise<this> {
    const url = await hosts.find();
    const { host, port } = new Client({ connectionString: url });
    Object.assign(this, { host, port });
    (this as unknown as Wired).connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (readOnlyParameters.has(parameterName)) this.#isReadOnly ||= parameterValue === 'on';
    });
    this.on('error', () => hosts.forget(url));
    try {
      await super.connect();
    } catch (error) {
      hosts.forget(url);
      throw error;
    }
    if (!this.#isReadOnly) return this;
    hosts.forget(url);
    await this.end();
    throw Object.assign(new Error(`${host} has become read-only`), { code: '25006' });
  }
}
