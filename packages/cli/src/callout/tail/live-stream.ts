import type { CalloutClient, Schemas } from '@callout/client';

export type LiveAttempt = Schemas['LiveAttempt'];

/** The events of the stream. */
export interface LiveHandlers {
  readonly onAttempt: (attempt: LiveAttempt) => void;
  /** From now on attempts come live. */
  readonly onLive: () => void;
  /** Attempts cannot come live at present, or some were dropped: the log has to be read. */
  readonly onMissed: (isLive: boolean) => void;
}

export interface LiveScope {
  readonly entityType: string;
  readonly webhookID: number;
}

/** The API sends a heartbeat every 15 s: a stream that is silent for longer than this is dead. */
const silenceMs = 45_000;

/**
 * Reads `GET /Live` until it ends. @param scope the watched webhook; undefined: all.
 * @throws ApiError when the API refuses; the errors of fetch when the connection breaks.
 */
export async function readLive(
  client: CalloutClient,
  scope: LiveScope | undefined,
  signal: AbortSignal,
  { onAttempt, onLive, onMissed }: LiveHandlers,
): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  const take = ({ event, data }: ServerSentEvent) => {
    if (event === 'attempt') onAttempt(JSON.parse(data) as LiveAttempt);
    else if (event === 'live') onLive();
    else if (event === 'fallback' || event === 'lost') onMissed(event === 'lost');
  };
  try {
    const { data } = await client.GET('/v1.0/Live', {
      params: scope ? { query: { ...scope } } : {},
      parseAs: 'stream' as const,
      headers: { Accept: 'text/event-stream' },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    const decoder = new TextDecoder();
    let text = '';
    for await (const part of (data ?? []) as AsyncIterable<Uint8Array>) {
      timer.refresh();
      text += decoder.decode(part, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(serverSentEvent(block));
    }
  } finally {
    clearTimeout(timer);
  }
}

interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads a block as the API writes it: `event: …`, `data: …` on one line, or a comment. */
function serverSentEvent(block: string): ServerSentEvent {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'mu').exec(block)?.[1] ?? '';
  return { event: field('event'), data: field('data') };
}
