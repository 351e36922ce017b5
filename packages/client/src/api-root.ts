type Send = (request: Request) => Promise<Response>;

/** Most installations have the API root of the specification. */
export const usualRoot = '/atservicesrest';

/**
 * The URL of an installation without the parts that people copy along: query and fragment, the version with everything
 * behind, and pages of the console and the documentation.
 */
export function tidyApiRoot(url: string): string {
  const withoutVersion = url
    .replace(/[?#].*$/su, '')
    .replace(/(?<=[^/:])\/v\d+\.\d+(?:\/.*)?$/iu, '')
    .replace(/\/+$/u, '');
  if (withoutVersion.endsWith(usualRoot)) return withoutVersion;
  return withoutVersion.replace(/(?<=[^/:])\/+(?:console|docs)(?:\/.*)?$/iu, '').replace(/\/+$/u, '');
}

/**
 * Sends requests to the usual API root below `baseUrl` once `baseUrl` turns out to be wrong: after an answer of 404 or
 * a web page, when no request has succeeded there before. Nothing more is sent where `baseUrl` works.
 */
export function findingRoot(send: Send, baseUrl: string): Send {
  if (!URL.canParse(baseUrl) || baseUrl.endsWith(usualRoot)) return send;
  let isSettled = false;
  let lookup: Promise<boolean> | undefined;
  return async (request) => {
    if (isSettled) return send(request);
    // The body is read when the request is sent.
    const copy = request.clone();
    if ((await lookup) === true) return send(await moved(copy, baseUrl));
    const response = await send(request);
    if (!isNoApi(response)) {
      if (response.ok) isSettled = true;
      return response;
    }
    lookup ??= isApi(send, baseUrl + usualRoot);
    if (!(await lookup)) {
      lookup = undefined;
      return response;
    }
    await response.body?.cancel();
    return send(await moved(copy, baseUrl));
  };
}

function isNoApi({ status, headers }: Response): boolean {
  return status === 404 || headers.get('Content-Type')?.startsWith('text/html') === true;
}

/** Whether the API shows its version there; no credential is needed, and no credential is sent. */
async function isApi(send: Send, root: string): Promise<boolean> {
  try {
    const response = await send(new Request(`${root}/v1.0/Version`, { redirect: 'manual' }));
    const version: unknown = await response.json();
    return typeof version === 'object' && version !== null && 'apiVersion' in version;
  } catch {
    return false;
  }
}

/** The same request below the usual root. */
async function moved(request: Request, baseUrl: string): Promise<Request> {
  const { method, headers, signal, credentials } = request;
  const body = request.body === null ? null : await request.arrayBuffer();
  return new Request(baseUrl + usualRoot + request.url.slice(new URL(baseUrl).href.replace(/\/$/u, '').length), {
    method,
    headers,
    signal,
    credentials,
    body,
  });
}
