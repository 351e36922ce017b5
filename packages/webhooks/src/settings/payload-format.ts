import { payloadFormats } from '@callout/domain/callout/payload-format';
import { flag, setting, type SettingValues } from './setting.ts';

const choices = {
  reference: {
    label: 'Reference',
    help: 'Every value is text, under the name of the field with a capital first letter. What existing receivers read.',
  },
  typed: {
    label: 'Typed',
    help: 'Numbers, booleans and null are JSON, and picklists have their labels. The simplest for a new receiver.',
  },
  cloudevents: {
    label: 'CloudEvents',
    help: 'A CloudEvent 1.0 with the typed data inside, for event buses and functions that understand it.',
  },
} as const satisfies Record<(typeof payloadFormats)[number], object>;

/** Messages for a service have a format of their own. */
const hasFormat = ({ alertFormat = 'json' }: SettingValues): boolean => alertFormat === 'json';

export const includePreviousValues = setting({
  key: 'includePreviousValues',
  type: flag,
  default: false,
  description: 'Whether its callouts also tell what the changed fields were before.',
  readBy: ['payload'],
  form: {
    section: 'format',
    position: 1,
    name: 'Previous values',
    label: 'Include the previous values of changed fields',
    isShown: hasFormat,
    summary: ({ includePreviousValues: isIncluded }) => (isIncluded === true ? 'with previous values' : ''),
  },
  command: {
    option: 'previous-values',
    description: 'its callouts also say what changed fields were before',
    negated: 'they do not',
  },
});

export const payloadFormat = setting({
  key: 'payloadFormat',
  type: { kind: 'choice', words: payloadFormats },
  default: 'reference',
  description: 'What its bodies look like: reference, typed or cloudevents; reference when it is left out.',
  readBy: ['payload'],
  form: {
    section: 'format',
    name: 'Format',
    choices,
    isShown: hasFormat,
    summary: ({ payloadFormat: format }) => choices[format as keyof typeof choices].label,
  },
  command: { option: 'format', argument: 'format', description: 'what its callouts look like' },
});
