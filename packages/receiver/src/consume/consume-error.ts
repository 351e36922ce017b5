/**
 * A request to the API that failed. `consume` rejects with a final error; it reports all other errors to `onError`, and
 * tries again.
 */
export class ConsumeError extends Error {
  override readonly name = 'ConsumeError';
  /** The status of the answer; null when there was none. */
  readonly status: number | null;
  /** Whether the same request would fail again: the credential, the address or the webhook has to be changed first. */
  readonly isFinal: boolean;
  /** How long the API asks to wait, in milliseconds; null when it does not say. */
  readonly retryAfterMs: number | null;
  /** The `X-Request-Id` of the answer: the API's log has it too. */
  readonly requestId: string | null;

  constructor(message: string, details: Partial<Omit<ConsumeError, keyof Error>> & ErrorOptions = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status ?? null;
    this.isFinal = details.isFinal ?? false;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.requestId = details.requestId ?? null;
  }
}
