import { type DataType, soapNameOf } from '@callout/core/catalogue';
import type { FieldTable } from '@callout/core/metadata';

/** One field of an entity: what the two APIs call it. */
export interface SoapField {
  readonly soapName: string;
  readonly restName: string;
  readonly dataType: DataType;
}

/** An entity of the SOAP API, and the REST collection that it is. */
export interface SoapEntity {
  /** Such as `AccountWebhook`: what `xsi:type` and `<entity>` name. */
  readonly name: string;
  /** What REST calls one of them, such as `CompanyWebhook`: references name it so. */
  readonly restSingular: string;
  /** The path of the collection below `/v1.0`, such as `/CompanyWebhooks`: queries, reads and metadata are there. */
  readonly path: string;
  /** Where one record is changed and deleted; the placeholder `:parentId` is the webhook of a child. */
  readonly writePath: string;
  /** Whether it can be created, changed and deleted here, as far as REST can. */
  readonly isWritable: boolean;
  readonly hasUserDefinedFields: boolean;
  /** The id first. */
  readonly fields: readonly SoapField[];
  /** By its SOAP name, whatever the case. */
  readonly fieldBySoapName: (name: string) => SoapField | undefined;
  readonly fieldByRestName: (name: string) => SoapField | undefined;
}

type SoapEntityParts = Omit<SoapEntity, 'fields' | 'fieldBySoapName' | 'fieldByRestName'> & {
  readonly table: FieldTable;
};

/** An entity with the fields that reads show, but for lists, which have no form in this API. */
export function defineSoapEntity({ table, ...parts }: SoapEntityParts): SoapEntity {
  const shown = Object.entries(table).filter(([, field]) => field.only === undefined && field.items === undefined);
  const fields = shown
    .map(([restName, field]): SoapField => {
      return { soapName: field.soapName ?? soapNameOf(restName), restName, dataType: field.dataType };
    })
    .toSorted((one, other) => Number(other.restName === 'id') - Number(one.restName === 'id'));
  const bySoapName = new Map(fields.map((field) => [field.soapName.toLowerCase(), field]));
  const byRestName = new Map(fields.map((field) => [field.restName, field]));
  return {
    ...parts,
    fields,
    fieldBySoapName: (name) => bySoapName.get(name.toLowerCase()),
    fieldByRestName: (name) => byRestName.get(name),
  };
}
