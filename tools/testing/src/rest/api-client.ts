import { ApiError, createClient, type Credential } from '@callout/client';

/** The result of a request. Without a response it is not known whether it was carried out. */
export type Reply =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'unanswered'; readonly reason: string };

/** A path below `/v1.0`. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** After this long the client goes away without having seen a response. */
  readonly patienceMs?: number;
}

/** Longer than any response takes, so that a missing response means a killed process and not an impatient test. */
const PATIENCE_MS = 60_000;

/** Sends one request to the API at `port`; never rejects for failures of the network or the other side. */
export async function callApi(port: number, credential: Credential, call: Call): Promise<Reply> {
  const { method, path, body, patienceMs = PATIENCE_MS } = call;
  const baseUrl = `http://127.0.0.1:${port}/atservicesrest`;
  // Once: whether to send again is for the test to decide.
  const client = createClient({ baseUrl, credential, retry: false });
  try {
    const { data, response } = await client.request(
      method.toLowerCase() as 'get',
      // Tests build their paths.
      `/v1.0${path}` as '/v1.0/Version',
      { ...(body !== undefined && { body: body as never }), signal: AbortSignal.timeout(patienceMs) },
    );
    return { kind: 'answered', status: response.status, body: data };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'answered', status: error.status, body: error.body };
    return { kind: 'unanswered', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The `itemId` of a call that must succeed. */
export async function itemId(reply: Promise<Reply>): Promise<number> {
  const answer = await reply;
  if (answer.kind === 'answered' && answer.status === 200) {
    const { itemId: id } = answer.body as { itemId?: unknown };
    if (typeof id === 'number') return id;
  }
  throw new Error(`expected an itemId, got ${JSON.stringify(answer)}`);
}
