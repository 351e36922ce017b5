import type { RequestHeaders } from './verify/headers.ts';
import type { Receiver } from './receiver/receiver.ts';

/** What is used of Fastify 4 and 5, so that this package needs neither. */
interface FastifyScope {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: '*',
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown;
  post(path: string, options: { bodyLimit: number }, handler: FastifyHandler): unknown;
}

type FastifyHandler = (
  request: { readonly body?: unknown; readonly headers: RequestHeaders },
  reply: FastifyReply,
) => Promise<unknown>;

interface FastifyReply {
  code(status: number): FastifyReply;
  headers(headers: Readonly<Record<string, string>>): FastifyReply;
  send(body: string): FastifyReply;
}

export interface FastifyCalloutsOptions {
  readonly receiver: Receiver;
  /** Default `/callouts`. */
  readonly path?: string | undefined;
}

/**
 * A plugin of Fastify: `app.register(fastifyCallouts, { receiver, path: '/callouts' })`.
 * It keeps the bytes of bodies within itself; the parsers of the rest of the application stay.
 */
export function fastifyCallouts(
  scope: FastifyScope,
  { receiver, path = '/callouts' }: FastifyCalloutsOptions,
  registered: () => void,
): void {
  const bodyLimit = receiver.maxBodyBytes;
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body));
  scope.post(path, { bodyLimit }, async (request, reply) => {
    const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
    const { status, headers, body: content } = await receiver.receive(body, request.headers);
    return reply.code(status).headers(headers).send(content);
  });
  registered();
}
