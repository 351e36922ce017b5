export { settlePresumed } from './settle-presumed.ts';
export { lockForSettlement, type SettleResult, storeSettlements } from './settle.ts';
