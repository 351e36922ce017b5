import type { AttemptOutcome } from '@callout/domain/outcome/outcome';
import { parseCidrs } from '@callout/domain/target/address';
import type { TargetPolicy } from '@callout/domain/target/target';
import { createSender, type OutboundRequest, type Sender, type SenderDeps } from '@callout/outbound/send';
import { type RawReceiver, type RawReceiverOptions, type RawScript, startRawReceiver } from '@callout/testing';

export interface SenderSetup {
  receiver: (script: RawScript, options?: RawReceiverOptions) => Promise<RawReceiver>;
  sender: (deps?: Partial<SenderDeps>) => Sender;
  stop: () => Promise<void>;
}

/** Stands for the public internet: 127.0.0.1 and 127.0.0.3. All other addresses of this machine stay forbidden. */
export const testPolicy: TargetPolicy = { allowHttp: true, allowCidrs: parseCidrs(['127.0.0.1/32', '127.0.0.3/32']) };

/** Receivers and senders of one test, all stopped at its end. */
export function createSenderSetup(): SenderSetup {
  const stops: (() => Promise<void>)[] = [];
  return {
    async receiver(script, options) {
      const receiver = await startRawReceiver(script, options);
      stops.push(receiver.stop);
      return receiver;
    },
    sender(deps) {
      const defaults: SenderDeps = { policy: testPolicy, resolve: resolvesTo('127.0.0.1') };
      // Not spread: a getter has to stay one.
      const sender = createSender(Object.defineProperties(defaults, Object.getOwnPropertyDescriptors(deps ?? {})));
      stops.push(() => sender.close());
      return sender;
    },
    async stop() {
      for (const stop of stops.toReversed()) await stop();
    },
  };
}

/** A resolver that returns these addresses for every name. */
export function resolvesTo(...addresses: readonly string[]): () => Promise<readonly string[]> {
  return async () => addresses;
}

export function post(
  url: string,
  body: string | Buffer = '{"Action":"Create"}',
  headers: Record<string, string> = {},
): OutboundRequest {
  return { url, headers: { 'Content-Type': 'application/json', ...headers }, body: Buffer.from(body) };
}

/** The parts of an outcome that are the same in every run. */
export function gist(outcome: AttemptOutcome): Record<string, unknown> {
  if (outcome.kind === 'failed') return { kind: 'failed', reason: outcome.reason, message: outcome.message };
  const { status, body, bodyCut } = outcome;
  return { kind: 'answered', status, body: body.toString('latin1'), bodyCut };
}
