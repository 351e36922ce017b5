import type { Command } from 'commander';
import { createOperatorClient, type OperatorClient } from '@callout/client';
import { Problem } from '@callout/domain/problem/problem';
import { parseConfig } from '@callout/runtime/config/parse';
import { operatorConfig } from '@callout/runtime/config/settings/operator';
import { CannotGoOn } from '../../../cannot-go-on.ts';
import { callingOptions, noticesOf } from '../../api/open-api.ts';
import { codeOf } from '../../api/unreachable.ts';
import type { CommandContext } from '../../context.ts';
import { hasSetting } from '../database/database.ts';
import { operatorInDatabase, operatorRoot, withoutToken } from './first-tenant.ts';

/**
 * Opens the operator API with OPERATOR_TOKEN, at CALLOUT_OPERATOR_URL or where OPERATOR_HOST and OPERATOR_PORT say.
 * Without a token there is no such API, and what the first tenant needs works on the database, if one is given.
 * @throws CannotGoOn that says what to set.
 */
export async function openOperator(context: CommandContext, command: Command): Promise<OperatorClient> {
  const { env } = context;
  const { OPERATOR_TOKEN: token, OPERATOR_HOST: host, OPERATOR_PORT: port } = parseConfig(operatorConfig, env);
  if (token === undefined) {
    if (!hasSetting(context, 'DATABASE_URL')) throw new CannotGoOn(withoutToken);
    return operatorInDatabase(context);
  }
  const origin = originOf(env['CALLOUT_OPERATOR_URL']?.trim() || `http://${loopbackOf(host)}:${port}`);
  const options = await callingOptions(
    noticesOf(context, command),
    (_url, error) =>
      new CannotGoOn(
        `The operator API cannot be reached at ${origin} (${codeOf(error)}): set CALLOUT_OPERATOR_URL to its address; an API process has one if OPERATOR_TOKEN is set for it.`,
      ),
  );
  return createOperatorClient({ baseUrl: origin + operatorRoot, token, ...options });
}

/** Without the root of the API or a page of the console after it. */
function originOf(given: string): string {
  if (!URL.canParse(given) || !/^https?:/iu.test(given)) {
    throw Problem.invalid('CALLOUT_OPERATOR_URL must be an http or https URL, such as http://10.0.0.5:8082');
  }
  const { origin, pathname } = new URL(given);
  return origin + pathname.replace(/\/(?:(?:operator|console)(?:\/.*)?)?$/u, '');
}

/** Where a process that listens on `host` is reached on its own machine. */
function loopbackOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
