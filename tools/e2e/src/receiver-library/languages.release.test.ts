import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { everyCompanyEvent, eventually, forThisFile, type ReceivedRequest, useCallout } from '@callout/testing';
import { Webhook } from 'standardwebhooks';
import { type ExampleCommand, runExample, startExample } from './example-program.fixture.ts';
import { type HostileRequest, hostileHookRequests, hostileRequests, sendHostile } from './hostile-requests.fixture.ts';
import {
  installedLanguages,
  type Language,
  languages,
  languagesWithEd25519,
  prepareExample,
  prepareHeldExample,
} from './languages.fixture.ts';

const callout = useCallout();
const TEXT_SECRET = everyCompanyEvent.secretKey;
const BASE64_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const FIELDS = '{"CompanyName":"Grüße 👋 </script>"}';

const given = forThisFile(
  async () => ({
    directory: await mkdtemp(path.join(tmpdir(), 'callout-languages-')),
  }),
  ({ directory }) => rm(directory, { recursive: true }),
);
/** One request of a running Callout for each secret. */
const captured = new Map<string, ReceivedRequest>();

async function requestOf(secretKey: string): Promise<ReceivedRequest> {
  const known = captured.get(secretKey);
  if (known !== undefined) return known;
  const tenant = await callout.tenant();
  const webhook = await callout.webhook(tenant, { secretKey });
  const companyName = 'Grüße 👋 </script>';
  await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 7, fields: { companyName } });
  await eventually(() => expect(webhook.requests()).toHaveLength(1));
  const [request] = webhook.requests();
  if (request === undefined) throw new Error('No callout arrived.');
  captured.set(secretKey, request);
  return request;
}

/** A request that is signed with the secret and with Ed25519, and the public key for it. */
async function signedRequest(): Promise<{ request: ReceivedRequest; publicKey: string }> {
  signed ??= requestOfBoth();
  return signed;
}

let signed: Promise<{ request: ReceivedRequest; publicKey: string }> | undefined;

async function requestOfBoth() {
  const tenant = await callout.tenant();
  const webhook = await callout.webhook(tenant, { secretKey: TEXT_SECRET, others: { signatureKind: 'both' } });
  const [pair] = (
    await callout.database.pool.query<{ key: string }>(
      `SELECT 'whpk_' || encode(k.public_key, 'base64') AS key FROM signing_keys k JOIN webhooks w USING (tenant_id)
       WHERE w.webhook_url = $1`,
      [webhook.url],
    )
  ).rows;
  await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 7, fields: { companyName: 'Acme' } });
  await eventually(() => expect(webhook.requests()).toHaveLength(1));
  const [request] = webhook.requests();
  if (request === undefined || pair === undefined) throw new Error('No callout arrived.');
  return { request, publicKey: pair.key };
}

type Headers = Record<string, string>;

/** Sends a request as it was captured, or with another body or other headers. @returns the status of the response. */
async function send(url: string, request: ReceivedRequest, change: { body?: string; headers?: Headers } = {}) {
  return (await responseTo(url, request, change)).status;
}

async function responseTo(url: string, request: ReceivedRequest, change: { body?: string; headers?: Headers } = {}) {
  const body = change.body ?? String(request.body);
  const response = await fetch(url, { method: 'POST', body, headers: { ...ownHeaders(request), ...change.headers } });
  await response.arrayBuffer();
  return response;
}

/** The headers of a captured request that a sender sets for each callout. */
function ownHeaders(request: ReceivedRequest): Headers {
  const { 'content-length': _length, connection: _connection, host: _host, ...headers } = request.headers as Headers;
  return headers;
}

/**
 * Sends the end of a request as it is, and no more. @returns the first line of the response; empty where there is none.
 */
async function firstLineOf(url: string, rest: string): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.write(`POST /callouts HTTP/1.1\r\nHost: ${hostname}\r\n${rest}`);
  let answer = '';
  for await (const text of socket) {
    answer += String(text);
    if (answer.includes('\r\n')) break;
  }
  return answer.split('\r\n')[0] ?? '';
}

/** The headers of Standard Webhooks for the body of a request, signed at another time, by their library. */
function signedAt(request: ReceivedRequest, secret: string, id: string, signed: Date): Headers {
  const timestamp = String(Math.floor(signed.getTime() / 1000));
  const signature = new Webhook(secret).sign(id, signed, String(request.body));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

/** The prepared examples, once for each language. */
const prepared = new Map<Language, ExampleCommand>();

async function commandOf(language: Language): Promise<ExampleCommand> {
  const known = prepared.get(language);
  if (known !== undefined) return known;
  const made = await prepareExample(language, await mkdtemp(path.join(given.directory, 'example-')));
  prepared.set(language, made);
  return made;
}

/** Starts the example of a language, and stops it after the check. */
async function using(
  language: Language,
  env: Headers,
  check: (example: Awaited<ReturnType<typeof startExample>>) => Promise<void>,
): Promise<void> {
  await usingCommand(await commandOf(language), env, check);
}

async function usingCommand(
  command: ExampleCommand,
  env: Headers,
  check: (example: Awaited<ReturnType<typeof startExample>>) => Promise<void>,
): Promise<void> {
  // Its stored callouts are of this start alone.
  const TMPDIR = await mkdtemp(path.join(given.directory, 'kept-'));
  const example = await startExample({ ...command, env: { TMPDIR, ...env } });
  try {
    await check(example);
  } finally {
    await example.stop();
  }
}

it('examples/README.md names every example', async () => {
  const folder = path.resolve(import.meta.dirname, '../../../../examples');
  const readme = await readFile(path.join(folder, 'README.md'), 'utf8');
  const folders = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  // Consumers: one in a folder of its own, one beside the receiver in its language.
  expect(folders).toHaveLength(languages.length + 1);
  for (const { name } of folders) expect(readme).toContain(`(${name}/`);
});

describe.each(installedLanguages)('the example in $name', (language) => {
  it('handles a callout once, and nothing that is not signed, or is old', async () => {
    const request = await requestOf(BASE64_SECRET);
    await using(language, { SECRET_KEY: BASE64_SECRET }, async ({ url, lines }) => {
      expect(await send(url, request)).toBe(200);
      await eventually(() => expect(lines).toHaveLength(1));
      expect(lines[0]).toContain(FIELDS);
      expect(await send(url, request)).toBe(200);

      const { 'webhook-signature': right = '' } = request.headers as Headers;
      const now = new Date();
      const refused: { body?: string; headers?: Headers }[] = [
        { body: `${String(request.body)} ` },
        { headers: { 'webhook-id': 'another' } },
        { headers: { 'webhook-signature': 'v1,AAAA' } },
        { headers: { 'webhook-signature': '' } },
        { headers: { 'webhook-timestamp': 'soon' } },
        { headers: signedAt(request, BASE64_SECRET, 'old', new Date(now.getTime() - 360_000)) },
        { headers: signedAt(request, BASE64_SECRET, 'new', new Date(now.getTime() + 360_000)) },
      ];
      for (const change of refused) expect([change, await send(url, request, change)]).toEqual([change, 401]);
      expect(await send(url, request, { headers: { 'webhook-signature': `v1,AAAA ${right}` } })).toBe(200);

      // A repeat, and all refused requests, printed nothing; later ones are printed.
      const next = signedAt(request, BASE64_SECRET, 'next', now);
      expect(await send(url, request, { headers: next })).toBe(200);
      await eventually(() => expect(lines).toHaveLength(2));
    });
  });

  it('responds with 400 to a broken request and 413 to one that is too large, and goes on', async () => {
    const request = await requestOf(BASE64_SECRET);
    await using(language, { SECRET_KEY: BASE64_SECRET }, async ({ url, lines, errors }) => {
      for (const body of ['not JSON', '[]']) {
        const headers = signedAt({ ...request, body: Buffer.from(body) }, BASE64_SECRET, body, new Date());
        expect([body, await send(url, request, { body, headers })]).toEqual([body, 400]);
      }
      // Some servers stop reading at once, others read the body to its end: both are allowed.
      for (const megabytes of [5, 12]) {
        expect(await send(url, request, { body: 'x'.repeat(megabytes * 1024 * 1024) })).toBe(413);
      }
      if (language.runsPerRequest !== true) {
        expect(await firstLineOf(url, 'Content-Length: many\r\n\r\n')).toMatch(/^HTTP\/1\.[01] 400 /u);
        // A server that reads no chunks says that it wants a length.
        const broken = await firstLineOf(url, 'Transfer-Encoding: chunked\r\n\r\nzz\r\n');
        expect(broken).toMatch(/^HTTP\/1\.[01] (?:400|411) /u);
        for (const length of ['-1', '5 5', '9'.repeat(400), '9'.repeat(6000)]) {
          expect([length, await firstLineOf(url, `Content-Length: ${length}\r\n\r\n`)]).toEqual([
            length,
            expect.stringMatching(/^HTTP\/1\.[01] 4\d\d /u),
          ]);
        }
      }
      expect(await send(url, request)).toBe(200);
      await eventually(() => expect(lines).toHaveLength(1));
      expect(errors.filter((line) => /Traceback|Exception in thread/u.test(line))).toEqual([]);
    });
  });

  it('refuses every hostile request, and goes on', async () => {
    const request = await requestOf(TEXT_SECRET);
    const genuine = { headers: ownHeaders(request), body: Buffer.from(request.body), secret: TEXT_SECRET };
    const kinds: [Headers, HostileRequest[]][] = [
      [{}, hostileRequests(genuine)],
      [{ SIGNATURE: 'x-hook-signature' }, hostileHookRequests(genuine)],
    ];
    for (const [env, requests] of kinds) {
      await using(language, { ...env, SECRET_KEY: TEXT_SECRET }, async ({ url, lines, errors }) => {
        for (const hostile of requests) {
          const status = await sendHostile(url, hostile).catch((error: unknown) => String(error));
          // The server itself may refuse what is too long.
          const isRefused = [hostile.status, 400, 413, 431].includes(Number(status));
          expect([hostile.name, status, isRefused]).toEqual([hostile.name, status, true]);
        }
        expect(await send(url, request)).toBe(200);
        await eventually(() => expect(lines).toHaveLength(1));
        expect(errors.filter((line) => /Traceback|Exception|panic|Fatal|Warning/u.test(line))).toEqual([]);
      });
    }
  });

  it('does not answer 200 to a repeat before the callout is handled, and forgets one that failed', async () => {
    const request = await requestOf(BASE64_SECRET);
    const directory = await mkdtemp(path.join(given.directory, 'held-'));
    const GATE = path.join(directory, 'gate');
    const open = async (how: 'fail' | 'go') => {
      await writeFile(`${GATE}.next`, how);
      await rename(`${GATE}.next`, GATE);
    };
    const command = await prepareHeldExample(language, directory);
    const env = { SECRET_KEY: BASE64_SECRET, GATE, TMPDIR: directory };
    await usingCommand(command, env, async ({ url, lines }) => {
      const first = send(url, request);
      await eventually(() => expect(lines).toEqual(['begun']));
      const sendRepeat = async (to: string) => {
        const repeat = await responseTo(to, request);
        // By the retry schedule: a time of its own, each time, would use up all attempts within minutes.
        expect([repeat.status, repeat.headers.get('retry-after')]).toEqual([503, null]);
      };
      // The server of PHP serves one request at a time: what was seen is on disk, where a second server finds it.
      if (language.runsPerRequest === true) await usingCommand(command, env, async (other) => sendRepeat(other.url));
      else await sendRepeat(url);
      await open('fail');
      expect(await first).toBe(500);
      expect(lines).toEqual(['begun']);

      await open('go');
      expect(await send(url, request)).toBe(200);
      await eventually(() => expect(lines).toEqual(['begun', 'begun', expect.stringContaining(FIELDS)]));
      expect(await send(url, request)).toBe(200);
      expect(lines).toHaveLength(3);
    });
  });

  it('refuses an empty secret, with a sentence', async () => {
    const sentence = expect.stringContaining('Set SECRET_KEY to the secretKey of the webhook.');
    if (language.runsPerRequest === true) {
      await using(language, { SECRET_KEY: '' }, async ({ url, errors }) => {
        expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(500);
        expect(errors).toContainEqual(sentence);
      });
      return;
    }
    const command = await commandOf(language);
    const example = runExample({ ...command, env: { SECRET_KEY: '', PORT: '0' } });
    expect([await example.ended, example.errors]).toEqual([1, [sentence]]);
  });

  it('accepts a secret that is text, with either signature', async () => {
    const request = await requestOf(TEXT_SECRET);
    await using(language, { SECRET_KEY: TEXT_SECRET }, async ({ url }) => {
      expect(await send(url, request)).toBe(200);
    });
    await using(language, { SECRET_KEY: TEXT_SECRET, SIGNATURE: 'x-hook-signature' }, async ({ url, lines }) => {
      expect(await send(url, request)).toBe(200);
      await eventually(() => expect(lines).toHaveLength(1));
      expect(await send(url, request, { body: `${String(request.body)} ` })).toBe(401);
      expect(await send(url, request, { headers: { 'x-hook-signature': 'sha1=AAAA' } })).toBe(401);
    });
  });
});

describe.each(languagesWithEd25519)('the example in $name', (language) => {
  it('verifies with the public key of the tenant, and nothing else', async () => {
    const { request, publicKey } = await signedRequest();
    if (language.name === 'C#') {
      // .NET has no Ed25519 of its own: without a package a public key must not be taken for a secret.
      const example = runExample({ ...(await commandOf(language)), env: { SECRET_KEY: publicKey, PORT: '0' } });
      expect([await example.ended, example.errors]).toEqual([1, [expect.stringContaining('NSec.Cryptography')]]);
      return;
    }
    await using(language, { SECRET_KEY: publicKey }, async ({ url, lines }) => {
      expect(await send(url, request)).toBe(200);
      await eventually(() => expect(lines).toHaveLength(1));
      const {
        'webhook-signature': both = '',
        'webhook-timestamp': timestamp,
        'webhook-id': id,
      } = request.headers as Headers;
      const right = both.split(' ').find((one) => one.startsWith('v1a,')) ?? '';
      expect(await send(url, request, { headers: { 'webhook-signature': right } })).toBe(200);
      const mac = createHmac('sha256', publicKey)
        .update(`${id}.${timestamp}.${String(request.body)}`)
        .digest('base64');
      const refused: { body?: string; headers?: Headers }[] = [
        { body: `${String(request.body)} ` },
        { headers: { 'webhook-id': 'another' } },
        { headers: { 'webhook-signature': `${'v1a,AAAA '.repeat(1000)}${right}` } },
        { headers: { 'webhook-signature': `v1a,${'A'.repeat(6000)}` } },
        { headers: { 'webhook-timestamp': '9'.repeat(6000) } },
        { headers: { 'webhook-timestamp': String(Number(timestamp) - 1) } },
        { headers: { 'webhook-signature': 'v1a,AAAA' } },
        { headers: { 'webhook-signature': 'v1a,not base64!' } },
        { headers: { 'webhook-signature': both.split(' ')[0] ?? '' } },
        // Everybody who has the public key can make these two.
        { headers: { 'webhook-signature': `v1,${mac}` } },
        { headers: { 'webhook-signature': `v1a,${mac}` } },
      ];
      for (const change of refused) expect([change, await send(url, request, change)]).toEqual([change, 401]);
      expect(lines).toHaveLength(1);
    });
  });

  it('answers no callout with 2xx where the public key is none', async () => {
    const { request } = await signedRequest();
    for (const SECRET_KEY of ['whpk_', 'whpk_AAAA', 'whpk_not base64!']) {
      if (language.runsPerRequest === true || language.name.startsWith('TypeScript')) {
        await using(language, { SECRET_KEY }, async ({ url }) => {
          expect(await send(url, request)).toBe(500);
        });
      } else {
        const example = runExample({ ...(await commandOf(language)), env: { SECRET_KEY, PORT: '0' } });
        expect([await example.ended, example.errors]).toEqual([1, [expect.stringMatching(/public key/iu)]]);
      }
    }
  });
});
