/**
 * Why a callout failed, by its last attempt: a class of statuses, or the `failureReason` of an attempt without a
 * response. Reasons for which no attempt is made are not among them. Only ever append to it.
 */
export const failedReasons = [
  'status3xx',
  'status4xx',
  'status410',
  'status5xx',
  'timeout',
  'dnsFailed',
  'addressForbidden',
  'connectFailed',
  'tlsFailed',
  'connectionLost',
  'invalidResponse',
  'invalidTarget',
  'tokenFailed',
  'nacked',
  'leaseLapsed',
  'notFetched',
  'other',
] as const;

export type FailedReason = (typeof failedReasons)[number];

/** Each reason in words that follow a number of callouts: `3: the receiver answered 5xx`. */
export const failedReasonTexts: Readonly<Record<FailedReason, string>> = {
  status3xx: 'the receiver redirected (3xx)',
  status4xx: 'the receiver refused (4xx)',
  status410: 'the receiver is gone for good (410)',
  status5xx: 'the receiver failed (5xx)',
  timeout: 'no answer in time',
  dnsFailed: 'the host was not found in DNS',
  addressForbidden: 'the address may not be called',
  connectFailed: 'no connection',
  tlsFailed: 'the TLS handshake failed',
  connectionLost: 'the connection was lost before an answer',
  invalidResponse: 'the answer was no valid HTTP',
  invalidTarget: 'the URL may not be called',
  tokenFailed: 'the token endpoint gave no token',
  nacked: 'the program that fetched it refused it',
  leaseLapsed: 'fetched and not acknowledged in time',
  notFetched: 'not fetched in time',
  other: 'another failure',
};

/** The reason of a failed callout, from the last attempt. */
export function failedReasonOf(attempt: {
  /** Null: no response came. */
  readonly status: number | null;
  readonly failureReason: string | null;
}): FailedReason {
  const { status, failureReason } = attempt;
  if (status === null) return failedReasons.find((one) => one === failureReason && !isOfStatus(one)) ?? 'other';
  if (status === 410) return 'status410';
  return failedReasons.find((reason) => reason === `status${Math.floor(status / 100)}xx`) ?? 'other';
}

/** Whether a reason is a class of statuses. */
export function isOfStatus(reason: FailedReason): boolean {
  return reason.startsWith('status');
}
