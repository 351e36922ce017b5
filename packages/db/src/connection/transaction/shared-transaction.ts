import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientBase, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Prisma, PrismaClient } from '../../generated/client.ts';
import { KeepingPool } from '../keeping-pool.ts';
import { planSettings } from '../statement/plan-settings.ts';

/**
 * One transaction, on one connection, for both ways of writing: what either does, the other sees, and they commit
 * together.
 */
export interface SharedTransaction {
  /** Prisma's models, for rows that are handled one at a time. */
  readonly models: Prisma.TransactionClient;
  /** The connection, for named statements: row locks, and work on sets. */
  readonly sets: ClientBase;
}

/** Milliseconds. Each statement has its own limit, so Prisma's limit for a transaction only ends one that hangs. */
const limits = { maxWait: 5_000, timeout: 60_000 };

/** A connection whose transaction Prisma is about to join. */
interface Invitation {
  readonly connection: ClientBase;
  isTaken: boolean;
}

const invitations = new AsyncLocalStorage<Invitation>();
/** Those that are not taken yet. */
const open = new Set<Invitation>();

/**
 * Once it was used, the storage makes Node follow every promise of the process, which takes a fifth of the CPU time of a
 * request. It is needed for the moment between the two calls only.
 */
function close(invitation: Invitation): void {
  if (open.delete(invitation) && open.size === 0) invitations.disable();
}

/**
 * Lets Prisma's models join a transaction that was begun on a connection. The code that began it also ends it.
 * @param prisma a client whose adapter has a `JoinablePool`.
 */
export async function joinPrisma<T>(
  prisma: PrismaClient,
  connection: ClientBase,
  work: (transaction: SharedTransaction) => Promise<T>,
): Promise<T> {
  // Sent together with BEGIN. Should it fail, so does everything behind it.
  connection.query(setForTransaction).catch(() => undefined);
  const invitation: Invitation = { connection, isTaken: false };
  const joined = () =>
    prisma.$transaction(async (models) => {
      if (!invitation.isTaken) throw new Error('Prisma began a transaction on a connection of its own');
      return work({ models, sets: connection });
    }, limits);
  open.add(invitation);
  try {
    return await invitations.run(invitation, joined);
  } finally {
    close(invitation);
  }
}

/** Plain reads of models are planned as they come; statements on sets are written for these settings. */
const setForTransaction = Object.entries(planSettings)
  .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
  .join('; ');

/**
 * The pool of Prisma's adapter. The adapter asks it for a connection when a transaction begins (for anything else it uses
 * `query`), and gets the one of the transaction that it is to join, once for each.
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

/** What Prisma sends at the beginning and the end of a transaction. It must not begin or end this one. */
const ends: ReadonlySet<string> = new Set(['BEGIN', 'COMMIT', 'ROLLBACK']);

/** The connection as the adapter uses it: statements go through, and its BEGIN, COMMIT and ROLLBACK do not. */
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
