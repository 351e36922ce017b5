export { type AddressPolicy, canonicalAddress, judgeAddress, parseCidrs } from './target/address.ts';
export { type BodyCut, describeAnswer } from './outcome/answers.ts';
export { type ReceiverHealth, signalOf } from './breaker.ts';
export { forecastDeactivation } from './deactivation-forecast.ts';
export { type Failure, type FailureKind, makeFailure } from './outcome/failures.ts';
export {
  type AnsweredOutcome,
  type AttemptFailureReason,
  attemptFailureReasons,
  type AttemptOutcome,
  isDelivered,
  isNotMade,
} from './outcome/outcome.ts';
export { headersOfAttempt } from './attempt-headers.ts';
export { parseUrl } from './target/parse-url.ts';
export { pullOutcome, pullUrl, type PullWord } from './pull-outcome.ts';
export { redactSignatures } from './redact-signatures.ts';
export { type RetrySchedule, retrySchedules, scheduleOf } from './retry.ts';
export { calloutHeaders, prepareSecret, type SecretKeys } from './sign.ts';
export { addressOfHost, checkTargetUrl, isLocalhost, type TargetPolicy } from './target/target.ts';
