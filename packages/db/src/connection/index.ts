export { earlierNow } from './clock.ts';
export { isDatabaseAway } from './database-away.ts';
export {
  checkServer,
  type Client,
  type Database,
  inTransaction,
  inTransactionEndingWith,
  openDatabase,
  openSearchPool,
  type Sent,
  type Transaction,
} from './database.ts';
export { findSessions } from './sessions/find-sessions.ts';
export { traceTransactions } from './transaction/transaction-trace.ts';
export { isValueRefused } from './value-refused.ts';
