import { PrismaPg } from '@prisma/adapter-pg';
import { type Pool, types as pgTypes, type ClientBase, type CustomTypesConfig, type PoolConfig } from 'pg';
import { DatabaseClient } from './database-client.ts';
import { KeepingPool } from './keeping-pool.ts';
import { lendBounds, lendPlanSettings, lentClient } from './lent-client.ts';
import { schemaOf, sessionsOf } from './find-sessions.ts';
import { applyBounds, longWork, type Settings, shortWork } from './time-bounds.ts';
import { holdTenant } from './transaction/served-tenant.ts';
import { PrismaClient } from '../generated/client.ts';
import { applyModelSettings, applyPlanSettings, planLimits } from './statement/plan-settings.ts';
import { joinPrisma, JoinablePool, type SharedTransaction } from './transaction/shared-transaction.ts';
import { inTransaction } from './transaction/transaction.ts';
import { createWriteWatch } from './transaction/write-watch.ts';

/** Runs statements: the pool, or the one connection of a transaction. */
export type Client = Pool | ClientBase;
/** The one connection of a transaction. */
export type Transaction = ClientBase;

export interface Database {
  /** For reads and writes of sets: ingest, match, claim, settle, sweep. */
  pool: Pool;
  /**
   * For everything else: webhooks and their children, tenants, credentials. On connections apart from the pool of sets.
   */
  prisma: PrismaClient;
  /**
   * Changes what a tenant has set up, in one transaction of Prisma's models and named statements, on a connection for
   * changes alone. Null: the change is not about a tenant. `work` must not begin another transaction, which would wait
   * for a connection while holding one.
   * @throws a Problem `unavailable` while the tenant is being moved to another zone; the error of `work`, after rolling
   * back.
   */
  readonly transaction: <T>(
    tenantId: number | null,
    work: (transaction: SharedTransaction) => Promise<T>,
  ) => Promise<T>;
  /** The connections of `transaction`, which reads, events and searches never use, however many there are. */
  readonly changePool: Pool;
  /** Why nothing can be written there now, as a sentence; empty when writing works. For probes, every few seconds. */
  writeProblems(): Promise<string[]>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** May contain several hosts, and require TLS; see `DatabaseClient`. */
  url: string;
  /**
   * Maximum number of connections for sets, and the same again for models and changes together, which a process without
   * models never opens.
   */
  poolSize: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Called with errors of idle connections. */
  onError: (error: Error) => void;
}

const leastServerVersion = 150_000;
const int8 = 20;

/** bigint columns contain ids and counters, all below 2^53: numbers, not strings. The rest is read as pg does. */
const types: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : pgTypes.getTypeParser(oid, format)) as CustomTypesConfig['getTypeParser'],
};

/** A server that vanishes sends nothing: without a limit, a connection would wait for ever. */
const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/**
 * Packets to a server that vanishes are repeated for a quarter of an hour, during which the process would look healthy.
 * No statement of Callout takes nearly this long. Longer than PostgreSQL's own bounds (`shortWork`): only PostgreSQL
 * also ends the work of the server and frees the connection.
 */
const goneServer = { ...keptAlive, query_timeout: 20_000 };

/**
 * The longest wait for a connection that other work uses. With the longest transaction after the wait (25 s), a request
 * has a response within a minute, the patience of common load balancers.
 */
const mostWaitMs = 20_000;

/**
 * The longest that a new connection may take: a busy machine needs seconds to begin a process and to check a password.
 * Shorter than the wait, since a server that has vanished answers nothing.
 */
const connectWithinMs = 10_000;

/** Of the connections for models, the part for changes. A change takes milliseconds, and people make few of them. */
const CHANGES_SHARE = 0.3;

/**
 * Longer than the time between two maintenance tasks, which run every 5, 10 or 30 seconds. After pg's 10 s a process
 * with little work would often close connections just before the next task, and a new connection costs a process of the
 * server, a login, and planning each statement again.
 */
const unusedConnectionMs = 60_000;

/**
 * Prepares each new connection. The pool waits for the preparation, although the type has no promise, and drops a
 * connection when the preparation fails.
 */
const preparing = (...steps: readonly ((client: ClientBase) => Promise<void>)[]) => {
  const onConnect = async (client: ClientBase) => void (await Promise.all(steps.map((step) => step(client))));
  return { onConnect: onConnect as (client: ClientBase) => void };
};

const bounding = (url: string, bounds: Settings) => (client: ClientBase) => {
  const settings = { ...bounds, ...planLimits, ...schemaOf(url).settings };
  return sessionsOf(url).areOwn ? applyBounds(client, settings) : lendBounds(client, settings);
};

/** How connections are opened, according to the hosts and the sessions of the database. */
function connectingTo(url: string): Pick<PoolConfig, 'connectionString' | 'Client'> {
  const sessions = sessionsOf(url);
  const type = sessions.areOwn ? DatabaseClient : lentClient(sessions);
  // The pool passes options to the constructor, which the type does not show.
  return { connectionString: url, Client: type as unknown as new () => ClientBase };
}

/** Opens the pools to PostgreSQL, for the sessions that `findSessions` found. Connects on first use. */
export function openDatabase({ url, poolSize, applicationName, onError }: DatabaseOptions): Database {
  const changes = Math.max(1, Math.floor(poolSize * CHANGES_SHARE));
  const settings = {
    application_name: applicationName,
    connectionTimeoutMillis: mostWaitMs,
    connectWithinMs,
    idleTimeoutMillis: unusedConnectionMs,
    ...goneServer,
    ...connectingTo(url),
  };
  const { areOwn } = sessionsOf(url);
  const bound = bounding(url, shortWork);
  const forSets = preparing(areOwn ? applyPlanSettings : lendPlanSettings, bound);
  const forModels = areOwn ? preparing(applyModelSettings, bound) : preparing(bound);
  // Statements not awaited one by one are pipelined: one round trip for all of them.
  const all = { ...settings, types, pipeline: true };
  const pool = hear(new KeepingPool({ ...all, ...forSets, max: poolSize }), onError);
  const modelPool = hear(new JoinablePool({ ...all, ...forModels, max: Math.max(1, poolSize - changes) }), onError);
  const changePool = hear(new KeepingPool({ ...all, ...forModels, max: changes }), onError);
  const prisma = new PrismaClient({
    adapter: new PrismaPg(modelPool, { schema: schemaOf(url).name }),
    // Its messages would contain the arguments of the call, and the log prints messages.
    errorFormat: 'minimal',
  });
  const watch = createWriteWatch();
  watch.hear(pool);
  watch.hear(modelPool);
  watch.hear(changePool);
  return {
    pool,
    prisma,
    changePool,
    transaction: (tenantId, work) =>
      inTransaction(changePool, async (connection) => {
        if (tenantId !== null) await holdTenant(connection, tenantId);
        return joinPrisma(prisma, connection, work);
      }),
    writeProblems: () => watch.problems(pool),
    async close() {
      await Promise.all([pool.end(), prisma.$disconnect()]);
      await Promise.all([modelPool.end(), changePool.end()]);
    },
  };
}

export interface SearchPoolOptions extends DatabaseOptions {
  /** A server without a response to a statement after so many milliseconds has vanished; absent: no limit. */
  answersWithinMs?: number;
}

/**
 * Opens connections for searches only: a scan occupies a connection for seconds, and nothing else should wait. Connects
 * on first use.
 */
export function openSearchPool({ url, poolSize, applicationName, onError, answersWithinMs }: SearchPoolOptions): Pool {
  const settings = {
    max: poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: mostWaitMs,
    connectWithinMs,
    ...keptAlive,
    ...(answersWithinMs !== undefined && { query_timeout: answersWithinMs }),
    types,
    ...preparing(bounding(url, longWork)),
    ...connectingTo(url),
  };
  return hear(new KeepingPool(settings), onError);
}

/** @param onError receives errors of idle connections. */
function hear<P extends Pool>(pool: P, onError: (error: Error) => void): P {
  pool.on('error', onError);
  // Between the pool and the listener of the owner, a connection has no listener, and an 'error' event without a
  // listener ends the process. The owner's first statement fails in any case.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * The server must be PostgreSQL 15 or newer, the database UTF8, and `array_nulls` on, without which a null in an array
 * is read as the text NULL.
 * @throws with a sentence about what there is and what is required.
 */
export async function checkServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string; encoding: string; arrayNulls: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name,
       current_setting('server_encoding') AS encoding, current_setting('array_nulls') AS "arrayNulls"`,
  );
  const [server] = rows;
  if (!server || server.number < leastServerVersion) {
    throw new Error(`PostgreSQL ${server?.name ?? '?'} is too old: Callout needs PostgreSQL 15 or newer`);
  }
  if (server.encoding !== 'UTF8') {
    throw new Error(
      `the encoding of the database is ${server.encoding}, and Callout needs UTF8: name a database that was made with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    );
  }
  if (server.arrayNulls !== 'on') {
    throw new Error(
      'array_nulls is off, and Callout needs its default: set it with ALTER DATABASE … SET array_nulls = on',
    );
  }
}
