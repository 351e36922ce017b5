/** The headers of a credential. */
export interface Credential {
  readonly userName: string;
  readonly secret: string;
  readonly apiIntegrationCode: string;
}

/** What came of a request. Without an answer nobody knows whether it was carried out. */
export type Reply =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'unanswered'; readonly reason: string };

/** Calls paths below `/v1.0` of the API at `port`. */
export type CallApi = (
  port: number,
  credential: Credential,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<Reply>;

/** Longer than any answer takes, so that it is the process that was killed, and not we who were impatient. */
const PATIENCE_MS = 20_000;

/** Sends one request; never rejects for what the network or the other side does. */
export const callApi: CallApi = async (port, credential, method, path, body) => {
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
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { kind: 'answered', status: response.status, body: await response.json() };
  } catch (error) {
    return { kind: 'unanswered', reason: error instanceof Error ? error.message : String(error) };
  }
};

/** The `itemId` of a call that must succeed. */
export async function itemId(reply: Promise<Reply>): Promise<number> {
  const answer = await reply;
  if (answer.kind === 'answered' && answer.status === 200) {
    const { itemId: id } = answer.body as { itemId?: unknown };
    if (typeof id === 'number') return id;
  }
  throw new Error(`expected an itemId, got ${JSON.stringify(answer)}`);
}
