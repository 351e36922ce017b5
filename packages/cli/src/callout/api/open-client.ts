import type { Command } from 'commander';
import type { CalloutClient } from '@callout/client';
import { openTenant } from '../admin/operator/open-operator.ts';
import type { CommandContext } from '../context.ts';
import { openApi } from './open-api.ts';

/** Whether a command of integrators stands below `admin`, where `--tenant` names whose webhooks it is about. */
export function isForOperators({ options }: Command): boolean {
  return options.some(({ long }) => long === '--tenant');
}

/** The API of a command that integrators and operators have alike. */
export async function openClient(context: CommandContext, command: Command): Promise<CalloutClient> {
  return isForOperators(command) ? openTenant(context, command) : (await openApi(context, command)).client;
}
