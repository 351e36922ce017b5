export {
  type HealthChange,
  judgeSettlements,
  type LockedForSettlement,
  presumeSettlements,
  type SettleDecision,
  type SettleRules,
} from './judge-settlements.ts';
export { settlementOf } from './settlement-of.ts';
export {
  type Attempt,
  type CalloutKind,
  isGivenUp,
  type Settlement,
  settlementBatches,
  speaksOfHealth,
  tracesOf,
  withoutLate,
} from './settlement.ts';
