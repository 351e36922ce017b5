import type { Account } from './account.ts';

/** The API said no. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly retryAfterS: number | null;

  constructor(status: number, body: unknown, retryAfter: string | null) {
    const { errors } = (body ?? {}) as { errors?: unknown };
    super(Array.isArray(errors) ? errors.join(' ') : `The API answered ${status}.`);
    this.status = status;
    const seconds = Number(retryAfter ?? Number.NaN);
    this.retryAfterS = Number.isFinite(seconds) ? seconds : null;
  }

  /** Whether the same request may be answered in a while. */
  get isPassing(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

export type Api = <T>(method: string, path: string, body?: unknown, signal?: AbortSignal) => Promise<T>;

/** Calls paths below `/v1.0`. Rejects with `Refused`, or with what `fetch` says of the network. */
export function apiOf({ url, userName, secret, apiIntegrationCode }: Account): Api {
  const base = `${url.replace(/\/+$/u, '')}/v1.0`;
  const credential = { UserName: userName, Secret: secret, ApiIntegrationCode: apiIntegrationCode };
  return async <T>(method: string, path: string, body?: unknown, signal?: AbortSignal) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { ...credential, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    const answer = jsonOf(text);
    if (!response.ok) throw new Refused(response.status, answer, response.headers.get('Retry-After'));
    return answer as T;
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
