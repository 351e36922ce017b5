import type { Middleware } from 'openapi-fetch';

/** A mistake in a request, as the API describes mistakes. */
export interface ErrorDetail {
  readonly code: string;
  /** The property with the mistake, such as `webhookUrl` or `fields[2].field`. */
  readonly field?: string;
  readonly message: string;
}

/** An answer of the API that is no success. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The status of the answer. */
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  /** The body of the answer; null when it is no JSON. */
  readonly body: unknown;
  /** Seconds after which the same request may succeed, when the API gave them. */
  readonly retryAfterS: number | null;
  /** The `ETag` of the answer: with 412, that of the present version. */
  readonly etag: string | null;
  /** The `X-Request-Id` of the answer: the API's log has it too. */
  readonly requestId: string | null;

  constructor(response: Response, body: unknown) {
    const details = detailsOf(body);
    super(details.map(({ message }) => message).join(' ') || `The API answered ${response.status}.`);
    this.status = response.status;
    this.details = details;
    this.body = body;
    const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
    this.retryAfterS = Number.isFinite(retryAfter) ? retryAfter : null;
    this.etag = response.headers.get('ETag');
    this.requestId = response.headers.get('X-Request-Id');
  }

  /** Whether the same request may succeed in a while: the API is overloaded, restarting, or has had enough for now. */
  get isTemporary(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

/** The body of a failure: `errors` in words, and `details` in the same order. */
function detailsOf(body: unknown): ErrorDetail[] {
  if (typeof body !== 'object' || body === null) return [];
  const { errors, details } = body as { errors?: unknown; details?: unknown };
  if (Array.isArray(details)) return details as ErrorDetail[];
  return Array.isArray(errors) ? errors.map((message) => ({ code: 'unknown', message: String(message) })) : [];
}

/** Every answer without success is thrown; 304, which has to be requested with `If-None-Match`, is a success. */
export const throwFailures: Middleware = {
  async onResponse({ response }) {
    if (response.ok || response.status === 304) return;
    const text = await response.text();
    throw new ApiError(response, jsonOf(text));
  },
};

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
