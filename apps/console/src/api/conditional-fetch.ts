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
    const known = kept.get(request.url);
    if (known !== undefined) request.headers.set('If-None-Match', known.etag);
    const response = await send(request);
    if (response.status === 304 && known !== undefined) {
      return new Response(known.body, { status: 200, headers: known.headers });
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
