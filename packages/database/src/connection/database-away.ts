import { Prisma } from '../generated/client.ts';

/** Codes of PostgreSQL for a failed statement, in a database that is away, on a connection that is still usable. */
const CONNECTION_STAYS: ReadonlySet<string> = new Set([
  // disk full, out of memory
  ...['53100', '53200'],
  // rolled back in favour of another transaction: deadlock, serialization failure, or lock timeout
  ...['40001', '40P01', '55P03', '57014'],
]);

/** Codes of PostgreSQL, of node's sockets, and of Prisma for a call that fails now and may work later. */
const AWAY = new Set([
  // node
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  // PostgreSQL: shutting down, crashed, starting up, too many connections, read-only after a failover, connection lost
  ...['57P01', '57P02', '57P03', '53300', '25006', '08000', '08001', '08003', '08004', '08006'],
  // PostgreSQL: ended a transaction on which others could be waiting, or an idle session
  ...['25P03', '25P04', '57P05'],
  // PgBouncer: all errors of PgBouncer itself, such as a failed login to PostgreSQL
  '08P01',
  ...CONNECTION_STAYS,
  // Prisma: unreachable, timed out, connection closed, no free connection in time, transaction not started in time
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'],
]);

/**
 * Messages of pg without a code, and a message of PostgreSQL whose code is ambiguous: the disk is too full to accept a
 * connection.
 */
const AWAY_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|could not write init file)/;

/** Whether an error means that the database is unavailable now, rather than a wrong call. */
export function isDatabaseAway(error: unknown): boolean {
  return errorsWithin(error, 0).some((one) => codesOf(one).some((code) => AWAY.has(code)) || isAwayWithoutCode(one));
}

/**
 * Codes of a database with too much to do: no connection left, out of memory, a deadlock, a serialization failure, a
 * lock or a statement that took too long; and the codes of Prisma for no free connection in time.
 */
const BUSY: ReadonlySet<string> = new Set(['53300', '53200', '40001', '40P01', '55P03', '57014', 'P2024', 'P2028']);
/** The message of pg for work that waited too long for a connection. */
const NO_FREE_CONNECTION = 'timeout exceeded when trying to connect';

/** Whether an error for which `isDatabaseAway` is true means that the database is only busy. */
export function isDatabaseBusy(error: unknown): boolean {
  return errorsWithin(error, 0).some(
    (one) => one.message === NO_FREE_CONNECTION || codesOf(one).some((code) => BUSY.has(code)),
  );
}

/**
 * Codes of PostgreSQL after which a connection ends or is unusable: lost, ended by the server, a failing system, and
 * outdated prepared statements.
 */
const CONNECTION_GOES = /^(?:(?:08|58|XX)...|57P..|25P0[34]|0A000|26000|42P05)$/;

/**
 * Whether a connection may be unusable after a failed statement: closed; open and silent; or read-only until the end,
 * when the server was a replica for a while.
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
  /** PostgreSQL's code, in an error of Prisma's driver adapter. */
  readonly originalCode?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  /** One for each address of a host name. */
  readonly errors?: unknown;
  /** The driver's error inside Prisma's. */
  readonly meta?: { readonly driverAdapterError?: unknown };
}

const MAX_CAUSES = 5;

/** The error and all its causes. Some are not instances of Error, so errors are recognised by their properties. */
function errorsWithin(error: unknown, depth: number): ErrorLike[] {
  if (typeof error !== 'object' || error === null || depth > MAX_CAUSES) return [];
  const one: ErrorLike = error;
  const causes: unknown[] = [one.cause, one.meta?.driverAdapterError];
  if (Array.isArray(one.errors)) causes.push(...one.errors);
  return [one, ...causes.flatMap((cause) => errorsWithin(cause, depth + 1))];
}

/** Classes of SQLSTATE about the values of a statement: data exceptions, constraints, limits of a program. */
const VALUE_CLASSES = new Set(['22', '23', '54']);

/**
 * Whether PostgreSQL, or the code in front of PostgreSQL, refused the given values, so that the same call will be
 * refused again. Errors about the state of PostgreSQL (away, full, read-only, locked, migrating, a partition missing)
 * may pass.
 */
export function isValueRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/u.test(code)) return error instanceof TypeError;
  // A failed check without the name of a constraint is the check of the partitions: the day of the row has no
  // partition.
  if (code === '23514' && constraint === undefined) return false;
  return VALUE_CLASSES.has(code.slice(0, 2));
}
