import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { OperatorSchemas as Schemas } from '@callout/client';
import type { CommandContext } from '../context.ts';
import { show } from '../show/show.ts';
import { openOperator } from './operator/open-operator.ts';

type Test = Schemas['AlertTest'];

/** A mail server may take half a minute, and mail gathers for some seconds before. */
const patienceMs = 60_000;
const lookEveryMs = 500;

/** `callout admin alerts test` */
export function addAlertCommands(program: Command, context: CommandContext): void {
  program
    .command('alerts')
    .description('alerts about the installation itself')
    .command('test')
    .description('send a test to OPERATOR_MAIL and OPERATOR_ALERT_URL, and show the result')
    .addHelpText(
      'after',
      `
A worker sends it, by its own settings. The exit status is 1 when a channel did not take it within a minute.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const operator = await openOperator(context, command);
      await operator.POST('/alerts/test');
      const deadlineMs = performance.now() + patienceMs;
      let { item } = (await operator.GET('/alerts/test')).data;
      while (!isDone(item) && performance.now() < deadlineMs) {
        await sleep(lookEveryMs);
        ({ item } = (await operator.GET('/alerts/test')).data);
      }
      const isIncomplete = item.channels.length === 0 || item.channels.some(({ state }) => state !== 'sent');
      show(context, command, { data: item, text: textOf(item), isIncomplete });
    });
}

/** A channel that has failed once would be tried again for days. */
function isDone({ isTaken, channels }: Test): boolean {
  return isTaken && channels.every(({ state, attempts }) => state !== 'waiting' || attempts > 0);
}

function textOf({ isTaken, channels }: Test): string {
  if (!isTaken) return 'No worker has taken the test: check that one with the role sweep is running.';
  if (channels.length === 0) return 'Nothing was sent: the workers have neither OPERATOR_MAIL nor OPERATOR_ALERT_URL.';
  return channels.map(lineOf).join('\n');
}

function lineOf({ kind, recipient, state, attempts, lastError }: Test['channels'][number]): string {
  const channel = kind === 'mail' ? `mail to ${recipient ?? ''}` : 'OPERATOR_ALERT_URL';
  if (state === 'sent') return `${channel}: sent`;
  if (attempts === 0) return `${channel}: waiting; check that a worker with the role notify and SMTP_URL is running`;
  if (lastError !== null) return `${channel}: not taken: ${lastError}`;
  return `${channel}: not taken; the log of the workers says why`;
}
