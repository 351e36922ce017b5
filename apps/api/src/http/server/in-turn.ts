import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of a connection may wait for an earlier request: more than any client sends ahead. */
const MOST_WAITING = 32;

type Exchange = readonly [request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }];

/**
 * Serves the requests of a connection in turn, in the order of the responses: the next request begins when the response
 * before is written. Node hands over all pipelined requests at once, before any middleware could stop them: a client
 * that reads no response would make the process keep thousands of requests, with files and bodies (`server.test.ts`). A
 * connection with more than `MOST_WAITING` waiting requests is closed; waiting requests have had no effect.
 */
export function inTurn(serve: RequestListener): RequestListener {
  /** Connections with a request in service, and the waiting requests. */
  const busy = new WeakMap<Socket, Exchange[]>();

  function begin(socket: Socket, [request, response]: Exchange): void {
    // Once the response is written or the connection has closed.
    response.once('close', () => {
      const next = busy.get(socket)?.shift();
      if (next === undefined || socket.destroyed) busy.delete(socket);
      else begin(socket, next);
    });
    serve(request, response);
  }

  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const waiting = busy.get(socket);
    if (waiting === undefined) {
      busy.set(socket, []);
      begin(socket, [request, response]);
    } else if (waiting.length < MOST_WAITING) waiting.push([request, response]);
    else socket.destroy();
  };
}
