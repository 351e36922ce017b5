import type { ServerResponse } from 'node:http';

/** Pages that are open and want to be told when what they show has changed. */
export interface Updates {
  /** Keeps an answer open as a stream of server-sent events, until its reader goes away. */
  readonly stream: (response: ServerResponse) => void;
  /** Tells all of them. */
  readonly tell: () => void;
}

export function createUpdates(): Updates {
  const open = new Set<ServerResponse>();
  return {
    stream(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      // Some browsers open the stream only when something has come.
      response.write(': open\n\n');
      open.add(response);
      response.once('close', () => open.delete(response));
    },
    tell() {
      // One that does not read is told once it does: what waits for it says the same.
      for (const response of open) if (!response.writableNeedDrain) response.write('data: changed\n\n');
    },
  };
}
