import { call, type TestResponse } from '../../fixtures/test-api.ts';
import type { TestCredential } from '../../fixtures/test-tenant.ts';

export interface BrowserCall {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** A browser with the console's page open: it keeps cookies, and sends the headers of a browser. */
export class Browser {
  readonly #url: string;
  readonly cookies = new Map<string, string>();

  /** @param url scheme, host and port. */
  constructor(url: string) {
    this.#url = url;
  }

  /** As the page itself calls. */
  page(method: string, path: string, { body, headers }: BrowserCall = {}): Promise<TestResponse> {
    const own = { 'Sec-Fetch-Site': 'same-origin', 'X-Callout-Console': '1' };
    return this.send(method, path, { body, headers: { ...own, ...headers } });
  }

  /** Sends the cookies and the given headers only. */
  async send(method: string, path: string, { body, headers }: BrowserCall = {}): Promise<TestResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await call(`${this.#url}${path}`, method, {
      ...(body !== undefined && { body }),
      headers: { ...(cookie !== '' && { Cookie: cookie }), ...headers },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  signIn(as: Omit<TestCredential, 'resourceId'>, headers?: Record<string, string>): Promise<TestResponse> {
    const { userName, secret, apiIntegrationCode } = as;
    const body = { userName, secret, apiIntegrationCode };
    return this.page('POST', '/console/session', { body, ...(headers && { headers }) });
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';');
    const at = pair.indexOf('=');
    if (line.includes('Max-Age=0')) this.cookies.delete(pair.slice(0, at));
    else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}
