import { describe, expect, it } from '@jest/globals';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { createLogger } from './logger.ts';

const SECRET = 'correct horse battery staple';

function linesOf(write: (log: ReturnType<typeof createLogger>) => void): string {
  let text = '';
  write(createLogger({ service: 'api', level: 'debug', destination: { write: (line) => (text += line) } }));
  return text;
}

describe('createLogger', () => {
  it('writes one JSON line with service, level, time, fields and message', () => {
    const line: unknown = JSON.parse(linesOf((log) => log.info({ tenantId: 7 }, 'request')));
    expect(line).toMatchObject({ service: 'api', level: 'info', tenantId: 7, msg: 'request' });
    expect(line).toHaveProperty('time', expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/));
  });

  it.each([
    { secret: SECRET },
    { SecretKey: SECRET },
    { deep: { list: [{ 'x-hook-signature': SECRET, Webhook_Signature: SECRET }] } },
    { request: { headers: { secret: SECRET, authorization: SECRET }, body: { name: SECRET } } },
    { err: Object.assign(new Error('failed'), { options: { headers: { secret: SECRET } }, body: SECRET }) },
    {
      err: new Error('outer', {
        cause: new Error(`cannot reach postgres://callout:${SECRET.replaceAll(' ', '')}@db/x`),
      }),
    },
    { url: `redis://:${SECRET.replaceAll(' ', '')}@redis:6379` },
    { url: `postgres://callout:with@and:and@@${SECRET.replaceAll(' ', '')}@db/x` },
    { previousSecret: SECRET, operatorToken: SECRET, smtp_url: SECRET, 'X-Api-Token': SECRET, auth: { pass: SECRET } },
    { buffer: Buffer.from(SECRET), map: new Map([['a', SECRET]]) },
    { a: { b: { c: { d: { e: { f: { harmless: SECRET } } } } } } },
  ])('keeps secrets out of %j', (fields) => {
    const text = linesOf((log) => log.error(fields, 'trouble'));
    expect(text).toContain('trouble');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(SECRET.replaceAll(' ', ''));
  });

  it('prints no request objects', () => {
    const request = new IncomingMessage(new Socket());
    request.headers = { secret: SECRET };
    expect(linesOf((log) => log.error({ request }, 'trouble'))).toContain('"request":"[IncomingMessage]"');
  });

  it('prints type, message, code, stack and causes of errors', () => {
    const err = Object.assign(new TypeError('outer'), { code: 'ECONNREFUSED', cause: new RangeError('inner') });
    const line: unknown = JSON.parse(linesOf((log) => log.error({ err }, 'trouble')));
    expect(line).toMatchObject({
      err: {
        type: 'TypeError',
        message: 'outer',
        code: 'ECONNREFUSED',
        cause: { type: 'RangeError', message: 'inner' },
      },
    });
    expect(line).toHaveProperty('err.stack', expect.stringContaining('logger.test'));
  });

  it('survives circular and unusual values', () => {
    const circular: Record<string, unknown> = { big: 10n, when: new Date(Number.NaN), call: () => 1 };
    circular['self'] = circular;
    expect(linesOf((log) => log.info(circular, 'odd'))).toContain('"big":"10"');
  });
});
