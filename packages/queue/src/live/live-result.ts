/** What an attempt came to, for those who watch. It carries nothing that was sent or answered. */
export interface LiveResult {
  readonly calloutId: string;
  readonly webhookKey: number;
  readonly recordId: number;
  readonly sequenceNumber: number;
  readonly kind: string;
  /** What the callout is now: `due` waits for its next attempt. */
  readonly state: 'delivered' | 'failed' | 'cancelled' | 'due';
  readonly attempt: number;
  /** When the attempt began, in milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** Null when no answer came. */
  readonly status: number | null;
  /** What went wrong, in words; null: nothing. */
  readonly reason: string | null;
  /** Until the next attempt; null: there is none. */
  readonly nextInMs: number | null;
}

/** Reads what a channel carries; undefined when it is anything else: every program with access to Redis can publish there. */
export function readLiveResults(text: string): LiveResult[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isResult) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isResult(value: unknown): value is LiveResult {
  if (typeof value !== 'object' || value === null) return false;
  const { calloutId, webhookKey, state } = value as Partial<LiveResult>;
  return typeof calloutId === 'string' && Number.isSafeInteger(webhookKey) && typeof state === 'string';
}
