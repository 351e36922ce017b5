import { answers } from './receiver/answer.ts';
import { joinBytes } from './verify/bytes.ts';
import type { ReceiveContext, Receiver } from './receiver/receiver.ts';

/**
 * Puts a receiver behind an address of whatever speaks the Fetch API: `export const POST = fetchHandler(receiver)` in a
 * route of Next.js, `Deno.serve(fetchHandler(receiver))`, `Bun.serve({ fetch: fetchHandler(receiver) })`, Hono, workers
 * (`export default { fetch: (request, env, context) => handle(request, context) }`).
 */
export function fetchHandler(receiver: Receiver): (request: Request, context?: unknown) => Promise<Response> {
  return async (request, context) => {
    const { status, headers, body } = await answerTo(receiver, request, context);
    return new Response(body, { status, headers });
  };
}

async function answerTo(receiver: Receiver, request: Request, context: unknown) {
  if (request.method !== 'POST') return answers.onlyPost;
  try {
    const body = await bodyOf(request, receiver.maxBodyBytes);
    if (body === undefined) return answers.tooLarge(receiver.maxBodyBytes);
    return await receiver.receive(body, request.headers, contextOf(context));
  } catch (error) {
    return receiver.refuse(error);
  }
}

/** Next, Deno and Bun pass something else, or nothing. */
function contextOf(context: unknown): ReceiveContext {
  const { waitUntil } = (context ?? {}) as { waitUntil?: unknown };
  if (typeof waitUntil !== 'function') return {};
  return { waitUntil: (work) => waitUntil.call(context, work) };
}

/** @returns undefined for a body that is too large. */
async function bodyOf(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (request.bodyUsed) throw new TypeError('The body was read before the receiver saw it. Give it the request first.');
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  return joinBytes(chunks);
}
