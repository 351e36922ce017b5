/** The number of latest answers to keep: more than a page reads again and again. */
const MOST_KEPT = 30;

interface Kept {
  readonly etag: string;
  readonly body: string;
  readonly headers: Headers;
}

/**
 * Makes each repeated read conditional: where nothing has changed, the API answers 304 without a body, and the earlier
 * answer is used. Browsers would do the same, but may not store answers with `no-store`.
 */
export function createConditionalFetch(send: (request: Request) => Promise<Response>) {
  const kept = new Map<string, Kept>();
  return async (request: Request): Promise<Response> => {
    if (request.method !== 'GET') return send(request);
    const earlier = kept.get(request.url);
    if (earlier !== undefined) request.headers.set('If-None-Match', earlier.etag);
    const response = await send(request);
    if (response.status === 304 && earlier !== undefined) {
      return new Response(earlier.body, { status: 200, headers: earlier.headers });
    }
    const etag = response.headers.get('ETag');
    kept.delete(request.url);
    if (response.status !== 200 || etag === null) return response;
    const body = await response.text();
    kept.set(request.url, { etag, body, headers: response.headers });
    for (const url of kept.keys()) {
      if (kept.size <= MOST_KEPT) break;
      kept.delete(url);
    }
    return new Response(body, { status: 200, headers: response.headers });
  };
}
