import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import { answer, type RawReceiver } from '@callout/testing';
import { createSenderSetup, gist, post, type SenderSetup } from './sender.fixture.ts';

let setup: SenderSetup;
beforeEach(() => {
  setup = createSenderSetup();
});
afterEach(() => setup.stop());

const ok = (connection: Socket) => connection.write(answer(200));
async function expectClosed(...receivers: readonly RawReceiver[]): Promise<void> {
  await Promise.all(receivers.map((receiver) => receiver.whenClosed()));
  expect(receivers.map((receiver) => receiver.open())).toEqual(receivers.map(() => 0));
}

const urlOf = (port: number, host = 'hooks.example.com') => `http://${host}:${port}/`;

describe('outbound connections', () => {
  it('are reused', async () => {
    const receiver = await setup.receiver(ok);
    const sender = setup.sender();
    for (let nth = 0; nth < 5; nth += 1) await sender.send(post(urlOf(receiver.port)));
    expect([receiver.requests.length, receiver.connections()]).toEqual([5, 1]);
  });

  it('are reused however much was received on them: the limit applies to each request', async () => {
    const receiver = await setup.receiver((connection) => connection.write(answer(200, Buffer.alloc(60_000))));
    const sender = setup.sender();
    for (let nth = 0; nth < 20; nth += 1)
      expect(await sender.send(post(urlOf(receiver.port)))).toMatchObject({ status: 200, bodyCut: null });
    expect(receiver.connections()).toBe(1);
  });

  it('are not shared by hosts with the same address', async () => {
    const receiver = await setup.receiver(ok);
    const sender = setup.sender();
    for (const host of ['a.example', 'b.example']) await sender.send(post(urlOf(receiver.port, host)));
    expect(receiver.connections()).toBe(2);
  });

  it.each(['Connection: close', 'Keep-Alive: timeout=1', 'Keep-Alive: max=5, timeout=0'])(
    'are not used again after "%s"',
    async (header) => {
      const receiver = await setup.receiver((connection) => connection.write(answer(200, '', [header])));
      const sender = setup.sender();
      for (let nth = 0; nth < 3; nth += 1)
        expect(await sender.send(post(urlOf(receiver.port)))).toMatchObject({ status: 200 });
      expect(receiver.connections()).toBe(3);
    },
  );

  it('are closed when they were idle for long enough', async () => {
    const receiver = await setup.receiver(ok);
    await setup.sender({ idleMs: 50 }).send(post(urlOf(receiver.port)));
    await expectClosed(receiver);
  });

  it('are closed when the rest of the response is not read', async () => {
    const receiver = await setup.receiver((connection) => connection.write(answer(200, Buffer.alloc(200_000))));
    await setup.sender().send(post(urlOf(receiver.port)));
    await expectClosed(receiver);
  });

  it('are closed when the response came before the request was read', async () => {
    const unread: Socket[] = [];
    const receiver = await setup.receiver(() => undefined, {
      onConnect(connection) {
        unread.push(connection.pause());
        connection.write(answer(200, 'too long for me'));
      },
    });
    const outcome = await setup.sender().send(post(urlOf(receiver.port), Buffer.alloc(20_000_000)));
    expect(gist(outcome)).toMatchObject({ kind: 'answered', status: 200, body: 'too long for me' });
    for (const connection of unread) connection.resume();
    await expectClosed(receiver);
    expect(receiver.requests).toEqual([]);
  });

  it('with unsolicited data are not reused', async () => {
    const receiver = await setup.receiver((connection, _request, nth) => {
      connection.write(answer(200, `answer ${nth}`));
      setTimeout(() => connection.write(answer(201, 'unasked')), 20);
    });
    const sender = setup.sender({ idleMs: 60_000 });
    for (const nth of [1, 2, 3]) {
      expect(gist(await sender.send(post(urlOf(receiver.port))))).toMatchObject({ status: 200, body: `answer ${nth}` });
      await expectClosed(receiver);
    }
  });

  it('are closed when the time limit passes', async () => {
    const receiver = await setup.receiver(() => undefined);
    await setup.sender({ timeoutMs: 50 }).send(post(urlOf(receiver.port)));
    await expectClosed(receiver);
  });

  it('to one host are limited; other requests to it wait', async () => {
    const receiver = await setup.receiver((connection) => setTimeout(() => ok(connection), 5));
    const sender = setup.sender({ maxSocketsPerHost: 3 });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => sender.send(post(urlOf(receiver.port)))));
    expect(outcomes.filter((outcome) => outcome.kind === 'answered')).toHaveLength(20);
    expect([receiver.requests.length, receiver.mostOpen()]).toEqual([20, 3]);
  });

  it('of a host that hangs do not make another host wait', async () => {
    const slow = await setup.receiver(() => undefined);
    const healthy = await setup.receiver(ok);
    const sender = setup.sender({ maxSocketsPerHost: 2, timeoutMs: 2_000 });
    const hanging = Array.from({ length: 5 }, () => sender.send(post(urlOf(slow.port))));
    expect(await sender.send(post(urlOf(healthy.port)))).toMatchObject({ status: 200 });
    const messages = (await Promise.all(hanging)).map((outcome) => outcome.kind === 'failed' && outcome.message);
    const host = `hooks.example.com:${slow.port}`;
    expect(messages).toEqual([
      ...Array(2).fill(expect.stringContaining(`${host} did not answer within 2 s. `)),
      ...Array(3).fill(
        expect.stringContaining(`All connections to ${host} were in use, and none came free within 1 s. `),
      ),
    ]);
    expect(slow.requests).toHaveLength(2);
  });

  it('are limited in total: idle ones are closed, so that a new host never waits for them', async () => {
    const receivers = await Promise.all(Array.from({ length: 6 }, () => setup.receiver(ok)));
    const sender = setup.sender({ maxSockets: 3, idleMs: 60_000 });
    for (const receiver of [...receivers, ...receivers]) {
      expect(await sender.send(post(urlOf(receiver.port)))).toMatchObject({ status: 200 });
    }
    await expectClosed(...receivers.slice(0, 3));
    expect(receivers.slice(3).map((receiver) => receiver.open())).toEqual([1, 1, 1]);
  });

  it('survive requests that fail: the next one is sent', async () => {
    const receiver = await setup.receiver((connection, _request, nth) => {
      if (nth % 2 === 0) ok(connection);
      else connection.resetAndDestroy();
    });
    const sender = setup.sender();
    const kinds: string[] = [];
    for (let nth = 0; nth < 6; nth += 1) kinds.push((await sender.send(post(urlOf(receiver.port)))).kind);
    expect(kinds).toEqual(['failed', 'answered', 'failed', 'answered', 'failed', 'answered']);
    // One attempt is one request, also where the connection had been open before.
    expect(receiver.requests).toHaveLength(6);
  });

  it('end when the sender is closed; requests under way are aborted, as are later ones', async () => {
    const receiver = await setup.receiver(() => undefined);
    const idle = await setup.receiver(ok);
    const sender = setup.sender();
    await sender.send(post(urlOf(idle.port)));
    const underWay = sender.send(post(urlOf(receiver.port)));
    await receiver.whenRequested(1);
    await sender.close();
    const aborted = (port: number) => ({
      kind: 'failed',
      reason: 'aborted',
      message: `The worker stopped before hooks.example.com:${port} had answered. It is sent again automatically.`,
    });
    expect(gist(await underWay)).toEqual(aborted(receiver.port));
    expect(gist(await sender.send(post(urlOf(idle.port))))).toEqual(aborted(idle.port));
    await expectClosed(receiver, idle);
    expect(idle.requests).toHaveLength(1);
  });
});
