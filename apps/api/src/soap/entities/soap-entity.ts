import type { DataType } from '@callout/domain/catalogue/catalogue';
import { soapNameOf } from '@callout/domain/catalogue/names';
import { isJsonType, type FieldTable } from '@callout/domain/metadata/field';
import { inLiveOrder } from './live-fields.ts';

/** A field of an entity: the names in the two APIs. */
export interface SoapField {
  readonly soapName: string;
  readonly restName: string;
  readonly dataType: DataType;
}

/** An entity of the SOAP API, and the REST collection of the entity. */
export interface SoapEntity {
  /** Like `AccountWebhook`: the value of `xsi:type` and `<entity>`. */
  readonly name: string;
  /** The name of a record in REST, like `CompanyWebhook`, in references. */
  readonly restSingular: string;
  /** The path of the collection below `/v1.0`, like `/CompanyWebhooks`: queries, reads and metadata are there. */
  readonly path: string;
  /** Where a record is changed and deleted; the placeholder `:parentId` is the webhook of a child. */
  readonly writePath: string;
  /** Whether the entity can be created, changed and deleted by SOAP, where REST can. */
  readonly isWritable: boolean;
  readonly hasUserDefinedFields: boolean;
  /** In the order of the description and of every response: the id first, the others as in the live API. */
  readonly fields: readonly SoapField[];
  /** By SOAP name, in any case. */
  readonly fieldBySoapName: (name: string) => SoapField | undefined;
  readonly fieldByRestName: (name: string) => SoapField | undefined;
}

type SoapEntityParts = Omit<SoapEntity, 'fields' | 'fieldBySoapName' | 'fieldByRestName'> & {
  readonly table: FieldTable;
};

/** An entity with the fields that reads show, but for objects and lists, which have no form in SOAP. */
export function defineSoapEntity({ table, ...parts }: SoapEntityParts): SoapEntity {
  const shown = Object.entries(table).filter(([, field]) => field.only === undefined && field.items === undefined);
  const named = shown.flatMap(([restName, { dataType, soapName = soapNameOf(restName) }]): SoapField[] =>
    isJsonType(dataType) ? [] : [{ soapName, restName, dataType }],
  );
  const isId = ({ restName }: SoapField) => restName === 'id';
  const otherFields = named.filter((field) => !isId(field));
  const fields = [...named.filter(isId), ...inLiveOrder(parts.name, otherFields)];
  const bySoapName = new Map(fields.map((field) => [field.soapName.toLowerCase(), field]));
  const byRestName = new Map(fields.map((field) => [field.restName, field]));
  return {
    ...parts,
    fields,
    fieldBySoapName: (name) => bySoapName.get(name.toLowerCase()),
    fieldByRestName: (name) => byRestName.get(name),
  };
}
