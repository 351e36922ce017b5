import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { answer, type RawReceiver } from '@callout/testing';
import { createSenderSetup, gist, post, type SenderSetup } from './sender.fixture.ts';

let setup: SenderSetup;
let receiver: RawReceiver;
beforeEach(async () => {
  setup = createSenderSetup();
  receiver = await setup.receiver((connection) => connection.write(answer(200)));
});
afterEach(() => setup.stop());

const url = () => `http://hooks.example.com:${receiver.port}/hook`;
const linesOf = (head: string | undefined) => (head ?? '').split('\r\n').slice(1);

describe('the outbound request', () => {
  it('has the headers in their given spelling and order, the length and the host, and no Accept-Encoding', async () => {
    const headers = { 'User-Agent': 'Callout/1.0', 'webhook-id': 'msg_1', 'X-Hook-Signature': 'sha1=abc=' };
    await setup.sender().send({ url: url(), headers, body: Buffer.from('{}') });
    expect(linesOf(receiver.requests[0]?.head)).toEqual([
      'User-Agent: Callout/1.0',
      'webhook-id: msg_1',
      'X-Hook-Signature: sha1=abc=',
      `Host: hooks.example.com:${receiver.port}`,
      'Content-Length: 2',
      'Connection: keep-alive',
    ]);
  });

  it.each([
    ['text beyond ASCII', Buffer.from('{"Fields":{"CompanyName":"Łódź 🏭 \u0000"}}')],
    ['bytes that are no UTF-8', Buffer.from([0x00, 0xff, 0xfe, 0x0d, 0x0a, 0x0d, 0x0a, 0x80])],
    ['nothing', Buffer.alloc(0)],
    ['a megabyte', Buffer.alloc(1_048_576, 'callout ')],
  ])('has exactly the bytes it was given: %s', async (_what, body) => {
    const outcome = await setup.sender().send({ url: url(), headers: {}, body });
    expect(outcome).toMatchObject({ status: 200 });
    expect(receiver.requests[0]?.body.equals(body)).toBe(true);
  });

  it('sets Host and Content-Length itself, whatever the given headers', async () => {
    await setup.sender().send(post(url(), 'four', { 'content-length': '1', HOST: 'metadata.internal' }));
    const lines = linesOf(receiver.requests[0]?.head).map((line) => line.toLowerCase());
    expect(lines.filter((line) => /^(?:host|content-length):/u.test(line)).toSorted()).toEqual([
      'content-length: 4',
      `host: hooks.example.com:${receiver.port}`,
    ]);
    expect(receiver.requests[0]?.body.toString()).toBe('four');
  });

  it('may have a header of 8 KB', async () => {
    const value = 'x'.repeat(8_192);
    await setup.sender().send(post(url(), '', { 'X-Long': value }));
    expect(linesOf(receiver.requests[0]?.head)).toContain(`X-Long: ${value}`);
  });

  it.each(['a\r\nX-Injected: 1', 'a\nb', 'a\rb', 'a\u0000b', 'Łódź'])(
    'is not sent with the header value %j',
    async (value) => {
      const outcome = await setup.sender().send(post(url(), '', { 'X-Hook-Event-Id': value }));
      expect(gist(outcome)).toEqual({
        kind: 'failed',
        reason: 'other',
        message: `The request to hooks.example.com:${receiver.port} failed: Invalid character in header content ["X-Hook-Event-Id"]. Tell the operator.`,
      });
      expect(receiver.requests).toEqual([]);
    },
  );

  it('has an address in Host as it is in the URL, IPv6 in brackets', async () => {
    const sender = setup.sender();
    await sender.send(post(`http://127.0.0.1:${receiver.port}/`));
    await sender.send(post(`http://[::ffff:127.0.0.1]:${receiver.port}/`));
    expect(receiver.requests.map(({ head }) => /^Host: (.*)$/mu.exec(head)?.[1]?.trim())).toEqual([
      `127.0.0.1:${receiver.port}`,
      `[::ffff:7f00:1]:${receiver.port}`,
    ]);
  });
});
