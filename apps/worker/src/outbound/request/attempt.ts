import type { ClientRequest, IncomingMessage } from 'node:http';
import {
  type AttemptOutcome,
  type BodyCut,
  checkTargetUrl,
  type Failure,
  type FailureKind,
  makeFailure,
  type TargetPolicy,
} from '@callout/core/deliver';
import type { FairSlots, Slot } from '@callout/runtime/concurrency';
import type { Request } from 'got';
import type { ConnectionPhase, OutboundAgent } from './agent.ts';
import { Answer } from './answer.ts';
import type { Client } from '../client.ts';
import { describeFailure } from './failure.ts';
import { judgeHost, type Refusal, type Resolve } from '../target/guard.ts';
import { openRequest, type OutboundRequest } from './open-request.ts';

export interface AttemptDeps {
  readonly policy: TargetPolicy;
  readonly resolve: Resolve;
  readonly agent: OutboundAgent;
  /** One for each request under way, by the origin that it goes to. */
  readonly connectionSlots: FairSlots<string>;
  readonly client: Client;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** Whether connections are being closed because this process stops. */
  readonly isStopping: () => boolean;
  readonly onRefusal: (refusal: Refusal) => void;
}

/** How long the body of an answer is read, in milliseconds after its headers. */
const bodyMs = 2_000;

/** One HTTP request, from judging its target to the end of what is read of the answer. */
export class Attempt {
  /** Never rejects for anything a receiver, a name server or a stored URL can do. */
  readonly outcome: Promise<AttemptOutcome>;
  readonly #deps: AttemptDeps;
  readonly #request: OutboundRequest;
  readonly #startedAt = performance.now();
  #deadline: NodeJS.Timeout;
  readonly #answer: Answer;
  #settle: (outcome: AttemptOutcome) => void = () => undefined;
  #host = '';
  #slot: Slot | undefined;
  #stream: Request | undefined;
  #native: ClientRequest | undefined;
  #isOver = false;

  constructor(deps: AttemptDeps, request: OutboundRequest) {
    this.#deps = deps;
    this.#request = request;
    this.#answer = new Answer(deps.maxResponseBytes);
    this.#deadline = setTimeout(() => this.#expire(), deps.timeoutMs);
    this.outcome = new Promise((settle, reject) => {
      this.#settle = settle;
      this.#begin().catch((error: unknown) => {
        this.#end();
        reject(error);
      });
    });
  }

  async #begin(): Promise<void> {
    const { policy, connectionSlots, resolve } = this.#deps;
    const target = checkTargetUrl(this.#request.url, policy);
    if (!target.ok) return this.#fail(makeFailure('targetInvalid', '', target.message));
    const { url } = target;
    this.#host = url.host;

    this.#slot = connectionSlots.take(url.origin);
    if (this.#slot.ready) await this.#waitFor(this.#slot.ready);
    if (this.#isOver) return;

    const judgement = await judgeHost(url.hostname, policy, resolve);
    if (this.#isOver) return;
    if (judgement.kind === 'refused') {
      if (judgement.refusal) this.#deps.onRefusal(judgement.refusal);
      return this.#fail(judgement.failure);
    }

    if (this.#deps.isStopping()) return this.#failStopping();
    this.#send(url, judgement.addresses);
  }

  /** Half of the time at most: what is left must be enough for a fair try. */
  async #waitFor(ready: Promise<void>): Promise<void> {
    const waitMs = this.#deps.timeoutMs / 2;
    const givesUp = setTimeout(() => {
      this.#fail(makeFailure('busy', this.#host, seconds(waitMs)));
    }, waitMs).unref();
    await ready;
    clearTimeout(givesUp);
  }

  #send(url: URL, addresses: readonly string[]): void {
    this.#stream = this.#deps.client(url, {
      body: this.#request.body,
      request: () => this.#open(url, addresses),
    });
    this.#stream
      .on('response', (response: IncomingMessage) => this.#onHeaders(response))
      .on('data', (piece: Buffer) => {
        if (!this.#answer.add(piece)) this.#endWithAnswer('size');
      })
      .on('end', () => this.#endWithAnswer(null))
      .on('error', (error: Error) => this.#onError(error));
  }

  /** Called by got when it is ready to send. */
  #open(url: URL, addresses: readonly string[]): ClientRequest {
    const native = openRequest(this.#deps.agent, url, addresses, this.#request);
    this.#native = native;
    // got listens too, so Node would hand the connection over and forget it.
    native.once('upgrade', (response, socket) => {
      socket.destroy();
      this.#onHeaders(response);
      this.#endWithAnswer(null);
    });
    return native;
  }

  #onHeaders({ statusCode = 0, headers }: IncomingMessage): void {
    this.#answer.begin(statusCode, headers);
    // The status has decided: what may still come is only for the log.
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#expire(), Math.min(bodyMs, this.#leftMs()));
    const keepAlive = headers['keep-alive'];
    const socket = this.#native?.socket;
    if (typeof keepAlive === 'string' && socket) this.#deps.agent.noteKeepAlive(socket, keepAlive);
  }

  #onError(error: Error): void {
    if (this.#answer.hasBegun) return this.#endWithAnswer('connection');
    if (this.#deps.isStopping()) return this.#failStopping();
    this.#fail(describeFailure(error, this.#phase(), this.#host));
  }

  #expire(): void {
    if (this.#answer.hasBegun) return this.#endWithAnswer('time');
    this.#fail(makeFailure(this.#lateness(), this.#host, seconds(this.#deps.timeoutMs)));
  }

  #lateness(): FailureKind {
    if (!this.#stream) return 'nameTimeout';
    const phase = this.#phase();
    if (phase === 'handshaking') return 'tlsTimeLimit';
    return phase === 'ready' ? 'answerTimeLimit' : 'connectTimeLimit';
  }

  #phase(): ConnectionPhase | undefined {
    return this.#deps.agent.phaseOf(this.#native?.socket ?? null);
  }

  #endWithAnswer(bodyCut: BodyCut | null): void {
    if (!this.#isOver) this.#end(this.#answer.outcome(bodyCut, this.#durationMs()));
  }

  #fail({ reason, message }: Failure): void {
    this.#end({ kind: 'failed', reason, message, durationMs: this.#durationMs() });
  }

  #failStopping(): void {
    this.#fail(makeFailure('stopping', this.#host));
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  #leftMs(): number {
    return Math.max(0, this.#startedAt + this.#deps.timeoutMs - performance.now());
  }

  /** Once only, whatever comes first; frees everything the attempt holds. */
  #end(outcome?: AttemptOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#deadline);
    // Node marks a request as destroyed when its connection went back to the agent: then there is nothing to break off.
    if (this.#stream && !this.#native?.destroyed) this.#stream.destroy();
    this.#slot?.release();
    if (outcome) this.#settle(outcome);
  }
}

function seconds(ms: number): string {
  return `${ms / 1_000} s`;
}
