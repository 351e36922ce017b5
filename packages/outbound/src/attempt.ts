import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { SecureContext } from 'node:tls';
import type { TlsMaterial } from '@callout/domain/receiver/certificates';
import type { BodyCut } from '@callout/domain/outcome/answers';
import { type Failure, type FailureKind, makeFailure } from '@callout/domain/outcome/failures';
import type { AttemptOutcome } from '@callout/domain/outcome/outcome';
import { checkTargetUrl, type TargetPolicy } from '@callout/domain/target/target';
import type { Permit, Permits } from '@callout/runtime/concurrency/permits';
import type { Request } from 'got';
import { costlyReceiverMs, type ConnectionPhase, type OutboundAgent, type RoutedOptions } from './agent.ts';
import { Answer } from './answer.ts';
import type { Client } from './client.ts';
import { codeOf, describeFailure } from './failure.ts';
import { judgeHost, type Refusal, type Resolve, routeTo, type Route } from './guard.ts';
import { request as httpsRequest } from 'node:https';
import { UnacceptableResponse } from './received-bytes.ts';

export interface AttemptDeps {
  readonly policy: TargetPolicy;
  readonly resolve: Resolve;
  readonly agent: OutboundAgent;
  /** A slot for each request under way, by the origin of the URL. */
  readonly connections: Permits<string>;
  readonly client: Client;
  readonly timeoutMs: number;
  /** Whether connections are being closed because this process stops. */
  readonly isStopping: () => boolean;
  readonly onRefusal: (refusal: Refusal) => void;
  /** Makes the TLS context of a call with material of its own. */
  readonly contextOf: (material: TlsMaterial) => SecureContext;
}

/** How much of the body of a response is read and kept. */
const maxResponseBytes = 65_536;
/** How long the body is read, in milliseconds after the headers. */
const bodyMs = 2_000;

/** One HTTP request, from judging the target to the end of the response. */
export class Attempt {
  /** Never rejects because of a receiver, a name server or a stored URL. */
  readonly outcome: Promise<AttemptOutcome>;
  readonly #deps: AttemptDeps;
  readonly #request: OutboundRequest;
  readonly #timeoutMs: number;
  readonly #startedAt = performance.now();
  #deadline: NodeJS.Timeout;
  readonly #answer: Answer;
  #settle: (outcome: AttemptOutcome) => void = () => undefined;
  #host = '';
  #permit: Permit | undefined;
  #stream: Request | undefined;
  #native: ClientRequest | undefined;
  #isOver = false;

  constructor(deps: AttemptDeps, request: OutboundRequest) {
    this.#deps = deps;
    this.#request = request;
    this.#timeoutMs = Math.min(deps.timeoutMs, request.timeoutMs ?? deps.timeoutMs);
    this.#answer = new Answer(maxResponseBytes);
    this.#deadline = setTimeout(() => this.#expire(), this.#timeoutMs);
    this.outcome = new Promise((settle, reject) => {
      this.#settle = settle;
      this.#begin().catch((error: unknown) => {
        this.#end();
        reject(error);
      });
    });
  }

  async #begin(): Promise<void> {
    const { policy, connections, resolve } = this.#deps;
    const target = checkTargetUrl(this.#request.url, policy);
    if (!target.ok) return this.#fail(makeFailure('targetInvalid', '', target.message));
    const { url } = target;
    this.#host = url.host;

    this.#permit = connections.acquire(url.origin);
    if (this.#permit.ready) await this.#waitFor(this.#permit.ready);
    if (this.#isOver) return;

    const judgement = await judgeHost(url.hostname, policy, resolve);
    if (this.#isOver) return;
    if (judgement.kind === 'refused') {
      if (judgement.refusal) this.#deps.onRefusal(judgement.refusal);
      return this.#fail(judgement.failure);
    }

    if (this.#deps.isStopping()) return this.#failStopping();
    // A process that was frozen continues here before its timers fire, and another process may have made the call
    // meanwhile.
    if (this.#leftMs() === 0) return this.#expire();
    const route = this.#routeTo(url, judgement.addresses);
    if (route === undefined) return;
    if (this.#deps.agent.isCostly(route)) return this.#failCostly();
    this.#send(url, route);
  }

  /** undefined, and the attempt has failed, when OpenSSL refuses the TLS material of this call. */
  #routeTo(url: URL, addresses: readonly string[]): Route | undefined {
    const { tls } = this.#request;
    if (tls === undefined) return routeTo(url, addresses);
    try {
      return routeTo(url, addresses, { id: tls.id, secureContext: this.#deps.contextOf(tls) });
    } catch (error) {
      this.#fail(makeFailure('tlsMaterialUnusable', this.#host, codeOf(error as Error)));
      return undefined;
    }
  }

  /** At most half of the time: the rest must be enough for a fair attempt. */
  async #waitFor(ready: Promise<void>): Promise<void> {
    const waitMs = this.#timeoutMs / 2;
    const givesUp = setTimeout(() => {
      this.#fail(makeFailure('busy', this.#host, seconds(waitMs)));
    }, waitMs).unref();
    await ready;
    clearTimeout(givesUp);
  }

  #send(url: URL, route: Route): void {
    this.#stream = this.#deps.client(url, {
      body: this.#request.body,
      request: () => this.#open(url, route),
    });
    this.#stream
      .on('response', (response: IncomingMessage) => this.#onHeaders(response))
      .on('data', (piece: Buffer) => {
        if (!this.#answer.add(piece)) this.#endWithAnswer('size');
      })
      .on('end', () => this.#endWithAnswer(null))
      .on('error', (error: Error) => this.#onError(error, route));
  }

  /** Called by got when it is ready to send. */
  #open(url: URL, route: Route): ClientRequest {
    const native = openRequest(this.#deps.agent, url, route, this.#request);
    this.#native = native;
    // got listens too, and Node would consider the connection handled and forget it.
    native.once('upgrade', (response, socket) => {
      socket.destroy();
      this.#onHeaders(response);
      this.#endWithAnswer(null);
    });
    return native;
  }

  #onHeaders({ statusCode = 0, headers }: IncomingMessage): void {
    this.#answer.begin(statusCode, headers);
    // The status has decided: the rest of the body is only for the log.
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#expire(), Math.min(bodyMs, this.#leftMs()));
    const keepAlive = headers['keep-alive'];
    const socket = this.#native?.socket;
    if (typeof keepAlive === 'string' && socket) this.#deps.agent.noteKeepAlive(socket, keepAlive);
  }

  #onError(error: Error, route: Route): void {
    if (this.#answer.hasBegun) return this.#endWithAnswer('connection');
    if (this.#deps.isStopping()) return this.#failStopping();
    const phase = this.#phase();
    if (phase === 'handshaking' && this.#deps.agent.isCostly(route)) return this.#failCostly();
    this.#fail(describeFailure(error, phase, this.#host));
  }

  #expire(): void {
    if (this.#answer.hasBegun) return this.#endWithAnswer('time');
    this.#fail(makeFailure(this.#lateness(), this.#host, seconds(this.#timeoutMs)));
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

  #failCostly(): void {
    this.#fail(makeFailure('certificatesTooLarge', this.#host, `${costlyReceiverMs / 60_000} minutes`));
  }

  #failStopping(): void {
    this.#fail(makeFailure('stopping', this.#host));
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  #leftMs(): number {
    return Math.max(0, this.#startedAt + this.#timeoutMs - performance.now());
  }

  /** Only once, at the first of several ends; frees everything that the attempt holds. */
  #end(outcome?: AttemptOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#deadline);
    // Node marks a request as destroyed when its connection was returned to the agent: then there is nothing to abort.
    if (this.#stream && !this.#native?.destroyed) this.#stream.destroy();
    this.#permit?.release();
    if (outcome) this.#settle(outcome);
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms) / 1_000} s`;
}

export interface OutboundRequest {
  readonly url: string;
  /** Sent in the given spelling. Host and Content-Length are set here and take precedence. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Absent: the public authorities, and no client certificate. */
  readonly tls?: TlsMaterial | undefined;
  /** A shorter time limit than that of all requests, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** Of status line and headers together; Node's own default, explicit because it is documented. */
const maxHeaderBytes = 16_384;
/** Responses with a status of 1xx before the final response; one or two are usual. */
const maxInterimAnswers = 20;

/** Opens a POST over a judged route. Throws on a header that HTTP does not allow. The body is written by got. */
export function openRequest(
  agent: OutboundAgent,
  url: URL,
  route: Route,
  { headers, body }: OutboundRequest,
): ClientRequest {
  const options: RoutedOptions = {
    agent,
    route,
    protocol: url.protocol,
    hostname: route.hostname,
    port: route.port,
    servername: route.servername,
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers,
    maxHeaderSize: maxHeaderBytes,
  };
  const native = route.isSecure ? httpsRequest(options) : httpRequest(options);
  native.setHeader('Host', url.host);
  native.setHeader('Content-Length', body.length);
  let interimAnswers = 0;
  native.on('information', () => {
    interimAnswers += 1;
    if (interimAnswers <= maxInterimAnswers) return;
    native.destroy(new UnacceptableResponse('interimAnswers'));
  });
  return native;
}
