import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type PublicKeys, publicKeysAt } from '@callout/receiver';
import { isLocalRequest, sendJson, sendLiveScript, sendPage, sendPart, readBody } from '../local-page.ts';
import { createUpdates } from '../updates.ts';
import { listenOnLoopback, LOOPBACK } from '../process/local-port.ts';
import { calloutsList, calloutsPage } from './callouts-page.ts';
import {
  type CalloutVerdict,
  isSignedByKeyPair,
  type ReceivedCallout,
  type SignedRequest,
  verifyCallout,
} from './verify-callout.ts';

export interface ReceiverOptions {
  /** Replaced by a free one when it is in use. */
  port?: number;
  /** Secrets and public keys (`whpk_…`) to verify signatures with; more can be added later. */
  secretKeys?: readonly string[];
  /** Where public keys to verify with are read; undefined: there are none so far. Asked when a callout needs them. */
  publicKeysUrl?: () => Promise<string | undefined>;
  /** How many callouts are kept; the oldest go first. Default 200. */
  keep?: number;
  /** Called with each secret from a request, to keep it for the next start. That request waits for it. */
  onSecretKey?: (secretKey: string) => Promise<void>;
}

export interface Receiver {
  /** Callouts may be sent to any path below. */
  url: string;
  port: number;
  /** Verifies with this secret too, from now on, also earlier arrivals. */
  addSecretKey: (secretKey: string) => void;
  /** The arrivals, oldest first, verified with the secrets known now. */
  callouts: () => Promise<ReceivedCallout[]>;
  stop: () => Promise<void>;
}

type KeptRequest = Omit<ReceivedCallout, keyof CalloutVerdict | 'body' | 'hint'> & SignedRequest;

const MOST_BODY_BYTES = 4 * 1024 * 1024;
const MOST_SECRET_BYTES = 4096;

/**
 * A receiver of callouts, as an integrator would write one, on 127.0.0.1. It responds to every POST with 200, also to
 * one whose signature it cannot verify: its purpose is to show arrivals. `?status=503` in the path changes the
 * response.
 * `GET /` shows the callouts and updates itself, `GET /callouts` returns them as JSON (`{"items":[…]}`), `PUT
 * /secretKeys` with `{"secretKey":"…"}` adds a secret or a public key to verify with.
 */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const secretKeys = new Set(options.secretKeys);
  let source: PublicKeys | undefined;
  const keep = options.keep ?? 200;
  const kept: KeptRequest[] = [];
  const updates = createUpdates();
  let count = 0;

  const judged = async ({ body, ...request }: KeptRequest): Promise<ReceivedCallout> => {
    const verdict = await verifyCallout(
      { ...request, body },
      {
        secretKeys: [...secretKeys].filter((one) => !isPublicKey(one)),
        publicKeys: [...secretKeys].filter(isPublicKey),
        source,
      },
    );
    const isUnknown = [verdict.webhookSignature, verdict.hookSignature].includes('secret unknown');
    return { ...request, ...verdict, body: body.toString('utf8'), hint: isUnknown ? howToGiveASecret() : null };
  };

  async function callouts(): Promise<ReceivedCallout[]> {
    if (source === undefined && kept.some(isSignedByKeyPair)) {
      // While the API is away the keys are unknown.
      const keysUrl = await options.publicKeysUrl?.().catch(() => undefined);
      if (keysUrl !== undefined) source = publicKeysAt(keysUrl);
    }
    return Promise.all(kept.map(judged));
  }

  function addSecretKey(secretKey: string): void {
    secretKeys.add(secretKey);
    updates.notify();
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, MOST_BODY_BYTES);
    if (body === undefined) return sendJson(response, 413, { error: `More than ${MOST_BODY_BYTES} bytes.` });
    const { headers, url: path = '' } = request;
    const id = headers['webhook-id'];
    const isRepeat = id !== undefined && kept.some((earlier) => earlier.headers['webhook-id'] === id);
    count++;
    const callout = { number: count, receivedAt: new Date(), path, headers, body, isRepeat };
    kept.push(callout);
    if (kept.length > keep) kept.shift();
    updates.notify();
    sendJson(response, statusFor(path), { received: callout.number });
  }

  async function show(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLocalRequest(request)) return sendJson(response, 403, { error: 'Ask for 127.0.0.1.' });
    if (request.method === 'GET' && request.url === '/') {
      return sendPage(response, 'Callouts received', calloutsPage(await callouts()));
    }
    if (request.method === 'GET' && request.url === '/list') return sendPart(response, calloutsList(await callouts()));
    if (request.method === 'GET' && request.url === '/live.js') return sendLiveScript(response);
    if (request.method === 'GET' && request.url === '/updates') return updates.stream(response);
    if (request.method === 'GET' && request.url === '/callouts') {
      return sendJson(response, 200, { items: await callouts() });
    }
    if (request.method === 'PUT' && request.url === '/secretKeys') {
      const secretKey = secretKeyOf(await readBody(request, MOST_SECRET_BYTES));
      if (secretKey === undefined) {
        return sendJson(response, 400, { error: 'Send {"secretKey":"…"}: a secret, or a whole public key, whpk_….' });
      }
      await options.onSecretKey?.(secretKey);
      addSecretKey(secretKey);
      return sendJson(response, 200, { secretKeys: secretKeys.size });
    }
    return sendJson(response, 404, { error: 'POST callouts anywhere; GET / and GET /callouts show them.' });
  }

  function howToGiveASecret(): string {
    const command = `curl -X PUT ${url}/secretKeys -d '{"secretKey":"…"}'`;
    return `Secret unknown: give me the secretKey of this webhook, or its signingPublicKey, and its signatures are verified, also those of callouts that have arrived: ${command}`;
  }

  const server = createServer((request, response) => {
    const answer = request.method === 'POST' ? receive : show;
    // A sender that breaks off in the middle of its request affects no other.
    answer(request, response).catch(() => request.destroy());
  });
  const port = await listenOnLoopback(server, options.port);
  const url = `http://${LOOPBACK}:${port}`;
  return {
    url,
    port,
    addSecretKey,
    callouts,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** 32 bytes in base64. */
const PUBLIC_KEY = /^whpk_[A-Za-z0-9+/]{43}=$/u;

function isPublicKey(text: string): boolean {
  return text.startsWith('whpk_');
}

/** For a look at failures. */
function statusFor(path: string): number {
  const [, status = '200'] = /[?&]status=([2-5]\d\d)(?:&|$)/u.exec(path) ?? [];
  return Number(status);
}

function secretKeyOf(body: Buffer | undefined): string | undefined {
  if (body === undefined) return undefined;
  try {
    const { secretKey } = JSON.parse(body.toString('utf8')) as { secretKey?: unknown };
    const isUsable =
      typeof secretKey === 'string' && (isPublicKey(secretKey) ? PUBLIC_KEY.test(secretKey) : secretKey !== '');
    return isUsable ? secretKey : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
