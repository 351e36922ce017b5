import type { CalloutClient } from '@callout/client';
import type { WatchedEntity } from '../input/webhook-named.ts';

/** The values of `--field`, as an event has them. */
export interface GivenFields {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly userDefinedFields?: Readonly<Record<string, unknown>>;
}

/**
 * Sorts the values of `--field` into system fields and user-defined fields, with numbers and booleans as JSON has them.
 * User-defined fields are looked up only where a name is not that of a system field. An unknown name stays with the
 * system fields: the API ignores and reports it.
 */
export async function givenFields(
  client: CalloutClient,
  entity: WatchedEntity,
  texts: Readonly<Record<string, string>>,
): Promise<GivenFields> {
  const isUnknown = (name: string) => entity.fieldByName(name) === undefined;
  const udfs = Object.keys(texts).some(isUnknown) ? await userDefinedFieldsOf(client, entity) : [];
  const fields: Record<string, unknown> = {};
  const userDefinedFields: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(texts)) {
    const udf = isUnknown(name) ? udfs.find((one) => isNamed(one, name)) : undefined;
    if (udf === undefined) fields[name] = valueOf(text, entity.fieldByName(name)?.dataType);
    else userDefinedFields[udf.name] = valueOf(text, udf.dataType);
  }
  return { fields, ...(Object.keys(userDefinedFields).length > 0 && { userDefinedFields }) };
}

interface Udf {
  readonly name: string;
  readonly label: string;
  readonly dataType: string;
}

async function userDefinedFieldsOf(client: CalloutClient, entity: WatchedEntity): Promise<readonly Udf[]> {
  if (!entity.hasUserDefinedFields) return [];
  const params = { path: { collection: entity.collection } };
  return (await client.GET('/v1.0/{collection}/entityInformation/userDefinedFields', { params })).data.fields;
}

function isNamed({ name, label }: Udf, text: string): boolean {
  return [name, label].some((one) => one.toLowerCase() === text.toLowerCase());
}

function valueOf(text: string, dataType = 'string'): unknown {
  if (text === 'null') return null;
  if (dataType === 'boolean') return text === 'true';
  const isNumber = !['string', 'datetime', 'list'].includes(dataType) && /^-?\d+(?:\.\d+)?$/u.test(text);
  return isNumber ? Number(text) : text;
}
