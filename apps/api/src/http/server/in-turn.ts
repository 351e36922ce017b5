import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of a connection may wait for one before them: more than any client sends ahead. */
const MOST_WAITING = 32;

type Exchange = readonly [request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }];

/**
 * Serves the requests of a connection one after another, in the order in which their responses must be sent: the next
 * one begins when the response before it was written. Node hands over all pipelined requests at once, so a client that
 * reads no response would make the process keep thousands of them, with their files and bodies. A connection with more
 * than `MOST_WAITING` of them is closed; waiting requests have had no effect.
 */
export function inTurn(serve: RequestListener): RequestListener {
  /** Connections with a request in service, with those that wait for it. */
  const busy = new WeakMap<Socket, Exchange[]>();

  function begin(socket: Socket, [request, response]: Exchange): void {
    // Once the response was written or its connection has closed.
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
