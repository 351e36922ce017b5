import type { Command } from 'commander';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { failedReasons, type FailedReason } from '@callout/domain/callout/failed-reason';
import type { CalloutClient } from '@callout/client';
import { guidOf } from './api/callouts.ts';
import { wordsOf } from './input/delivery-options.ts';
import { moment, momentHelp } from './input/moment.ts';
import { webhookHelp } from './input/webhook-named.ts';

/** The options that select callouts which failed. */
export interface FailedOptions {
  readonly webhook?: string;
  readonly reason?: FailedReason[];
  readonly since?: Date;
  readonly until?: Date;
}

/** Adds the options of a period and a webhook, and those of a reason unless the command shows all reasons. */
export function withFailed(command: Command, { byReason = true } = {}): Command {
  command.option('--webhook <webhook>', `of this webhook only, also of a deleted one by its GUID: ${webhookHelp}`);
  if (byReason) {
    command.option(
      '--reason <reasons>',
      `${failedReasons.join(', ')}; several are separated by commas`,
      wordsOf(failedReasons),
    );
  }
  return command
    .option('--since <time>', `made at this time or later: ${momentHelp}`, (text) => moment(text))
    .option('--until <time>', 'made before this time', (text) => moment(text));
}

/** The options of a command below `failed`, together with the options of `failed`. */
export const failedOptionsOf = (command: Command): FailedOptions => command.optsWithGlobals<FailedOptions>();

/** The selection of a command, as the API takes it. */
export interface FailedSelection {
  readonly webhookGUID?: string;
  readonly reasons?: FailedReason[];
  readonly since?: string;
  readonly until?: string;
}

/** Reads the selection, and looks up the GUID of a webhook named by collection and id. */
export async function selectionOf(
  client: CalloutClient,
  catalogue: Catalogue,
  { webhook, reason, since, until }: FailedOptions,
): Promise<FailedSelection> {
  return {
    ...(webhook !== undefined && { webhookGUID: await guidOf(client, catalogue, webhook) }),
    ...(reason !== undefined && { reasons: reason }),
    ...(since !== undefined && { since: since.toISOString() }),
    ...(until !== undefined && { until: until.toISOString() }),
  };
}

/** The query of a list or an export of the selected callouts that can be redelivered. */
export function queryOf(
  { webhookGUID, reasons, since, until }: FailedSelection,
  calloutIDs: readonly string[] = [],
): Record<string, string> {
  return {
    state: 'failed',
    kind: 'event',
    ...(webhookGUID !== undefined && { webhookGUID }),
    ...(reasons !== undefined && { reason: reasons.join(',') }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(calloutIDs.length > 0 && { calloutID: calloutIDs.join(',') }),
  };
}
