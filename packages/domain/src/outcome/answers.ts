import { readRetryAfter } from './retry-after.ts';
import { withoutQuery } from '../target/target.ts';

const seeBody = 'The body of its answer may say why.';
const only2xx = 'Only a status from 200 to 299 counts as delivered.';

/** The usual meaning of a status, and its remedy, by the status. */
export const answers: Readonly<Record<number, readonly [meaning: string, remedy: string]>> = {
  400: ['it does not accept the request', seeBody],
  401: [
    'it does not accept the signature, or asks for credentials',
    'Check that it verifies with the secret of this webhook. If it asks for credentials, set receiverAuth of the webhook.',
  ],
  403: [
    'it refuses the caller',
    'Check its access rules and firewall, and whether it asks for credentials (receiverAuth).',
  ],
  404: ['it has nothing at this path', 'Check the path in the URL.'],
  405: ['it takes no POST at this path', 'Check the path in the URL.'],
  410: ['it is gone for good', 'Activate the webhook again when it is back.'],
  413: ['the callout is too large for it', 'Raise its limit for the size of requests.'],
  415: ['it does not accept JSON', 'Make it accept application/json.'],
  422: ['it does not accept the content', seeBody],
  429: [
    'it gets too many requests',
    'Limit the calls of the webhook (maxCallsPerSecond), raise the limit of the receiver, or let it answer with Retry-After.',
  ],
  500: ['it failed', 'See the log of the receiver.'],
  502: ['the application behind it does not answer', 'Check that the application behind the proxy is running.'],
  503: ['it is not available', 'Check that it is running.'],
  504: ['the application behind it does not answer in time', 'Answer with a 2xx first and do the work afterwards.'],
};

/**
 * Why a response is no success, for people, with the remedy; null for a 2xx.
 * @param headers by their names in lower case.
 */
export function describeAnswer(status: number, headers: Readonly<Record<string, string>>): string | null {
  if (status >= 200 && status <= 299) return null;
  const answered = `The receiver answered ${status}`;
  if (status === 304) return `${answered}, which means that nothing has changed since an earlier answer. ${only2xx}`;
  if (status >= 300 && status <= 399) {
    const { location } = headers;
    const where = location === undefined ? '' : ` with the location ${withoutQuery(location)}`;
    return `${answered}${where}, and redirects are not followed. Use the final address as the URL.`;
  }
  const retryAfter = status === 429 || status === 503 ? headers['retry-after'] : undefined;
  if (retryAfter !== undefined) {
    // Whether the date is valid does not depend on the current time.
    return readRetryAfter(retryAfter, new Date(0)) === undefined
      ? `${answered} with a Retry-After that is neither seconds nor a date, so the usual wait applies.`
      : `${answered} and asked to wait (Retry-After: ${retryAfter}).`;
  }
  const answer = answers[status];
  if (answer) return `${answered}: ${answer[0]}. ${answer[1]}`;
  if (status >= 400 && status <= 499) return `${answered}. ${seeBody}`;
  return `${answered}. ${only2xx}`;
}

/** Why the body of a response was not read to its end. */
export type BodyCut = 'size' | 'time' | 'connection';

/** The sentences about a truncated body. The status counts all the same. */
export const bodyCuts: Readonly<Record<BodyCut, string>> = {
  size: 'Only the beginning of the answer was read, since its body is longer than 64 KiB. The status counts.',
  time: 'Only the beginning of the answer was read, since its body had not ended 2 s after the headers, or at the time limit. The status counts.',
  connection: 'The connection broke before the body of the answer had ended. The status counts.',
};
