import type { AttemptOutcome } from '@callout/domain/outcome/outcome';
import type { TargetPolicy } from '@callout/domain/target/target';
import type { OutboundProxy } from '@callout/runtime/config/settings/outbound';
import { createPermits } from '@callout/runtime/concurrency/permits';
import { OutboundAgent } from './agent.ts';
import { Attempt, type AttemptDeps, type OutboundRequest } from './attempt.ts';
import { createClient } from './client.ts';
import { createTlsContexts } from './tls-contexts.ts';
import type { Refusal, Resolve } from './guard.ts';
import { createResolver } from './resolver.ts';

export type { OutboundRequest } from './attempt.ts';

export interface SenderDeps {
  /** Read for every attempt. */
  readonly policy: TargetPolicy;
  /** Called for every attempt, also when a connection is open already. Default: `createResolver()`. */
  readonly resolve?: Resolve;
  /** The whole attempt, from waiting for a free connection to the end of the response's headers. Default 10 s. */
  readonly timeoutMs?: number;
  /** Connections open at once, and of them to one host (scheme, name and port). Default 500 and 100. */
  readonly maxSockets?: number;
  readonly maxSocketsPerHost?: number;
  /** How long an unused connection is kept; short, because receivers close theirs after 5 s and more. Default 3 s. */
  readonly idleMs?: number;
  /** Certificate authorities to trust in place of the system's, in PEM. */
  readonly certificateAuthorities?: readonly string[];
  /** What every request goes through; absent: nothing. */
  readonly proxy?: OutboundProxy | undefined;
  /** Called with every address that the guard refused. */
  readonly onRefusal?: (refusal: Refusal) => void;
}

export interface Sender {
  /**
   * POSTs once. Failures of receivers, name servers or stored URLs are outcomes; whether an outcome is a success is
   * judged elsewhere. Ends within the time limit: with a response once the headers are there, the body cut at the limit
   * of time or size, otherwise with a failure.
   */
  send(request: OutboundRequest): Promise<AttemptOutcome>;
  /** Closes every connection. Attempts under way end as `aborted`, and so do later ones. */
  close(): Promise<void>;
}

/**
 * The only way out of the process: every callout, deactivation call, test and redelivery. Redirects are not followed,
 * responses are not decoded, no proxy is used but the operator's, TLS is always verified.
 */
export function createSender(deps: SenderDeps): Sender {
  const { maxSockets = 500, maxSocketsPerHost = 100, idleMs = 3_000, certificateAuthorities } = deps;
  const { timeoutMs = 10_000 } = deps;
  const proxy = deps.proxy && { ...deps.proxy, timeoutMs };
  const agent = new OutboundAgent({ maxSockets, idleMs, certificateAuthorities, proxy });
  // A flag instead of a set of the attempts under way: a Set that thousands pass through each second keeps removed
  // entries alive until its tables are collected, which costs half as much again as the attempt.
  let isStopping = false;
  const attemptDeps: AttemptDeps = {
    get policy() {
      return deps.policy;
    },
    resolve: deps.resolve ?? createResolver(),
    agent,
    connections: createPermits({ perKey: maxSocketsPerHost, total: maxSockets }),
    client: createClient(),
    timeoutMs,
    isStopping: () => isStopping,
    onRefusal: deps.onRefusal ?? (() => undefined),
    contextOf: createTlsContexts(),
  };

  return {
    send: (request) => new Attempt(attemptDeps, request).outcome,

    async close() {
      isStopping = true;
      await agent.close();
    },
  };
}
