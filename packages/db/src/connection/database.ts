import { PrismaPg } from '@prisma/adapter-pg';
import {
  type Pool,
  types as pgTypes,
  type ClientBase,
  type CustomTypesConfig,
  type PoolClient,
  type PoolConfig,
} from 'pg';
import { isConnectionInDoubt } from './database-away.ts';
import { DatabaseClient } from './hosts/database-client.ts';
import { KeepingPool } from './keeping-pool.ts';
import { lendPlanSettings, lentClient } from './sessions/lent-client.ts';
import { sessionsOf } from './sessions/find-sessions.ts';
import { gatherWrites } from './transaction/gather-writes.ts';
import { beginLockOrder, endLockOrder } from './locks/lock-order.ts';
import { PrismaClient } from '../generated/client.ts';
import { applyModelSettings, applyPlanSettings } from './statement/plan-settings.ts';
import { joinPrisma, JoinablePool, type SharedTransaction } from './transaction/shared-transaction.ts';
import { beginTransactionTrace, endTransactionTrace } from './transaction/transaction-trace.ts';
import { createWriteWatch } from './transaction/write-watch.ts';

/** Anything that runs a statement: the pool, or the one connection of a transaction. */
export type Client = Pool | ClientBase;
/** The one connection of a transaction. */
export type Transaction = ClientBase;

export interface Database {
  /** For what is written and read in sets: intake, match, claim, settle, sweep. */
  pool: Pool;
  /** For everything else: webhooks and their children, tenants, credentials. It has connections of its own. */
  prisma: PrismaClient;
  /**
   * Runs work in one transaction that Prisma's models and named statements share, on a connection of Prisma's.
   * @throws what `work` throws, after rolling back.
   */
  readonly transaction: <T>(work: (transaction: SharedTransaction) => Promise<T>) => Promise<T>;
  /** Why nothing can be written there now, in words; empty when it can. For probes, every few seconds. */
  writeProblems(): Promise<string[]>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** May name several hosts, and ask for TLS: `DatabaseClient` says how. */
  url: string;
  /** Most connections for the sets, and as many again for Prisma, which a process that needs no models never opens. */
  poolSize: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Told of connections that break while idle. */
  onError: (error: Error) => void;
}

const leastServerVersion = 150_000;
const int8 = 20;

/** bigint columns hold ids and counters, all below 2^53: numbers, not strings. The rest is read as pg does. */
const types: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : pgTypes.getTypeParser(oid, format)) as CustomTypesConfig['getTypeParser'],
};

/**
 * A server that vanishes sends nothing: without these settings a statement would wait for ever, and its process would
 * look healthy. No statement of Callout takes anywhere near this long.
 */
const goneServer = { keepAlive: true, keepAliveInitialDelayMillis: 10_000, query_timeout: 20_000 };

/**
 * Longer than the time between two chores, which come together every 5, 10 or 30 seconds. After pg's 10 s a process with
 * little to do would close connections all the time just before it needs them again, and a new one costs a process of the
 * server, a sign-in, and planning each statement anew.
 */
const unusedConnectionMs = 60_000;

/** The pool waits for it, and hands out no connection for which it failed, although its type has no promise. */
const waitingFor = (work: (client: ClientBase) => Promise<void>) => work as (client: ClientBase) => void;

/** How connections to a database are made: by its hosts, and as its sessions need it. */
function connectingTo(url: string): Pick<PoolConfig, 'connectionString' | 'Client'> {
  const sessions = sessionsOf(url);
  const type = sessions.areOwn ? DatabaseClient : lentClient(sessions);
  // The pool makes each with its own options, which its type does not say.
  return { connectionString: url, Client: type as unknown as new () => ClientBase };
}

/** Opens both ways into PostgreSQL, as `findSessions` found it. Connects on first use. */
export function openDatabase({ url, poolSize, applicationName, onError }: DatabaseOptions): Database {
  const settings = {
    max: poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: unusedConnectionMs,
    ...goneServer,
    ...connectingTo(url),
  };
  const { areOwn } = sessionsOf(url);
  const onConnect = waitingFor(areOwn ? applyPlanSettings : lendPlanSettings);
  const forModels = areOwn ? { onConnect: waitingFor(applyModelSettings) } : {};
  // Statements that are not waited for one by one are sent behind each other: a round trip for all of them.
  const pool = hear(new KeepingPool({ ...settings, types, onConnect, pipeline: true }), onError);
  const modelPool = hear(new JoinablePool({ ...settings, ...forModels, types, pipeline: true }), onError);
  const prisma = new PrismaClient({
    adapter: new PrismaPg(modelPool),
    // Its messages would carry the arguments of the call, and the log prints messages.
    errorFormat: 'minimal',
  });
  const watch = createWriteWatch();
  watch.hear(pool);
  watch.hear(modelPool);
  return {
    pool,
    prisma,
    transaction: (work) => inTransaction(modelPool, (connection) => joinPrisma(prisma, connection, work)),
    writeProblems: () => watch.problems(pool),
    async close() {
      await Promise.all([pool.end(), prisma.$disconnect()]);
      await modelPool.end();
    },
  };
}

/**
 * Opens connections for searches alone: a scan holds one for seconds, and nothing else should wait for it. Connects on
 * first use.
 */
export function openSearchPool({ url, poolSize, applicationName, onError }: DatabaseOptions): Pool {
  const settings = {
    max: poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    types,
    ...connectingTo(url),
  };
  return hear(new KeepingPool(settings), onError);
}

/** @param onError is told of connections that break while idle. */
function hear<P extends Pool>(pool: P, onError: (error: Error) => void): P {
  pool.on('error', onError);
  // Between being handed out and getting its owner's listener, a connection has none, and an 'error' event without a
  // listener ends the process. The owner's first statement fails in any case.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * Runs `work` in one transaction, on one connection.
 * @throws what `work` throws, after rolling back.
 */
export async function inTransaction<T>(pool: Pool, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return inTransactionEndingWith(pool, async (transaction) => ({ result: await work(transaction), last: [] }));
}

/** Statements that are on their way to the server and not waited for one by one. */
export type Sent = readonly Promise<unknown>[];

/**
 * As `inTransaction`, for work whose last statements need no answer: COMMIT follows them at once, in the same write and
 * the same round trip. `last` must name every statement that is still under way.
 * @throws what `work` throws, or why the first of the last statements failed, after rolling back.
 */
export async function inTransactionEndingWith<T>(
  pool: Pool,
  work: (transaction: Transaction) => Promise<{ result: T; last: Sent }>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks between two statements emits 'error', which ends the process when nothing listens. The next
  // statement fails in any case.
  const onBroken = (error: Error): void => {
    broken = error;
  };
  client.on('error', onBroken);
  beginLockOrder(client);
  beginTransactionTrace(client);
  let failure: unknown;
  try {
    gatherWrites(client);
    // Sent together with the first statement. Should it fail, so does everything behind it on this connection.
    const begun = client.query('BEGIN');
    begun.catch(() => undefined);
    const { result, last } = await work(client);
    gatherWrites(client);
    // In the order in which they are answered: the first that fails is the reason, the rest fail because of it.
    const [{ command }] = await Promise.all([client.query('COMMIT'), begun, ...last]);
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed');
    return result;
  } catch (error) {
    failure = error;
    // Closing a connection rolls back as well. On one that is silent a ROLLBACK would wait as long as what failed.
    if (isConnectionInDoubt(error)) broken ??= error as Error;
    else broken ??= await rollBack(client);
    throw error;
  } finally {
    endLockOrder(client);
    endTransactionTrace(client, failure);
    client.off('error', onBroken);
    client.release(broken);
  }
}

/** Resolves with why the connection is of no use to the next one, if it is not. */
async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
  } catch (error) {
    return error as Error;
  }
  const isIdle = client.getTransactionStatus() === 'I';
  return isIdle ? undefined : new Error('a statement of a transaction was sent after its end');
}

/**
 * The server must be PostgreSQL 15 or newer.
 * @throws with a sentence that says what it is and what is needed.
 */
export async function checkServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string }>(
    "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name",
  );
  const [version] = rows;
  if (!version || version.number < leastServerVersion) {
    throw new Error(`PostgreSQL ${version?.name ?? '?'} is too old: Callout needs PostgreSQL 15 or newer`);
  }
}
