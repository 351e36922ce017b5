export { lockForSettlement, type SettleResult, storeSettlements } from './settle.ts';
