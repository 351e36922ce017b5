export { settleAttempts } from './settle-attempts.ts';
export type { SettleResult } from './settle.ts';
