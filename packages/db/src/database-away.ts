import { types } from 'node:util';
import { Prisma } from './generated/client.ts';

/** Codes of PostgreSQL, of node's sockets, and of Prisma, that mean: not now, but the same call may work later. */
const AWAY = new Set([
  // node
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  // PostgreSQL: shutting down, crashed, starting up, too many connections, read-only after a failover, connection lost
  ...['57P01', '57P02', '57P03', '53300', '25006', '08000', '08001', '08003', '08004', '08006'],
  // PostgreSQL: gave way to another transaction, by deadlock or serialization
  ...['40001', '40P01'],
  // Prisma: unreachable, timed out, connection closed, no free connection in time, transaction not started in time
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'],
]);

/** What pg says without a code. */
const AWAY_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Whether an error of this package means that the database cannot be reached now, rather than that a call was wrong. */
export function isDatabaseAway(error: unknown, depth = 0): boolean {
  // Errors of other realms (test sandboxes, workers) are errors too, which instanceof denies.
  if (!types.isNativeError(error) || depth > MAX_CAUSES) return false;
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string' && AWAY.has(code)) return true;
  if (AWAY_MESSAGES.test(error.message) || error instanceof Prisma.PrismaClientInitializationError) return true;
  return [error.cause, ...attemptsOf(error)].some((cause) => isDatabaseAway(cause, depth + 1));
}

const MAX_CAUSES = 5;

/** A host name with several addresses fails once for each of them. */
function attemptsOf(error: Error): unknown[] {
  const errors: unknown = Reflect.get(error, 'errors');
  return Array.isArray(errors) ? errors : [];
}
