import type { IncomingMessage, ServerResponse } from 'node:http';
import type { QueueReader } from './queue-figures.ts';

/** A part of an application, as Express accepts it. */
export type QueueBoard = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * bull-board over the queues of jobs, read-only. Nothing there is worth changing: a job names rows of PostgreSQL
 * and leaves nothing behind, while a queue that is paused by a click would delay every tenant.
 * It is loaded on demand, so that a process whose board no operator opens does not carry it.
 * @param basePath where it is mounted, such as `/operator/queues`.
 */
export async function createQueueBoard({ queues }: Pick<QueueReader, 'queues'>, basePath: string): Promise<QueueBoard> {
  const [{ createBullBoard }, { BullMQAdapter }, { ExpressAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/express'),
  ]);
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(basePath);
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Callout queues' } },
  });
  const board = serverAdapter.getRouter() as QueueBoard & BoardApp;
  askNoOtherHost(board);
  return board;
}

type Render = (file: string, options: object, done: (error: unknown, html?: string) => void) => void;

/** The used part of bull-board's application. */
interface BoardApp {
  readonly engines: Readonly<Record<string, Render>>;
  engine(extension: string, render: Render): unknown;
}

/** Its page links to fonts of Google. Without the links it uses those of the system. */
function askNoOtherHost(board: BoardApp): void {
  const render = board.engines['.ejs'];
  if (render === undefined) throw new Error('bull-board draws its page in another way');
  board.engine('ejs', (file, options, done) =>
    render(file, options, (error, html) => done(error, html?.replaceAll(/<link\b[^>]*href="https?:[^>]*>/gu, ''))),
  );
}
