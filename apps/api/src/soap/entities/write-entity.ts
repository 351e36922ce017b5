import type { DataType } from '@callout/domain/catalogue/catalogue';
import { xml, type XmlNode } from '../xml/write-xml.ts';
import type { SoapEntity } from './soap-entity.ts';

/** REST's item of a record. */
export type RestItem = Readonly<Record<string, unknown>>;

const xsdTypes: Readonly<Record<DataType, string>> = {
  string: 'xsd:string',
  integer: 'xsd:int',
  long: 'xsd:long',
  double: 'xsd:double',
  // As a double: large and small numbers have an exponent in JSON, which a decimal must not have.
  decimal: 'xsd:double',
  boolean: 'xsd:boolean',
  datetime: 'xsd:dateTime',
  list: 'xsd:string',
};

/** A record of the REST API as an entity. Empty fields are left out. */
export function entityNode({ name, fields }: SoapEntity, item: RestItem): XmlNode {
  return xml(
    'Entity',
    { 'xsi:type': name },
    xml('id', {}, String(item['id'])),
    userDefinedFields(item['userDefinedFields']),
    ...fields.map(({ soapName, restName, dataType }) => {
      const value = item[restName] as string | number | boolean | null | undefined;
      if (restName === 'id' || value === null || value === undefined) return null;
      return xml(soapName, { 'xsi:type': xsdTypes[dataType] }, String(value));
    }),
  );
}

function userDefinedFields(restValue: unknown): XmlNode {
  const values = Array.isArray(restValue) ? (restValue as readonly { name: string; value: string | null }[]) : [];
  return xml(
    'UserDefinedFields',
    {},
    ...values.map(({ name, value }) =>
      xml('UserDefinedField', {}, xml('Name', {}, name), value === null ? null : xml('Value', {}, value)),
    ),
  );
}
