import { z } from 'zod';
import { isMailAddress } from '../mail/mail-address.ts';
import { textOf } from '../values/text-of.ts';

// Messages are the rest of a sentence that begins with the key; see readKeys.
const notAnId = 'must be a positive integer below 2^53';
const notAnAddress = 'must be one plain e-mail address such as ops@example.com';

const notABoolean = { error: 'must be true or false' };
const booleanForms = [
  z.boolean(),
  z.literal([0, 1]).transform((bit) => bit === 1),
  z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }),
] as const;

/** A boolean, also as 1 or 0, and quoted in any case: `true`, `1`, `"true"`, `"True"`, `"1"`. */
export const booleanInput = z.union(booleanForms, notABoolean);

/** As booleanInput, for a webhook or child: clients of this API family leave a box blank (`""`) for false. */
export const blankableBooleanInput = z.union([...booleanForms, z.literal('').transform(() => false)], notABoolean);

/** As blankableBooleanInput; an explicit null is false. */
export const flagInput = blankableBooleanInput.nullable().transform((flag) => flag ?? false);

const wholeNumber = z
  .number()
  .refine((value) => Number.isInteger(value), { error: notAnId, params: { code: 'invalidType' }, abort: true });
const quotedWholeNumber = z
  .string()
  .regex(/^-?\d{1,20}$/u)
  .transform(Number);

/** The id of a webhook, child, resource or definition: 1 to 2^53 - 1, also as a quoted numeral. */
export const idInput = z
  .union([wholeNumber, quotedWholeNumber], { error: notAnId })
  .refine((id) => id >= 1 && id <= Number.MAX_SAFE_INTEGER, { error: notAnId, abort: true });

/** A number from `least` to `most`, also as a quoted numeral; null means none. */
export function limitInput(least: number, most: number, { isWhole }: { readonly isWhole: boolean }) {
  const error = `must be ${isWhole ? 'a whole number' : 'a number'} from ${least} to ${most}, or null for no limit`;
  const numeral = z
    .string()
    .regex(/^\d{1,10}(\.\d{1,10})?$/u)
    .transform(Number);
  return z
    .union([z.number(), numeral], { error })
    .refine((limit) => limit >= least && limit <= most && (!isWhole || Number.isInteger(limit)), { error })
    .nullable();
}

/** A limit in UTF-16 units, which is how lengths are documented. zod's own `max` counts code points. */
function atMost(maxLength: number): z.core.$ZodCheck<string> {
  return z.refine((text: string) => text.length <= maxLength, {
    error: `must be ${maxLength} characters or fewer`,
    params: { code: 'tooLong' },
  });
}

/** Text of 1 to `maxLength` UTF-16 units that PostgreSQL can store; a number or boolean counts as text. */
export function textInput(maxLength: number): z.ZodType<string> {
  const text = z
    .string('must be a string')
    .refine((text) => text.trim() !== '', {
      error: 'must not be empty',
      params: { code: 'required' },
      abort: true,
    })
    .check(atMost(maxLength))
    .refine((text) => text.isWellFormed() && !text.includes('\0'), {
      error: 'must be valid Unicode text without U+0000',
      abort: true,
    });
  return z.preprocess(textOf, text);
}

export const maxMailAddressLength = 150;

/** A mail address; null or an empty text means no address. */
export const mailAddressInput = z
  .string('must be a string')
  .check(atMost(maxMailAddressLength))
  .refine((text) => text === '' || isMailAddress(text), notAnAddress)
  .nullable()
  .transform((text) => (text === '' ? null : text));
