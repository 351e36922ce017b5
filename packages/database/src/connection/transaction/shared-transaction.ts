import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientBase, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Prisma, PrismaClient } from '../../generated/client.ts';
import { KeepingPool } from '../keeping-pool.ts';
import { planSettings } from '../statement/plan-settings.ts';

/**
 * One transaction, on one connection, for models and statements: each sees the changes of the other, and all commit
 * together.
 */
export interface SharedTransaction {
  /** Prisma's models, for single rows. */
  readonly models: Prisma.TransactionClient;
  /** The connection, for named statements: row locks, and work on sets. */
  readonly sets: ClientBase;
}

/** Milliseconds. Each statement has a limit, so Prisma's limit for a transaction only ends a hanging transaction. */
const limits = { maxWait: 5_000, timeout: 60_000 };

/** A connection whose transaction Prisma is about to join. */
interface Invitation {
  readonly connection: ClientBase;
  isTaken: boolean;
}

const invitations = new AsyncLocalStorage<Invitation>();
/** The ones that Prisma has not joined yet. */
const openInvitations = new Set<Invitation>();

/**
 * Once it is in use, the storage makes Node track every promise of the process, which takes a fifth of the CPU time of
 * a request. It is needed only between the two calls.
 */
function close(invitation: Invitation): void {
  if (openInvitations.delete(invitation) && openInvitations.size === 0) invitations.disable();
}

/**
 * Lets Prisma's models join a transaction of a connection. The caller began the transaction, and ends the transaction.
 * @param prisma a client whose adapter has a `JoinablePool`.
 */
export async function joinPrisma<T>(
  prisma: PrismaClient,
  connection: ClientBase,
  work: (transaction: SharedTransaction) => Promise<T>,
): Promise<T> {
  // Sent together with BEGIN. After a failure, everything later fails too.
  connection.query(setForTransaction).catch(() => undefined);
  const invitation: Invitation = { connection, isTaken: false };
  const joined = () =>
    prisma.$transaction(async (models) => {
      if (!invitation.isTaken) throw new Error('Prisma began a transaction on a connection of its own');
      return work({ models, sets: connection });
    }, limits);
  openInvitations.add(invitation);
  try {
    return await invitations.run(invitation, joined);
  } finally {
    close(invitation);
  }
}

/** Plain reads of models are planned with the defaults; statements on sets are written for these settings. */
const setForTransaction = Object.entries(planSettings)
  .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
  .join('; ');

/**
 * The pool of Prisma's adapter. The adapter requests a connection when a transaction begins (for anything else the
 * adapter uses `query`), and gets the connection of the invitation, once for each.
 */
export class JoinablePool extends KeepingPool {
  override connect(): Promise<PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<PoolClient> | void {
    if (callback !== undefined) return super.connect(callback);
    const invitation = invitations.getStore();
    if (invitation === undefined || invitation.isTaken) return super.connect();
    invitation.isTaken = true;
    close(invitation);
    return Promise.resolve(guestOf(invitation.connection));
  }
}

type ConnectCallback = Parameters<KeepingPool['connect']>[0];

/** Statements with which Prisma begins and ends a transaction. */
const ends: ReadonlySet<string> = new Set(['BEGIN', 'COMMIT', 'ROLLBACK']);

/**
 * The connection for Prisma's adapter. Statements are passed on; BEGIN, COMMIT and ROLLBACK are not, because the
 * transaction belongs to the caller.
 *
 * Prisma 7 offers no better place. The adapter sends BEGIN in `startTransaction`, before a transaction can be replaced.
 * With the option `usePhantomQuery` Prisma would send no COMMIT and no ROLLBACK, but a transaction with the option has
 * to bring `queryRaw` and `executeRaw` for one connection, and `@prisma/adapter-pg` exports a factory for pools only:
 * the class that converts values and errors is private. A copy of the class would be 300 lines that follow every
 * version of Prisma. SAVEPOINT and RELEASE in place of BEGIN and COMMIT would cost each change two round trips.
 */
function guestOf(connection: ClientBase): PoolClient {
  const done = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] } satisfies QueryResult;
  const guest = {
    query: (statement: QueryConfig) => (ends.has(statement.text) ? Promise.resolve(done) : connection.query(statement)),
    on: () => guest,
    removeListener: () => guest,
    release: () => undefined,
  };
  return guest as unknown as PoolClient;
}
