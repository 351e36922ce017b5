import type { Handling } from '../receiver/handling.ts';
import { RetryLater } from '../receiver/retry-later.ts';
import { bytesOf } from '../verify/bytes.ts';
import type { Callout, Sends } from '../verify/callout.ts';
import { describeCallout, readCallout } from '../verify/read-callout.ts';
import { VerificationError } from '../verify/verification-error.ts';
import { type Secrets, verify, type VerifyOptions } from '../verify/verify.ts';
import type { PulledCallout, Word } from './pull-api.ts';

/** Why handling a callout is ended early. The API gets the message. */
export class HandlingEnded extends Error {
  override readonly name = 'HandlingEnded';
  /** When it is handed out again; undefined: by the retry schedule. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, retryAfterSeconds?: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface HandlePulledOptions extends VerifyOptions {
  readonly secrets?: Secrets | undefined;
}

/**
 * Handles a fetched callout.
 * @param ended aborted with a {@link HandlingEnded}: then the API gets the message of the error, whatever the handler
 * does.
 * @returns `response`: the result for the API, at the latest when `ended` is aborted; `over`: when the handler has
 * ended.
 */
export function handlePulled<Sent extends Sends>(
  handling: Handling<Sent>,
  pulled: PulledCallout,
  ended: AbortSignal,
  options: HandlePulledOptions,
): { response: Promise<Word>; over: Promise<unknown> } {
  const { ackID } = pulled;

  async function handle(): Promise<Word> {
    let callout: Callout<Sent> | undefined;
    try {
      callout = await read<Sent>(pulled, options);
      const state = await handling.begin(callout);
      if (state === 'running') {
        return { kind: 'nack', ackID, reason: 'Another request is handling this callout.' };
      }
      if (state === 'new') await handling.handle(callout, ended);
      return { kind: 'ack', ackID };
    } catch (error) {
      if (error !== ended.reason) handling.report(error, callout);
      return nack(ackID, error);
    }
  }

  const handled = handle();
  const cut = new Promise<Word>((resolve) => {
    ended.addEventListener('abort', () => {
      handling.report(ended.reason);
      resolve(nack(ackID, ended.reason));
    });
  });
  return { response: Promise.race([handled, cut]), over: handled };
}

async function read<Sent extends Sends>(
  { headers, body, calloutID }: PulledCallout,
  { secrets, ...options }: HandlePulledOptions,
): Promise<Callout<Sent>> {
  if (secrets !== undefined) return verify<Sent>(body, headers, secrets, options);
  return describeCallout(readCallout(bytesOf(body), options), headers, calloutID, undefined) as Callout<Sent>;
}

/** The cause may be private: it goes to `onError`, not to the API. */
function nack(ackID: string, error: unknown): Word {
  if (error instanceof RetryLater) {
    return { kind: 'nack', ackID, reason: error.message, retryAfterSeconds: error.seconds };
  }
  if (error instanceof HandlingEnded) {
    return { kind: 'nack', ackID, reason: error.message, retryAfterSeconds: error.retryAfterSeconds };
  }
  const isPublic = error instanceof VerificationError;
  const reason = isPublic ? error.message : 'The consumer could not handle this callout; its log says why.';
  return { kind: 'nack', ackID, reason };
}
