import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from '@jest/globals';

export interface StubApi {
  readonly url: string;
  /** The settings with which commands call it. */
  readonly env: Record<string, string>;
  /** Method and path of each request so far. */
  readonly requests: readonly string[];
}

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

/** An API with the responses that a test needs, also some that the real API never sends. It ends with the test. */
export async function stubApi(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<StubApi> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.replace(/\?.*$/u, '')}`);
    request.resume();
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {
    CALLOUT_URL: url,
    CALLOUT_USER_NAME: 'crm@acme.example',
    CALLOUT_SECRET: 'a secret',
    CALLOUT_INTEGRATION_CODE: 'a code',
  };
  open.push(() => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    return closed;
  });
  return { url, env, requests };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}
