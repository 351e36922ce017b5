import type { ServerResponse } from 'node:http';

/** Open pages that are notified of changes of their content. */
export interface Updates {
  /** Keeps a response open as a stream of server-sent events, until its reader goes away. */
  readonly stream: (response: ServerResponse) => void;
  /** Notifies all of them. */
  readonly notify: () => void;
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
    notify() {
      // A page that does not read is notified once it does: the waiting notification means the same.
      for (const response of open) if (!response.writableNeedDrain) response.write('data: changed\n\n');
    },
  };
}
