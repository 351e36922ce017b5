/** The fields of a callout that determine the reason for waiting. */
export interface WaitingCallout {
  readonly state: string;
  readonly attemptsMade: number;
  /** Null: it has ended. */
  readonly open: OpenCalloutStatus | null;
}

export interface OpenCalloutStatus {
  readonly dueAt: Date;
  /**
   * End of the lease of the worker that is sending the callout, or of the program that has fetched the callout; null:
   * no lease.
   */
  readonly leasedUntil: Date | null;
  /** The webhook is inactive or deleted, so the callout is cancelled: at once, or by a worker in a moment. */
  readonly isDeactivated: boolean;
  /** The callout is fetched by a program; absent: the callout is sent. */
  readonly isPulled?: boolean;
  /** The keys that encrypt the secrets of the webhook: without each key the callout cannot be signed. */
  readonly secretKeyIds: readonly string[];
  /** Attempts made before it was last redelivered. */
  readonly attemptsBefore: number;
  /**
   * The first open callout of the record, for which the callout waits; null: no such callout, or the callout has just
   * ended.
   */
  readonly first: FirstOfRecord | null;
  /** The pause of the receiver; null: no pause, or a pause without effect on the callout. */
  readonly pause: { readonly until: Date; readonly isProbed: boolean; readonly lastFailure: string | null } | null;
  /** When a probe finds out whether the failing receiver is back; absent: the receiver does not fail. */
  readonly probeAt?: Date | null;
  /** The limits of the webhook for its calls; absent: no limits, or limits without effect on the callout. */
  readonly limits?: CallLimitsInUse;
  /** By the clock of the database. */
  readonly now: Date;
}

/** The open callout of a record for which the others of the record wait. */
export interface FirstOfRecord extends WaitingCallout {
  readonly id: string;
  readonly sequenceNumber: number;
  /** Why the last attempt failed, as text; null: no attempt yet. */
  readonly failure: string | null;
}

/** The limits of a webhook for its calls, and how far they are used. */
export interface CallLimitsInUse {
  /** `maxCallsPerSecond`, and when the next call may begin; null: no limit, or no call has begun under the limit. */
  readonly rate: { readonly perSecond: number; readonly nextCallAt: Date } | null;
  /** `maxConcurrentCalls`, and the calls under way; null: there is no such limit. */
  readonly places: { readonly most: number; readonly underWay: number } | null;
}

/** Why an open callout is not delivered yet. */
export interface WaitsFor {
  readonly reason:
    | 'earlierCallout'
    | 'threshold'
    | 'receiver'
    | 'rate'
    | 'nextAttempt'
    | 'answer'
    | 'worker'
    | 'fetching'
    | 'cancellation'
    | 'secretKey';
  /** A sentence. */
  readonly message: string;
  /** The earlier callout of the record. */
  readonly sequenceNumber: number | null;
  readonly since: string | null;
  readonly until: string | null;
  /** The earlier callout of the record, and the reason why that callout waits. */
  readonly cause: WaitCause | null;
}

/** The first open callout of a record, as the cause for which the others wait. */
export interface WaitCause {
  readonly calloutID: string;
  readonly sequenceNumber: number;
  /** The path in the API, below the version. */
  readonly path: string;
  readonly attemptsMade: number;
  /** Why the last attempt failed, as text; null: no attempt yet. */
  readonly failure: string | null;
  readonly nextAttemptDateTime: string | null;
  /** What it waits for itself. */
  readonly reason: WaitsFor['reason'] | null;
}

/** Null: the callout has ended. @param ring the ids of the keys that can decrypt webhook secrets, if known. */
export function waitsFor(callout: WaitingCallout, ring?: readonly string[]): WaitsFor | null {
  const { state, open: status } = callout;
  if (status === null) return null;
  if (status.isDeactivated && status.leasedUntil === null) {
    return because(
      'cancellation',
      'Its webhook is inactive or deleted: it is not sent, and is cancelled in a moment.',
      {},
    );
  }
  if (state === 'waiting') return behind(status.first, ring);
  if (state === 'held') {
    const message =
      'The hourly threshold of the entity is reached: held callouts are released when there is room, oldest first.';
    return because('threshold', message, { since: status.dueAt.toISOString() });
  }
  const lacking = lackingKeys(status.secretKeyIds, ring);
  if (lacking.length > 0)
    return because('secretKey', missingKeyMessage(lacking), { since: status.dueAt.toISOString() });
  if (status.leasedUntil === null) return dueFor(callout, status);
  if (status.isPulled !== true) return because('answer', 'It is being sent at this moment.', {});
  const until = status.leasedUntil.toISOString();
  return because('answer', `It was fetched, and is to be acknowledged by ${until}.`, { until });
}

function behind(first: FirstOfRecord | null, ring: readonly string[] | undefined): WaitsFor {
  if (first === null) return because('earlierCallout', 'An earlier callout of the same record goes first.', {});
  const { id, sequenceNumber, attemptsMade, failure } = first;
  const firstWaitsFor = waitsFor(first, ring);
  const hasFailure = failure === null || firstWaitsFor?.message.includes(lastFailureIs) === true;
  const message = [
    `Callout ${sequenceNumber} of the same record goes first.`,
    ...(firstWaitsFor === null ? [] : [firstWaitsFor.message]),
    ...(hasFailure ? [] : [`${lastFailureIs} ${failure}`]),
  ].join(' ');
  const cause: WaitCause = {
    calloutID: id,
    sequenceNumber,
    path: `/Callouts/${id}`,
    attemptsMade,
    failure,
    nextAttemptDateTime: nextAttemptAt(first)?.toISOString() ?? null,
    reason: firstWaitsFor?.reason ?? null,
  };
  return because('earlierCallout', message, { sequenceNumber, cause });
}

const lastFailureIs = 'The last failure:';

/** For owners of webhooks, who cannot mend a missing key. */
export function missingKeyMessage(lacking: readonly string[]): string {
  return `Callouts of the webhook cannot be signed, since the service lacks the key to read its secret (${lacking.join(', ')}): its operator must add the key to SECRET_KEYS. They wait until then.`;
}

function dueFor({ attemptsMade }: WaitingCallout, status: OpenCalloutStatus): WaitsFor {
  const { pause, dueAt, now, attemptsBefore } = status;
  if (pause !== null && status.isPulled !== true && (pause.until > dueAt || dueAt <= now)) return pausedFor(pause, now);
  if (dueAt <= now && status.isPulled === true) {
    return because('fetching', 'It is due: it waits for a program to fetch it (POST …/Pull).', {
      since: dueAt.toISOString(),
    });
  }
  const limit = limitOf(status);
  if (limit !== null) return limit;
  if (dueAt <= now) {
    return because('worker', 'It is due: it goes out as soon as a worker has a free slot for its webhook.', {
      since: dueAt.toISOString(),
    });
  }
  const until = dueAt.toISOString();
  if (attemptsMade === attemptsBefore) return because('nextAttempt', `It becomes due at ${until}.`, { until });
  const next = status.isPulled === true ? 'it can be fetched again' : 'the next one is made';
  return because('nextAttempt', `The last attempt failed; ${next} at ${until}.${probeBefore(status)}`, { until });
}

/** Names the next probe of the webhook, if the probe comes before the next attempt. */
function probeBefore({ probeAt = null, pause, dueAt, now, isPulled }: OpenCalloutStatus): string {
  const at = probeAt !== null && pause !== null && pause.until > probeAt ? pause.until : probeAt;
  if (at === null || at >= dueAt || isPulled === true) return '';
  const when = at <= now ? 'in a moment' : `at ${at.toISOString()}`;
  return ` Its webhook is probed ${when}: when a call is answered with 2xx, everything that waits is sent.`;
}

/** A rate that is used opens and closes again and again, and therefore counts for a while after opening. */
const rateLingersMs = 2_000;

/** What the limits of its webhook make a due callout wait for; null: nothing. */
function limitOf({ limits, dueAt, now }: OpenCalloutStatus): WaitsFor | null {
  if (limits === undefined || dueAt > now) return null;
  const { rate, places } = limits;
  const since = dueAt.toISOString();
  if (places !== null && places.underWay >= places.most) {
    const message = `It is due: all ${places.most} calls that its webhook allows at once (maxConcurrentCalls) are under way.`;
    return because('rate', message, { since });
  }
  if (rate === null || now.getTime() - rate.nextCallAt.getTime() > rateLingersMs) return null;
  const calls = rate.perSecond === 1 ? '1 call' : `${rate.perSecond} calls`;
  const next = rate.nextCallAt > now ? `, the next one from ${rate.nextCallAt.toISOString()}` : '';
  const message = `It is due: its webhook allows ${calls} per second (maxCallsPerSecond)${next}. The longest due goes first.`;
  return because('rate', message, { since });
}

function pausedFor({ until, isProbed, lastFailure }: NonNullable<OpenCalloutStatus['pause']>, now: Date): WaitsFor {
  const why = lastFailure === null ? '' : ` ${lastFailureIs} ${lastFailure}`;
  const asks = 'The receiver was down, and one call at a time finds out whether it is back.';
  if (isProbed || until <= now) return because('receiver', `${asks}${why}`, {});
  const message = `The webhook is paused because its receiver is down.${why}`;
  return because('receiver', message, { until: until.toISOString() });
}

function because(
  reason: WaitsFor['reason'],
  message: string,
  details: Partial<Pick<WaitsFor, 'sequenceNumber' | 'since' | 'until' | 'cause'>>,
): WaitsFor {
  return { reason, message, sequenceNumber: null, since: null, until: null, cause: null, ...details };
}

/** When the next attempt is made, if nothing else comes up; null: unknown, or the attempt is under way. */
export function nextAttemptAt({ state, open: status }: WaitingCallout): Date | null {
  if (status === null || state !== 'due' || status.leasedUntil !== null || status.isDeactivated) return null;
  const { pause, dueAt } = status;
  // How many callouts go first is not counted.
  if (limitOf(status) !== null) return null;
  if (pause === null || pause.until <= dueAt) return dueAt;
  return pause.isProbed ? null : pause.until;
}

/** Whether the callout is open and the last attempt failed: attempts before a redelivery do not count. */
export function isFailing({ attemptsMade, open: status }: WaitingCallout): boolean {
  return status !== null && attemptsMade > status.attemptsBefore;
}

/** The keys that a ring lacks; empty for an unknown ring. */
export function lackingKeys(keyIds: readonly string[], ring: readonly string[] | undefined): string[] {
  return ring === undefined ? [] : [...new Set(keyIds)].filter((keyId) => !ring.includes(keyId));
}
