import { Prisma } from '../generated/client.ts';

/** Codes of PostgreSQL and of Callout that mean the same, and say nothing against the connection: a statement failed on it. */
const CONNECTION_STAYS: ReadonlySet<string> = new Set([
  // disk full, out of memory
  ...['53100', '53200'],
  // gave way to another transaction, by deadlock or serialization
  ...['40001', '40P01'],
  // Callout: the tenant of a row is being moved to another zone
  'CM001',
]);

/** Codes of PostgreSQL, of node's sockets, and of Prisma, that mean: not now, but the same call may work later. */
const AWAY = new Set([
  // node
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  // PostgreSQL: shutting down, crashed, starting up, too many connections, read-only after a failover, connection lost
  ...['57P01', '57P02', '57P03', '53300', '25006', '08000', '08001', '08003', '08004', '08006'],
  // PgBouncer: everything that it says itself, such as that it cannot log in to PostgreSQL
  '08P01',
  ...CONNECTION_STAYS,
  // Prisma: unreachable, timed out, connection closed, no free connection in time, transaction not started in time
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'],
]);

/**
 * What pg says without a code, and PostgreSQL with one that means anything: its disk is too full to accept a
 * connection.
 */
const AWAY_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|could not write init file)/;

/**
 * Whether an error of this package means that the database cannot be reached now, rather than that a call was wrong.
 */
export function isDatabaseAway(error: unknown): boolean {
  return errorsWithin(error, 0).some((one) => codesOf(one).some((code) => AWAY.has(code)) || isAwayWithoutCode(one));
}

/**
 * Codes of PostgreSQL after which a connection ends or is of no use: lost, ended by the server, a failing system, and
 * statements that are prepared on it and no longer fit.
 */
const CONNECTION_GOES = /^(?:(?:08|58|XX)...|57P..|25P03|0A000|26000|42P05)$/;

/**
 * Whether a connection may be of no use after an error of a statement on it: it may be gone; still there and silent; or
 * read-only until its end, when the server was a replica for a while.
 */
export function isConnectionInDoubt(error: unknown): boolean {
  const isBad = (code: string): boolean =>
    (AWAY.has(code) && !CONNECTION_STAYS.has(code)) || CONNECTION_GOES.test(code);
  return errorsWithin(error, 0).some((one) => codesOf(one).some(isBad) || isAwayWithoutCode(one));
}

function codesOf({ code, originalCode }: ErrorLike): string[] {
  return [code, originalCode].filter((text) => typeof text === 'string');
}

function isAwayWithoutCode(one: ErrorLike): boolean {
  const isAwayMessage = typeof one.message === 'string' && AWAY_MESSAGES.test(one.message);
  return isAwayMessage || one instanceof Prisma.PrismaClientInitializationError;
}

interface ErrorLike {
  readonly code?: unknown;
  /** PostgreSQL's code, in what Prisma's driver adapter throws. */
  readonly originalCode?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  /** One for each address of a host name. */
  readonly errors?: unknown;
  /** Where Prisma keeps what the driver said. */
  readonly meta?: { readonly driverAdapterError?: unknown };
}

const MAX_CAUSES = 5;

/** The error and all that caused it. Not all of them are instances of Error, so their form is what counts. */
function errorsWithin(error: unknown, depth: number): ErrorLike[] {
  if (typeof error !== 'object' || error === null || depth > MAX_CAUSES) return [];
  const one: ErrorLike = error;
  const causes: unknown[] = [one.cause, one.meta?.driverAdapterError];
  if (Array.isArray(one.errors)) causes.push(...one.errors);
  return [one, ...causes.flatMap((cause) => errorsWithin(cause, depth + 1))];
}
