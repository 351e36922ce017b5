import { digestPayload, digestStates, typedDigest } from './digest.ts';

type Schema = Readonly<Record<string, unknown>>;

const sampleRun = { from: 1, to: 1, state: 'failed', chainBefore: '', chainAfter: '' } as const;
const sampleDigest = {
  ...{ firstSequenceNumber: 1, lastSequenceNumber: 1, previousChain: '', chain: '' },
  ...{ notDelivered: [sampleRun], earlier: [sampleRun] },
};

/** What each key of a digest means, by its name in the typed format. */
const meanings: Readonly<Record<string, string>> = {
  firstSequenceNumber: 'The first number that the digest covers.',
  lastSequenceNumber: 'The last; one less than the first: it covers none, and only has earlier.',
  count: 'How many callouts the digest covers.',
  previousChain: 'The value of the chain before the first number.',
  chain: 'The value of the chain at the last number.',
  notDelivered: 'Every number that was not delivered; the others of the digest were.',
  earlier: 'Numbers that an earlier digest called open and that have ended since.',
  from: 'The first of consecutive numbers with this state.',
  to: 'The last of them.',
  state: 'Why they were not delivered, or how they ended.',
  chainBefore: 'The value of the chain before the first of them.',
  chainAfter: 'The value of the chain at the last of them.',
};

/** The schema of a digest, by one that has every key: keys differ between the formats, their meanings do not. */
function digestSchema(sample: object): Schema {
  const schemaOf = (value: unknown) => {
    if (Array.isArray(value)) return { type: 'array', items: digestSchema(value[0] as object) };
    if (typeof value === 'number') return { type: 'integer', minimum: 0 };
    return value === 'failed' ? { enum: digestStates } : { type: 'string' };
  };
  const properties = Object.entries(sample).map(([name, value]: [string, unknown]) => {
    const description = meanings[name.charAt(0).toLowerCase() + name.slice(1)];
    return [name, { ...schemaOf(value), description }] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(sample),
    additionalProperties: false,
  };
}

/** The JSON Schema of a digest in the formats of bodies. */
export const digestSchemas: Readonly<Record<'reference' | 'typed', Schema>> = {
  reference: describedSchema(digestPayload(sampleDigest)),
  typed: describedSchema(typedDigest(sampleDigest)),
};

function describedSchema(sample: object): Schema {
  return { ...digestSchema(sample), description: 'Which callouts were delivered; only in a digest.' };
}
