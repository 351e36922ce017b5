import { z } from 'zod';
import type { DataType, PicklistValue } from '../catalogue/catalogue.ts';
import {
  blankableBooleanInput,
  flagInput,
  idInput,
  mailAddressInput,
  maxMailAddressLength,
  textInput,
} from '../input/input-schemas.ts';

/** What makes a record: `create` is a POST, `replace` a PUT. */
export type WholeWrite = 'create' | 'replace';

/**
 * One field of a collection. This one declaration says how bodies are read (`input`), what `…/entityInformation/fields`
 * tells, and what `/openapi.json` tells.
 */
export interface Field {
  /** What the field means, as a sentence. */
  readonly description: string;
  readonly dataType: DataType;
  /** The shortest text. */
  readonly minLength?: number;
  /** The longest text in UTF-16 units; absent = no text, or no limit. */
  readonly length?: number;
  /** The least number. */
  readonly minimum?: number;
  /** The greatest number. */
  readonly maximum?: number;
  /** How a value in a body is read. Values of records are read by their data type alone; see `toWireValue`. */
  readonly input?: z.ZodType;
  /** Whether writes leave it as it is, apart from those that require it. */
  readonly isReadOnly?: boolean;
  /** Whether a create may give it, though it is read-only and not required. */
  readonly isChosenByCreate?: boolean;
  /** The writes that must have it. */
  readonly requiredOf?: readonly WholeWrite[];
  /** Whether reads can show null. */
  readonly isNullable?: boolean;
  /** Whether null in a body means something of its own, and not that the key is absent. */
  readonly takesNull?: boolean;
  /** Whether filters can name it; absent = they can. */
  readonly isQueryable?: boolean;
  /** What kind of thing it holds the id of. */
  readonly referenceEntityType?: string;
  /** The values that it takes; an empty list: they are not defined, so any is taken. */
  readonly picklistValues?: readonly PicklistValue[];
  /** What the SOAP API calls it; absent = the name in PascalCase. */
  readonly soapName?: string;
  /** The catalogue's number; fields of records only. */
  readonly fieldID?: number;
  readonly isSupportedWebhookField?: boolean;
  /** The fields of each object of a list, whose data type says nothing then. */
  readonly items?: FieldTable;
  /** Not shown by reads and metadata: a key of bodies, or of the bodies of creates. */
  readonly only?: 'bodies' | 'create';
  /** In a body the name of a field whose id this one gives: one of the two is enough. */
  readonly insteadOf?: string;
}

/** The fields of a collection, by name, in the order of its metadata. */
export type FieldTable = Readonly<Record<string, Field>>;

// What fields have in common: `{ ...text(50), description: '…' }`.

/** Text of at least one character. */
export function text(length: number) {
  return { dataType: 'string', minLength: 1, length, input: textInput(length) } as const;
}

/** A boolean; a blank is false. */
export const boolean = { dataType: 'boolean', input: blankableBooleanInput } as const;

/** A boolean; a blank and null are false. */
export const flag = { dataType: 'boolean', input: flagInput, takesNull: true } as const;

/** One mail address, or none. */
export const mailAddress = {
  dataType: 'string',
  length: maxMailAddressLength,
  input: mailAddressInput,
  isNullable: true,
  takesNull: true,
} as const;

/** One of some words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  const input = z
    .string('must be a string')
    .toLowerCase()
    .pipe(z.enum(words, `must be one of ${words.join(', ')}`));
  return { dataType: 'string', input, picklistValues: picklistOfWords(words) } as const;
}

/** The id or number of something else. */
export const idValue = { dataType: 'integer', minimum: 1, input: idInput } as const;

/** The id of what the collection holds: the service gives it. */
export const ownId = { dataType: 'long', minimum: 1, isReadOnly: true } as const;

/** A picklist of things that have a number or a name: `value` is its text, in the order given. */
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

/** A picklist of words that the service itself knows. */
export function picklistOfWords(words: readonly string[]): PicklistValue[] {
  return picklistOf(
    words.map((value) => ({ value, label: value })),
    { isSystem: true },
  );
}
