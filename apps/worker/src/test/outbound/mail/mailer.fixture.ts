import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { startScriptedMailServer, type ScriptedMailServer, type ScriptedMailServerOptions } from '@callout/testing';
import { createMailer, type Mailer, type MailerDeps, type OutgoingMail } from '@callout/outbound/mail';

export interface MailerChanges extends Partial<Omit<MailerDeps, 'server'>> {
  server?: Partial<MailerDeps['server']>;
}

export interface MailerSetup {
  server: (options?: ScriptedMailServerOptions) => Promise<ScriptedMailServer>;
  /** A fake server with the given behaviour for each connection. @returns its port. */
  rawServer: (behave: (socket: Socket) => void) => Promise<number>;
  /** A mailer for a server on 127.0.0.1. */
  mailer: (port: number, changes?: MailerChanges) => Mailer;
  stop: () => Promise<void>;
}

/** Mail servers and mailers of one test, all stopped at its end. */
export function createMailerSetup(): MailerSetup {
  const stops: (() => Promise<void> | void)[] = [];
  return {
    async server(options) {
      const server = await startScriptedMailServer(options);
      stops.push(server.stop);
      return server;
    },
    async rawServer(behave) {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined);
        behave(socket);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      stops.push(async () => {
        for (const socket of sockets) socket.destroy();
        server.close();
        await once(server, 'close');
      });
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('no port');
      return address.port;
    },
    mailer(port, { server, ...changes } = {}) {
      const mailer = createMailer({
        server: { host: '127.0.0.1', port, isTls: false, tls: 'auto', credentials: undefined, ...server },
        timeoutMs: 5_000,
        from: { name: 'Callout, Größe', address: 'callout@mail.example.com' },
        ...changes,
      });
      stops.push(() => mailer.close());
      return mailer;
    },
    async stop() {
      for (const stop of stops.splice(0).toReversed()) await stop();
    },
  };
}

export function aMail(changes: Partial<OutgoingMail> = {}): OutgoingMail {
  const written = { subject: 'Callout - Error: x', text: 'it failed\n', html: '<p>it failed</p>' };
  return { id: '0190-a', recipient: 'ann@example.com', ...written, ...changes };
}
