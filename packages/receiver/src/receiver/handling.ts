import type { Ledger } from '../ledger.ts';
import type { RawBody } from '../verify/bytes.ts';
import type { Callout, FieldValues, Sends } from '../verify/callout.ts';
import { VerificationError } from '../verify/verification-error.ts';
import { newestFields, type OrderStore } from './order.ts';
import { createMemoryRepeatStore, type RepeatState, type RepeatStore } from './repeats.ts';

/** A callout to be handled. */
export interface ReceivedCallout<Sent extends Sends = string> extends Callout<Sent> {
  /** The `Fields` that no newer callout of the record has brought; all of them where the receiver has no `order`. */
  readonly newest: FieldValues<Sent>;
}

/** What receivers and consumers have in common. */
export interface HandlingOptions<Sent extends Sends = string> {
  /** Called when the webhook was deactivated or deleted, where its `deactivationUrl` points here. */
  readonly onDeactivated?: ((callout: Callout) => unknown) | undefined;
  /** Called with a digest, which has a `Digest` in its payload; the ledger has it already. */
  readonly onDigest?: ((callout: Callout) => unknown) | undefined;
  /** Called with a test of the integrator. It is answered like any callout; do nothing with its values. */
  readonly onTest?: ((callout: Callout<Sent>) => unknown) | undefined;
  /** Called with what was thrown, and what was refused. Default: the console. */
  readonly onError?: ((error: unknown, callout: Callout<Sent> | undefined) => void) | undefined;
  /** What was handled already. Default: in memory, for a receiver that is one process. */
  readonly repeats?: RepeatStore | undefined;
  /** Notes what was handled, and digests. Without it, digests are answered and only given to `onDigest`. */
  readonly ledger?: Pick<Ledger, 'add'> | undefined;
  /** Which values are the newest; see {@link ReceivedCallout.newest}. */
  readonly order?: OrderStore | undefined;
}

interface HandlingDeps<Sent extends Sends> extends HandlingOptions<Sent> {
  readonly onCallout: (callout: ReceivedCallout<Sent>, signal: AbortSignal | undefined) => unknown;
}

/** Hands each callout over once. */
export interface Handling<Sent extends Sends> {
  /** Only what is `new` is to be handled. A test always is. */
  begin(callout: Callout<Sent>): Promise<RepeatState>;
  /** Handles a callout that has begun, and remembers it. Rejects with what the handler threw: then it may begin again. */
  handle(callout: Callout<Sent>, body: RawBody, signal?: AbortSignal): Promise<void>;
  /** Calls `onError`, and never throws. */
  report(error: unknown, callout?: Callout<Sent>): void;
}

export function createHandling<Sent extends Sends>(deps: HandlingDeps<Sent>): Handling<Sent> {
  const { onCallout, onDeactivated, onDigest, onTest, order, ledger } = deps;
  const { onError = reportToConsole, repeats = createMemoryRepeatStore() } = deps;

  /** X-Hook-Signature does not need webhook-id: without it, there is nothing to know a repeat by. */
  const isRemembered = ({ id, isTest }: Callout<Sent>) => id !== '' && !isTest;

  async function call(callout: Callout<Sent>, signal: AbortSignal | undefined): Promise<void> {
    if (callout.isTest) await onTest?.(callout);
    else if (callout.payload.Action === 'Deactivated') await onDeactivated?.(callout);
    else if (callout.payload.Action === 'Digest') await onDigest?.(callout);
    else {
      const newest = order === undefined ? fieldsOf(callout) : await newestFields(callout, order);
      await onCallout({ ...callout, newest }, signal);
    }
  }

  return {
    async begin(callout) {
      return isRemembered(callout) ? repeats.begin(callout.id) : 'new';
    },
    async handle(callout, body, signal) {
      const isDigest = callout.payload.Action === 'Digest';
      try {
        if (isDigest) await ledger?.add(callout, body);
        await call(callout, signal);
        if (!isDigest) await ledger?.add(callout, body);
      } catch (error) {
        if (isRemembered(callout)) await repeats.forget(callout.id);
        throw error;
      }
      if (isRemembered(callout)) await repeats.done(callout.id);
    },
    report(error, callout) {
      try {
        onError(error, callout);
      } catch (failure) {
        // A log that fails must not decide what is answered.
        console.error(failure, error);
      }
    },
  };
}

function fieldsOf<Sent extends Sends>({ payload }: Callout<Sent>): FieldValues<Sent> {
  return (payload as Callout['payload']).Fields as FieldValues<Sent>;
}

function reportToConsole(error: unknown, callout: Pick<Callout, 'id'> | undefined): void {
  if (error instanceof VerificationError) console.warn(`A request was refused (${error.code}): ${error.message}`);
  else if (callout === undefined) console.error('A request could not be read:', error);
  else console.error(`Callout ${callout.id} was not handled:`, error);
}
