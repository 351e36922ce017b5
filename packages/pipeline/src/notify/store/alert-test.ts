import type { Pool } from 'pg';
import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { storeOperatorMessage } from '../operator-messages.ts';
import { storeAlertMail } from './installation-alerts.ts';

/** Where alerts of the installation go, by the settings of the worker that has taken the test. */
export interface AlertChannels {
  readonly recipients: readonly string[];
  readonly hasUrl: boolean;
}

/** The result of a test for a channel. */
export interface TestedChannel {
  readonly kind: 'mail' | 'url';
  /** The address of the mail; null for OPERATOR_ALERT_URL. */
  readonly recipient: string | null;
  /** `waiting`: the message is not out yet, or is tried again after a failure. */
  readonly state: 'sent' | 'waiting' | 'refused' | 'failed';
  readonly attempts: number;
  /** The answer of the mail server; null for OPERATOR_ALERT_URL, whose answer is in the log of the worker. */
  readonly lastError: string | null;
}

/** The last test of the channels. */
export interface AlertTest {
  readonly startDateTime: Date;
  /** Whether a worker has taken the test: then `channels` is complete. */
  readonly isTaken: boolean;
  readonly channels: readonly TestedChannel[];
}

const request = statementFrom<{ since: Date }>('notify/alert_test_request');

const forget = statementFrom('notify/alert_test_forget');

/** Asks the workers to send a test through each channel. @returns when the test began. */
export async function requestAlertTest(pool: Pool): Promise<Date> {
  return inTransaction(pool, async (transaction) => {
    await forget(transaction, []);
    const [row] = await request(transaction, []);
    return row?.since ?? new Date();
  });
}

const take = statementFrom<{ since: Date; occasion: string }>('notify/alert_test_take');

/**
 * Stores the mails and messages of a test that an operator requested, once, whichever worker comes first. The URL also gets the
 * end, so that nothing stays open in a pager.
 * @returns whether there was a test.
 */
export async function takeAlertTest(pool: Pool, { recipients, hasUrl }: AlertChannels): Promise<boolean> {
  return inTransaction(pool, async (transaction) => {
    const [row] = await take(transaction, [hasUrl ? 'url' : 'no url']);
    if (row === undefined) return false;
    const { since, occasion } = row;
    const content = {
      name: 'test',
      title: 'this is a test',
      detail: 'An operator tests where alerts of this installation go. Nothing is wrong.',
      advice: [],
      since,
    };
    await storeAlertMail(transaction, { recipients, kind: 'alert', occasion, content: JSON.stringify(content) });
    if (!hasUrl) return true;
    await storeOperatorMessage(transaction, occasion, JSON.stringify(content));
    await storeOperatorMessage(transaction, occasion, JSON.stringify({ ...content, until: since }));
    return true;
  });
}

const read = statementFrom<AlertTest>('notify/alert_test_read');

/** The result of the last test so far; undefined without a test. */
export async function readAlertTest(client: Client): Promise<AlertTest | undefined> {
  return (await read(client, []))[0];
}
