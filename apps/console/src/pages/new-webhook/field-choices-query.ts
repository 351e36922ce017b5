import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { Entity } from '../../api/entities.ts';

/** A field that webhooks of an entity can name. */
export interface FieldChoice {
  /** Unique in the list: names of fields and of user-defined fields may be the same. */
  readonly value: string;
  readonly name: string;
  readonly isUserDefined: boolean;
  /** The name or label with the type, as it is searched for. */
  readonly label: string;
}

/** The fields of an entity that webhooks can subscribe to, then its user-defined ones. */
export function fieldChoicesQuery(entity: Entity) {
  return queryOptions({
    queryKey: ['fields', entity.type],
    staleTime: 60_000,
    queryFn: async (): Promise<FieldChoice[]> => {
      const fields = '/v1.0/Companies/entityInformation/fields' as const;
      const udfs = '/v1.0/Companies/entityInformation/userDefinedFields' as const;
      const of = <Path extends string>(path: Path) => path.replace('Companies', entity.records) as Path;
      const [own, userDefined] = await Promise.all([api.GET(of(fields)), api.GET(of(udfs))]);
      return [
        ...(own.data?.fields ?? [])
          .filter(({ isSupportedWebhookField }) => isSupportedWebhookField)
          .map(({ name, dataType }) => choice(name, name, dataType, false)),
        ...(userDefined.data?.fields ?? [])
          .filter(({ isSupportedWebhookField }) => isSupportedWebhookField)
          .map(({ name, label, dataType }) => choice(name, label ?? name, dataType, true)),
      ];
    },
  });
}

function choice(name: string, label: string, dataType: string | undefined, isUserDefined: boolean): FieldChoice {
  const kind = isUserDefined ? `user-defined ${dataType ?? ''}` : (dataType ?? '');
  return {
    value: `${isUserDefined ? 'udf' : 'field'}:${name}`,
    name,
    isUserDefined,
    label: `${label} (${kind.trim()})`,
  };
}
