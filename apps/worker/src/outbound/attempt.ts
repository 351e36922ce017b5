import type { ClientRequest, IncomingMessage } from 'node:http';
import { checkTargetUrl, type AttemptFailureReason, type AttemptOutcome, type TargetPolicy } from '@callout/core';
import type { Request } from 'got';
import type { ConnectionPhase, OutboundAgent } from './agent.ts';
import { Answer } from './answer.ts';
import type { Client } from './client.ts';
import { describeFailure } from './failure.ts';
import { judgeHost, type Refusal, type Resolve } from './guard.ts';
import { openRequest, type OutboundRequest } from './open-request.ts';
import type { Place, Places } from './places.ts';

export interface AttemptDeps {
  readonly policy: TargetPolicy;
  readonly resolve: Resolve;
  readonly agent: OutboundAgent;
  readonly places: Places;
  readonly client: Client;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** Whether connections are being closed because this process stops. */
  readonly isStopping: () => boolean;
  readonly onRefusal: (refusal: Refusal) => void;
}

/** One HTTP request, from judging its target to the end of what is read of the answer. */
export class Attempt {
  /** Never rejects for anything a receiver, a name server or a stored URL can do. */
  readonly outcome: Promise<AttemptOutcome>;
  readonly #deps: AttemptDeps;
  readonly #request: OutboundRequest;
  readonly #startedAt = performance.now();
  readonly #deadline: NodeJS.Timeout;
  readonly #answer: Answer;
  #settle: (outcome: AttemptOutcome) => void = () => undefined;
  #host = '';
  #place: Place | undefined;
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
    const { policy, places, resolve } = this.#deps;
    const target = checkTargetUrl(this.#request.url, policy);
    if (!target.ok) return this.#fail('invalidTarget', `The URL ${target.message}.`);
    const { url } = target;
    this.#host = url.host;

    this.#place = places.take(url.origin);
    if (this.#place.entered) await this.#waitFor(this.#place.entered);
    if (this.#isOver) return;

    const judgement = await judgeHost(url.hostname, policy, resolve);
    if (this.#isOver) return;
    if (judgement.kind === 'refused') {
      if (judgement.reason === 'addressForbidden') this.#deps.onRefusal(judgement.refusal);
      return this.#fail(judgement.reason, judgement.message);
    }

    if (this.#deps.isStopping()) return this.#failStopping();
    this.#send(url, judgement.addresses);
  }

  /** Half of the time at most: what is left must be enough for a fair try. */
  async #waitFor(entered: Promise<void>): Promise<void> {
    const waitMs = this.#deps.timeoutMs / 2;
    const givesUp = setTimeout(() => {
      this.#fail('busy', `All connections to ${this.#host} were in use and none came free within ${waitMs / 1_000} s.`);
    }, waitMs).unref();
    await entered;
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
        if (!this.#answer.add(piece)) this.#endWithAnswer(false);
      })
      .on('end', () => this.#endWithAnswer(true))
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
      this.#endWithAnswer(true);
    });
    return native;
  }

  #onHeaders({ statusCode = 0, headers }: IncomingMessage): void {
    this.#answer.begin(statusCode, headers);
    const keepAlive = headers['keep-alive'];
    const socket = this.#native?.socket;
    if (typeof keepAlive === 'string' && socket) this.#deps.agent.noteKeepAlive(socket, keepAlive);
  }

  #onError(error: Error): void {
    if (this.#answer.hasBegun) return this.#endWithAnswer(false);
    if (this.#deps.isStopping()) return this.#failStopping();
    const { reason, message } = describeFailure(error, this.#phase(), this.#host);
    this.#fail(reason, message);
  }

  #expire(): void {
    if (this.#answer.hasBegun) return this.#endWithAnswer(false);
    this.#fail('timeout', `${this.#lateness()} within ${this.#deps.timeoutMs / 1_000} s.`);
  }

  #lateness(): string {
    if (!this.#stream) return `The name servers did not say where ${this.#host} is`;
    const phase = this.#phase();
    if (phase === 'handshaking') return `${this.#host} did not complete the TLS handshake`;
    return `${this.#host} did not ${phase === 'ready' ? 'answer' : 'accept the connection'}`;
  }

  #phase(): ConnectionPhase | undefined {
    return this.#deps.agent.phaseOf(this.#native?.socket ?? null);
  }

  #endWithAnswer(isComplete: boolean): void {
    if (!this.#isOver) this.#end(this.#answer.outcome(isComplete, this.#durationMs()));
  }

  #fail(reason: AttemptFailureReason, message: string): void {
    this.#end({ kind: 'failed', reason, message, durationMs: this.#durationMs() });
  }

  #failStopping(): void {
    this.#fail('aborted', 'The attempt was broken off because the worker stopped.');
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  /** Once only, whatever comes first; frees everything the attempt holds. */
  #end(outcome?: AttemptOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#deadline);
    // Node marks a request as destroyed when its connection went back to the agent: then there is nothing to break off.
    if (this.#stream && !this.#native?.destroyed) this.#stream.destroy();
    this.#place?.leave();
    if (outcome) this.#settle(outcome);
  }
}
