import type { Command } from 'commander';
import { type CalloutClient, createClient, createOperatorClient } from '@callout/client';
import { Problem } from '@callout/domain/problem';
import { parseConfig } from '@callout/runtime/config/parse';
import { operatorConfig } from '@callout/runtime/config/settings/operator';
import { CannotGoOn } from '../../../cannot-go-on.ts';
import { callingOptions, noticesOf } from '../../api/open-api.ts';
import { codeOf } from '../../api/unreachable.ts';
import type { CommandContext } from '../../context.ts';
import { hasSetting } from '../database.ts';
import { operateInDatabase, withoutToken } from './first-tenant.ts';
import { tenantNamed } from './named.ts';
import { operateBy, type Operate } from './operate.ts';

const operatorRoot = '/operator/v1';

/**
 * Opens the operator API with OPERATOR_TOKEN, at CALLOUT_OPERATOR_URL or where OPERATOR_HOST and OPERATOR_PORT say.
 * Without a token there is no operator API, and what the first tenant needs works on the database, if given.
 * @throws CannotGoOn that says what to set.
 */
export async function openOperator(context: CommandContext, command: Command): Promise<Operate> {
  const hasToken = hasSetting(context, 'OPERATOR_TOKEN');
  if (!hasToken && hasSetting(context, 'DATABASE_URL')) return operateInDatabase(context);
  return operateBy(createOperatorClient(await accessOf(context, command)));
}

/**
 * Opens the API of the tenant in `--tenant`, or of the callout in the first argument.
 * @throws CannotGoOn that says what to set, a Problem without either.
 */
export async function openTenant(context: CommandContext, command: Command): Promise<CalloutClient> {
  const { tenant } = command.opts<{ tenant?: string }>();
  const access = await accessOf(context, command);
  const operate = operateBy(createOperatorClient(access));
  const [calloutId] = command.args;
  if (tenant === undefined && calloutId === undefined) throw Problem.invalid('--tenant is needed: its id or its name');
  const id =
    tenant === undefined
      ? (await operate<{ item: { tenantID: number } }>('findCallout', { calloutId })).item.tenantID
      : (await tenantNamed(operate, tenant)).id;
  const { token, headers, ...options } = access;
  return createClient({
    ...options,
    baseUrl: `${access.baseUrl}/tenants/${id}`,
    headers: { ...headers, Authorization: `Bearer ${token}` },
  });
}

/** Where the operator API is, and how it is called. */
async function accessOf(context: CommandContext, command: Command) {
  const { env } = context;
  const { OPERATOR_TOKEN: token, OPERATOR_HOST: host, OPERATOR_PORT: port } = parseConfig(operatorConfig, env);
  if (token === undefined) throw new CannotGoOn(withoutToken);
  const origin = originOf(env['CALLOUT_OPERATOR_URL']?.trim() || `http://${loopbackOf(host)}:${port}`);
  const options = await callingOptions(
    noticesOf(context, command),
    (_url, error) =>
      new CannotGoOn(
        `The operator API cannot be reached at ${origin} (${codeOf(error)}): set CALLOUT_OPERATOR_URL to its address; an API process has one if OPERATOR_TOKEN is set for it.`,
      ),
  );
  return { baseUrl: origin + operatorRoot, token, ...options };
}

/** Without the root of the API or a page of the console after it. */
function originOf(operatorUrl: string): string {
  if (!URL.canParse(operatorUrl) || !/^https?:/iu.test(operatorUrl)) {
    throw Problem.invalid('CALLOUT_OPERATOR_URL must be an http or https URL, such as http://10.0.0.5:8082');
  }
  const { origin, pathname } = new URL(operatorUrl);
  return origin + pathname.replace(/\/(?:(?:operator|console)(?:\/.*)?)?$/u, '');
}

/** How a process that listens on `host` is reached on its own machine. */
function loopbackOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
