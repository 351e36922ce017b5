/** The headers of a credential. */
export interface Credential {
  readonly userName: string;
  readonly secret: string;
  readonly apiIntegrationCode: string;
}

/** What came of a request. Without an answer it is not known whether it was carried out. */
export type Reply =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'unanswered'; readonly reason: string };

/** A path below `/v1.0`. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** After this long the client goes away without having seen an answer. */
  readonly patienceMs?: number;
}

/** Longer than any answer takes, so that no answer means a killed process and not an impatient test. */
const PATIENCE_MS = 60_000;

/** Sends one request to the API at `port`; never rejects for what the network or the other side does. */
export async function callApi(port: number, credential: Credential, call: Call): Promise<Reply> {
  const { method, path, body, patienceMs = PATIENCE_MS } = call;
  try {
    const response = await fetch(`http://127.0.0.1:${port}/atservicesrest/v1.0${path}`, {
      method,
      headers: {
        UserName: credential.userName,
        Secret: credential.secret,
        ApiIntegrationCode: credential.apiIntegrationCode,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    });
    return { kind: 'answered', status: response.status, body: await response.json() };
  } catch (error) {
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
