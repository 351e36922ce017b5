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
export function isDatabaseAway(error: unknown): boolean {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const code: unknown = Reflect.get(cause, 'code');
    if (typeof code === 'string' && AWAY.has(code)) return true;
    if (AWAY_MESSAGES.test(cause.message)) return true;
    if (cause instanceof Prisma.PrismaClientInitializationError) return true;
    if (cause instanceof AggregateError && cause.errors.some(isDatabaseAway)) return true;
  }
  return false;
}
