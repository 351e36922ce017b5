import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { Entity } from '../../api/entities.ts';
import { fieldKey, udfKey, type FieldKey } from './webhook-draft.ts';

/** A field that webhooks of an entity can name. */
export interface FieldChoice {
  readonly key: FieldKey;
  /** As programs know it. */
  readonly name: string;
  /** As people know it: the label of a user-defined field, else its name. */
  readonly label: string;
  /** What it means, in a sentence; empty for user-defined fields. */
  readonly description: string;
  /** Such as `string` or `list`. */
  readonly type: string;
  readonly isUserDefined: boolean;
  /** Its values, where it has a list of them. */
  readonly values: readonly { readonly value: string; readonly label: string }[];
}

const fieldsPath = '/v1.0/Companies/entityInformation/fields';
const udfsPath = '/v1.0/Companies/entityInformation/userDefinedFields';
const udfIdsPath = '/v1.0/CompanyWebhookUdfFields/entityInformation/fields';

/** The fields of an entity that webhooks can name, then its user-defined ones. */
export function fieldChoicesQuery({ type, records, collection }: Entity) {
  const of = <Path extends string>(path: Path) =>
    path.replace('Companies', records).replace('CompanyWebhook', collection.slice(0, -1)) as Path;
  return queryOptions({
    queryKey: ['fields', type],
    staleTime: 60_000,
    queryFn: async (): Promise<FieldChoice[]> => {
      const [own, userDefined] = await Promise.all([api.GET(of(fieldsPath)), api.GET(of(udfsPath))]);
      const fields = (own.data?.fields ?? []).flatMap(
        ({ name, description, dataType, fieldID, isSupportedWebhookField, picklistValues }) =>
          isSupportedWebhookField && fieldID !== undefined
            ? [
                {
                  key: fieldKey(fieldID),
                  name,
                  label: name,
                  description,
                  type: dataType,
                  isUserDefined: false,
                  values: valuesOf(picklistValues),
                },
              ]
            : [],
      );
      const supported = (userDefined.data?.fields ?? []).filter((one) => one.isSupportedWebhookField);
      if (supported.length === 0) return fields;
      const idByLabel = await udfIds(of(udfIdsPath));
      const udfs = supported.flatMap(({ name, label, dataType, picklistValues }) => {
        const id = idByLabel.get(label);
        return id === undefined
          ? []
          : [
              {
                key: udfKey(id),
                name,
                label,
                description: '',
                type: dataType,
                isUserDefined: true,
                values: valuesOf(picklistValues),
              },
            ];
      });
      return [...fields, ...udfs];
    },
  });
}

function valuesOf(picklist: readonly { readonly value: string; readonly label: string }[] | null) {
  return (picklist ?? []).map(({ value, label }) => ({ value, label }));
}

/** Labels are unique within an entity. */
async function udfIds(path: typeof udfIdsPath): Promise<Map<string, number>> {
  const { data } = await api.GET(path);
  const values = data?.fields.find(({ name }) => name === 'udfFieldID')?.picklistValues ?? [];
  return new Map(values.map(({ label, value }) => [label, Number(value)]));
}
