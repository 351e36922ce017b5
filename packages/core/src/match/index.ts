export {
  countByWebhook,
  type EventVerdicts,
  judgeEvents,
  makeCallouts,
  type NewCallout,
  numberVerdicts,
  type Owed,
  type RecordOfWebhook,
  recordsOwed,
} from './match-events.ts';
export {
  type CompiledSubscription,
  compileSubscription,
  firedFields,
  isReady,
  judgeEvent,
  judgeEveryRule,
  type MatchInput,
  type RuleValue,
  type Subscription,
  type VerdictRule,
  verdictRules,
} from './match.ts';
export { calloutBody, payloadFields, type PayloadInput } from './payload.ts';
export { subscriptionFaults } from './subscription-faults.ts';
