import { setting } from './setting.ts';

export const condition = setting({
  key: 'condition',
  type: { kind: 'condition' },
  default: null,
  description: 'What an event must fulfil to make a callout; null: every event does.',
  readBy: ['match'],
  form: { section: 'condition', name: 'Condition', editor: 'condition' },
  command: { option: 'condition-file', description: 'what an event must fulfil to make a callout, as JSON, or none' },
});
