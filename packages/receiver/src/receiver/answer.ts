import type { VerificationError } from '../verify/verification-error.ts';

/** What to answer to a request. The body is JSON, and shows in the delivery log. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function answer(status: number, content: object, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(content) };
}

/** Everything a receiver says. */
export const answers = {
  received: answer(200, { received: true }),
  accepted: answer(202, { received: true }),
  repeat: answer(200, { received: true, repeat: true }),
  /** Without `Retry-After`: the growing waits of the retry schedule leave attempts, however long the other request takes. */
  running: answer(503, { error: 'running', message: 'Another request is handling this callout.' }),
  refused: ({ code, message }: VerificationError) =>
    answer(code === 'malformed_body' || code === 'unexpected_body' ? 400 : 401, { error: code, message }),
  retryLater: (seconds: number) =>
    answer(503, { error: 'retry_later', message: 'The receiver asks for it later.' }, { 'retry-after': `${seconds}` }),
  /** The cause may be private: it goes to `onError`, not to the sender. */
  failed: answer(500, { error: 'failed', message: 'The receiver could not handle this callout; its log says why.' }),
  tooLarge: (maxBodyBytes: number) =>
    answer(413, { error: 'too_large', message: `The body is larger than ${maxBodyBytes} bytes.` }),
  onlyPost: answer(405, { error: 'only_post', message: 'Callouts are sent with POST.' }, { allow: 'POST' }),
};
