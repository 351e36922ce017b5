import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { parseCidrs } from '@callout/domain/target/address';
import { createSender, type SenderDeps } from '@callout/outbound/send';
import {
  answer,
  createTestDatabase,
  eventually,
  flood,
  forThisFile,
  openForTest,
  startRawReceiver,
  startScriptedReceiver,
  type ScriptedReceiver,
} from '@callout/testing';
import type { OAuth2 } from './call-credentials.rules.ts';
import { createTokenStore } from './token-store.ts';
import { createTokens, type TokenWanted } from './tokens.ts';

const testDatabase = forThisFile(createTestDatabase, ({ drop }) => drop());
const database = forThisFile(
  async () => openForTest(testDatabase.url),
  (opened) => opened.close(),
);
const keyRing = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);
const clientSecret = 'a client secret/+ü&=';
let endpoint: ScriptedReceiver;
const stops: (() => Promise<void>)[] = [];

const token = (value: unknown, others: object = { expires_in: 3600 }) =>
  JSON.stringify({ access_token: value, token_type: 'bearer', ...others });

beforeEach(async () => {
  endpoint = await startScriptedReceiver();
  stops.push(() => endpoint.stop());
  let issued = 0;
  endpoint.script('/token', () => ({ status: 200, delayMs: 50, body: token(`token-${(issued += 1)}`) }));
});
afterEach(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

/** The tokens of one worker. */
function worker({
  ring = keyRing,
  nowMs = () => performance.now(),
  ...deps
}: Partial<SenderDeps> & { ring?: KeyRing; nowMs?: () => number } = {}) {
  const sender = createSender({
    policy: { allowHttp: true, allowCidrs: parseCidrs(['127.0.0.1/32']) },
    resolve: async () => ['127.0.0.1'],
    timeoutMs: 5_000,
    ...deps,
  });
  stops.push(() => sender.close());
  const send = sender.send.bind(sender);
  const store = createTokenStore(database.pool, ring);
  return createTokens({ store, send, userAgent: 'Callout/1.0', nowMs });
}

let webhooks = 0;
function wanted(change: Partial<OAuth2> = {}): TokenWanted {
  const authId = randomUUID();
  const auth: OAuth2 = {
    kind: 'oauth2',
    tokenUrl: endpoint.url('/token'),
    clientId: 'call out',
    clientSecret,
    clientAuthentication: 'client_secret_basic',
    scope: 'hooks write',
    audience: null,
    tokenCaCertificate: null,
    ...change,
  };
  const oauth2 = { authId, auth, tls: undefined };
  return { webhookKey: (webhooks += 1), tenantId: 1, webhookGuid: randomUUID(), authId, oauth2 };
}

const terms = { timeoutMs: 5_000 };

describe('the token of a receiver', () => {
  it('is fetched once for all workers, with the credentials of the client, and stored encrypted', async () => {
    const [one, other] = [worker(), worker()];
    const webhook = wanted();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_none, nth) => (nth % 2 === 0 ? one : other)(webhook, terms)),
    );
    for (const result of results) expect(result).toMatchObject({ kind: 'token', token: 'token-1' });
    expect(endpoint.count('/token')).toBe(1);
    const [request] = endpoint.requests('/token');
    expect(request?.headers).toMatchObject({ 'content-type': 'application/x-www-form-urlencoded' });
    expect(request?.body.toString()).toBe('grant_type=client_credentials&scope=hooks+write');
    const [, basic = ''] = request?.headers.authorization?.split(' ') ?? [];
    expect(Buffer.from(basic, 'base64').toString()).toBe('call+out:a+client+secret%2F%2B%C3%BC%26%3D');
    const { rows } = await database.pool.query<{ row: string }>(
      `SELECT encode(ciphertext, 'escape') || t::text AS row FROM receiver_tokens t WHERE webhook_key = $1`,
      [webhook.webhookKey],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain('token-1');
  });

  it('is fetched once more when two workers learn at once that the receiver refuses it', async () => {
    const [one, other] = [worker(), worker()];
    const webhook = wanted();
    const first = await one(webhook, terms);
    expect(await other(webhook, terms)).toEqual(first);
    if (first.kind !== 'token') throw new Error(first.message);
    const again = { ...terms, refused: first.id };
    const results = await Promise.all([one(webhook, again), other(webhook, again), one(webhook, again)]);
    expect(results.map((result) => result.kind === 'token' && result.token)).toEqual(['token-2', 'token-2', 'token-2']);
    expect(endpoint.count('/token')).toBe(2);
    // A late worker that still has the first one gets the second, and does not fetch a third.
    expect(await other(webhook, again)).toMatchObject({ token: 'token-2' });
    expect(endpoint.count('/token')).toBe(2);
  });

  it('is fetched once in ten seconds, and not for each call, while the receiver refuses every one', async () => {
    let laterMs = 0;
    const get = worker({ nowMs: () => performance.now() + laterMs });
    const webhook = wanted();
    const ids: string[] = [];
    const refuse = async () => {
      const result = await get(webhook, { ...terms, ...(ids.length > 0 && { refused: ids.at(-1) ?? '' }) });
      if (result.kind === 'token') ids.push(result.id);
      return result;
    };
    expect(await refuse()).toMatchObject({ token: 'token-1' });
    expect(await refuse()).toMatchObject({ token: 'token-2' });
    for (let call = 0; call < 3; call += 1) expect(await refuse()).toMatchObject({ kind: 'failed' });
    expect(endpoint.count('/token')).toBe(2);
    laterMs = 11_000;
    expect(await refuse()).toMatchObject({ token: 'token-3' });
    expect(await refuse()).toMatchObject({ kind: 'failed' });
    expect(endpoint.count('/token')).toBe(3);
  });

  it('can be asked for with the credentials in the body', async () => {
    await worker()(wanted({ clientAuthentication: 'client_secret_post', scope: null, audience: 'https://a b' }), terms);
    const [request] = endpoint.requests('/token');
    expect(request?.headers.authorization).toBeUndefined();
    expect(Object.fromEntries(new URLSearchParams(request?.body.toString()))).toEqual({
      grant_type: 'client_credentials',
      audience: 'https://a b',
      client_id: 'call out',
      client_secret: clientSecret,
    });
  });

  it('is not used longer than it lasts, nor with other settings than it was fetched with', async () => {
    endpoint.script('/token', (_request, nth) => ({
      status: 200,
      body: token(`t${nth}`, { expires_in: nth === 1 ? 0 : 60 }),
    }));
    const get = worker();
    const webhook = wanted();
    expect(await get(webhook, terms)).toMatchObject({ token: 't1' });
    expect(await get(webhook, terms)).toMatchObject({ token: 't2' });
    expect(await worker()(webhook, terms)).toMatchObject({ token: 't2' });
    const authId = randomUUID();
    const changed = { ...webhook, authId, oauth2: { ...webhook.oauth2, authId } };
    expect(await get(changed, terms)).toMatchObject({ token: 't3' });
  });

  it('is stored for the settings that it was fetched with, also when they change while it is fetched', async () => {
    let answerOld: () => void = () => undefined;
    let answerNew: () => void = () => undefined;
    const oldIsDue = new Promise<void>((resolve) => (answerOld = resolve));
    const newIsDue = new Promise<void>((resolve) => (answerNew = resolve));
    endpoint.script('/old', { status: 200, after: oldIsDue, body: token('old-token') });
    endpoint.script('/token', { status: 200, after: newIsDue, body: token('new-token') });
    const get = worker();
    const before = wanted({ tokenUrl: endpoint.url('/old') });
    const ofOld = get(before, terms);
    await eventually(() => endpoint.count('/old') === 1);
    const authId = randomUUID();
    const after = { ...before, authId, oauth2: { ...wanted().oauth2, authId } };
    const ofNew = get(after, terms);
    await eventually(() => endpoint.count('/token') === 1);
    answerOld();
    expect(await ofOld).toMatchObject({ token: 'old-token' });
    // It has to look into the database.
    const ofOther = worker()(after, terms);
    answerNew();
    expect(await ofOther).toMatchObject({ token: 'new-token' });
    expect(await ofNew).toMatchObject({ token: 'new-token' });
    expect(endpoint.count('/token')).toBe(1);
  });

  it('is fetched again when its key is no longer in the ring, and when the worker that fetched has died', async () => {
    const webhook = wanted();
    await worker()(webhook, terms);
    const ring = KeyRing.parse(`k2:${randomBytes(32).toString('base64')}`);
    expect(await worker({ ring })(webhook, terms)).toMatchObject({ token: 'token-2' });
    await database.pool.query(
      `UPDATE receiver_tokens SET token_id = NULL, fetcher = $2, fetching_until = now() - interval '1 second'
       WHERE webhook_key = $1`,
      [webhook.webhookKey, randomUUID()],
    );
    expect(await worker()(webhook, terms)).toMatchObject({ token: 'token-3' });
  });
});

describe('a token endpoint', () => {
  const failure = async (webhook: TokenWanted, deps: Partial<SenderDeps> = {}) => {
    const result = await worker(deps)(webhook, { timeoutMs: 1_000 });
    expect(JSON.stringify(result)).not.toContain('client secret');
    return result;
  };

  it.each([
    ['answers an error', { status: 401, body: '{"error":"invalid_client"}' }, 'it answered 401 (invalid_client)'],
    ['repeats the secret', { status: 400, body: JSON.stringify({ error: clientSecret }) }, 'it answered 400. '],
    [
      'redirects',
      { status: 307, headers: { Location: '/elsewhere' } },
      'it answered 307, and redirects are not followed',
    ],
    ['answers no JSON', { status: 200, body: 'token-1' }, 'its answer has no access_token'],
    ['answers null', { status: 200, body: 'null' }, 'its answer has no access_token'],
    ['answers a number', { status: 200, body: token(7) }, 'its answer has no access_token'],
    [
      'answers CR and LF',
      { status: 200, body: token('a\r\nX-Hook-Signature: x') },
      'characters that no header may have',
    ],
    ['answers a lookalike', { status: 200, body: token('a\u010D\u010Ab') }, 'characters that no header may have'],
    ['answers 9 KB', { status: 200, body: token('x'.repeat(9_000)) }, 'or more than 8192'],
    ['answers another type', { status: 200, body: token('x', { token_type: 'mac' }) }, 'its token_type is not Bearer'],
  ])('that %s gives no token', async (_what, script, why) => {
    endpoint.script('/token', script);
    expect(await failure(wanted())).toMatchObject({
      kind: 'failed',
      reason: 'tokenFailed',
      message: expect.stringContaining(
        `The token endpoint 127.0.0.1:${endpoint.port} gave no token: ${why.startsWith('it') ? why : ''}`,
      ),
    });
    expect(endpoint.requests().map(({ path }) => path)).toEqual(['/token']);
    expect(await failure(wanted())).toMatchObject({ message: expect.stringContaining(why) });
  });

  it('that announces 1 GB or never ends is cut off', async () => {
    const raw = await startRawReceiver((connection, _request, nth) => {
      const length = nth === 1 ? 'Content-Length: 1000000000' : 'Transfer-Encoding: chunked';
      connection.write(`HTTP/1.1 200 OK\r\n${length}\r\n\r\n`);
      flood(connection, nth === 1 ? 'x'.repeat(65_536) : `10000\r\n${'x'.repeat(65_536)}\r\n`);
    });
    stops.push(raw.stop);
    const tokenUrl = `http://127.0.0.1:${raw.port}/token`;
    for (let nth = 0; nth < 2; nth += 1) {
      expect(await failure(wanted({ tokenUrl }))).toMatchObject({
        message: expect.stringContaining('its answer was too long or too slow'),
      });
    }
    await raw.whenClosed();
  });

  it('that hangs holds the calls of its own webhook until the time limit, and no others', async () => {
    endpoint.script('/hang', 'hang');
    const get = worker();
    const ends: string[] = [];
    const webhook = wanted({ tokenUrl: endpoint.url('/hang') });
    const hanging = Promise.all([get(webhook, { timeoutMs: 700 }), worker()(webhook, { timeoutMs: 700 })]).then(
      (results) => {
        ends.push('hanging');
        return results;
      },
    );
    await eventually(() => endpoint.count('/hang') === 1);
    expect(await get(wanted(), terms)).toMatchObject({ kind: 'token' });
    ends.push('other');
    for (const result of await hanging) {
      expect(result).toMatchObject({ reason: 'tokenFailed', message: expect.stringMatching(/^The token endpoint/u) });
    }
    expect(ends).toEqual(['other', 'hanging']);
    // Given up, so the next attempt need not wait for the end of a lease.
    endpoint.script('/hang', { status: 200, body: token('late') });
    expect(await worker()(webhook, terms)).toMatchObject({ token: 'late' });
  });

  it('is judged by its address at every request: one that rebinds to a private address is not called', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const raw = await startRawReceiver((connection) => connection.write(answer(200, token('t', { expires_in: 0 }))));
    stops.push(raw.stop);
    const get = worker({ resolve: async () => answers.shift() ?? ['169.254.169.254'] });
    const webhook = wanted({ tokenUrl: `http://login.example.com:${raw.port}/token` });
    expect(await get(webhook, terms)).toMatchObject({ kind: 'token', token: 't' });
    for (let nth = 0; nth < 2; nth += 1) {
      expect(await get(webhook, terms)).toMatchObject({
        reason: 'tokenFailed',
        message: expect.stringContaining('resolves to an address that callouts may not reach'),
      });
    }
    expect(raw.requests).toHaveLength(1);
  });
});
