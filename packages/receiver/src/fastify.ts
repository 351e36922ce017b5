import { type Answer, answers } from './receiver/answer.ts';
import { type BodyStream, readBody } from './receiver/read-body.ts';
import type { Receiver } from './receiver/receiver.ts';
import type { RequestHeaders } from './verify/headers.ts';

/** The used parts of Fastify 4 and 5, so the package needs neither. */
interface FastifyScope {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: '*',
    parser: (request: unknown, body: BodyStream, done: (error: null, body: BodyStream) => void) => void,
  ): unknown;
  post(path: string, handler: FastifyHandler): unknown;
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
  scope.removeAllContentTypeParsers();
  // The stream, and not the bytes: Fastify closes the connection of a body that is too large before the sender has read
  // the answer.
  scope.addContentTypeParser('*', (_request, body, done) => done(null, body));
  scope.post(path, async (request, reply) => {
    const { status, headers, body } = await answerTo(receiver, request);
    return reply.code(status).headers(headers).send(body);
  });
  registered();
}

async function answerTo(receiver: Receiver, { body, headers }: Parameters<FastifyHandler>[0]): Promise<Answer> {
  try {
    // Without a body there is nothing to parse.
    const bytes = body === undefined ? new Uint8Array() : await readBody(body as BodyStream, receiver.maxBodyBytes);
    return bytes === undefined ? answers.tooLarge(receiver.maxBodyBytes) : await receiver.receive(bytes, headers);
  } catch (error) {
    return receiver.refuse(error);
  }
}
