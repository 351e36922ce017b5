import { statementFrom } from '@callout/database/connection/statement/statement';
import type { Client } from '@callout/database/connection/database';
import {
  lateHealthEventsSentence,
  lateOperatorMessagesSentence,
  type Waiting,
  type WaitingMessages,
} from './status-sentences.rules.ts';

interface Row {
  readonly events: number;
  readonly oldestEvent: Date | null;
  readonly messages: number;
  readonly oldestMessage: Date | null;
}

const read = statementFrom<Row>('history:status/waiting_messages');

/** Counts what waits. Both tables are empty most of the time. */
export async function readWaitingMessages(client: Client): Promise<WaitingMessages> {
  const [row] = await read(client, []);
  if (row === undefined) throw new Error('a count gave no row');
  return {
    waitingHealthEvents: { count: row.events, oldestDateTime: row.oldestEvent },
    waitingOperatorMessages: { count: row.messages, oldestDateTime: row.oldestMessage },
  };
}

/** So long that a single failed attempt does not count. */
const lateAfterMs = 60_000;

/** What has waited for too long, as text. */
export async function describeLateMessages(client: Client): Promise<string[]> {
  const { waitingHealthEvents, waitingOperatorMessages } = await readWaitingMessages(client);
  return [
    ...lateSentence(waitingHealthEvents, lateHealthEventsSentence),
    ...lateSentence(waitingOperatorMessages, lateOperatorMessagesSentence),
  ];
}

function lateSentence(
  { count, oldestDateTime }: Waiting,
  sentence: (count: number, ageMs: number) => string,
): string[] {
  const ageMs = oldestDateTime === null ? 0 : Date.now() - oldestDateTime.getTime();
  return ageMs < lateAfterMs ? [] : [sentence(count, ageMs)];
}
