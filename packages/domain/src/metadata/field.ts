import { z } from 'zod';
import type { DataType, PicklistValue } from '../catalogue/catalogue.ts';
import type { KeySpelling } from '../input/fold-keys.ts';
import {
  blankableBooleanInput,
  flagInput,
  idInput,
  limitInput,
  mailAddressInput,
  maxMailAddressLength,
  textInput,
} from '../input/input-schemas.ts';

/** Writes of a whole record: `create` is a POST, `replace` a PUT. */
export type WholeWrite = 'create' | 'replace';

/** The types of values that are JSON of their own. No filter can name such a field, and SOAP leaves the field out. */
export const jsonTypes = ['object', 'array'] as const;
type JsonType = (typeof jsonTypes)[number];

/** The types of fields of collections. Fields of records have a data type. */
export type FieldType = DataType | JsonType;

export function isJsonType(type: FieldType): type is JsonType {
  return (jsonTypes as readonly FieldType[]).includes(type);
}

/**
 * One field of a collection. The declaration determines how bodies are read (`input`), and the content of
 * `…/entityInformation/fields` and `/openapi.json`.
 */
export interface Field {
  /** The meaning of the field, as a sentence. */
  readonly description: string;
  readonly dataType: FieldType;
  /** Minimum length of a text. */
  readonly minLength?: number;
  /** Maximum length of a text in UTF-16 units; absent: no text, or no limit. */
  readonly length?: number;
  /** The smallest number. */
  readonly minimum?: number;
  /** The largest number. */
  readonly maximum?: number;
  /** Reads a value in a body. Values of records are read by their data type alone; see `toWireValue`. */
  readonly input?: z.ZodType;
  /** Whether writes ignore the field, except where required. */
  readonly isReadOnly?: boolean;
  /** Whether a create may set the field, though read-only and not required. */
  readonly isChosenByCreate?: boolean;
  /** The writes that require the field. */
  readonly requiredOf?: readonly WholeWrite[];
  /** Whether reads can show null. */
  readonly isNullable?: boolean;
  /** Whether null in a body has its own meaning, instead of counting as absent. */
  readonly takesNull?: boolean;
  /** Whether filters can name the field; absent: they can. */
  readonly isQueryable?: boolean;
  /** The kind of thing whose id it contains. */
  readonly referenceEntityType?: string;
  /** The permitted values; an empty list: any value is accepted. */
  readonly picklistValues?: readonly PicklistValue[];
  /** Integers beside the values of the picklist are accepted, too. */
  readonly takesOtherValues?: boolean;
  /** What a create without it stores, as text; absent: nothing. */
  readonly defaultValue?: string;
  /** Its name in the SOAP API; absent: the name in PascalCase. */
  readonly soapName?: string;
  /** The catalogue's number; fields of records only. */
  readonly fieldID?: number;
  readonly isSupportedWebhookField?: boolean;
  /** The fields of each object of a list. */
  readonly items?: FieldTable;
  /** The keys of an object, where unknown ones are to be reported like those of the body. */
  readonly keys?: KeySpelling;
  /** What an object consists of, for documents. */
  readonly schema?: z.ZodType;
  /** Not shown by reads and metadata: a key of bodies, or of the bodies of creates. */
  readonly only?: 'bodies' | 'create';
  /** The name of a field whose id is contained here: a body needs either. */
  readonly insteadOf?: string;
}

/** The fields of a collection, by name, in the order of its metadata. */
export type FieldTable = Readonly<Record<string, Field>>;

// Common parts of fields: `{ ...text(50), description: '…' }`.

/** Text of at least one character. */
export function text(length: number) {
  return { dataType: 'string', minLength: 1, length, input: textInput(length) } as const;
}

/** A boolean; a blank is false. */
export const boolean = { dataType: 'boolean', input: blankableBooleanInput } as const;

/** A boolean; a blank and null are false. */
export const flag = { dataType: 'boolean', input: flagInput, takesNull: true } as const;

/** A mail address, or nothing. */
export const mailAddress = {
  dataType: 'string',
  length: maxMailAddressLength,
  input: mailAddressInput,
  isNullable: true,
  takesNull: true,
} as const;

/** A number within bounds that limits something, or null: no limit. */
export function numberLimit<const Type extends 'integer' | 'double'>(dataType: Type, minimum: number, maximum: number) {
  const input = limitInput(minimum, maximum, { isWhole: dataType === 'integer' });
  return { dataType, minimum, maximum, input, isNullable: true, takesNull: true } as const;
}

/** One of several words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  const input = z
    .string('must be a string')
    .toLowerCase()
    .pipe(z.enum(words, `must be one of ${words.join(', ')}`));
  return { dataType: 'string', input, picklistValues: picklistOfWords(words) } as const;
}

/** An object, or a list, whose value is the text of its JSON. A body has the JSON itself, which `given` checks. */
export function json<const Type extends JsonType>(dataType: Type, schema: z.ZodType) {
  return { dataType, isQueryable: false, input: schema.transform((value) => JSON.stringify(value)) } as const;
}

/** The same, or null. */
export function nullableJson<const Type extends JsonType>(dataType: Type, schema: z.ZodType) {
  const { input, ...field } = json(dataType, schema);
  return { ...field, input: input.nullable(), isNullable: true, takesNull: true } as const;
}

/** The id or number of something else. */
export const idValue = { dataType: 'integer', minimum: 1, input: idInput } as const;

/** The id of the item itself, assigned by the service. */
export const ownId = { dataType: 'long', minimum: 1, isReadOnly: true } as const;

/** A picklist of things with a number or a name: `value` is its text, in the order given. */
export function picklistOf(
  entries: readonly { readonly value: number | string; readonly label: string }[],
  { isSystem }: { readonly isSystem: boolean },
): PicklistValue[] {
  return entries.map(({ value, label }, index) => ({
    value: String(value),
    label,
    isDefaultValue: false,
    sortOrder: index + 1,
    parentValue: '',
    isActive: true,
    isSystem,
  }));
}

/** A picklist of words defined by the service. */
export function picklistOfWords(words: readonly string[]): PicklistValue[] {
  return picklistOf(
    words.map((value) => ({ value, label: value })),
    { isSystem: true },
  );
}
