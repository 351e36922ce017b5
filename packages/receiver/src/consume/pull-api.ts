import { readRetryAfter } from './backoff.ts';
import { ConsumeError } from './consume-error.ts';

/** A credential of the API, as an operator makes it. It must be allowed to change the webhook. */
export interface ConsumeCredential {
  readonly userName: string;
  readonly secret: string;
  readonly apiIntegrationCode: string;
}

/** A callout as the API hands it out. */
export interface PulledCallout {
  readonly ackID: string;
  readonly calloutID: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The outcome of a callout: accepted, or to be handed out again, after so many seconds or by the retry schedule. */
export type Word =
  | { readonly kind: 'ack'; readonly ackID: string }
  | {
      readonly kind: 'nack';
      readonly ackID: string;
      readonly reason: string;
      readonly retryAfterSeconds?: number | undefined;
    };

/** What the API says to a word; `lapsed` and `unknown` do not count. */
export type Settled = ReadonlyMap<string, 'acked' | 'nacked' | 'lapsed' | 'unknown'>;

export interface PullApi {
  /** Waits for callouts for as long as the API does. Rejects with a {@link ConsumeError}, or the reason of the signal. */
  pull(
    request: { max: number; waitSeconds: number; leaseSeconds: number },
    stop: AbortSignal,
  ): Promise<PulledCallout[]>;
  acknowledge(words: readonly Word[], stop: AbortSignal): Promise<Settled>;
}

export interface PullApiDeps {
  /** Of the webhook. */
  readonly url: string;
  readonly credential: ConsumeCredential;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** For an answer, beyond what the API waits. */
const ANSWER_MS = 30_000;
const LONGEST_REASON = 1_000;

/** The requests of a consumer. @throws a `TypeError` when the address is not that of a webhook, or the credential has a gap. */
export function createPullApi({ url, credential, fetch: send }: PullApiDeps): PullApi {
  const webhook = webhookUrlOf(url);
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json', ...headersOf(credential) };

  async function post(path: string, body: object, answerMs: number, stop: AbortSignal): Promise<Answered> {
    const address = `${webhook}/${path}`;
    const answer = await limited(answerMs, stop, async (signal) => {
      const response = await send(address, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        // Whatever another address is, it gets no credential.
        redirect: 'manual',
        signal,
      });
      return { response, text: await response.text() };
    }).catch((error: unknown) => {
      stop.throwIfAborted();
      throw new ConsumeError(`${address} cannot be reached: ${describe(error)}.`, { cause: error });
    });
    const content = jsonOf(answer.text);
    if (!answer.response.ok) throw refusal(webhook, answer.response, content);
    const { items } = (content ?? {}) as { items?: unknown };
    if (Array.isArray(items)) return { items };
    throw new ConsumeError(`${address} answered something else than callouts: is a proxy between?`, {
      status: answer.response.status,
    });
  }

  return {
    async pull(request, stop) {
      const { items } = await post('Pull', request, request.waitSeconds * 1_000 + ANSWER_MS, stop);
      return items as PulledCallout[];
    },
    async acknowledge(words, stop) {
      const acks = words.flatMap((word) => (word.kind === 'ack' ? [word.ackID] : []));
      const nacks = words.flatMap((word) => {
        if (word.kind === 'ack') return [];
        const { ackID, reason, retryAfterSeconds } = word;
        return [{ ackID, reason: reason.slice(0, LONGEST_REASON), retryAfterSeconds }];
      });
      const { items } = await post('Pull/ack', { acks, nacks }, ANSWER_MS, stop);
      const settled = items as { ackID: string; status: 'acked' | 'nacked' | 'lapsed' | 'unknown' }[];
      return new Map(settled.map(({ ackID, status }) => [ackID, status]));
    },
  };
}

interface Answered {
  readonly items: readonly unknown[];
}

/** With or without `/Pull` at its end. */
function webhookUrlOf(url: string): string {
  const webhookUrl = /^https?:\/\/[^/?#]+\S*?\/v\d[^/]*\/\w+Webhooks\/\d+(?=\/?(?:pull\/?)?$)/iu.exec(url)?.[0];
  if (webhookUrl !== undefined) return webhookUrl;
  throw new TypeError(
    `url must be the address of a webhook, such as https://callout.example.com/atservicesrest/v1.0/CompanyWebhooks/3, and not ${JSON.stringify(url)}.`,
  );
}

/** An environment variable that is not set is the most common cause. */
function headersOf({ userName, secret, apiIntegrationCode }: ConsumeCredential): Record<string, string> {
  const parts = { userName, secret, apiIntegrationCode };
  const missing = Object.entries(parts).flatMap(([name, value]) => (value ? [] : [name]));
  if (missing.length > 0) {
    throw new TypeError(`The credential has no ${missing.join(' and no ')}. Is the variable set?`);
  }
  return { UserName: userName, Secret: secret, ApiIntegrationCode: apiIntegrationCode };
}

/** An answer that is no success, in words. */
function refusal(webhook: string, response: Response, content: unknown): ConsumeError {
  const { status, headers } = response;
  const sentence = messagesOf(content) || `The API answered ${status}.`;
  const isPassing = status >= 500 || [408, 425, 429].includes(status);
  const advice: Record<number, string> = {
    401: 'The credential was refused: check userName, secret and apiIntegrationCode.',
    403: 'The credential may not fetch the callouts of this webhook: it needs a role that may change webhooks.',
    404: `${webhook} is not there: it was deleted, the address is wrong, or the credential belongs to another tenant.`,
  };
  const redirected =
    status >= 300 && status <= 399 ? `${webhook} redirects: give the address that answers.` : undefined;
  const hint = redirected ?? advice[status];
  return new ConsumeError(hint === undefined ? sentence : `${hint} (${status}: ${sentence})`, {
    status,
    isFinal: !isPassing,
    retryAfterMs: readRetryAfter(headers.get('Retry-After'), Date.now()),
    requestId: headers.get('X-Request-Id'),
  });
}

function messagesOf(content: unknown): string {
  const { errors } = (content ?? {}) as { errors?: unknown };
  // Some begin with the status, which stands here already.
  return Array.isArray(errors) ? errors.map((one) => String(one).replace(/^\d{3}: /u, '')).join(' ') : '';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** `fetch` hides the reason in `cause`. */
function describe(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message ?? String(error);
}

/** Gives work a signal of its own: a signal with the life of the program would collect a listener for each request. */
async function limited<T>(ms: number, stop: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  stop.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(stop.reason);
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${ms / 1_000} s`)), ms);
  stop.addEventListener('abort', abort);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', abort);
  }
}
