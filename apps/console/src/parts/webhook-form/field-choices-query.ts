import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { Entity } from '../../api/entities.ts';
import { fieldKey, type FieldKey, udfKey } from './webhook-draft.ts';

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

/** The fields of an entity that webhooks can name, then its user-defined ones. */
export function fieldChoicesQuery({ type, records, collection }: Entity) {
  return queryOptions({
    queryKey: ['fields', type],
    staleTime: 60_000,
    queryFn: async (): Promise<FieldChoice[]> => {
      const params = { path: { collection: records } };
      const [system, userDefined] = await Promise.all([
        api.GET('/v1.0/{collection}/entityInformation/fields', { params }),
        api.GET('/v1.0/{collection}/entityInformation/userDefinedFields', { params }),
      ]);
      const supported = userDefined.data.fields.filter((one) => one.isSupportedWebhookField);
      const idByLabel = supported.length === 0 ? new Map<string, number>() : await udfIds(collection);
      const common = { description: '', isUserDefined: false };
      return [
        ...system.data.fields.flatMap(({ fieldID, isSupportedWebhookField, ...field }) =>
          isSupportedWebhookField && fieldID !== undefined
            ? [
                {
                  ...common,
                  ...choiceOf(field),
                  key: fieldKey(fieldID),
                  label: field.name,
                  description: field.description,
                },
              ]
            : [],
        ),
        ...supported.flatMap((field) => {
          const id = idByLabel.get(field.label);
          return id === undefined
            ? []
            : [{ ...common, ...choiceOf(field), key: udfKey(id), label: field.label, isUserDefined: true }];
        }),
      ];
    },
  });
}

interface Described {
  readonly name: string;
  readonly dataType: string;
  readonly picklistValues: readonly { readonly value: string; readonly label: string }[] | null;
}

/** What both kinds of fields have in common. */
const choiceOf = ({ name, dataType, picklistValues }: Described) => ({
  name,
  type: dataType,
  values: (picklistValues ?? []).map(({ value, label }) => ({ value, label })),
});

/** Labels are unique within an entity. */
async function udfIds(collection: Entity['collection']): Promise<Map<string, number>> {
  const params = { path: { collection: `${collection.slice(0, -1)}UdfFields` } };
  const { data } = await api.GET('/v1.0/{collection}/entityInformation/fields', { params });
  const values = data.fields.find(({ name }) => name === 'udfFieldID')?.picklistValues ?? [];
  return new Map(values.map(({ label, value }) => [label, Number(value)]));
}
