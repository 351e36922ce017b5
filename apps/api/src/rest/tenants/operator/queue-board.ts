import type { RequestHandler } from 'express';
import type { QueueBoard } from '@callout/queue/board/queue-board';
import { HttpProblem } from '../../../http/errors/http-problem.ts';
import { noteForLog } from '../../../http/server/request-log.ts';

/** Where the board is, beside the operator API. */
export const queueBoardPath = '/operator/queues';

/** Of this server alone. The board names its own directory by `<base>`, and styles some of its parts in place. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * bull-board for operators who are signed in. It is read-only: requests that would change a queue are refused here,
 * independent of the board's own settings.
 */
export function serveQueueBoard(make: () => Promise<QueueBoard>): RequestHandler {
  let made: Promise<QueueBoard> | undefined;
  return async (request, response, next) => {
    noteForLog(response, { route: queueBoardPath });
    if (request.method !== 'GET' && request.method !== 'HEAD') throw HttpProblem.methodNotAllowed(['GET', 'HEAD']);
    response.setHeader('Content-Security-Policy', policy);
    // The address is normal here, and the board wants its page at the root of where it is.
    made ??= make();
    const board = await made.catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    board(request, response, next);
  };
}
