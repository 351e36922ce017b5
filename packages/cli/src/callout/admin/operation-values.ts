import { InvalidArgumentError, type Command } from 'commander';
import { parametersOf, type Operation, type Parameter } from '@callout/domain/operations/operation';
import type { CommandContext } from '../context.ts';
import { fromEnvironment, givenSecret } from '../input/secret-options.ts';
import { parseWebhookName, readCatalogue } from '../input/webhook-named.ts';
import { tenantNamed, zoneNamed } from './operator/named.ts';
import type { Operate, Values } from './operator/operate.ts';

/** The parameters behind the options of a command, by the names that commander gives their values. */
export type OptionNames = ReadonlyMap<string, string>;

/** The default limit of an installation, in place of one of a tenant. */
const INSTALLATIONS_OWN = 'default';

/** A value of a command line. What else it must be is judged by the API. Throws an InvalidArgumentError. */
export function parsed(
  { kind, least = 0, most = Number.MAX_SAFE_INTEGER }: Parameter,
  text: string,
): string | number | null {
  if (kind === 'perHour') {
    if (text.toLowerCase() === INSTALLATIONS_OWN) return INSTALLATIONS_OWN;
    if (!/^\d+$/.test(text)) throw new InvalidArgumentError(`It must be a number or \`${INSTALLATIONS_OWN}\`.`);
    return Number(text);
  }
  if (kind === 'whole' || kind === 'id' || kind === 'resource') {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? '' : ` from ${least} to ${most}`;
    throw new InvalidArgumentError(`It must be a number${range}.`);
  }
  return text;
}

/** The values that a command line gives, by the names of the parameters. */
export async function givenValues(
  context: CommandContext,
  command: Command,
  operation: Operation,
  optionNames: OptionNames,
): Promise<Values> {
  const options = command.opts<Record<string, string | number | true | undefined>>();
  const parameters = parametersOf(operation);
  const values: Record<string, Values[string]> = {};
  for (const [index, name] of (operation.names ?? []).entries()) values[name] = command.processedArgs[index] as string;
  for (const [option, name] of optionNames) {
    const value = options[option];
    if (value === undefined) continue;
    const { kind } = parameters[name] ?? {};
    if (kind === 'secret') {
      values[name] =
        value === true ? await givenSecret(context, undefined) : fromEnvironment(context.env, String(value));
    } else if (kind === 'perHour') values[name] = value === INSTALLATIONS_OWN ? null : value;
    else values[name] = kind === 'flag' ? value === 'true' : value;
  }
  if (typeof options['webhook'] === 'string') {
    const webhook = parseWebhookName(await readCatalogue(context), options['webhook']);
    Object.assign(
      values,
      'guid' in webhook ? { webhookGUID: webhook.guid } : { entityType: webhook.entityType, webhookID: webhook.id },
    );
  }
  const isChange = operation.method === 'PATCH';
  if (isChange && !Object.keys(operation.body ?? {}).some((name) => values[name] !== undefined)) {
    command.error('error: say what to change, with at least one option');
  }
  return values;
}

interface Found {
  /** With ids in place of names. */
  readonly values: Values;
  /** What people call the thing. */
  readonly called: string;
  /** A tenant that is being deleted already, which is not asked about again. */
  readonly isDone: boolean;
}

/** Finds the tenants, zones and credentials that a command line names. Throws a Problem `notFound`. */
export async function foundValues(operate: Operate, operation: Operation, typedValues: Values): Promise<Found> {
  const values: Record<string, Values[string]> = { ...typedValues };
  let called = '';
  let isDone = false;
  for (const [name, { kind }] of Object.entries(parametersOf(operation))) {
    const value = typedValues[name];
    if (value === undefined) continue;
    if (kind === 'tenant') {
      const tenant = await tenantNamed(operate, String(value));
      values[name] = tenant.id;
      called = `Tenant ${tenant.id} (${tenant.name})`;
      isDone = tenant.deletingDateTime !== null;
      if (isDone && operation.typed !== undefined) called = tenant.name;
    } else if (kind === 'zone') values[name] = (await zoneNamed(operate, String(value))).id;
    else if (kind === 'credential') {
      const credential = await operate<{ item: { id: number; tenantID: number } }>('findCredential', {
        userName: value,
      });
      Object.assign(values, { credentialId: credential.item.id, tenantId: credential.item.tenantID });
      called = String(value);
    }
  }
  return { values, called, isDone: isDone && operation.typed !== undefined };
}
