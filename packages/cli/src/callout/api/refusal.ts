import type { ApiError } from '@callout/client';

/** What to do about an answer of the API, besides what it says itself. */
export function adviceFor(error: ApiError): string | undefined {
  const { status, details, retryAfterS, requestId } = error;
  const id = requestId === null ? '' : ` Its id is ${requestId}.`;
  if (details.length === 0) {
    return `That is no answer of Callout's API: check the URL that you signed in with (\`callout whoami\`); it ends with the API root, such as /atservicesrest.`;
  }
  switch (status) {
    case 401:
      return details.some(({ code }) => code === 'lockedOut')
        ? undefined
        : 'The secret may have been changed or revoked: sign in with the present one (`callout login`).';
    case 403:
      return '`callout whoami` shows what your credential may do; `--profile` uses another one.';
    case 404:
      return '`callout webhooks list` shows the webhooks that you have; `callout whoami`, as whom you call which installation.';
    case 429:
      return `Try again in ${retryAfterS ?? 60} s.`;
    case 503:
      return `Try again in ${retryAfterS ?? 10} s. If it stays so, tell the operator of the installation.${id}`;
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
