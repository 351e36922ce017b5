import { callbackify } from 'node:util';
import { Client, type ClientConfig } from 'pg';
import { withExactTls } from '../exact-tls.ts';
import { hostUrls } from './host-urls.ts';
import { type WritableHost, writableHostOf } from './writable-host.ts';

/** What a server tells of itself when a connection begins, since PostgreSQL 14; a pooler may not pass it on. */
interface ServerParameter {
  readonly parameterName?: string;
  readonly parameterValue?: string;
}

/** What pg has, and its types do not. */
interface Wired {
  readonly connection: { on(event: 'parameterStatus', listener: (message: ServerParameter) => void): void };
  getStartupConf(): Readonly<Record<string, string>>;
}

/**
 * How times are written, whatever server, database and user are set to: Prisma's adapter writes and reads them without
 * their zone, as UTC, and pg reads none but ISO. Told as a connection begins, they also hold in each session that a pooler
 * lends.
 */
const timesAsUtc = { DateStyle: 'ISO', TimeZone: 'UTC' };

const readOnlyParameters: ReadonlySet<unknown> = new Set(['in_hot_standby', 'default_transaction_read_only']);

/**
 * A connection of pg whose URL may name several hosts: it goes to the one that takes writes. With one host, and without
 * `target_session_attrs`, it is pg's own. What the URL says of TLS is meant as `withExactTls` says.
 */
export class DatabaseClient extends Client {
  readonly #hosts: WritableHost | undefined;
  #isReadOnly = false;

  constructor(config: ClientConfig & { connectionString: string }) {
    const { urls, mustTakeWrites } = hostUrls(withExactTls(config.connectionString));
    super({ ...config, connectionString: urls[0] });
    this.#hosts = mustTakeWrites ? writableHostOf(urls) : undefined;
    const wired = this as unknown as Wired;
    const startup = wired.getStartupConf.bind(this);
    wired.getStartupConf = () => ({ ...startup(), ...timesAsUtc });
  }

  /** As pg's own. @throws Error also when no host takes writes now, with the code of a read-only server. */
  override connect(): Promise<DatabaseClient>;
  override connect(callback: (error: Error | null, client: DatabaseClient) => void): void;
  override connect(callback?: (error: Error | null, client: DatabaseClient) => void): Promise<DatabaseClient> | void {
    // Synchronously: between its callback and its owner's listener an error would end the process.
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
