import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { ApiError, type CalloutClient } from '@callout/client';
import type { Output } from '../../output.ts';
import type { WatchedEntity } from '../input/webhook-named.ts';
import { listen } from './listen.ts';

const plain = (text: string) => text;
const callout = {
  ackID: 'a1',
  calloutID: 'c1',
  headers: {},
  body: '{"Action":"Update","EntityType":"Account","Id":1}',
};

describe('a listener', () => {
  it('says once more the result of callouts when the service is away for a moment', async () => {
    const receiver = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const stop = new AbortController();
    const sent: unknown[] = [];
    const lines: string[] = [];
    const away = new Response(null, { status: 503, headers: { 'Retry-After': '0' } });
    const client = {
      GET: async () => ({ data: { item: { webhookUrl: 'pull:' } } }),
      POST: async (path: string, { body }: { body: unknown }) => {
        if (path.endsWith('/Pull')) return { data: { items: [callout] } };
        sent.push(body);
        if (sent.length === 1) throw new ApiError(away, { errors: ['The database is away.'] });
        stop.abort();
        return {};
      },
    };
    const out = {
      print: () => undefined,
      progress: (text: string) => lines.push(text),
      green: plain,
      bold: plain,
      dim: plain,
    };
    await listen({
      client: client as unknown as CalloutClient,
      out: out as unknown as Output,
      source: {
        webhook: { entity: { webhookCollection: 'CompanyWebhooks', singular: 'Company' } as WatchedEntity, id: 1 },
      },
      forward: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
      isJson: false,
      stop: stop.signal,
    });
    receiver.close();
    expect(sent).toEqual([
      { acks: ['a1'], nacks: [] },
      { acks: ['a1'], nacks: [] },
    ]);
    expect(lines).toContain('The database is away. Trying again.');
  });
});
