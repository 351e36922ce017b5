import type { ApiError } from '@callout/client';

/** The remedy for a response of the API, in addition to its own message. */
export function adviceFor(error: ApiError): string | undefined {
  const { status, details, retryAfterS, requestId } = error;
  const id = requestId === null ? '' : ` Its id is ${requestId}.`;
  if (details.length === 0) {
    return `That is not an answer of a Callout API: check the URL that you signed in with (\`callout whoami\`); it ends with the API root, such as /atservicesrest.`;
  }
  switch (status) {
    case 401:
      return details.some(({ code }) => code === 'lockedOut')
        ? undefined
        : 'Check the user name, the secret and the integration code. If an operator has reissued or revoked them, sign in with the current ones: `callout login`.';
    case 403:
      return '`callout whoami` shows what your credential may do; `--profile` uses another one.';
    case 404:
      return '`callout webhooks list` and `callout deliveries list` show what there is; `callout whoami` shows your credential and the installation.';
    case 429:
      return `Try again in ${retryAfterS ?? 60} s.`;
    case 503:
      return `Try again in ${retryAfterS ?? 10} s. If that does not help, tell the operator of the installation.${id}`;
    default:
      return status >= 500 ? `Tell the operator of the installation.${id}` : undefined;
  }
}

/** The lines that a refusal is shown with. */
export function refusalLines(error: ApiError): string[] {
  const said = error.details.length > 0 ? error.details.map(({ message }) => message) : [error.message];
  const advice = adviceFor(error);
  return advice === undefined ? said : [...said, advice];
}
